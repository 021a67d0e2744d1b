"""A policy in one sentence: when to look, at which sums to ship and to drop, when to stop."""

from collections.abc import Callable, Sequence
from itertools import groupby
from math import ceil, floor, inf, isfinite
from typing import NamedTuple

import numpy as np

from dwell.laws import Law, Lift, Signs
from dwell.policy import Policy
from dwell.sparse_policy import SparsePolicy

_SMALLEST = 1e-300  # below, a limit says that the sum must be above 0
_SHOWN = 4  # sums that are told: more would be no sentence


class Look(NamedTuple):
    """What a look may lead to.

    Attributes:
        samples: After how many samples it is.
        ship: The least sum that is shipped; None if no test comes there with such a one.
        drop: The largest that is dropped; None in the same way.
        last: Whether no test goes on.
    """

    samples: int
    ship: float | None
    drop: float | None
    last: bool


def looks_of(policy: Policy | SparsePolicy, law: Law | None = None) -> list[Look]:
    """The looks that a test may come to, in order.

    Args:
        policy: The policy.
        law: The law of samples; if they are -1, 0 and 1, only sums are told that can be.

    Example:
        >>> looks_of(Policy([-1.5, -1.5, 0.5], [2.5, 1.5, 0.5]), Signs())[1]
        Look(samples=2, ship=2.0, drop=-2.0, last=False)
    """
    sparse = SparsePolicy.of(policy) if isinstance(policy, Policy) else policy
    step = 2.0 if isinstance(law, Signs) else 1.0 if isinstance(law, Lift) else 0.0
    low = high = 0.0  # the sums of tests that go on lie between these
    before, found = 0, []
    for samples, lower, upper in zip(
        sparse.looks.tolist(), sparse.lower.tolist(), sparse.upper.tolist(), strict=True
    ):
        reach = samples - before if step else inf
        low, high, before = low - reach, high + reach, samples
        ship, drop = _met(upper, low, step, ceil), _met(lower, low, step, floor)
        onward = max(low, drop + step), min(high, ship - step)
        last = samples == sparse.cap or onward[0] > onward[1] or (not step and lower >= upper)
        if last:
            drop = min(high, ship - step)
        ships = max(ship, low) if ship <= high else None
        drops = min(drop, high) if drop >= low and drop > -inf else None
        found.append(Look(samples, ships, drops, last))
        if last:
            break
        low, high = onward
    return found


def rule_sentence(policy: Policy | SparsePolicy, law: Law | None = None) -> str:
    """A policy in one sentence.

    Args:
        policy: The policy.
        law: The law of samples; if they are -1, 0 and 1, only sums are told that can be.

    Example:
        >>> from dwell import fixed
        >>> for part in rule_sentence(Policy([-9, -1, 1], [9, 2, 1]), Signs()).split("; "):
        ...     print(part)
        look after every sample
        ship once the sum is at least 2 after 2 samples or more
        drop once it is at most -2 after 2 samples or more
        stop after 3 samples, and ship if the sum is then at least 1
        >>> rule_sentence(fixed(64, 1))
        'draw 64 samples, and ship if their sum is at least 1'
    """
    looks = looks_of(policy, law)
    *early, last = looks
    if all(look.ship is None for look in looks):
        return f"drop every idea after {_samples(last.samples)} at most"
    if not early:
        if last.drop is None:
            return f"ship every idea after {_samples(last.samples)}"
        return f"draw {_samples(last.samples)}, and ship if their sum is {_at_least(last.ship)}"
    parts = [_rhythm([look.samples for look in looks])]
    for verb, limit, sums in (
        ("ship once the sum is at least", "never ship", [look.ship for look in early]),
        ("drop once it is at most", "never drop", [look.drop for look in early]),
    ):
        told = _told([look.samples for look in early], sums)
        parts.append(f"{verb} {told}" if told else f"{limit} before the end")
    end = f"stop after {_samples(last.samples)}"
    if last.ship is None:
        parts.append(f"{end}, and drop what is left")
    elif last.drop is None:
        parts.append(f"{end}, and ship what is left")
    else:
        parts.append(f"{end}, and ship if the sum is then {_at_least(last.ship)}")
    return "; ".join(parts)


def _met(limit: float, low: float, step: float, rounded: Callable[[float], int]) -> float:
    """The sum at a limit, of those that are whole steps from the lowest."""
    if not step or not isfinite(limit):
        return limit
    whole = rounded(limit)
    if (whole - low) % step == 0.0:
        return float(whole)
    return float(whole + 1 if rounded is ceil else whole - 1)


def _told(samples: list[int], sums: Sequence[float | None]) -> str:
    """Sums by the number of samples: all of them if they change seldom, else a few."""
    known = [(d, total) for d, total in zip(samples, sums, strict=True) if total is not None]
    # Where a sum holds from, and from where on another does.
    changes = [next(run) for _, run in groupby(known, key=lambda pair: pair[1])]
    if len(changes) == 1:
        [(first, total)] = changes
        since = f" after {_samples(first)} or more" if first > samples[0] else ""
        return f"{total:.4g}{since}"
    if len(changes) <= _SHOWN:
        chosen, link = changes, "from {:,} on"
    else:
        places = np.geomspace(1, len(known), _SHOWN).round().astype(int) - 1
        few = [known[place] for place in places]
        chosen = [next(run) for _, run in groupby(few, key=lambda pair: pair[1])]
        link = "after {:,}"
    return ", ".join(f"{total:.4g} {link.format(d)}" for d, total in chosen)


def _rhythm(samples: list[int]) -> str:
    """When one looks."""
    first, gaps = samples[0], np.diff(samples)
    if (gaps == 1).all():
        return "look after every sample" + (f" from {first} on" if first > 1 else "")
    if (gaps[:-1] == gaps[0]).all() and gaps[-1] <= gaps[0]:
        since = "" if first == gaps[0] else f" from {first} on"
        return f"look every {gaps[0]} samples{since}"
    return f"look after {samples[0]}, {samples[1]}, {samples[2]}, … samples"


def _at_least(limit: float | None) -> str:
    assert limit is not None  # or nothing is shipped there
    return "above 0" if 0.0 < limit < _SMALLEST else f"at least {limit:.4g}"


def _samples(count: int) -> str:
    return f"{count:,} sample{'' if count == 1 else 's'}"
