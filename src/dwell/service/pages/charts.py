"""Charts of what was learned: the value over time, and the pool of ideas."""

from collections.abc import Callable, Iterable, Sequence
from math import pi, sqrt
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from dwell.laws import Gaussian
from dwell.pools.fitted import FittedPool, Posterior
from dwell.report.drawings.leaf import thinned
from dwell.report.drawings.svg import (
    dot,
    drawing,
    line,
    path,
    short,
    steps,
    straight,
    text,
)
from dwell.service.earned import Earned, Figure
from dwell.service.pages.big_leaf import ticks
from dwell.service.pages.words import Unit, percent, tick

_DAY = 86_400.0
_BARS = 24
_NEGLIGIBLE = 1e-9  # weights that cannot be seen
_ROOM = 34.0  # of words on two lines
_ROOM_OF_DATE = 62.0
_ROOM_BESIDE, _LETTER = 28.0, 7.2  # from a chart to the words beside it; of each letter


def value_over_time(earned: Earned, unit: Unit, now: float, *, narrow: bool) -> Markup:
    """The value of what was shipped, added up, against the reference on the same traffic."""
    width, height = (344.0, 240.0) if narrow else (700.0, 290.0)
    told = _told(earned, unit)
    room = max(_ROOM_BESIDE + _LETTER * len(words) for each in told for words in each.words)
    left, right, top, bottom = 40.0, width - room, 14.0, height - 36.0
    figures = [earned.value, *([earned.reference] if earned.reference else [])]
    highest = unit.scale * max(0.0, *(figure.high for figure in figures))
    lowest = unit.scale * min(0.0, *(figure.low for figure in figures))
    lowest = min(lowest, unit.scale * min((y for _, y in earned.over_time), default=0.0))
    marks = ticks(lowest, highest, 5)
    spread = (max(highest, marks[-1]) - lowest) or 1.0
    # Clocks of servers differ, and are set: what was before the beginning is shown too.
    since = min(earned.since, *(at for at, _ in (*earned.over_time, *earned.spent)))
    span, most = max(now - since, 1.0), 80 if narrow else 160

    def x(at: float) -> float:
        return left + (right - left) * min(at - since, span) / span

    def y(value: float) -> float:
        return bottom - (bottom - top) * (unit.scale * value - lowest) / spread

    parts = []
    for mark in marks:
        at = y(mark / unit.scale)
        parts.append(straight("axis" if abs(mark) < 1e-12 else "rule", left, at, right, at))
        parts.append(text(left - 7.0, at + 4.0, f"{mark:g}", "e"))
    last = min(2 if narrow else 4, max(1, int((right - left) / _ROOM_OF_DATE) - 1))
    told_at = ""
    for k in range(last + 1):
        at = since + span * k / last
        # In the first minute all of them would be the same.
        if (said := tick(at, span)) != told_at:
            parts.append(
                text(x(at), height - 8.0, said, "" if k == 0 else "e" if k == last else "m")
            )
        told_at = said
    parts.append(text(left + 6.0, top + 12.0, f"{unit.name or 'value'}, added up", "halo"))
    if earned.reference is not None:
        per = earned.reference.estimate / earned.cost
        points = [(since, 0.0), *thinned([(at, per * cost) for at, cost in earned.spent], most)]
        parts.append(
            path("l-former", line((x(at), y(v)) for at, v in [*points, (now, points[-1][1])]))
        )
    walked = [(since, 0.0), *thinned(earned.over_time, most), (now, earned.value.estimate)]
    parts.append(path("l-path", steps([(x(at), y(v)) for at, v in walked])))
    parts += _end(right, y, told)
    return drawing(width, height, parts, titled="value-t")


class _Told(NamedTuple):
    """A figure at the end of a line, and the words beside it."""

    figure: Figure
    kind: str
    words: tuple[str, str]


