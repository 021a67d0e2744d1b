"""Exact figures of policies: rows, a table and what they look like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dwell.policy import Policy
from dwell.report.charts import INK, SHIP, boundaries, empty_figure
from dwell.report.page import Section, page
from dwell.report.tables import Grid, number, sentence
from dwell.table import Table

if TYPE_CHECKING:
    import plotly.graph_objects as go


_MOST_SHOWN = 400


@dataclass(frozen=True, slots=True)
class ExactRow:
    """What one policy earns and costs per task."""

    cap: int
    roi: float
    reward: float
    cost: float
    accept_rate: float
    best: bool


def exact_rows(table: Table) -> list[ExactRow]:
    """A row per policy."""
    best = table.best
    columns = (table.roi, table.reward, table.cost, table.accept_rate)
    figures = zip(table.policies.caps, *(column.tolist() for column in columns), strict=True)
    return [
        ExactRow(cap, roi, reward, cost, accept_rate, index == best)
        for index, (cap, roi, reward, cost, accept_rate) in enumerate(figures)
    ]


def shown_rows(rows: Sequence[ExactRow]) -> list[ExactRow]:
    """The rows that people are shown: all, or some on a growing scale with the best among them."""
    if len(rows) <= _MOST_SHOWN:
        return list(rows)
    chosen = set(np.geomspace(1, len(rows), _MOST_SHOWN // 2).round().astype(int) - 1)
    chosen |= {index for index, row in enumerate(rows) if row.best}
    return [rows[index] for index in sorted(chosen)]


def how_many_shown(rows: Sequence[ExactRow]) -> str | None:
    """Says so if not all rows are shown."""
    shown = len(shown_rows(rows))
    if shown == len(rows):
        return None
    return f"{shown} of {len(rows):,} policies are shown, the best among them; --out has them all"


def exact_grid(rows: Sequence[ExactRow]) -> Grid:
    """The table of `dwell exact`."""
    cells = (
        (
            f"{row.cap:,}",
            number(row.roi),
            number(row.reward),
            number(row.cost),
            f"{row.accept_rate:.1%}",
            "best" if row.best else "",
        )
        for row in rows
    )
    header = ("cap", "ROI", "reward", "cost", "accepted", "")
    return Grid(header, tuple(cells), frozenset(i for i, row in enumerate(rows) if row.best))


def exact_page(table: Table) -> str:
    """The figures as an HTML page."""
    every, best = exact_rows(table), table.policies[table.best]
    rows = shown_rows(every)
    notes = tuple(sentence(note) for note in (table.note, how_many_shown(every)) if note)
    assert isinstance(best, Policy)  # the command makes no other kind
    sections = (
        Section("What each policy earns per unit of testing", figure=roi_by_cap(rows)),
        Section(
            f"When the best policy stops: cap {best.cap:,}",
            figure=boundaries(best),
            caption="Between the lines it goes on sampling. What is undecided at the cap is "
            "rejected.",
        ),
        Section("The figures", table=exact_grid(rows)),
    )
    where = f"{table.world}, set-up cost {table.setup_cost:g}."
    return page("What each policy earns, computed.", [where, *notes], sections, name="Exact")


def roi_by_cap(rows: Sequence[ExactRow]) -> go.Figure:
    """ROI over the cap, with the best one marked."""
    figure = empty_figure("cap (most samples per test)", "ROI")
    figure.add_scatter(
        x=[row.cap for row in rows],
        y=[row.roi for row in rows],
        mode="lines+markers",
        name="ROI",
        line_color=INK,
    )
    best = next(row for row in rows if row.best)
    figure.add_scatter(
        x=[best.cap],
        y=[best.roi],
        mode="markers",
        name=f"best: cap {best.cap:,}",
        marker={"color": SHIP, "size": 13, "symbol": "diamond"},
    )
    caps = [row.cap for row in rows]
    # Caps that grow by a factor are evenly spaced on a log axis; few of them are named one by one.
    if len(caps) > 2 and caps[-1] >= 1.5 ** (len(caps) - 1) * caps[0]:
        figure.update_xaxes(type="log", tickvals=caps if len(caps) <= 12 else None)
    return figure
