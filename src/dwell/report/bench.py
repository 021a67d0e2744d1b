"""Scores: how learners do on the suite, as tables and as a page of small charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

from dwell import checks
from dwell.lab.replicate import Summary
from dwell.lab.run import Run
from dwell.lab.suite import Instance
from dwell.report.charts import COLOURS, EDGE, ERROR_BARS, empty_figure, error_bars
from dwell.report.page import Charts, Section, page
from dwell.report.tables import Grid, number, percent
from dwell.table import exact

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Marks for people who cannot tell the colours apart, and what plotly calls them.
_MARKS = {
    "●": "circle",
    "■": "square",
    "▲": "triangle-up",
    "◆": "diamond",
    "▼": "triangle-down",
    "✚": "cross",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """How well a learner does on an instance of the suite.

    Attributes:
        instance: The instance's name.
        setup_cost: What each of its tests costs besides the samples.
        learner: What was run.
        tasks: For how many tasks.
        roi: Reward per cost.
        roi_error: Its Monte Carlo standard error; None for a single replication, as all errors.
        best_roi: The ROI of the best policy of the class.
        worst_roi: The ROI of the worst.
        score: The ROI as a share of the best; None where the best earns nothing.
        score_error: Its Monte Carlo standard error.
        lost: What was lost, as a share of what the worst policy loses; None where none does.
        lost_error: Its Monte Carlo standard error.
        explored: How many tasks were explored, on average.
    """

    instance: str
    setup_cost: float
    learner: str
    tasks: int
    roi: float
    roi_error: float | None
    best_roi: float
    worst_roi: float
    score: float | None
    score_error: float | None
    lost: float | None
    lost_error: float | None
    explored: float


def score_row(instance: Instance, learner: str, tasks: int, runs: Sequence[Run]) -> ScoreRow:
    """The row of a learner's replications on an instance."""
    summary = Summary.of(list(runs))
    class_roi = exact(instance.policies, instance.world, instance.setup_cost).roi
    best, worst = float(class_roi.max()), float(class_roi.min())
    error = None if isnan(summary.roi_error) else summary.roi_error
    return ScoreRow(
        instance=instance.name,
        setup_cost=instance.setup_cost,
        learner=learner,
        tasks=tasks,
        roi=summary.roi,
        roi_error=error,
        best_roi=best,
        worst_roi=worst,
        score=summary.roi / best if best > 0.0 else None,
        score_error=error / best if best > 0.0 and error is not None else None,
        lost=max(0.0, -summary.roi) / -worst if worst < 0.0 else None,
        lost_error=error / -worst if worst < 0.0 and error is not None else None,
        explored=summary.explored,
    )


@dataclass(frozen=True, slots=True)
class Measure:
    """One of the two ways to say how well a learner does.

    Attributes:
        title: What it is.
        explained: What it means.
        field: The field of a row that holds it; the field of its error ends in `_error`.
    """

    title: str
    explained: str
    field: str

    def of(self, row: ScoreRow) -> float | None:
        """Its value; None where it has no meaning."""
        value: float | None = getattr(row, self.field)
        return value

    def error(self, row: ScoreRow) -> float | None:
        """The Monte Carlo standard error of its value."""
        value: float | None = getattr(row, f"{self.field}_error")
        return value

    def rows(self, rows: Sequence[ScoreRow]) -> list[ScoreRow]:
        """The rows where it has a meaning."""
        return [row for row in rows if self.of(row) is not None]


_MEASURES = (
    Measure(
        "Score: realised ROI / best ROI",
        "What a learner earned per unit of testing, learning included, as a share of what the "
        "best policy of the class earns. Below 0 it lost money.",
        "score",
    ),
    Measure(
        "Lost: realised loss / loss of the worst policy",
        "Where some policies lose money: what a learner lost per unit of testing, as a share of "
        "what the worst policy of the class loses. It is 0 for whoever did not lose.",
        "lost",
    ),
)


def score_grids(rows: Sequence[ScoreRow]) -> list[Grid]:
    """The tables of `dwell bench learners`: a row per instance and learner, a column per tasks."""
    return [_grid(measure, shown) for measure in _MEASURES if (shown := measure.rows(rows))]


def score_page(
    about: Mapping[str, object], instances: Sequence[Instance], rows: Sequence[ScoreRow]
) -> str:
    """The scores as an HTML page."""
    sections = [
        section
        for measure in _MEASURES
        if (shown := measure.rows(rows))
        for section in _sections(measure, shown)
    ]
    sections.append(Section("The instances", terms=_described(instances, rows)))
    how = f"{about['replications']:,} replications of each run, seed {about['seed']}."
    return page("How learners do on the suite", [f"{how} {ERROR_BARS}"], sections)