def _told(earned: Earned, unit: Unit) -> list[_Told]:
    """Where it has come to, in words."""
    ends = [(earned.value, "ink", "dwell")]
    if earned.reference is not None:
        ends.append((earned.reference, "former", "all to the cap"))
    return [
        _Told(
            figure,
            kind,
            (f"{unit.plain(figure.estimate)}, {name}", unit.plain_range(figure.low, figure.high)),
        )
        for figure, kind, name in ends
    ]


def _end(right: float, y: Callable[[float], float], told: list[_Told]) -> list[str]:
    """Where it has come to, with intervals."""
    parts = []
    beside = _apart([y(each.figure.estimate) for each in told])
    for place, (figure, kind, (first, second)) in enumerate(told):
        at = right + 8.0 + 7.0 * place
        middle, low, high = (y(each) for each in figure)
        line_kind = "ci" if kind == "ink" else "ci out"
        parts.append(straight(line_kind, at, low, at, high))
        parts.append(dot(at, middle, 4.0, "m-ink" if kind == "ink" else "m-former"))
        across, words_at = right + 24.0, beside[place]
        parts.append(text(across, words_at - 1.0, first, "b"))
        parts.append(text(across, words_at + 14.0, second))
    return parts


def _apart(places: list[float]) -> list[float]:
    """Where words stand beside one or two points, so that they do not overlap.

    Example:
        >>> _apart([100.0, 90.0]), _apart([20.0, 90.0])
        ([112.0, 78.0], [20.0, 90.0])
    """
    if len(places) < 2 or abs(places[0] - places[1]) >= _ROOM:
        return places
    middle, first_above = sum(places) / 2.0, places[0] <= places[1]
    found = [middle - _ROOM / 2.0, middle + _ROOM / 2.0]
    return found if first_above else found[::-1]


def pool_of_ideas(
    pool: FittedPool,
    measured: Iterable[tuple[int, float]],
    helpful: float,
    unit: Unit,
    *,
    narrow: bool,
) -> Markup:
    """What ideas are worth by the fitted pool, and what the latest tests have measured."""
    width, height = (344.0, 220.0) if narrow else (480.0, 250.0)
    left, right, top, bottom = 8.0, width - 8.0, 44.0, height - 30.0
    effects = [total / samples for samples, total in measured if samples]
    reach = _reach(pool, effects)

    def x(value: float) -> float:
        return left + (right - left) * (value + reach) / (2.0 * reach)

    curve = _density(pool, reach)
    highest = max(y for _, y in curve)
    parts = _bars(effects, reach, (left, right, top, bottom))
    scaled = [(x(v), bottom - (bottom - top) * y / highest) for v, y in curve]
    middle = x(0.0)
    helps = [(middle, bottom), *((a, b) for a, b in scaled if a >= middle), (right, bottom)]
    parts.append(path("z-ship", line(helps) + "Z"))
    parts.append(path("l-path", line(scaled)))
    parts.append(straight("axis", left, bottom, right, bottom))
    parts.append(straight("zero", middle, top - 26.0, middle, bottom))
    parts.append(text(middle - 8.0, top - 18.0, f"does not help, {percent(1.0 - helpful)}", "e"))
    parts.append(text(middle + 8.0, top - 18.0, f"helps, {percent(helpful)}", "ship"))
    marks = ticks(-unit.scale * reach, unit.scale * reach, 4)
    shown = [mark for mark in marks if left + 12.0 < x(mark / unit.scale) < right - 12.0]
    for mark in shown:
        unit_here = unit.name if mark == shown[-1] else ""
        said = f"{_tick(mark)} {unit_here}".strip()
        at = min(x(mark / unit.scale), right - 4.0 * len(said))
        parts.append(text(at, bottom + 18.0, said, "m"))
    return drawing(width, height, parts, titled="pool-t")


def _tick(mark: float) -> str:
    return f"{mark:+g}".replace("-", "\N{MINUS SIGN}") if mark else "0"


