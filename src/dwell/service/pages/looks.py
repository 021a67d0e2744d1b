"""A test's path against its limits: as a large chart, as a table, and read out point by point."""

from math import sqrt
from typing import NamedTuple

from markupsafe import Markup

from dwell.pools.under_law import noise_under
from dwell.programme.state import State
from dwell.report.drawings import leaf
from dwell.service.pages import big_leaf, words
from dwell.service.pages.big_leaf import Scale
from dwell.service.pages.words import Unit

_MOST_LOOKS = 40


class LookRow(NamedTuple):
    """A look, in figures."""

    samples: str
    place: str
    lift: str
    drop: str
    ship: str
    advice: str


def _scales(state: State, unit: Unit) -> list[tuple[str, str, Scale]]:
    law = state.known.law
    found = []
    if law is not None:
        noise = noise_under(law)
        found.append(
            (
                "se",
                "Standard errors",
                Scale(
                    "standard errors ahead",
                    lambda samples, total: total / (noise * sqrt(samples)),
                    _plain,
                ),
            )
        )
    lift = Scale(
        f"lift, {unit.name}" if unit.name else "mean of a sample",
        lambda samples, total: unit.scale * total / samples,
        _plain,
    )
    found.append(("lift", f"Lift, {unit.name}" if unit.name else "Mean", lift))
    total = Scale("running total of the samples", lambda _, total: total, _plain)
    found.append(("sum", "Running total", total))
    return found


def _plain(value: float) -> str:
    return f"{value:+,.4g}".replace("-", words.MINUS) if abs(value) > 1e-12 else "0"


def charts_of(
    state: State, picture: leaf.Drawn, unit: Unit
) -> list[tuple[str, str, Markup, Markup]]:
    """The large chart in each unit: its key, its title, wide and narrow."""
    found = []
    samples, total = _now(picture)
    for key, title, scale in _scales(state, unit):
        if samples:
            place = scale.of(samples, total)
            said = f"{words.samples(samples)}: {_figure(place, key, unit)}"
            limit = _limit_at(picture, samples)
            beside = (
                ""
                if limit is None
                else f"the limit is {_figure(scale.of(samples, limit), key, unit)}"
            )
        else:
            said, beside = "no samples yet", ""
        wide, narrow = (
            big_leaf.big(picture, scale, (said, beside), narrow=each) for each in (False, True)
        )
        found.append((key, title, wide, narrow))
    return found


def _now(picture: leaf.Drawn) -> tuple[float, float]:
    """Where a test was decided; where it is, if it is not."""
    if picture.decided is None:
        return picture.path[-1]
    return next(point for point in picture.path if point[0] == picture.decided)


def _figure(value: float, key: str, unit: Unit) -> str:
    if key == "se":
        return f"{words.sign(value)} standard errors"
    if key == "lift":
        return f"{words.sign(value)} {unit.name}".rstrip()
    return words.sign(value)


def _limit_at(picture: leaf.Drawn, samples: float) -> float | None:
    """The limit that a test is compared with now: the one that it is nearer to."""
    limits = picture.limits
    if limits is None or picture.verdict is None:
        return None
    places = [k for k, look in enumerate(limits.looks) if look <= samples]
    if not places:
        return None
    side = (
        limits.upper
        if picture.verdict == "ship" or places[-1] == len(limits.looks) - 1
        else limits.lower
    )
    return side[places[-1]]


def _at(limits: leaf.Limits | None, samples: float) -> tuple[float | None, float | None]:
    """The limits after so many samples: those of the last look that was due."""
    if limits is None:
        return None, None
    places = [k for k, look in enumerate(limits.looks) if look <= samples]
    if not places:
        return None, None
    last = places[-1] == len(limits.looks) - 1
    return None if last else limits.lower[places[-1]], limits.upper[places[-1]]


def read_out(state: State, picture: leaf.Drawn, unit: Unit) -> list[tuple[float, str]]:
    """What is read out where one points at the chart."""
    return [
        (
            samples,
            f"After {words.samples(samples)}: {row.place}"
            + (f" ({row.lift}). " if row.lift != row.place else ". ")
            + (f"Limits: drop at {row.drop}, ship at {row.ship}." if row.ship else "No look yet."),
        )
        for (samples, _), row in zip(
            [point for point in picture.path if point[0]], _rows(state, picture, unit), strict=True
        )
    ]


def _rows(state: State, picture: leaf.Drawn, unit: Unit) -> list[LookRow]:
    law, rows = state.known.law, []
    for samples, total in picture.path:
        if not samples:
            continue
        scale = 1.0 if law is None else noise_under(law) * sqrt(samples)
        lower, upper = _at(picture.limits, samples)
        drop, ship = ("" if each is None else words.sign(each / scale) for each in (lower, upper))
        advice = "keep testing" if ship else "no look yet"
        if picture.decided is not None and samples >= picture.decided:
            advice = picture.verdict or "" if samples == picture.decided else "runs on to learn"
        rows.append(
            LookRow(
                f"{samples:,.0f}",
                f"{words.sign(total / scale)}{' standard errors' if law is not None else ''}",
                unit.signed(total / samples),
                drop or ("none" if ship else ""),
                ship,
                advice,
            )
        )
    return rows


def table_of(state: State, picture: leaf.Drawn, unit: Unit) -> list[LookRow]:
    """The path as a table; of very many points, some."""
    rows = _rows(state, picture, unit)
    every = max(1, -(-len(rows) // _MOST_LOOKS))
    return rows[::-1][::every][::-1]
