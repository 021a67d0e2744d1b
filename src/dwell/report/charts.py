"""Charts, drawn; and what every figure looks like.

Colours are tokens of the stylesheet of pages: blue ships, rust drops, all else is ink.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from dwell.chart import Chart, HeatMap, Line
from dwell.policy import Policy

if TYPE_CHECKING:
    import plotly.graph_objects as go

INK, INK2, FORMER, EDGE, LENS = (
    f"var(--{token})" for token in ("ink", "ink2", "former", "edge", "lens")
)
SHIP, SHIP_WASH, DROP, DROP_WASH = (
    f"var(--{token})" for token in ("ship", "ship-wash", "drop", "drop-wash")
)
# Lines that stand for no verdict.
COLOURS = tuple(f"var(--series-{number})" for number in range(1, 7))
ERROR_BARS = "Bars reach two Monte Carlo standard errors to either side."


def empty_figure(x_title: str, y_title: str) -> go.Figure:
    """A figure with titled axes and nothing in it."""
    import plotly.graph_objects as go

    axis = {
        "gridcolor": "var(--line)",
        "zerolinecolor": EDGE,
        "linecolor": EDGE,
        "tickcolor": EDGE,
        "automargin": True,
    }
    small = {"font": {"size": 13}}
    return go.Figure(
        layout={
            "template": go.layout.Template(),
            "height": 420,
            "margin": {"l": 70, "r": 20, "t": 20, "b": 60},
            "font": {"size": 13, "color": INK2, "family": "var(--sans)"},
            "paper_bgcolor": "rgba(0, 0, 0, 0)",
            "plot_bgcolor": "rgba(0, 0, 0, 0)",
            "hoverlabel": {"bgcolor": "var(--panel)", "font": {"color": INK}},
            "xaxis": {**axis, "title": {"text": x_title, **small}},
            "yaxis": {**axis, "title": {"text": y_title, **small}},
            "legend": {
                "orientation": "h",
                "traceorder": "normal",
                "x": 0,
                "y": 1.02,
                "yanchor": "bottom",
            },
        }
    )


def drawn(chart: Chart | HeatMap) -> tuple[go.Figure, str]:
    """The figure, and what to say about it."""
    return _heat_map(chart) if isinstance(chart, HeatMap) else _lines(chart)


def _lines(chart: Chart) -> tuple[go.Figure, str]:
    figure = empty_figure(chart.x, chart.y)
    # "large gap" and "large gap: its bound" are about the same thing, and share a colour.
    subjects = list(dict.fromkeys(_subject(line) for line in chart.lines))
    for line in chart.lines:
        colour = COLOURS[subjects.index(_subject(line)) % len(COLOURS)]
        figure.add_scatter(
            x=list(line.x),
            y=list(line.y),
            error_y=line.error and error_bars(line.error),
            mode="lines" if line.dashed else "lines+markers",
            name=_raised(line.name),
            line={"color": colour, "dash": "dash" if line.dashed else "solid"},
        )
    if chart.log_x:
        figure.update_xaxes(log_axis([x for line in chart.lines for x in line.x]))
    if chart.log_y:
        figure.update_yaxes(log_axis([y for line in chart.lines for y in line.y]))
    errors = any(line.error for line in chart.lines)
    return figure, " ".join(text for text in (chart.caption, ERROR_BARS * errors) if text)


def _subject(line: Line) -> str:
    return line.name.partition(":")[0]


def error_bars(errors: Sequence[float | None]) -> dict[str, object]:
    """Bars of two standard errors to either side; none where there is no error."""
    # Without crossbars nothing covers the mark of a figure that is exact.
    return {"array": [2.0 * (error or 0.0) for error in errors], "thickness": 1, "width": 0}


def log_axis(values: Sequence[float]) -> dict[str, object]:
    """A log axis with labels at its decades, or at 1, 2, 5, 10, … where those are few.

    Few values that grow by a factor are named one by one instead.
    """
    distinct = sorted({value for value in values if value > 0.0}) or [1.0]
    least, most = distinct[0], distinct[-1]
    decades = log10(most / least)
    factors = [after / before for before, after in pairwise(distinct)]
    if decades > 2.5 and not 1.0 <= least <= most < 1e7:
        return {"type": "log", "exponentformat": "power", "dtick": 1 if decades <= 7 else 3}
    if decades <= 2.5 and 1 < len(factors) < 8 and max(factors) < 1.01 * min(factors):
        ticks = distinct
    else:
        steps = (1,) if decades > 2.5 else (1, 2, 5)
        powers = range(floor(log10(least)), ceil(log10(most)) + 1)
        ticks = [step * 10.0**power for power in powers for step in steps]
    return {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:,.12g}" for tick in ticks]}


def _heat_map(chart: HeatMap) -> tuple[go.Figure, str]:
    figure = empty_figure(chart.x, chart.y)
    figure.add_heatmap(
        x=[_raised(column) for column in chart.columns],
        y=list(chart.rows),
        z=[list(row) for row in chart.values],
        # Cells may be narrow: words go under one another.
        text=[[text.replace(" ", "<br>") for text in row] for row in chart.texts],
        texttemplate="%{text}",
        textfont={"color": INK},
        hoverinfo="x+y+text",
        colorscale=[[0.0, "var(--heat-low)"], [1.0, "var(--heat-high)"]],
        showscale=False,
        xgap=2,
        ygap=2,
    )
    figure.update_xaxes(type="category", showgrid=False)
    figure.update_yaxes(type="category", showgrid=False)
    return figure, chart.caption


def _raised(text: str) -> str:
    """The text with its exponents raised, as plotly writes them.

    Example:
        >>> _raised("10^12"), _raised("eps^2 / 2")
        ('10<sup>12</sup>', 'eps<sup>2</sup> / 2')
    """
    return re.sub(r"\^(\d+)", r"<sup>\1</sup>", text)


def short_count(count: float) -> str:
    """A number of tasks or samples for an axis; large powers of ten as such.

    Example:
        >>> short_count(100), short_count(2500), short_count(10_000)
        ('100', '2,500', '10<sup>4</sup>')
    """
    text = f"{count:.0f}"
    zeros = len(text) - 1
    return f"10<sup>{zeros}</sup>" if zeros >= 4 and int(text) == 10**zeros else f"{count:,.0f}"


def boundaries(policy: Policy, *, signs: bool = False) -> go.Figure:
    """When a policy stops: its two boundaries on the running sum.

    Args:
        policy: The policy.
        signs: Whether samples are +1 or -1. Then every other sum cannot come about, boundaries
            that differ by such a sum are the same, and the smoothest of them are drawn.
    """
    figure = empty_figure("samples drawn", "running sum")
    # Only where it looks: lines would break off at all other samples.
    looked = np.isfinite(policy.upper) | np.isfinite(policy.lower)
    samples = 1 + np.flatnonzero(looked)
    upper, lower = _finite(policy.upper[looked]), _finite(policy.lower[looked][:-1])
    if signs:
        upper, lower = _smooth(upper, samples.tolist(), -1), _smooth(lower, samples.tolist(), 1)
    # At the cap the lower boundary meets the upper one; what lies in between is dropped there.
    lower = [*lower, upper[-1]]
    mode = "lines+markers" if len(samples) <= 64 else "lines"
    figure.add_scatter(x=samples, y=upper, mode=mode, name="at or above: ship", line_color=SHIP)
    figure.add_scatter(
        x=samples,
        y=lower,
        mode=mode,
        name="at or below: drop",
        line={"color": DROP, "dash": "dash"},
        fill="tonexty",
        fillcolor=LENS,
    )
    return figure


def _smooth(
    boundary: Sequence[float | None], samples: Sequence[int], inwards: int
) -> list[float | None]:
    """The same boundary for sums of signs, each entry as near to the last as it can be."""
    drawn: list[float | None] = []
    last: float | None = None
    for edge, count in zip(boundary, samples, strict=False):
        if edge is not None:
            # The first sum that can come about and stops; the one before it cannot come about.
            stops = -inwards * ceil(-inwards * edge)
            stops -= inwards * ((stops - count) % 2)
            before = stops + inwards
            nearer = last is not None and abs(before - last) < abs(stops - last)
            last = float(before if nearer else stops)
        drawn.append(None if edge is None else last)
    return drawn


def _finite(boundary: Any) -> list[float | None]:
    return [edge if np.isfinite(edge) else None for edge in boundary.tolist()]