def _sections(measure: Measure, rows: Sequence[ScoreRow]) -> tuple[Section, Section]:
    learners = list(dict.fromkeys(row.learner for row in rows))
    # The first learners of a long list have marks and colours of their own; then both repeat.
    styles = {
        learner: (list(_MARKS)[index % len(_MARKS)], index % len(COLOURS))
        for index, learner in enumerate(learners)
    }
    key = tuple((mark, 1 + colour, learner) for learner, (mark, colour) in styles.items())
    titles = list(dict.fromkeys(_title(row) for row in rows))
    figures = tuple(
        (title, _chart(measure, [row for row in rows if _title(row) == title], styles))
        for title in titles
    )
    return (
        Section(measure.title, (measure.explained,), charts=Charts(key, figures)),
        Section("The figures", table=_grid(measure, rows), level=3),
    )


def _chart(
    measure: Measure, rows: Sequence[ScoreRow], styles: Mapping[str, tuple[str, int]]
) -> go.Figure:
    """A measure over the number of tasks, a line per learner."""
    figure = empty_figure("tasks", "")
    for learner, (mark, colour) in styles.items():
        own = [row for row in rows if row.learner == learner]
        figure.add_scatter(
            x=[row.tasks for row in own],
            y=[measure.of(row) for row in own],
            error_y=error_bars([measure.error(row) for row in own]),
            mode="lines+markers",
            name=learner,
            line={"color": COLOURS[colour], "width": 1.5},
            marker={"symbol": _MARKS[mark], "size": 7},
            hovertemplate="%{y:.1%} at %{x:,} tasks",
        )
    tasks = sorted({row.tasks for row in rows})
    named = [_short(count) for count in tasks]
    figure.update_xaxes(type="log", tickvals=tasks, ticktext=named, title_standoff=4)
    figure.update_yaxes(tickformat=".0%", zeroline=True, zerolinecolor=EDGE)
    # Scores without losses stand beside one another on the same scale.
    least = min((measure.of(row) or 0.0) - _reach(measure, row) for row in rows)
    if measure.field == "score" and least >= 0.0:
        figure.update_yaxes(range=[-0.04, 1.06], dtick=0.25)
    figure.update_layout(
        height=250,
        showlegend=False,
        margin={"l": 52, "r": 12, "t": 8, "b": 38},
        font={"size": 12},
    )
    return figure


def _reach(measure: Measure, row: ScoreRow) -> float:
    """How far the bar of an error reaches to either side."""
    return 2.0 * (measure.error(row) or 0.0)


def _grid(measure: Measure, rows: Sequence[ScoreRow]) -> Grid:
    tasks = sorted({row.tasks for row in rows})
    by_learner: dict[tuple[str, float, str], dict[int, ScoreRow]] = {}
    for row in rows:
        by_learner.setdefault((row.instance, row.setup_cost, row.learner), {})[row.tasks] = row
    cells = [
        (name, f"{setup_cost:g}", learner, *(_cell(measure, found[count]) for count in tasks))
        for (name, setup_cost, learner), found in by_learner.items()
    ]
    header = ("instance", "set-up", "learner", *(f"{count:,}" for count in tasks))
    return Grid(header, tuple(cells), left=3, title=measure.title)


def _cell(measure: Measure, row: ScoreRow) -> str:
    error = measure.error(row)
    return percent(measure.of(row)) + ("" if error is None else f" ±{100.0 * error:.1f}")


def _described(
    instances: Sequence[Instance], rows: Sequence[ScoreRow]
) -> tuple[tuple[str, str], ...]:
    """What each instance is, and between which ROIs its policies lie."""
    extremes = {(row.instance, row.setup_cost): (row.worst_roi, row.best_roi) for row in rows}
    return tuple(
        (
            str(instance),
            f"{checks.shown(instance.world)}; {len(instance.policies)} policies with caps from "
            f"{instance.policies.caps[0]} to {instance.policies.caps[-1]:,} and ROIs from "
            "{} to {}.".format(*map(number, extremes[instance.name, instance.setup_cost])),
        )
        for instance in instances
    )


def _title(row: ScoreRow) -> str:
    return f"{row.instance}, set-up cost {row.setup_cost:g}"


def _short(count: int) -> str:
    """A number of tasks, a power of ten as such.

    Example:
        >>> _short(1000), _short(2500)
        ('10<sup>3</sup>', '2,500')
    """
    text = str(count)
    zeros = len(text) - 1
    return f"10<sup>{zeros}</sup>" if zeros and text == "1" + "0" * zeros else f"{count:,}"
