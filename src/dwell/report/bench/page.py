"""The page of `dwell bench learners`: small charts and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dwell import checks
from dwell.lab.suite import Instance
from dwell.report.bench.measures import (
    HELD_OUT_DRIFTS_MEANS,
    HELD_OUT_MEANS,
    Measure,
    counted_in_pools,
    marked,
    measures_of,
)
from dwell.report.bench.rows import ScoreRow
from dwell.report.charts import COLOURS, EDGE, ERROR_BARS, empty_figure, error_bars, short_count
from dwell.report.page import Charts, Section, page
from dwell.report.tables import number

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


_HOSTILE = (
    "Observations break the law that learners are told. Shares are of the best of all policies for "
    "the true noise or for all that a falling pool goes through; in the other cases, of what could "
    "be earned if samples were what they seem."
)
_DRIFT = (
    "The pool of ideas changes while learners run; they are told the law of samples, and neither "
    "when nor how the pool changes. What each pool has to earn is exact."
)
_AT_ONCE = f"{_HOSTILE} Samples that verify an acceptance follow on the last that it was made by."
_LATER = f"{_HOSTILE} Samples that verify an acceptance come from a later day."


def score_page(
    about: Mapping[str, object], instances: Sequence[Instance], rows: Sequence[ScoreRow]
) -> str:
    """The scores as an HTML page."""
    sections = [
        section
        for measure in measures_of(rows)
        if (shown := measure.rows(rows))
        for section in _sections(measure, shown)
    ]
    sections += [
        Section(counted.title, (counted.explained,), table=counted.grid)
        for counted in counted_in_pools(rows)
    ]
    described = tuple((marked(str(each), each.held_out), _about(each)) for each in instances)
    sections.append(Section("The instances", terms=described))
    how = f"{about['replications']:,} replications of each run, seed {about['seed']}."
    means = HELD_OUT_DRIFTS_MEANS if about["drift"] else HELD_OUT_MEANS
    marks = f" {means}." if any(row.held_out for row in rows) else ""
    paragraphs = [f"{how} {ERROR_BARS}{marks}"]
    if about["hostile"]:
        paragraphs.append(_LATER if about["later_day"] else _AT_ONCE)
    if about["drift"]:
        paragraphs.append(_DRIFT)
    return page("How learners do on the suite.", paragraphs, sections, name="Bench")


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
        Section("The figures", table=measure.grid(rows), level=3),
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
    named = [short_count(count) for count in tasks]
    figure.update_xaxes(type="log", tickvals=tasks, ticktext=named, title_standoff=4)
    figure.update_yaxes(tickformat=".0%", zeroline=True, zerolinecolor=EDGE)
    # Shares without great losses stand beside one another on the same scale.
    least = min((measure.of(row) or 0.0) - _reach(measure, row) for row in rows)
    most = max((measure.of(row) or 0.0) + _reach(measure, row) for row in rows)
    if measure.field not in ("lost", "lost_as_told") and least >= -0.25 and most <= 1.06:
        figure.update_yaxes(range=[min(-0.04, least - 0.02), 1.06], dtick=0.25)
    elif most - least < 0.04:
        # Whole percents would all read alike; and what is next to nothing should look so.
        figure.update_yaxes(tickformat=".1%", range=[min(-0.01, least), max(0.01, most)])
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


def _about(instance: Instance) -> str:
    """What it is, and between which ROIs its policies lie."""
    there_is, policies = instance.reference, instance.policies
    oracle = there_is.oracle_roi
    most = "nothing earns" if oracle is None else f"the best of all has {number(oracle)}"
    return (
        f"{checks.shown(instance.truth)}; {len(policies)} policies with caps from "
        f"{policies.caps[0]} to {policies.caps[-1]:,} and ROIs from "
        f"{number(there_is.worst_roi)} to {number(there_is.best_roi)}; {most}."
    )


def _title(row: ScoreRow) -> str:
    case = "" if row.case is None else f", {row.case}"
    return marked(f"{row.instance}{case}, set-up cost {row.setup_cost:g}", row.held_out)
