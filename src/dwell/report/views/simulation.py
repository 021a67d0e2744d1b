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
from dwell.report.charts import boundaries, empty_figure, error_bars
from dwell.report.drawings.forest import Estimate, forest
from dwell.report.simulation import candidates_over_time, simulated_grid, simulated_row
from dwell.report.tables import Grid, number, percent
from dwell.report.views.view import View, titled

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
            f"ROI {number(row.roi)}, {percent(row.share)} of the best: {row.learner} in "
            f"{row.tasks:,.0f} tests.",
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
        return simulated_grid([self._row])

    def drawing(self) -> Markup:
        """Its ROI beside the best."""
        return _beside_best(self._row.learner, self._row.roi, 0.0, self._row.best_roi)

    def figures(self) -> dict[str, go.Figure]:
        """How candidates became fewer, or what is in force in the end."""
        run = self.result
        if not isinstance(run.learner.choices, Every):
            figure, _ = candidates_over_time({round(run.tasks): run}, "tasks")
            return titled("Policies that may still be the best", figure)
        design = run.learner.propose(1)
        policy = None if design is None else design.policies[design.decider]
        if not isinstance(policy, Policy):
            return titled("Reward per cost", _bars(self._row.learner, run.roi, None))
        return titled("When it stops in the end", boundaries(policy))


class SummaryView(View[Summary]):
    """Replications of a run."""

    def lines(self) -> Sequence[str]:
        """What they earned, beside the best."""
        found = self.result
        error = "" if isnan(found.roi_error) else f" ± {_SURE * found.roi_error:.1g} (95 %)"
        share = "" if isnan(found.share) else f", {found.share:.1%} of the best"
        return [
            f"ROI {number(found.roi)}{error}{share}, in {sum(found.chosen.values()):,} "
            f"replications that learned from {found.explored:,.0f} tests each on average."
        ]

    def rows(self) -> Sequence[Mapping[str, object]]:
        """Their figures."""
        found = self.result
        names = ("roi", "roi_error", "best_roi", "share", "regret", "explored")
        return [{name: getattr(found, name) for name in names}]

    def grid(self) -> Grid:
        """The same for people."""
        [row] = self.rows()
        cells = (
            "-" if isinstance(each, float) and isnan(each) else number(float(str(each)))
            for each in row.values()
        )
        header = ("ROI", "± error", "best ROI", "of best", "regret", "learned from")
        return Grid(header, (tuple(cells),))

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
        return titled("Reward per cost", figure)


def _chosen(run: Run) -> str:
    if run.chosen is None or not isinstance(run.learner.choices, Policies):
        return ""
    return f", then ran the policy with cap {run.learner.choices.caps[run.chosen]:,}"


def _beside_best(name: str, roi: float, error: float, best: float) -> Markup:
    return forest(
        [
            Estimate("the best to choose", best, best, best, number(best)),
            Estimate(name, roi, roi - error, roi + error, number(roi), True),
        ],
        f"ROI {number(roi)} of {name}; the best is {number(best)}",
    )


def _bars(name: str, roi: float, error: float | None, best: float | None = None) -> go.Figure:
    figure = empty_figure("", "ROI")
    names, figures = [name], [roi]
    if best is not None:
        names, figures = ["the best to choose", name], [best, roi]
    errors = [None] * (len(names) - 1) + [error]
    figure.add_bar(x=names, y=figures, error_y=error_bars(errors))
    return figure
