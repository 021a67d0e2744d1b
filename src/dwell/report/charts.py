"""Charts: the figures of a finding, drawn."""

import re
from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor, log10

import plotly.graph_objects as go

from dwell.lab.claims.finding import Chart, HeatMap, Line

# Colours that people with any colour vision tell apart (Okabe and Ito).
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#8A8F98"
COLOURS = (BLUE, ORANGE, GREEN, "#CC79A7", "#E69F00", "#56B4E9")
ERROR_BARS = "Bars reach two Monte Carlo standard errors to either side."


def drawn(chart: Chart | HeatMap) -> tuple[go.Figure, str]:
    """The figure, and what to say under it."""
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
            error_y=line.error and {"array": [2.0 * e for e in line.error], "thickness": 1},
            mode="lines" if line.dashed else "lines+markers",
            name=_raised(line.name),
            line={"color": colour, "dash": "dash" if line.dashed else "solid"},
        )
    if chart.log_x:
        figure.update_xaxes(_log_axis([x for line in chart.lines for x in line.x]))
    if chart.log_y:
        figure.update_yaxes(_log_axis([y for line in chart.lines for y in line.y]))
    errors = any(line.error for line in chart.lines)
    return figure, " ".join(text for text in (chart.caption, ERROR_BARS * errors) if text)


def _subject(line: Line) -> str:
    return line.name.partition(":")[0]


def _log_axis(values: Sequence[float]) -> dict[str, object]:
    """A log axis with labels at its decades, or at 1, 2, 5, 10, … where those are few.

    Few values that grow by a factor are named one by one instead.
    """
    distinct = sorted({value for value in values if value > 0.0}) or [1.0]
    least, most = distinct[0], distinct[-1]
    decades = log10(most / least)
    if decades > 2.5:
        return {"type": "log", "exponentformat": "power", "dtick": 1 if decades <= 7 else 3}
    factors = [after / before for before, after in pairwise(distinct)]
    if 0 < len(factors) < 8 and max(factors) < 1.01 * min(factors):
        ticks = distinct
    else:
        powers = range(floor(log10(least)), ceil(log10(most)) + 1)
        ticks = [step * 10.0**power for power in powers for step in (1, 2, 5)]
    return {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}


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


def _heat_map(chart: HeatMap) -> tuple[go.Figure, str]:
    figure = empty_figure(chart.x, chart.y)
    figure.add_heatmap(
        x=[_raised(column) for column in chart.columns],
        y=list(chart.rows),
        z=[list(row) for row in chart.values],
        # Cells may be narrow: words go under one another.
        text=[[text.replace(" ", "<br>") for text in row] for row in chart.texts],
        texttemplate="%{text}",
        hoverinfo="x+y+text",
        colorscale="Blues",
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
