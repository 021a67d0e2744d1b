"""Ideas of a company that does not exist: names for its tests."""

from collections.abc import Iterator
from itertools import count, product

import numpy as np

_CHANGES = (
    *("Shorter", "Larger", "Sticky", "Calmer", "Bolder", "Single-page", "Two-step", "Prefilled"),
    *("Collapsed", "Animated", "Plain-text", "Reordered", "Left-aligned", "Full-width", "Lazy"),
    *("Localised", "Illustrated", "Numbered", "Optional", "Earlier", "Later", "Personal"),
)
_PLACES = (
    *("delivery form", "pay button", "order summary", "coupon field", "address book", "cart"),
    *("guest checkout", "shipping options", "progress bar", "return policy", "gift note"),
    *("trust badges", "card form", "delivery date", "size guide", "stock notice", "thank-you page"),
    *("error messages", "wallet row", "basket reminder", "tax line", "phone field", "login prompt"),
    *("loyalty points", "product photos", "receipt mail", "upsell panel", "review stars"),
)


def ideas(rng: np.random.Generator) -> Iterator[str]:
    """Names of ideas without end, none of them twice.

    Args:
        rng: What they are drawn with.

    Example:
        >>> names = ideas(np.random.default_rng(0))
        >>> next(names), next(names)
        ('Prefilled delivery date', 'Full-width loyalty points')
    """
    names = [f"{change} {place}" for change, place in product(_CHANGES, _PLACES)]
    for round_ in count(1):
        for name in rng.permutation(names).tolist():
            yield name if round_ == 1 else f"{name}, take {round_}"
