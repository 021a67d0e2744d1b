"""The figures of a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dwell.chart import HeatMap
from dwell.planning import Fitted, Option, Terms
from dwell.planning.past import Fit
from dwell.planning.sensitivity import ByPrior, BySetup
from dwell.report.charts import (
    COLOURS,
    DROP,
    DROP_WASH,
    EDGE,
    FORMER,
    INK,
    LENS,
    SHIP,
    SHIP_WASH,
    drawn,
    empty_figure,
)
from dwell.report.plan.rows import Limits, OptionRow
from dwell.report.tables import number

if TYPE_CHECKING:
    import plotly.graph_objects as go

# The two that are best run close together: one must not hide the other.
_WIDTHS = {"best": 6.0, "simple": 2.0}
_DASHES = ("solid", "dash", "dot")
_FITS: Mapping[Fit, str] = {"normal": "normal", "t": "Student-t", "npmle": "free-shape"}


def regions(best: Sequence[Limits], simple: Sequence[Limits], by_day: bool) -> go.Figure:
    """Where a policy ships, drops and goes on, a column per look."""
    figure = empty_figure("day" if by_day else "samples drawn", "mean lift so far")
    edges = [edge for at in (*best, *simple) for edge in (at.drop, at.ship) if edge is not None]
    reach = 1.25 * max(abs(edge) for edge in edges) or 1.0
    x = [_place(at, by_day) for at in best]
    step = min(np.diff(x), default=1.0)
    drop = [-reach if at.drop is None else at.drop for at in best]
    ship = [reach if at.ship is None else at.ship for at in best]
    # At the last look nothing goes on, and what is not shipped is dropped.
    areas = (
        ("ship", ship, [reach - edge for edge in ship], SHIP_WASH, SHIP),
        ("go on", drop, [up - down for up, down in zip(ship, drop, strict=True)], LENS, EDGE),
        ("drop", [-reach] * len(x), [edge + reach for edge in drop], DROP_WASH, DROP),
    )
    for name, base, height, fill, line in areas:
        figure.add_bar(
            x=x,
            y=height,
            base=base,
            width=float(step),
            name=name,
            marker={"color": fill, "line": {"color": line, "width": 1 if len(x) < 40 else 0}},
            hoverinfo="skip",
        )
    for name, edge in (("simple rule", "ship"), ("simple rule: drop", "drop")):
        figure.add_scatter(
            x=[_place(at, by_day) for at in simple],
            y=[getattr(at, edge) for at in simple],
            mode="lines+markers",
            name=name,
            showlegend=edge == "ship",
            line={"color": INK, "dash": "dot"},
        )
    figure.update_layout(barmode="overlay", bargap=0)
    figure.update_yaxes(range=[-reach, reach])
    last = max(x[-1], _place(simple[-1], by_day))
    figure.update_xaxes(range=[x[0] - 0.6 * step, last + 0.6 * step])
    if last <= 10:
        figure.update_xaxes(dtick=1)
    return figure


def _place(at: Limits, by_day: bool) -> float:
    return at.day if by_day else at.samples


def bars(rows: Sequence[OptionRow]) -> go.Figure:
    """The share of the best ROI, a bar per way of testing."""
    figure = empty_figure("share of the best ROI", "")
    colour = {"best": INK, "simple": SHIP}
    ordered = list(reversed(rows))
    figure.add_bar(
        x=[1.0 - row.left_on_the_table for row in ordered],
        y=[_broken(row.title) for row in ordered],
        orientation="h",
        marker_color=[colour.get(row.name, FORMER) for row in ordered],
        text=[f"{1.0 - row.left_on_the_table:.0%}" for row in ordered],
        textposition="outside",
        cliponaxis=False,
    )
    least = min(1.0 - row.left_on_the_table for row in rows)
    figure.update_xaxes(tickformat=".0%", range=[min(0.0, 1.15 * least), 1.12])
    figure.update_yaxes(automargin=True, tickfont={"size": 12})
    figure.update_layout(height=90 + 36 * len(rows), margin={"l": 10})
    return figure


def _broken(title: str) -> str:
    """A title in two lines, where it has two parts."""
    return title.replace(", ", ",<br>", 1).replace(" (", "<br>(", 1)


def over_setup(found: BySetup, titles: Mapping[str, str], terms: Terms) -> go.Figure:
    """ROIs over the set-up cost, a line per way of testing."""
    figure = empty_figure("set-up cost, in samples", "ROI")
    for index, (name, roi) in enumerate(found.roi.items()):
        figure.add_scatter(
            x=list(found.setup_costs),
            y=[value if value > 0.0 else None for value in roi],
            mode="lines",
            name=titles[name],
            line={
                "color": COLOURS[index % len(COLOURS)],
                "dash": _DASHES[index // len(COLOURS) % len(_DASHES)],
                "width": _WIDTHS.get(name, 1.5),
            },
        )
    if terms.setup_cost > 0.0:
        figure.add_vline(x=terms.setup_cost, line={"color": EDGE, "dash": "dot"})
    figure.update_xaxes(type="log", exponentformat="power", dtick=1, title_standoff=6)
    figure.update_yaxes(type="log", exponentformat="power", dtick=1)
    figure.update_layout(
        height=640,
        legend={"y": -0.16, "yanchor": "top", "font": {"size": 12}},
    )
    return figure


def over_prior(found: ByPrior, best: Option) -> tuple[go.Figure, str]:
    """What the best policy earns if the prior is another one; and what to say about it."""
    chart = HeatMap(
        title="",
        x="mean of the values",
        y="spread of the values (sd)",
        columns=[f"{mean:.2g}" for mean in found.means],
        rows=[f"{spread:.2g}" for spread in found.spreads],
        values=[[cell.roi for cell in row] for row in found.best],
        texts=[
            [
                "nothing" if cell.roi <= 0.0 else f"{_times(cell.roi, best)} {cell.days:.1f}d"
                for cell in row
            ]
            for row in found.best
        ],
        caption="What the best policy earns if the prior is another one, as a multiple of its ROI "
        "in this plan; and how many days a test takes then. The cell in the middle is this plan.",
    )
    return drawn(chart)


def _times(roi: float, best: Option) -> str:
    return f"{roi / best.roi:.2g}x"


def fit(past: Fitted) -> tuple[go.Figure, str]:
    """Effects as they were measured, and as the fitted priors would have them."""
    effects, found = past.past.effects, past.found
    low, high = np.quantile(effects, [0.005, 0.995])
    margin = 0.1 * (high - low) or 3.0 * float(past.past.standard_errors.mean())
    grid = np.linspace(low - margin, high + margin, 200)
    edges = np.linspace(grid[0], grid[-1], 1 + int(np.clip(np.sqrt(len(effects)), 8, 50)))
    counts, _ = np.histogram(effects, edges)
    figure = empty_figure("measured effect", "density")
    figure.add_bar(
        x=(edges[1:] + edges[:-1]) / 2.0,
        y=counts / (len(effects) * np.diff(edges)),
        width=np.diff(edges),
        name="measured",
        marker_color=LENS,
    )
    fits: Sequence[tuple[Fit, str]] = (("normal", "solid"), ("npmle", "dash"), ("t", "dot"))
    for (fit, dash), colour in zip(fits, COLOURS, strict=False):
        figure.add_scatter(
            x=grid,
            y=past.density(fit, grid),
            mode="lines",
            name=f"{_FITS[fit]} prior, with noise",
            line={"color": colour, "dash": dash},
        )
    outside = int(((effects < edges[0]) | (effects > edges[-1])).sum())
    caption = (
        f"The normal prior has the mean {number(found.mean)} ±{found.mean_error:.1g} and the sd "
        f"{number(found.sd)} ±{found.sd_error:.1g}, the Student-t prior "
        f"{number(found.student_t.df)} degrees of freedom. The plan uses the {_FITS[past.fit]} "
        f"one; {past.support}."
    )
    if outside:
        caption += f" {outside:,} effects lie outside the picture."
    return figure, caption
