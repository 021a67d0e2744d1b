"""What policies would have earned, with intervals: a line each."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from dwell.history.replay.evaluation import Verdict
from dwell.report.charts import EDGE, FORMER, INK, INK2, SHIP, empty_figure
from dwell.report.evaluation.report import Report
from dwell.report.evaluation.scale import Scale
from dwell.report.evaluation.table import different

if TYPE_CHECKING:
    import plotly.graph_objects as go

_MOST_POLICIES = 25
_LONGEST_NAME = 24
# Intervals that make the picture this many times as wide would spoil it.
_TOO_WIDE = 3.0


def forest(report: Report) -> tuple[go.Figure, str]:
    """ROIs with their intervals, a line per policy; and what to say under it.

    Args:
        report: What was found on past tests.
    """
    found, scale = report.found, Scale.of(report)
    every = different(report)
    shown = every[:_MOST_POLICIES]
    figure = empty_figure(f"value per {scale.unit}", "")
    approximate, guaranteed = found.approximate, found.guaranteed
    low, high = float(approximate.roi_low[shown].min()), float(approximate.roi_high[shown].max())
    current = approximate.current
    low, high = min(low, current.low), max(high, current.high)
    fits = False
    if guaranteed is not None:
        ends = (
            min(low, guaranteed.roi_low[shown].min()),
            max(high, guaranteed.roi_high[shown].max()),
        )
        fits = ends[1] - ends[0] <= _TOO_WIDE * (high - low)
        low, high = ends if fits else (low, high)
    figure.add_vrect(
        x0=current.low * scale.samples,
        x1=current.high * scale.samples,
        fillcolor=EDGE,
        opacity=0.15,
        line_width=0,
        layer="below",
    )
    figure.add_scatter(
        x=[found.current.roi * scale.samples] * 2,
        y=[-0.6, len(shown) - 0.4],
        mode="lines",
        name="today's rule",
        line={"color": INK2, "dash": "dot", "width": 1.5},
    )
    groups = {
        "best": ([k for k in shown if k == found.best], SHIP, "diamond", 12),
        "cannot be told apart": (
            [k for k in shown if k in approximate.indistinguishable and k != found.best],
            INK,
            "circle",
            9,
        ),
        "others": (
            [k for k in shown if k not in approximate.indistinguishable],
            FORMER,
            "circle",
            8,
        ),
    }
    for name, (members, colour, symbol, size) in groups.items():
        if not members:
            continue
        y = [shown.index(k) for k in members]
        if guaranteed is not None and fits:
            _intervals(figure, guaranteed, members, y, scale.samples, colour, 1)
        _intervals(figure, approximate, members, y, scale.samples, colour, 4)
        figure.add_scatter(
            x=found.roi[members] * scale.samples,
            y=y,
            mode="markers",
            name=name,
            marker={"color": colour, "symbol": symbol, "size": size},
            text=[escape(_short(report.replayed.candidates[k].name)) for k in members],
            hovertemplate="%{text}: %{x:.4g}<extra></extra>",
        )
    margin = 0.04 * (high - low) or 1.0 / scale.samples
    figure.update_xaxes(range=[(low - margin) * scale.samples, (high + margin) * scale.samples])
    figure.update_yaxes(
        range=[len(shown) - 0.4, -0.6],
        tickvals=list(range(len(shown))),
        ticktext=[_label(report, k) for k in shown],
        showgrid=False,
        zeroline=False,
        automargin=True,
        tickfont={"size": 12},
    )
    figure.update_layout(height=150 + 24 * len(shown), margin={"l": 10, "t": 60})
    return figure, _under_forest(report, len(shown), len(every), fits)


def _intervals(
    figure: go.Figure,
    verdict: Verdict,
    members: list[int],
    y: list[int],
    samples: int,
    colour: str,
    width: int,
) -> None:
    """A stroke from end to end per policy, in one broken line."""
    ends = zip(verdict.roi_low[members].tolist(), verdict.roi_high[members].tolist(), strict=True)
    x = [part for low, high in ends for part in (low * samples, high * samples, None)]
    figure.add_scatter(
        x=x,
        y=[part for place in y for part in (place, place, None)],
        mode="lines",
        line={"color": colour, "width": width},
        opacity=0.5 if width > 1 else 1.0,
        showlegend=False,
        hoverinfo="skip",
    )


def _label(report: Report, index: int) -> str:
    name = escape(_short(report.replayed.candidates[index].name))
    return f"<b>{name}</b>" if index == report.found.best else name


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _under_forest(report: Report, shown: int, different: int, fits: bool) -> str:
    found = report.found
    text = (
        f"Thick lines are approximate intervals ({100 * (1 - found.alpha):.4g} %, for all at once)"
    )
    if found.guaranteed is not None and fits:
        text += ", thin ones are guaranteed"
    text += "; the grey area is today's rule's."
    if found.guaranteed is not None and not fits:
        widths = (found.guaranteed.roi_high - found.guaranteed.roi_low).max()
        times = widths / max(
            float((found.approximate.roi_high - found.approximate.roi_low).max()), 1e-300
        )
        text += (
            f" Guaranteed intervals reach up to {times:,.0f} times as far, and would make the "
            "picture useless."
        )
    if different < len(found.policies):
        text += " Of rules that would have done the same, one is shown."
    if shown < different:
        text += f" These are the best {shown} of {different:,}."
    return text
