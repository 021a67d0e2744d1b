"""The leaf: two limits that close in and a path between them, in all its sizes.

Small ones show the running total, where the limits stay apart and a path can be read; the large one
has standard errors, the lift and the running total.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, sqrt
from typing import Literal, NamedTuple

from markupsafe import Markup

from dwell.report.drawings.labels import Box, Words, freest, room
from dwell.report.drawings.svg import (
    Point,
    dot,
    drawing,
    line,
    path,
    straight,
    text,
    triangle,
)

_MOST_LOOKS = 24
_CARD_FONT, _CARD = 13.0, Box(2.0, 2.0, 418.0, 154.0)  # of a card: the size of words, all of it
Verdict = Literal["ship", "drop"]
_MET = 0.02  # limits nearer than this share of their widest gap look like one line


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on the running total, at the looks.

    Attributes:
        looks: After how many samples.
        lower: What is here or below is dropped; None if nothing is.
        upper: What is here or above is shipped; None if nothing is.
    """

    looks: tuple[float, ...]
    lower: tuple[float | None, ...]
    upper: tuple[float | None, ...]

    @property
    def cap(self) -> float:
        """The last look."""
        return self.looks[-1]


class Drawn(NamedTuple):
    """A test to be drawn.

    Attributes:
        limits: Its limits; None if they are not known any more.
        cap: The most samples it may have.
        path: Samples and running totals, from (0, 0) on.
        decided: After how many samples it was decided; None if it is not.
        verdict: What was decided.
        said: What is written where it was decided.
    """

    limits: Limits | None
    cap: float
    path: tuple[Point, ...]
    decided: float | None = None
    verdict: Verdict | None = None
    said: str = ""


class Place(NamedTuple):
    """Where samples and totals are in a drawing."""

    x: Callable[[float], float]
    y: Callable[[float], float]
    top: float
    bottom: float


def placed(
    limits: Limits | None,
    paths: Sequence[Sequence[Point]],
    cap: float,
    *,
    left: float,
    right: float,
    top: float,
    bottom: float,
    reach: float = 0.0,
) -> Place:
    """A place for limits and paths; 0 is always in it."""
    least, most = _extent(limits, paths, reach)
    scale = (bottom - top) / ((most - least) or 1.0)
    across = (right - left) / cap
    return Place(
        lambda samples: left + across * samples,
        lambda total: bottom - scale * (total - least),
        top,
        bottom,
    )


def _extent(
    limits: Limits | None, paths: Sequence[Sequence[Point]], reach: float = 0.0
) -> tuple[float, float]:
    """The least and the largest total that is drawn."""
    found = [0.0, *(y for each in paths for _, y in each)]
    if limits is not None:
        found += [y for side in (limits.lower, limits.upper) for y in side if y is not None]
        if len(limits.looks) == 1:  # a gate: both of its sides are seen
            far = 2.0 * max(map(abs, found)) or 1.0
            found += [-far, far]
    return min(found) - reach, max(found) + reach


def sides(limits: Limits, place: Place) -> tuple[list[Point], list[Point]]:
    """The upper and the lower limit; where there is none, at the edge of the drawing."""
    upper, lower = [], []
    last = len(limits.looks) - 1
    for k, look in enumerate(limits.looks):
        high, low = limits.upper[k], limits.lower[k] if k < last else limits.upper[k]
        upper.append((place.x(look), place.top if high is None else place.y(high)))
        lower.append((place.x(look), place.bottom if low is None else place.y(low)))
    return upper, lower


def lens_of(limits: Limits, place: Place) -> list[str]:
    """The space between the limits, then the limits."""
    upper, lower = sides(limits, place)
    if len(upper) == 1:  # one look: a gate
        [(x, y)] = upper
        gate = [path("l-ship", line([(x, place.top), (x, y)]))]
        return [*gate, path("l-drop", line([(x, place.bottom), (x, y)]))]
    between = line([*upper, *reversed(lower)]) + "Z"
    # Where there is no limit, no line is drawn.
    ship = [point for point, y in zip(upper, limits.upper, strict=True) if y is not None]
    ends = (*limits.lower[:-1], limits.upper[-1])
    drop = [point for point, y in zip(lower, ends, strict=True) if y is not None]
    return [path("lens", between), path("l-ship", line(ship)), path("l-drop", line(drop))]


def mini(test: Drawn, label: str) -> Markup:
    """A test in a row of a table."""
    limits = _few(test.limits)
    # Most paths lie within their limits: then many rows have one picture of these.
    least, most = _extent(limits, [test.path])
    place = _mini_place(least, most, test.cap)
    points = [(place.x(x), place.y(y)) for x, y in test.path]
    parts = list(_mini_lens(limits, least, most, test.cap)) if limits else []
    if len(points) > 1:
        parts.append(path("l-path", line(points)))
    x, y = points[-1]
    parts.append(dot(x, y, 3.4, "dot rim"))
    return drawing(240.0, 60.0, parts, label, kind="mini")