def _reach(pool: FittedPool, effects: Sequence[float]) -> float:
    """How far from 0 the chart goes: nearly all ideas, and most of what was measured."""
    low, high = pool.given(0, 0.0).interval(0.99)
    ends = sorted(abs(effect) for effect in effects)
    most = ends[int(0.95 * (len(ends) - 1))] if ends else 0.0
    return 1.15 * max(abs(low), abs(high), most, 1e-12)


def _density(pool: FittedPool, reach: float) -> list[tuple[float, float]]:
    """The pool as a smooth curve: each value stands for those around it."""
    values, weights = pool.values[1:-1], pool.weights[1:-1]
    widths = (pool.values[2:] - pool.values[:-2]) / 2.0
    kept = weights > _NEGLIGIBLE
    values, weights, widths = values[kept], weights[kept], widths[kept]
    places = reach * np.linspace(-1.0, 1.0, 121)
    away = (places[:, None] - values) / widths
    heights = np.exp(-0.5 * away**2) @ (weights / (widths * sqrt(2.0 * pi)))
    return list(zip(places.tolist(), heights.tolist(), strict=True))


def _bars(
    effects: Sequence[float], reach: float, edges: tuple[float, float, float, float]
) -> list[str]:
    """What tests have measured, as bars."""
    left, right, top, bottom = edges
    counts = [0] * _BARS
    for effect in effects:
        place = int((effect + reach) / (2.0 * reach) * _BARS)
        if 0 <= place < _BARS:
            counts[place] += 1
    most, wide = max(counts) or 1, (right - left) / _BARS
    return [
        f'<rect class="m-soft" x="{short(left + k * wide + 0.8)}" width="{short(wide - 1.6)}" '
        f'y="{short(bottom - 0.8 * (bottom - top) * count / most)}" '
        f'height="{short(0.8 * (bottom - top) * count / most)}"/>'
        for k, count in enumerate(counts)
        if count
    ]


def worth(given: Posterior, unit: Unit) -> Markup:
    """What an idea is worth, given its test: harm to the left of 0, help to the right."""
    low, high = given.interval(0.995)
    reach = 1.2 * max(abs(low), abs(high), 1e-12)

    def x(value: float) -> float:
        return 4.0 + 292.0 * (value + reach) / (2.0 * reach)

    pool = FittedPool(Gaussian(1.0), given.values, given.weights, 1.0, 0)
    curve = _density(pool, reach)
    highest = max(y for _, y in curve)
    scaled = [(x(v), 120.0 - 72.0 * y / highest) for v, y in curve]
    middle = x(0.0)
    sides = (
        ("z-ship", [(a, b) for a, b in scaled if a >= middle]),
        ("m-drop", [(a, b) for a, b in scaled if a <= middle]),
    )
    parts = [
        path(kind, line([(points[0][0], 120.0), *points, (points[-1][0], 120.0)]) + "Z")
        for kind, points in sides
    ]
    mean, harm = given.mean, 1.0 - given.at_least(0.0)
    parts.append(path("l-path", line(scaled)))
    parts.append(straight("axis", 0.0, 120.0, 300.0, 120.0))
    parts.append(straight("zero", middle, 44.0, middle, 120.0))
    parts.append(text(min(max(x(mean), 40.0), 260.0), 14.0, unit.signed(mean), "b m"))
    parts.append(straight("zero", x(mean), 20.0, x(mean), 26.0))
    parts.append(text(6.0, 38.0, f"harm, {percent(harm)}"))
    for mark in ticks(-unit.scale * reach, unit.scale * reach, 4):
        at = x(mark / unit.scale)
        if 20.0 < at < 280.0:
            parts.append(text(at, 138.0, f"{_tick(mark)} {unit.name}".strip(), "m"))
    label = (
        f"What the idea is worth, given the test: mean {unit.signed(mean)}; {percent(harm)} of it "
        "lies below 0."
    )
    return drawing(300.0, 144.0, parts, label)
