"""The figures of an evaluation: set-up costs, lengths of tests, and value over time."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import TYPE_CHECKING

import numpy as np

from dwell.arrays import FloatArray, IntArray, Samples
from dwell.report.charts import EDGE, FORMER, INK, SHIP, empty_figure, log_axis
from dwell.report.evaluation.answer import current_roi
from dwell.report.evaluation.durations import durations_of
from dwell.report.evaluation.report import Report
from dwell.report.evaluation.table import setup_scale
from dwell.report.evaluation.text import level
from dwell.report.tables import amount

if TYPE_CHECKING:
    import plotly.graph_objects as go

_MOST_POINTS = 500
_SPREAD = 8.0
_LEAST_MULTIPLE = 0.1
_CURRENT = "today's rule"
_BEST = "best rule"
_ANSWERS = {
    "change the rule": (("change",), SHIP, "diamond"),
    "keep today's": (("keep",), INK, "circle"),
    "nothing earns": (("nothing-earns", "withheld"), FORMER, "circle-open"),
}


def over_setup(report: Report) -> tuple[go.Figure, str]:
    """What the best rule earns at each set-up cost against today's, which is 1 or 0.

    It is a multiple of what today's rule earns, on a log scale: from one set-up cost to another
    multiples differ by tens. Where today's rule is not shown to earn it is the gain itself.

    Args:
        report: What was found on past tests.
    """
    shown = report.by_setup_cost
    multiples = all(current_roi(each).low > 0.0 for each in shown)
    scale = setup_scale(report)
    ends = []
    for each in shown:
        found, now = each.found.corrected, each.found.current.roi
        gains = (found.gain_low, found.gain, found.gain_high)
        ends.append(
            tuple(1.0 + gain / now if multiples else gain * scale.samples for gain in gains)
        )
    bottom, top = _multiples_range(ends) if multiples else _readable_range(ends)
    cut = any(low < bottom or high > top for low, _, high in ends)
    ends = [tuple(min(max(end, bottom), top) for end in each) for each in ends]
    costs = [each.found.setup_cost for each in shown]
    least = min(cost for cost in costs if cost > 0.0)
    # A log axis has no 0: it stands to the left of the others.
    places = [cost or least / 10.0 for cost in costs]
    figure = empty_figure(
        "set-up cost, in samples",
        "ROI, in multiples of today's" if multiples else f"gain per {scale.unit}",
    )
    for name, (kinds, colour, symbol) in _ANSWERS.items():
        chosen = [k for k, each in enumerate(shown) if each.answer and each.answer.kind in kinds]
        if not chosen:
            continue
        figure.add_scatter(
            x=[place for k in chosen for place in (places[k], places[k], None)],
            y=[end for k in chosen for end in (ends[k][0], ends[k][2], None)],
            mode="lines",
            line={"color": colour, "width": 3},
            showlegend=False,
            hoverinfo="skip",
        )
        figure.add_scatter(
            x=[places[k] for k in chosen],
            y=[ends[k][1] for k in chosen],
            mode="markers",
            name=name,
            marker={"color": colour, "symbol": symbol, "size": 11},
        )
    figure.add_hline(y=1.0 if multiples else 0.0, line={"color": EDGE, "width": 1})
    if report.setup_cost is not None:
        at = report.setup_cost or least / 10.0
        figure.add_vline(x=at, line={"color": EDGE, "width": 1, "dash": "dot"})
    decades = [10.0**power for power in range(ceil(log10(least)), ceil(log10(costs[-1])))]
    ticks = [(least / 10.0, "0"), *((each, f"{each:,g}") for each in decades)]
    figure.update_xaxes(
        type="log",
        tickvals=[place for place, _ in ticks],
        ticktext=[text for _, text in ticks],
        tickangle=0,
    )
    if multiples:
        figure.update_yaxes(_times_axis(bottom, top))
    else:
        figure.update_yaxes(range=[bottom, top], tickformat=",.3~g")
    figure.update_layout(height=360)
    text = f"Bars are {level(report)} intervals"
    text += ", some of which reach beyond the picture: the table has all." if cut else "."
    if report.setup_cost is not None:
        text += " The dotted line is the set-up cost that was given."
    return figure, text


def _multiples_range(ends: Sequence[tuple[float, ...]]) -> tuple[float, float]:
    """What to show of a log axis; what earns next to nothing is at its lower end."""
    low = min(max(each[0], _LEAST_MULTIPLE) for each in ends)
    return 0.8 * min(low, 0.6), 1.25 * max(2.0, *(high for _, _, high in ends))


def _times_axis(bottom: float, top: float) -> dict[str, object]:
    """A log axis of multiples: 1 x, 2 x, 5 x, …, or fewer where it is long."""
    decades = log10(top / bottom)
    steps = (1, 2, 5) if decades <= 2.0 else (1, 3) if decades <= 4.0 else (1,)
    powers = range(floor(log10(bottom)), ceil(log10(top)) + 1)
    ticks = [step * 10.0**power for power in powers for step in steps]
    return {
        "type": "log",
        "range": [log10(bottom), log10(top)],
        "tickvals": ticks,
        "ticktext": [f"{tick:,.3g} \N{MULTIPLICATION SIGN}" for tick in ticks],
    }


def _readable_range(ends: Sequence[tuple[float, ...]]) -> tuple[float, float]:
    """What to show of the axis, where some intervals are so wide that they would hide others."""
    reaches = sorted(max(abs(low), abs(high)) for low, _, high in ends)
    most = 3.0 * reaches[len(reaches) // 2]
    shown = [each for each in ends if max(abs(each[0]), abs(each[2])) <= most]
    bottom = min(0.0, *(low for low, _, _ in shown))
    top = max(0.0, *(high for _, _, high in shown))
    margin = 0.25 * (top - bottom) or 1.0
    return bottom - margin, top + margin


def lengths(report: Report) -> tuple[go.Figure, str]:
    """Which share of tests is over after so many samples, by the current rule and as recommended.

    Args:
        report: What was found on past tests.
    """
    drawn_by: dict[str, Samples] = {_CURRENT: report.replayed.current.durations}
    if report.found.best is not None:
        drawn_by[_chosen(report)] = report.replayed.replay.durations(report.found.best)
    least = min(int(each.min()) for each in drawn_by.values())
    most = max(int(each.max()) for each in drawn_by.values())
    spread = most > _SPREAD * least
    margin = 0.05 * (most - least) or 1.0
    start, end = (0.8 * least, 1.25 * most) if spread else (least - margin, most + margin)
    figure = empty_figure("samples drawn", "share of tests that are over")
    for name, durations in drawn_by.items():
        ordered = np.sort(durations)
        places = _places(len(ordered))
        figure.add_scatter(
            x=[start, ordered[0], *ordered[places].tolist(), end],
            y=[0.0, 0.0, *((places + 1) / len(ordered)).tolist(), 1.0],
            mode="lines",
            name=name,
            line=_line(name) | {"shape": "hv"},
        )
    figure.update_yaxes(tickformat=".0%", range=[-0.02, 1.04])
    if spread:
        figure.update_xaxes(log_axis([least, most]), range=[log10(start), log10(end)])
    else:
        whole = {"dtick": 1} if most - least <= 12 else {}
        figure.update_xaxes(range=[start, end], tickformat=",", **whole)
    days = _days(report)
    medians = " and ".join(
        f"{float(np.median(each)):,.0f} samples{days.get(name == _CURRENT, '')} ({name})"
        for name, each in drawn_by.items()
    )
    return figure, f"Half of all tests are over after {medians}."


def _days(report: Report) -> dict[bool, str]:
    """How many days that is, by the current rule and not by it; nothing where nobody knows."""
    took = durations_of(report)
    if took is None:
        return {}
    told = {True: took.now, False: took.best}
    return {k: f" or {amount(each)} {took.unit}" for k, each in told.items() if each is not None}


def _line(name: str) -> dict[str, object]:
    if name == _CURRENT:
        return {"color": FORMER, "width": 2, "dash": "dash"}
    return {"color": SHIP, "width": 3}


def _chosen(report: Report) -> str:
    """What to call the best policy: it is recommended only if it is shown to be better."""
    answer = report.answer
    return "recommended" if answer is not None and answer.kind == "change" else _BEST


def _places(count: int) -> IntArray:
    """Which of so many points to draw."""
    return np.unique(np.linspace(0, count - 1, min(count, _MOST_POINTS - 3)).round().astype(int))


def over_time(report: Report) -> tuple[go.Figure, str]:
    """What was earned in all by the samples that were spent, test after test.

    Args:
        report: What was found on past tests.
    """
    found, replayed = report.found, report.replayed
    runs: dict[str, tuple[Samples, FloatArray]] = {
        _CURRENT: (replayed.current.durations, replayed.current.rewards)
    }
    if found.best is not None:
        runs[_chosen(report)] = (
            replayed.replay.durations(found.best),
            replayed.replay.rewards(found.best),
        )
    spent = {name: np.cumsum(found.setup_cost + drawn) for name, (drawn, _) in runs.items()}
    earned = {name: np.cumsum(rewards) for name, (_, rewards) in runs.items()}
    end = max(float(each[-1]) for each in spent.values())
    figure = empty_figure("samples spent, set-up included", "value of all that was shipped")
    for name in runs:
        places = _places(len(spent[name]))
        figure.add_scatter(
            x=[0.0, *spent[name][places].tolist()],
            y=[0.0, *earned[name][places].tolist()],
            mode="lines",
            name=name,
            line=_line(name),
        )
        last = float(spent[name][-1])
        if last < end:
            total = float(earned[name][-1])
            figure.add_scatter(
                x=[last, end],
                y=[total, total * end / last],
                mode="lines",
                name=f"{name}, if it went on like that",
                line=_line(name) | {"dash": "dot"},
            )
    figure.update_yaxes(rangemode="tozero")
    caption = f"All {found.tests:,} tests in the order of the log."
    if found.best is not None:
        caption += (
            " The rule was chosen by these very tests, and the figures above correct for that."
        )
    return figure, caption
