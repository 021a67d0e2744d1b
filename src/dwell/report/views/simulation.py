"""How runs of a learner show themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isnan
from typing import TYPE_CHECKING

from dwell.families import Every
from dwell.lab.replicate import Summary
from dwell.lab.run import Run
from dwell.policies import Policies
from dwell.policy import Policy
from dwell.report.charts import FORMER, INK, SHIP, empty_figure, error_bars
from dwell.report.drawings.forest import Estimate, forest
from dwell.report.simulation import candidates_over_time, simulated_grid, simulated_row
from dwell.report.tables import Grid, number, percent
from dwell.report.views.policies import BETWEEN, closing
from dwell.report.views.texts import around
from dwell.report.views.view import View, titled
from dwell.world import World

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from markupsafe import Markup

_SURE = 1.96  # standard errors of a normal law that hold 95 %


class RunView(View[Run]):
    """One run."""

    def __init__(self, result: Run) -> None:
        super().__init__(result)
        self._row = simulated_row(type(result.learner).__name__, [result])

    def lines(self) -> Sequence[str]:
        """What it earned, beside the best."""
        row = self._row
        return [
            f"ROI {number(row.roi)}: {row.learner} in {row.tasks:,.0f} tests. The best to choose "
            f"earns {number(row.best_roi)} on average{_share(row.share)}.",
            f"{self.result.world}, set-up cost {self.result.learner.setup_cost:g}; learned from "
            f"{row.explored:,.0f} tests{_chosen(self.result)}.",
        ]

    def about(self) -> Mapping[str, object]:
        """What was run."""
        run = self.result
        about = {"world": str(run.world), "setup_cost": run.learner.setup_cost}
        return {**about, "reward": run.reward, "cost": run.cost}

    def rows(self) -> Sequence[Mapping[str, object]]:
        """Its figures."""
        return [asdict(self._row)]

    def grid(self) -> Grid:
        """The same for people."""
        table = simulated_grid([self._row])
        kept = [k for k, title in enumerate(table.header) if title != "± error"]
        names = {"tasks": "tests", "of best": "of the best", "left": "may be the best"}
        header, row = (tuple(line[k] for k in kept) for line in (table.header, table.rows[0]))
        return Grid(tuple(names.get(title, title) for title in header), (row,))

    def caption(self) -> str:
        """What is compared."""
        return "ROI: value of what was shipped per sample, set-up included."

    def drawing(self) -> Markup:
        """Its ROI beside the best."""
        return _beside_best(self._row.learner, self._row.roi, 0.0, self._row.best_roi)

    def figures(self) -> dict[str, go.Figure]:
        """How candidates became fewer, or what is in force in the end."""
        run = self.result
        if not isinstance(run.learner.choices, Every):
            figure, _ = candidates_over_time({round(run.tasks): run}, "tasks")
            return titled("Policies that may still be the best", figure, "by tests learned from")
        design = run.learner.propose(1)
        policy = None if design is None else design.policies[design.decider]
        if not isinstance(policy, Policy):
            return titled("ROI", _bars(self._row.learner, run.roi, None))
        law = run.world.law if isinstance(run.world, World) else None
        return titled("When it stops in the end", closing(policy, law), BETWEEN)


class SummaryView(View[Summary]):
    """Replications of a run."""

    def lines(self) -> Sequence[str]:
        """What they earned, beside the best."""
        found = self.result
        certain = "" if isnan(found.roi_error) else " (95 %)"
        share = "" if isnan(found.share) else f" {percent(found.share)} of the best,"
        return [
            f"ROI {self._roi()}{certain}:{share} in {sum(found.chosen.values()):,} "
            f"replications that learned from {found.explored:,.0f} tests each on average."
        ]

    def rows(self) -> Sequence[Mapping[str, object]]:
        """Their figures."""
        found = self.result
        names = ("roi", "roi_error", "best_roi", "share", "regret", "explored")
        return [{name: getattr(found, name) for name in names}]

    def grid(self) -> Grid:
        """The same for people."""
        found = self.result
        row = (
            self._roi(),
            number(found.best_roi),
            percent(None if isnan(found.share) else found.share),
            number(found.regret),
            f"{found.explored:,.0f}",
        )
        header = ("ROI (95 %)", "best to choose", "of the best", "regret", "tests learned from")
        return Grid(header, (row,))

    def caption(self) -> str:
        """What is compared, and how certain it is."""
        return "ROI: value of what was shipped per sample, set-up included, with a 95 % interval."

    def drawing(self) -> Markup:
        """Their ROI beside the best."""
        found = self.result
        error = 0.0 if isnan(found.roi_error) else _SURE * found.roi_error
        return _beside_best("these replications", found.roi, error, found.best_roi)

    def figures(self) -> dict[str, go.Figure]:
        """Their ROI beside the best."""
        found = self.result
        error = None if isnan(found.roi_error) else found.roi_error
        figure = _bars("these replications", found.roi, error, found.best_roi)
        return titled(
            "ROI beside the best to choose", figure, "lines at its end: two standard errors"
        )

    def _roi(self) -> str:
        return around(self.result.roi, _SURE * self.result.roi_error)


def _share(share: float | None) -> str:
    if share is None:
        return ""
    return f", of which this is {percent(share)}" if share <= 1.0 else "; a run may have more luck"


def _chosen(run: Run) -> str:
    if run.chosen is None or not isinstance(run.learner.choices, Policies):
        return ""
    return f", then ran the policy with cap {run.learner.choices.caps[run.chosen]:,}"


def _beside_best(name: str, roi: float, error: float, best: float) -> Markup:
    return forest(
        [
            Estimate("the best to choose", best, best, best, number(best)),
            Estimate(name, roi, roi - error, roi + error, around(roi, error), True),
        ],
        f"ROI {number(roi)} of {name}; the best is {number(best)}",
    )


def _bars(name: str, roi: float, error: float | None, best: float | None = None) -> go.Figure:
    figure = empty_figure("ROI: value shipped per sample, set-up included", "")
    names, figures = [name], [roi]
    if best is not None:
        names, figures = [name, "the best to choose"], [roi, best]
    errors = [error] + [None] * (len(names) - 1)
    figure.add_bar(
        y=names,
        x=figures,
        orientation="h",
        error_x={**error_bars(errors), "color": INK},
        marker_color=[SHIP] + [FORMER] * (len(names) - 1),
        width=0.5,
    )
    figure.update_layout(height=260)
    return figure
