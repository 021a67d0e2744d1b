"""Pictures of intervals, as places of their marks: the template draws them.

Each has a wide drawing and a narrow one, as letters keep their size.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from dwell.report.evaluation.report import Report
from dwell.report.evaluation.scale import Scale
from dwell.report.evaluation.text import gain_scale

_WIDE, _NARROW = 1240, 344
_MARGIN = 0.18
_LETTER = 6.5  # pixels
_LESS, _MORE = "earns less than today's rule", "earns more than today's rule"
_MINI = 200
# Beyond so many times the widest interval that matters, lines are cut off.
_FAR = 1.5


@dataclass(frozen=True, slots=True)
class Mark:
    """A text at a place; `anchor` is the class that says which end of it is there."""

    x: float
    text: str
    anchor: str = "m"


@dataclass(frozen=True, slots=True)
class IntervalPicture:
    """An interval on an axis with 0.

    Attributes:
        width: How wide the drawing is.
        zero: Where 0 is.
        low: Where the interval begins …
        middle: … where its middle is …
        high: … and where it ends.
        ticks: Numbers on the axis.
        ends: What is written at the ends and at the middle.
        sides: What either side of 0 means, where there is room for that.
    """

    width: int
    zero: float
    low: float
    middle: float
    high: float
    ticks: tuple[Mark, ...]
    ends: tuple[Mark, Mark, Mark]
    sides: tuple[Mark, ...]


def gain_pictures(report: Report) -> tuple[IntervalPicture, IntervalPicture]:
    """The gain that decides, drawn wide and narrow.

    Args:
        report: What was found on past tests.
    """
    corrected, scale = report.found.corrected, gain_scale(report)
    ends = (corrected.gain_low, corrected.gain, corrected.gain_high)
    return _drawn(ends, scale, _WIDE, 6), _drawn(ends, scale, _NARROW, 3)


def _drawn(
    ends: tuple[float, float, float], scale: Scale, width: int, ticks: int
) -> IntervalPicture:
    low, middle, high = (end * scale.samples for end in ends)
    least, most = min(0.0, low), max(0.0, high)
    spread = (most - least) or 1.0
    least, most = least - _MARGIN * spread, most + _MARGIN * spread

    def place(number: float) -> float:
        return round(2.0 + (width - 4.0) * (number - least) / (most - least), 1)

    zero = place(0.0)
    texts = [scale.text(end, signed=True) for end in ends]
    sides = []
    if zero > _LETTER * len(_LESS):
        sides.append(Mark(zero - 8.0, _LESS, "e"))
    if width - zero > _LETTER * len(_MORE):
        sides.append(Mark(zero + 8.0, _MORE, "s"))
    numbered = nice_numbers(least, most, ticks)
    decimals = max(0, -floor(log10(numbered[1] - numbered[0]) + 1e-9)) if len(numbered) > 1 else 0
    tick_scale = Scale(1, decimals)
    return IntervalPicture(
        width,
        zero,
        place(low),
        place(middle),
        place(high),
        tuple(
            Mark(place(each), tick_scale.text(each, signed=True) if each else "0")
            for each in numbered
        ),
        (
            _inside(Mark(place(low), texts[0], "e"), width),
            Mark(place(middle), texts[1]),
            _inside(Mark(place(high), texts[2], "s"), width),
        ),
        tuple(sides),
    )


def _inside(mark: Mark, width: int) -> Mark:
    """The mark, moved where its text would reach beyond the picture."""
    length = _LETTER * len(mark.text)
    if mark.anchor == "e":
        return mark if mark.x > length else Mark(0.0, mark.text, "s")
    return mark if mark.x + length < width else Mark(float(width), mark.text, "e")


def nice_numbers(least: float, most: float, count: int) -> list[float]:
    """About so many round numbers in a range, evenly spaced.

    Example:
        >>> nice_numbers(-0.31, 1.2, 4)
        [0.0, 0.5, 1.0]
    """
    rough = (most - least) / count
    power = 10.0 ** floor(log10(rough))
    step = power * next(each for each in (1, 2, 5, 10) if each * power >= rough * (1.0 - 1e-9))
    first, last = ceil(least / step), floor(most / step)
    return [round(each * step, 12) for each in range(first, last + 1)]


@dataclass(frozen=True, slots=True)
class MiniPicture:
    """An interval in a table's cell: where 0, its ends and its middle are."""

    width: int
    zero: float
    low: float
    middle: float
    high: float


def mini_pictures(
    intervals: Sequence[tuple[float, float, float]], which: Sequence[bool]
) -> list[MiniPicture]:
    """Intervals one under another, on one scale.

    Args:
        intervals: Low end, middle and high end of each.
        which: Those that must be seen whole; others may be cut off where they reach far.
    """
    whole = [each for each, needed in zip(intervals, which, strict=True) if needed]
    shown = whole or list(intervals)
    least = min(0.0, *(low for low, _, _ in shown))
    most = max(0.0, *(high for _, _, high in shown))
    widened = (most - least) * (_FAR - 1.0)
    least = max(least - widened, min(0.0, *(low for low, _, _ in intervals)))
    most = min(most + widened, max(0.0, *(high for _, _, high in intervals)))
    spread = (most - least) or 1.0

    def place(number: float) -> float:
        inside = min(max(number, least), most)
        return round(6.0 + (_MINI - 12.0) * (inside - least) / spread, 1)

    return [
        MiniPicture(_MINI, place(0.0), place(low), place(middle), place(high))
        for low, middle, high in intervals
    ]
