"""Set-up costs to look at: what a test costs before its first sample decides which rule is best."""

from math import floor, log10

# In lengths of a past test, on average.
_SHARES = (0.01, 0.1, 0.3, 1.0, 3.0, 10.0)

HOW_TO_COUNT = (
    "A set-up cost is what it takes to build and launch an idea, counted in samples: if that takes "
    "as long as five days of testing, five days of traffic. Where it is money, it is what an "
    "idea's people cost divided by what a sample costs. It is 0 where ideas wait in line and cost "
    "nothing to launch."
)


def setup_costs(length: float, asked: float | None = None) -> tuple[float, ...]:
    """Set-up costs from 0 to ten lengths of a test, in numbers that people can read.

    Args:
        length: How many samples a past test had, on average.
        asked: A set-up cost that somebody has in mind.

    Example:
        >>> setup_costs(2254.0)
        (0.0, 20.0, 200.0, 700.0, 2000.0, 7000.0, 20000.0)
        >>> setup_costs(4.0, asked=5.0)
        (0.0, 1.0, 4.0, 5.0, 10.0, 40.0)
    """
    rounded = {_readable(share * length) for share in _SHARES}
    # Nobody counts parts of a sample.
    shown = {0.0, *(cost for cost in rounded if cost >= 1.0)}
    return tuple(sorted(shown if asked is None else shown | {asked}))


def _readable(number: float) -> float:
    """A number with one digit that is not 0."""
    return round(number, -floor(log10(number)))