def _mini_place(least: float, most: float, cap: float) -> Place:
    ends = [[(0.0, least), (0.0, most)]]
    return placed(None, ends, cap, left=6.0, right=230.0, top=5.0, bottom=55.0)


@lru_cache(maxsize=512)
def _mini_lens(limits: Limits, least: float, most: float, cap: float) -> tuple[str, ...]:
    return tuple(lens_of(limits, _mini_place(least, most, cap)))


def _few(limits: Limits | None) -> Limits | None:
    """Limits at as many looks as a small drawing shows: more would only be sent."""
    if limits is None or len(limits.looks) <= _MOST_LOOKS:
        return limits
    kept = [round(k) for k, _ in thinned([(k, 0.0) for k in range(len(limits.looks))], _MOST_LOOKS)]
    return Limits(
        tuple(limits.looks[k] for k in kept),
        tuple(limits.lower[k] for k in kept),
        tuple(limits.upper[k] for k in kept),
    )


def within(limits: Limits, reach: float) -> Limits:
    """Limits as far as totals reach: what is beyond that is at the edge.

    Example:
        >>> within(Limits((1.0, 2.0), (-9.0, 0.0), (5.0, 0.0)), reach=6.0)
        Limits(looks=(1.0, 2.0), lower=(-6.0, 0.0), upper=(5.0, 0.0))
    """
    lower, upper = (
        tuple(None if y is None else max(-reach, min(reach, y)) for y in side)
        for side in (limits.lower, limits.upper)
    )
    return Limits(limits.looks, lower, upper)


def reach_of(limits: Limits) -> float:
    """The largest total at which there is a limit, ahead or behind; infinite if there is none."""
    found = (abs(y) for side in (limits.lower, limits.upper) for y in side if y is not None)
    return max(found, default=0.0) or inf


def rule(limits: Limits, scale: Sequence[Limits], label: str) -> Markup:
    """A rule of its own, on one scale with others."""
    longest = max(each.cap for each in scale)
    others = [
        [(0.0, y) for side in (each.lower, each.upper) for y in side if y is not None]
        for each in scale
    ]
    place = placed(limits, others, longest, left=2.0, right=248.0, top=6.0, bottom=98.0)
    zero = straight("zero", 2.0, place.y(0.0), place.x(limits.cap), place.y(0.0))
    lens, *rest = lens_of(limits, place)
    return drawing(250.0, 104.0, [lens, zero, *rest], label, kind="mini")


def standing(test: Drawn, label: str) -> Markup:
    """A test where nothing else says what the sides and the ends are."""
    place = placed(
        test.limits, [test.path], test.cap, left=12.0, right=448.0, top=28.0, bottom=136.0
    )
    parts = lens_of(test.limits, place) if test.limits else []
    origin = place.y(0.0)
    parts.insert(1, straight("zero", 12.0, origin, 448.0, origin))
    points = [(place.x(x), place.y(y)) for x, y in test.path]
    if len(points) > 1:
        parts.append(path("l-path", line(points)))
    if points:
        x, y = points[-1]
        up = test.verdict == "ship"
        parts.append(triangle(x, y, 7.0, up=up) if test.verdict else dot(x, y, 4.0))
    parts.append(text(12.0, 14.0, "ship above", "ship"))
    parts.append(text(12.0, 158.0, "drop below", "drop"))
    parts.append(text(448.0, 158.0, f"{test.cap:,.0f} samples", "e"))
    return drawing(460.0, 164.0, parts, label, kind="leaf")


def closing(limits: Limits) -> Limits:
    """The limits up to where they have met, for all practical purposes, and a little further.

    Example:
        >>> closing(Limits((1, 2, 3, 40), (-4, -2, 0, 0), (4, 2, 0, 0))).looks
        (1, 2, 3)
    """
    gaps = [
        0.0 if low is None or high is None else high - low
        for low, high in zip(limits.lower, limits.upper, strict=True)
    ]
    open_yet = [k for k, gap in enumerate(gaps) if gap > _MET * max(gaps)]
    end = open_yet[-1] + 2 if open_yet else len(gaps)
    return Limits(limits.looks[:end], limits.lower[:end], limits.upper[:end])


