"""The leaf as a large chart: one test between its limits, in a unit of one's choice."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor, log10

from markupsafe import Markup

from dwell.report.drawings.labels import Box, Words, freest, room
from dwell.report.drawings.leaf import (
    Drawn,
    Limits,
    Place,
    lens_of,
    limit_lines,
    placed,
    sides,
    until,
)
from dwell.report.drawings.svg import Point, dot, drawing, line, path, straight, text, triangle

_FONT, _LINE = 12.0, 16.0  # of words in the chart: their size, and from one line to the next
_SHIP, _DROP = "▲ Ship above this limit", "▼ Drop below this limit"


@dataclass(frozen=True, slots=True)
class Scale:
    """What the large chart counts in.

    Attributes:
        name: What is written at the axis.
        of: A running total after so many samples, in this unit.
        shown: A number of it, in words.
    """

    name: str
    of: Callable[[float, float], float]
    shown: Callable[[float], str]


def big(test: Drawn, scale: Scale, said: tuple[str, str], *, narrow: bool) -> Markup:
    """A test by itself.

    Args:
        test: The test.
        scale: What is counted.
        said: What is written where it is now: two lines.
        narrow: Whether it is for a small screen.
    """
    width, height = (390.0, 360.0) if narrow else (860.0, 440.0)
    left, right, top, bottom = 44.0, width - (12.0 if narrow else 116.0), 26.0, height - 46.0

    def scaled(points: Sequence[tuple[float, float | None]]) -> list[tuple[float, float | None]]:
        return [(x, None if y is None else scale.of(x, y)) for x, y in points if x > 0.0]

    walked = [(x, y) for x, y in scaled(test.path) if y is not None]
    found = test.limits
    if found is not None:
        found = Limits(
            found.looks,
            tuple(y for _, y in scaled(list(zip(found.looks, found.lower, strict=True)))),
            tuple(y for _, y in scaled(list(zip(found.looks, found.upper, strict=True)))),
        )
    everything = [[(0.0, 0.0), *walked]]
    ends = [] if found is None else [y for y in (*found.lower, *found.upper) if y is not None]
    spread = 0.04 * max([abs(y) for y in (*ends, *(y for _, y in walked))] or [1.0])
    place = placed(
        found, everything, test.cap, left=left, right=right, top=top, bottom=bottom, reach=spread
    )
    parts: list[str] = []
    if found is not None and len(found.looks) > 1:
        upper, lower = sides(found, place)
        for side, edge, kind in ((upper, top, "z-ship"), (lower, bottom, "z-drop")):
            zone = [(side[0][0], edge), *side, (side[-1][0], edge)]
            parts.append(path(kind, line(zone) + "Z"))
        parts.append(path("lens", line([*upper, *reversed(lower)]) + "Z"))
    parts += _axes(test, scale, place, (left, right, top, bottom), narrow=narrow)
    if found is not None:
        kept = lens_of(found, place)
        parts += kept[1:] if len(found.looks) > 1 else kept
        parts.append(text(right - 8.0, top + 18.0, _SHIP, "e ship"))
        parts.append(text(right - 8.0, bottom - 10.0, _DROP, "e drop"))
        if not narrow and len(found.looks) > 1:
            meet = _middle(found, place)
            parts.append(text(right + 8.0, meet - 4.0, "The limits meet"))
            parts.append(text(right + 8.0, meet + 12.0, "at the cap."))
    points = [(place.x(0.0), place.y(0.0)), *((place.x(x), place.y(y)) for x, y in walked)]
    samples = [0.0, *(x for x, _ in walked)]
    before = [point for point, x in zip(points, samples, strict=True) if until(test, x)]
    parts += _walk(test, points, samples, before)
    if not narrow:
        zero = [(left, place.y(0.0)), (right, place.y(0.0))]
        lines = [points, zero, *([] if found is None else limit_lines(found, place))]
        parts += _words(said, before[-1], lines, Box(left, top, right, bottom))
    hot = (
        f'<g class="hot" data-x0="{left:g}" data-x1="{right:g}" data-cap="{test.cap:g}" '
        f'data-top="{top:g}" data-bottom="{bottom:g}"></g>'
    )
    return drawing(width, height, [*parts, hot], titled="big-t")


def _middle(limits: Limits, place: Place) -> float:
    last = limits.upper[-1]
    return place.y(0.0 if last is None else last)


def _walk(test: Drawn, points: list[Point], samples: list[float], before: list[Point]) -> list[str]:
    """The path, and fainter what came after its decision."""
    parts = [path("l-path", line(before))]
    if len(points) > len(before):
        parts.append(path("l-path faint", line(points[len(before) - 1 :])))
        parts += [dot(x, y, 3.0, "dot o") for x, y in points[len(before) :]]
    first = test.limits.looks[0] if test.limits else 0.0
    for (x, y), drawn in zip(points[1:], samples[1:], strict=True):
        if until(test, drawn) and len(points) < 80:
            parts.append(dot(x, y, 3.4, "dot o" if drawn < first else "dot"))
    x, y = before[-1]
    if test.verdict is not None:
        parts.append(triangle(x, y, 10.0, up=test.verdict == "ship"))
    else:
        parts.append(dot(x, y, 5.0, "dot rim"))
    return parts


def _words(said: tuple[str, str], now: Point, lines: list[list[Point]], edges: Box) -> list[str]:
    """What is said of where it is now, beside it, where it crosses no line if that can be."""
    x, y = now
    kept = [each for each in said if each]
    above, below = y - 14.0 - _LINE * (len(kept) - 1), y + 24.0
    level = y + 4.0 if len(kept) == 1 else y - 4.0
    found = [
        Words(x + 14.0, level, ""),
        Words(x + 8.0, above, ""),
        Words(x + 8.0, below, ""),
        Words(x - 14.0, level, "e"),
        Words(x - 8.0, above, "e"),
        Words(x - 8.0, below, "e"),
        *(Words(x, at, "m") for at in (above - _LINE, below + _LINE)),
        # Beyond a steep line that goes by.
        *(
            Words(x + aside * far, level, kind)
            for far in (30.0, 46.0, 62.0)
            for aside, kind in ((1.0, ""), (-1.0, "e"))
        ),
        *(
            Words(x + aside, at, kind)
            for far in range(1, 10)
            for aside, kind in ((8.0, ""), (-8.0, "e"))
            for at in (above - _LINE * far, below + _LINE * far)
        ),
    ]
    taken = [
        room(Words(edges.right - 8.0, at, "e"), [sides_say], _FONT)
        for at, sides_say in ((edges.top + 18.0, _SHIP), (edges.bottom - 10.0, _DROP))
    ]
    places = [(at, room(at, kept, _FONT, _LINE)) for at in found]
    at = freest(places, lines, taken, edges)
    return [
        text(at.x, at.y + _LINE * k, each, f"{at.kind} {'b ' if k == 0 else ''}halo".strip())
        for k, each in enumerate(kept)
    ]


def ticks(least: float, most: float, count: int) -> list[float]:
    """Round numbers in a range.

    Example:
        >>> ticks(-2.3, 3.4, 6)
        [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]
    """
    rough = (most - least) / count or 1.0
    power = 10.0 ** floor(log10(rough))
    step = next(power * k for k in (1.0, 2.0, 5.0, 10.0) if power * k >= rough)
    first = -floor(-least / step)
    return [step * k for k in range(int(first), floor(most / step + 1e-9) + 1)]


def _axes(
    test: Drawn,
    scale: Scale,
    place: Place,
    edges: tuple[float, float, float, float],
    *,
    narrow: bool,
) -> list[str]:
    left, right, top, bottom = edges
    zero, one = place.y(0.0), place.y(1.0)
    per = zero - one  # pixels of one
    parts = []
    for value in ticks((zero - bottom) / per, (zero - top) / per, 6):
        y = place.y(value)
        if abs(value) < 1e-12:
            parts.append(straight("axis", left, y, right, y))
        else:
            parts.append(straight("axis", left - 5.0, y, left, y))
        parts.append(text(left - 9.0, y + 4.0, scale.shown(value), "e"))
    for value in ticks(0.0, test.cap, 4 if narrow else 7):
        x = place.x(value)
        parts.append(straight("axis", x, bottom, x, bottom + 5.0))
        kind = "e" if x > right - 12.0 else "m"
        parts.append(text(x, bottom + 19.0, f"{value:,.0f}", kind))
    parts.append(straight("axis", right, top, right, bottom))
    parts.append(text(right, bottom + 36.0, "samples", "e"))
    parts.append(text(8.0, 16.0, scale.name))
    return parts
