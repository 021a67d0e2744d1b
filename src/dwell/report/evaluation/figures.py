"""The figures of an evaluation: bands, lengths of tests, and value over time."""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING

import numpy as np

from dwell.arrays import FloatArray, IntArray, Samples
from dwell.chart import HeatMap
from dwell.report.charts import FORMER, INK, SHIP, drawn, empty_figure, log_axis
from dwell.report.evaluation.report import Report
from dwell.report.evaluation.scale import Scale

if TYPE_CHECKING:
    import plotly.graph_objects as go

_MOST_POINTS = 500
_SPREAD = 8.0
_CURRENT = "current rule"
_BEST = "best policy"


def band_map(report: Report) -> tuple[go.Figure, str] | None:
    """ROIs of bands over their width and their cap; None where there are no bands.

    Args:
        report: What was found on past tests.
    """
    scale = Scale.of(report)
    bands = {
        (candidate.width, candidate.policy.cap): k
        for k, candidate in enumerate(report.replayed.candidates)
        if candidate.width is not None
    }
    if not bands:
        return None
    widths, caps = (sorted(set(axis)) for axis in zip(*bands, strict=True))
    rois = report.found.roi * scale.samples
    digits = max(0, 1 - floor(log10(max(float(np.abs(rois[[*bands.values()]]).max()), 1e-9))))

    def text(index: int | None) -> str:
        if index is None:
            return ""
        shown = f"{round(float(rois[index]), digits) + 0.0:.{digits}f}"
        return f"<b>{shown}</b>" if index == report.found.best else shown

    cells = [[bands.get((width, cap)) for width in widths] for cap in caps]
    chart = HeatMap(
        title="",
        x="width, in standard errors",
        y="cap: most samples per test",
        columns=[f"{width:g}" for width in widths],
        rows=[f"{cap:,}" for cap in caps],
        values=[
            [float("nan") if index is None else float(rois[index]) for index in line]
            for line in cells
        ],
        texts=[[text(index) for index in line] for line in cells],
        caption=f"Value earned per {scale.unit} by policies that stop as soon as a test is so many "
        "standard errors ahead or behind, and drop what is undecided at the cap.",
    )
    figure, caption = drawn(chart)
    figure.update_layout(height=140 + 28 * len(caps))
    figure.update_yaxes(automargin=True, title_standoff=10)
    figure.update_traces(textfont={"size": 12, "color": INK})
    return figure, caption


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
    medians = " and ".join(
        f"{float(np.median(each)):,.0f} samples ({name})" for name, each in drawn_by.items()
    )
    return figure, f"Half of all tests are over after {medians}."


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
            " The policy was chosen by these very tests, and the summary above corrects for that."
        )
    return figure, caption
