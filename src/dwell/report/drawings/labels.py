"""Words beside a point of a drawing, where they cross as little of its lines as can be."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from dwell.report.drawings.svg import Point

_TALL, _DEEP = 0.8, 0.25  # of letters above and below the line they stand on, in sizes of the font
_WIDE = 0.64  # of a letter on average, bold ones included
_AIR = 2.0  # between words and a line


class Words(NamedTuple):
    """Where words may stand.

    Attributes:
        x: Where they begin, have their middle, or end.
        y: The line that the first of them stand on.
        kind: "" if they begin there, "m" for their middle, "e" for their end.
    """

    x: float
    y: float
    kind: str


class Box(NamedTuple):
    """The room that words take."""

    left: float
    top: float
    right: float
    bottom: float


def room(at: Words, lines: Sequence[str], size: float, step: float = 0.0) -> Box:
    """The room of lines of words, each so far below the one before.

    Example:
        >>> room(Words(100.0, 50.0, "e"), ["day 9"], 10.0)
        Box(left=66.0, top=40.0, right=102.0, bottom=54.5)
    """
    wide = _WIDE * size * max(map(len, lines))
    left = at.x - {"": 0.0, "m": 0.5, "e": 1.0}[at.kind] * wide
    last = at.y + step * (len(lines) - 1)
    top, bottom = at.y - _TALL * size - _AIR, last + _DEEP * size + _AIR
    return Box(left - _AIR, top, left + wide + _AIR, bottom)


def freest(
    places: Sequence[tuple[Words, Box]],
    lines: Iterable[Sequence[Point]],
    taken: Sequence[Box],
    within: Box,
) -> Words:
    """The first of some places that nothing crosses; or where what crosses is shortest.

    Args:
        places: Where the words may stand, the best first, and the room that they take there.
        lines: What is drawn.
        taken: Where other words stand.
        within: Where words can be seen.
    """
    drawn = [pair for each in lines for pair in pairwise(each)]

    def cost(box: Box) -> float:
        hidden = _outside(box, within) + sum(_shared(box, other) for other in taken)
        return 100.0 * hidden + sum(inside(box, *pair) for pair in drawn)

    return min(places, key=lambda each: round(cost(each[1]), 1))[0]


def inside(box: Box, start: Point, end: Point) -> float:
    """How much of a straight line lies in a box.

    Example:
        >>> inside(Box(0.0, 0.0, 4.0, 4.0), (-2.0, 1.0), (2.0, 1.0))
        2.0
    """
    (x0, y0), (x1, y1) = start, end
    first, last = 0.0, 1.0
    for at, way, low, high in (
        (x0, x1 - x0, box.left, box.right),
        (y0, y1 - y0, box.top, box.bottom),
    ):
        if way == 0.0:
            if not low < at < high:
                return 0.0
            continue
        ends = sorted(((low - at) / way, (high - at) / way))
        first, last = max(first, ends[0]), min(last, ends[1])
    length: float = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
    return max(0.0, last - first) * length


def _outside(box: Box, within: Box) -> float:
    """How far a box reaches out of another."""
    return (
        max(0.0, within.left - box.left)
        + max(0.0, within.top - box.top)
        + max(0.0, box.right - within.right)
        + max(0.0, box.bottom - within.bottom)
    )


def _shared(box: Box, other: Box) -> float:
    """How much two boxes have in common."""
    wide = min(box.right, other.right) - max(box.left, other.left)
    high = min(box.bottom, other.bottom) - max(box.top, other.top)
    return max(0.0, wide) * max(0.0, high)
