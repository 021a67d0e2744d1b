"""Numbers that are not known exactly, and how people read them."""

from dataclasses import dataclass

from dwell.fitting.pool_intervals import Interval


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that is not known exactly.

    Attributes:
        estimate: What it seems to be.
        low: It is hardly lower than this …
        high: … nor higher than this.
    """

    estimate: float
    low: float
    high: float

    @classmethod
    def of(cls, estimate: float, interval: Interval) -> "Figure":
        """An estimate with its interval, which is made wider if need be to hold it."""
        return cls(estimate, min(interval.low, estimate), max(interval.high, estimate))


def percent(share: float) -> str:
    """A share in per cent.

    Example:
        >>> percent(0.16), percent(0.012)
        ('16', '1.2')
    """
    return f"{100.0 * share:.0f}" if share >= 0.1 else f"{100.0 * share:.2g}"


def number(value: float) -> str:
    """A value, to two digits."""
    return f"{value:.2g}"


def range_of(figure: Figure) -> str:
    """From where to where a number may be."""
    return f"{number(figure.low)} to {number(figure.high)}"


def percents(figure: Figure) -> str:
    """From where to where a share may be, in per cent."""
    return f"{percent(figure.low)} to {percent(figure.high)}"
