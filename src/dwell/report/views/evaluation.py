"""How an evaluation of past tests shows itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dwell.report.drawings.forest import Estimate
from dwell.report.drawings.forest import forest as drawn_forest
from dwell.report.evaluation.figures import lengths, over_setup
from dwell.report.evaluation.forest import forest
from dwell.report.evaluation.report import Report
from dwell.report.evaluation.rows import about, rows
from dwell.report.evaluation.scale import Scale
from dwell.report.evaluation.table import different, grid, setup_finding, setup_grid
from dwell.report.evaluation.text import level, summary
from dwell.report.tables import Grid
from dwell.report.views.view import View, titled

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from markupsafe import Markup

_FEW = 9


class ReportView(View[Report]):
    """What rules would have earned on past tests."""

    def lines(self) -> Sequence[str]:
        """The answer, what it earns, what that is in all, how certain it is."""
        return [line.replace("--setup-cost", "setup_cost") for line in summary(self.result)]

    def about(self) -> Mapping[str, object]:
        """What the figures are about."""
        return about(self.result)

    def rows(self) -> Sequence[Mapping[str, object]]:
        """A row per rule, the best first; or per set-up cost, if none was given."""
        return rows(self.result)

    def grid(self) -> Grid:
        """The same for people."""
        if self.result.setup_cost is None:
            return setup_grid(self.result)
        return _with_ends(grid(self.result, most=None))

    def caption(self) -> str:
        """What ROIs are counted per, and how certain they are."""
        certain = f"{level(self.result)} intervals, for all rules at once"
        return (
            f"Value per {Scale.of(self.result).unit}, set-up included, with {certain}. In the "
            "table, ≈ marks those that cannot be told apart from the best."
        )

    def drawing(self) -> Markup:
        """The best rules with their intervals, and today's; none if ROIs hang on what is asked."""
        from markupsafe import Markup

        report, scale = self.result, Scale.of(self.result)
        if report.setup_cost is None:
            return Markup()
        found, now = report.found, report.found.approximate.current
        low, high = found.approximate.roi_low, found.approximate.roi_high
        times = scale.samples
        estimates = [
            Estimate(
                "today's rule",
                found.current.roi * times,
                now.low * times,
                now.high * times,
                scale.text(found.current.roi),
            )
        ]
        for k in different(report)[:_FEW]:
            roi, least, most = (float(each[k]) * times for each in (found.roi, low, high))
            name = report.replayed.candidates[k].name
            said = scale.text(float(found.roi[k]))
            estimates.append(Estimate(name, roi, least, most, said, k == found.best))
        return drawn_forest(estimates, f"Value per {scale.unit}, by rule, the best first")

    def figures(self) -> dict[str, go.Figure]:
        """Rules with intervals, and what the answer hangs on."""
        report, bars = self.result, f"with {level(self.result)} intervals"
        costs = titled(
            "What the set-up cost changes",
            over_setup(report)[0],
            f"ROI by set-up cost, {bars}",
            finding=setup_finding(report),
        )
        return {
            **titled("What rules would have earned", forest(report)[0], f"ROI by rule, {bars}"),
            **costs,
            **titled(
                "How long tests would have run",
                lengths(report)[0],
                "share of tests that are over after so many samples",
            ),
        }


def _with_ends(table: Grid) -> Grid:
    """The table with intervals in one column each, and without what a decision does not need."""
    rows = tuple(
        (
            f"{name} {mark}".strip() if mark != "best" else name,
            f"{roi} ({low} to {high})",
            f"{gain} ({least} to {most})",
            shipped,
            samples,
        )
        for name, roi, low, high, gain, least, most, shipped, samples, _, _, mark in table.rows
    )
    header = ("rule", "ROI", "gain", "shipped", "samples")
    return replace(table, header=header, rows=rows)
