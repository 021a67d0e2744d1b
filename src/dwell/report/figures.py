"""Figures: what the lab finds, drawn."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dwell.lab.run import Run
from dwell.policy import Policy
from dwell.report.rows import ExactRow, SimulatedRow

# Colours that people with any colour vision tell apart (Okabe and Ito).
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#8A8F98"
COLOURS = (BLUE, ORANGE, GREEN, "#CC79A7", "#E69F00", "#56B4E9")
ERROR_BARS = "Bars reach two Monte Carlo standard errors to either side."


def roi_by_cap(rows: Sequence[ExactRow]) -> go.Figure:
    """ROI over the cap, with the best one marked."""
    figure = empty_figure("cap (most samples per test)", "ROI")
    figure.add_scatter(
        x=[row.cap for row in rows],
        y=[row.roi for row in rows],
        mode="lines+markers",
        name="ROI",
        line_color=BLUE,
    )
    best = next(row for row in rows if row.best)
    figure.add_scatter(
        x=[best.cap],
        y=[best.roi],
        mode="markers",
        name=f"best: cap {best.cap:,}",
        marker={"color": ORANGE, "size": 13, "symbol": "diamond"},
    )
    caps = [row.cap for row in rows]
    # Caps that grow by a factor are evenly spaced on a log axis; few of them are named one by one.
    if len(caps) > 2 and caps[-1] >= 1.5 ** (len(caps) - 1) * caps[0]:
        figure.update_xaxes(type="log", tickvals=caps if len(caps) <= 12 else None)
    return figure


def boundaries(policy: Policy) -> go.Figure:
    """When a policy stops: its two boundaries on the running sum."""
    figure = empty_figure("samples drawn", "running sum")
    samples = np.arange(1, policy.cap + 1)
    upper = _finite(policy.upper)
    # At the cap the lower boundary meets the upper one; what lies in between is rejected there.
    lower = [*_finite(policy.lower[:-1]), upper[-1]]
    mode = "lines+markers" if policy.cap <= 64 else "lines"
    figure.add_scatter(x=samples, y=upper, mode=mode, name="at or above: accept", line_color=GREEN)
    figure.add_scatter(
        x=samples,
        y=lower,
        mode=mode,
        name="at or below: reject",
        line_color=ORANGE,
        fill="tonexty",
        fillcolor="rgba(0, 114, 178, 0.08)",
    )
    return figure


def regret_over_budget(rows: Sequence[SimulatedRow]) -> tuple[go.Figure, str]:
    """Regret on log-log axes, beside the theorem's bound if there is one; what to say under it."""
    budget = "tasks" if rows[0].samples is None else "samples"
    figure = empty_figure(budget, "regret (best ROI minus ROI)")
    shown = [row for row in rows if row.regret > 0.0]
    figure.add_scatter(
        x=[_budget(row) for row in shown],
        y=[row.regret for row in shown],
        error_y={"array": [2.0 * (row.roi_error or 0.0) for row in shown], "thickness": 1},
        mode="lines+markers",
        name="regret",
        line_color=BLUE,
    )
    bounded = [row for row in rows if row.regret_bound is not None]
    if bounded:
        figure.add_scatter(
            x=[_budget(row) for row in bounded],
            y=[row.regret_bound for row in bounded],
            mode="lines+markers",
            name="the theorem's bound",
            line={"color": ORANGE, "dash": "dash"},
        )
    if rows[0].best_roi > 0.0:
        figure.add_scatter(
            x=[_budget(row) for row in rows],
            y=[row.best_roi for row in rows],
            mode="lines",
            name="regret of earning nothing",
            line={"color": GREY, "dash": "dot"},
        )
    figure.update_xaxes(type="log", exponentformat="power", dtick=1)
    figure.update_yaxes(type="log", exponentformat="power", dtick=1)
    caption = ERROR_BARS
    left_out = [f"{_budget(row):,.0f}" for row in rows if row.regret <= 0.0]
    if left_out:
        caption += (
            f" A log axis has no place for a regret of 0 or less: left out at "
            f"{', '.join(left_out)} {budget}."
        )
    return figure, caption


def candidates_over_time(runs: Mapping[int, Run], budget: str) -> tuple[go.Figure, str]:
    """How candidates became fewer in one run per budget, and what to say under the figure."""
    figure = empty_figure("tasks learned from", "candidates")
    empty = []
    for index, (amount, run) in enumerate(runs.items()):
        if not run.known.eliminated_at:
            empty.append(f"{amount:,}")
            continue
        steps = [*run.history, (max(1, run.explored), run.history[-1].candidates)]
        figure.add_scatter(
            x=[max(1, task) for task, _ in steps],
            y=[candidates for _, candidates in steps],
            mode="lines+markers",
            line={"shape": "hv", "color": COLOURS[index % len(COLOURS)]},
            name=f"{amount:,} {budget}",
        )
    figure.update_xaxes(type="log", exponentformat="power", dtick=1)
    most = max((run.history[0].candidates for run in runs.values()), default=0)
    figure.update_yaxes(rangemode="tozero", dtick=max(1, most // 8))
    caption = (
        "The first replication for each budget; a line ends with the last task that was learned "
        "from. Policies that stay candidates to the end may still be the best."
    )
    if empty:
        caption += f" No candidates were found with {', '.join(empty)} {budget}."
    return figure, caption


def share_by_tasks(shares: Mapping[str, Mapping[int, float]]) -> go.Figure:
    """The share of the best ROI that each learner earns, by the number of ideas."""
    figure = empty_figure("ideas", "share of the best ROI")
    for colour, (learner, by_tasks) in zip(COLOURS, shares.items(), strict=False):
        figure.add_bar(
            x=[f"{tasks:,}" for tasks in by_tasks],
            y=list(by_tasks.values()),
            name=learner,
            marker_color=colour,
            text=[f"{share:.0%}" for share in by_tasks.values()],
            textposition="outside",
            cliponaxis=False,
        )
    figure.update_xaxes(type="category")
    figure.update_yaxes(tickformat=".0%", range=[0, 1.05])
    return figure


def empty_figure(x_title: str, y_title: str) -> go.Figure:
    """A figure with titled axes and nothing in it."""
    return go.Figure(
        layout={
            "template": "plotly_white",
            "height": 420,
            "margin": {"l": 70, "r": 20, "t": 20, "b": 60},
            "font": {"size": 14},
            "xaxis": {"title": {"text": x_title}},
            "yaxis": {"title": {"text": y_title}},
            "legend": {
                "orientation": "h",
                "traceorder": "normal",
                "x": 0,
                "y": 1.02,
                "yanchor": "bottom",
            },
        }
    )


def _finite(boundary: Any) -> list[float | None]:
    return [edge if np.isfinite(edge) else None for edge in boundary.tolist()]


def _budget(row: SimulatedRow) -> float:
    return row.tasks if row.samples is None else row.samples