def card(test: Drawn, label: str) -> Markup:
    """A decision on its card."""
    place = placed(
        test.limits, [test.path], test.cap, left=24.0, right=396.0, top=36.0, bottom=112.0
    )
    ships = test.verdict == "ship"
    parts = []
    if test.limits is not None:
        upper, lower = sides(test.limits, place)
        side, edge = (upper, 0.0) if ships else (lower, 156.0)
        if len(side) > 1:
            zone = [(side[0][0], edge), *side, (side[-1][0], edge)]
            parts.append(path("z-ship" if ships else "z-drop", line(zone) + "Z"))
        parts += lens_of(test.limits, place)
    points = [(place.x(x), place.y(y)) for x, y in test.path]
    before = [point for point, (x, _) in zip(points, test.path, strict=True) if until(test, x)]
    parts.append(path("l-path", line(before)))
    if len(points) > len(before):  # what came after the decision
        parts.append(path("l-path faint", line(points[len(before) - 1 :])))
    parts += [dot(x, y, 2.2) for x, y in before[:-1]]
    x, y = before[-1]
    parts.append(triangle(x, y, 8.0, up=ships))
    # What the sides mean is written where the test did not end.
    edge, end = (24.0, "") if x > 300.0 else (396.0, "e")
    cap = f"{test.cap:,.0f} sample{'' if test.cap == 1 else 's'}, the cap"
    beside = [
        (Words(edge, 18.0, end), "ship above", "ship" if ships else ""),
        (Words(edge, 130.0, end), "drop below", "" if ships else "drop"),
        (Words(24.0, 149.0, ""), "0", ""),
        (Words(396.0, 149.0, "e"), cap, ""),
    ]
    parts += [text(at.x, at.y, said, f"{at.kind} {kind}".strip()) for at, said, kind in beside]
    taken = [room(at, [said], _CARD_FONT) for at, said, _ in beside]
    drawn = [points] if test.limits is None else [points, *limit_lines(test.limits, place)]
    at = freest(_around(x, y, test.said, up=ships), drawn, taken, _CARD)
    parts.append(text(at.x, at.y, test.said, f"{at.kind} b halo".strip()))
    return drawing(420.0, 156.0, parts, label)


def limit_lines(limits: Limits, place: Place) -> list[list[Point]]:
    """The lines of limits: a gate is one from top to bottom."""
    upper, lower = sides(limits, place)
    if len(upper) == 1:
        return [[(upper[0][0], place.top), (upper[0][0], place.bottom)]]
    return [upper, lower]


def _around(x: float, y: float, said: str, *, up: bool) -> list[tuple[Words, Box]]:
    """Where words may stand beside what was decided: on the side of the verdict first."""
    away = y - 15.0 if up else y + 23.0
    places = [
        Words(x, away, "m"),
        Words(x + 7.0, away, ""),
        Words(x - 7.0, away, "e"),
        Words(x + 13.0, y + 5.0, ""),
        Words(x - 13.0, y + 5.0, "e"),
        Words(x + 7.0, y + 23.0 if up else y - 13.0, ""),
        Words(x - 7.0, y + 23.0 if up else y - 13.0, "e"),
    ]
    return [(at, room(at, [said], _CARD_FONT)) for at in places]


def until(test: Drawn, samples: float) -> bool:
    """Whether a test was not decided before so many samples."""
    return test.decided is None or samples <= test.decided


def empty(label: str, outside: bool = False) -> Markup:
    """Two limits and no test yet; or one that has left the picture."""
    looks = tuple(range(2, 22))
    shape = [sqrt(max(0.0, 1.0 - (look / 21.0) ** 2.4)) for look in looks]
    limits = Limits(looks, tuple(-s for s in shape), tuple(shape))
    place = placed(limits, [], 21.0, left=2.0, right=458.0, top=10.0, bottom=130.0)
    parts = lens_of(limits, place)
    if outside:
        walk = (0.0, 0.12, 0.04, 0.35, 0.2, 0.4, 0.7, 0.85, 1.4, 1.7, 2.2, 2.5)
        points = [(place.x(x), place.y(0.9 * y - 0.3)) for x, y in enumerate(walk)]
        parts.append(path("l-path", line(points)))
    return drawing(460.0, 140.0, parts, label)


def many(label: str) -> Markup:
    """Some tests as paths between two limits: what signing in leads to."""
    looks = tuple(range(2, 22))
    shape = [sqrt(max(0.0, 1.0 - (look / 21.0) ** 2.4)) for look in looks]
    limits = Limits(looks, tuple(-s for s in shape), tuple(shape))
    place = placed(limits, [], 21.0, left=2.0, right=450.0, top=22.0, bottom=148.0)
    parts, ends = lens_of(limits, place)[:1], []
    for seed, drift in enumerate((0.11, -0.1, 0.15, 0.045, 0.3, -0.17, 0.2, -0.12, 0.055, -0.07)):
        total, points = 0.0, [(place.x(0.0), place.y(0.0))]
        for k in range(1, 22):
            # A walk that is always the same: the golden ratio leaves no pattern.
            total += drift + 0.42 * (((seed * 37 + k) * 0.6180339887 * (k + seed + 3)) % 1.0 - 0.5)
            points.append((place.x(k), place.y(total)))
            limit = shape[k - 2] if k >= 2 else 9.0
            if abs(total) >= limit:
                ends.append(triangle(*points[-1], 6.0, up=total > 0.0))
                break
        parts.append(path("l-path faint", line(points)))
    parts += lens_of(limits, place)[1:]
    return drawing(460.0, 170.0, [*parts, *ends], label)


def thinned(points: Sequence[Point], most: int) -> tuple[Point, ...]:
    """At most so many points, the first and the last among them.

    Example:
        >>> thinned([(0, 0), (1, 1), (2, 4), (3, 9)], 3)
        ((0, 0), (2, 4), (3, 9))
    """
    if len(points) <= most:
        return tuple(points)
    step = (len(points) - 1) / (most - 1)
    return tuple(points[round(k * step)] for k in range(most))
