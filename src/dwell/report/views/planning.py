"""How plans and fitted priors show themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from dwell.fitting.prior import FittedPrior
from dwell.planning import Plan
from dwell.report.charts import COLOURS, empty_figure
from dwell.report.drawings.forest import Estimate, forest
from dwell.report.plan.about import about
from dwell.report.plan.figures import bars, regions
from dwell.report.plan.rows import limits, option_rows
from dwell.report.plan.text import Basis, lines, ranking_grid, rests_on
from dwell.report.tables import Grid, number
from dwell.report.views.texts import around, polished
from dwell.report.views.view import View, titled

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from markupsafe import Markup

_SURE = 1.96  # standard errors of a normal law that hold 95 %
_SHAPES = {"normal": "a normal law", "t": "a Student-t law", "npmle": "a law of another shape"}


class PlanView(View[Plan]):
    """A plan."""

    def lines(self) -> Sequence[str]:
        """What to do, what it earns, what current rules leave, what it rests on."""
        return [*lines(self.result), rests_on(self.result.terms, Basis())]

    def about(self) -> Mapping[str, object]:
        """The terms, and both rules."""
        return about(self.result, Basis())

    def rows(self) -> Sequence[Mapping[str, object]]:
        """A row per way of testing."""
        return [asdict(row) for row in option_rows(self.result)]

    def grid(self) -> Grid:
        """The same for people."""
        table = ranking_grid(option_rows(self.result))
        # What a way leaves on the table says what its ROI does, in digits that people can read.
        rows = tuple((*row[:3], *row[4:]) for row in table.rows)
        header = ("way of testing", "left on the table", "a year", "samples", "ships", "do harm")
        return replace(table, header=header, rows=rows)

    def caption(self) -> str:
        """What dots are."""
        return "ROI of each way of testing, as a share of the highest there is."

    def drawing(self) -> Markup:
        """The share of the best ROI that each earns."""
        estimates = []
        for row in option_rows(self.result):
            share = 1.0 - row.left_on_the_table
            stressed = row.name == "simple"
            estimates.append(
                Estimate(row.title, share, share, share, polished(f"{share:.0%}"), stressed)
            )
        return forest(estimates, "The share of the best ROI that each way of testing earns")

    def figures(self) -> dict[str, go.Figure]:
        """When to stop, and what each way earns."""
        plan, rows = self.result, option_rows(self.result)
        assert plan.best.policy is not None  # both are policies
        assert plan.simple.policy is not None
        best, simple = limits(plan.terms, plan.best.policy), limits(plan.terms, plan.simple.policy)
        areas = regions(best, simple, plan.terms.by_day)
        return {
            **titled(
                "When to ship, and when to drop",
                areas,
                "areas: the best policy; dots: the simple rule",
            ),
            **titled("What each way of testing earns", bars(rows), "of the highest ROI there is"),
        }


class PriorView(View[FittedPrior]):
    """Priors fitted to past tests."""

    def lines(self) -> Sequence[str]:
        """The normal law, and what tests support."""
        found = self.result
        return [
            f"Values of mean {around(found.mean, _SURE * found.mean_error)} and sd "
            f"{around(found.sd, _SURE * found.sd_error)} (95 %), by {found.tests:,} tests.",
            f"These support {_SHAPES[found.supported]}.",
        ]

    def about(self) -> Mapping[str, object]:
        """All numbers of the fit."""
        found = self.result
        numbers = {
            name: getattr(found, name)
            for name in found.__slots__
            if isinstance(getattr(found, name), float | int | str)
        }
        return {**numbers, "normal": str(found.normal), "student_t": str(found.student_t)}

    def rows(self) -> Sequence[Mapping[str, object]]:
        """A row per law."""
        found = self.result
        laws = (("normal", found.normal_log_likelihood), ("t", found.t_log_likelihood))
        rows = (*laws, ("npmle", found.npmle_log_likelihood))
        return [
            {"law": law, "log_likelihood": likely, "supported": law == found.supported}
            for law, likely in rows
        ]

    def grid(self) -> Grid:
        """The same for people."""
        cells = tuple(
            (
                _SHAPES[str(row["law"])],
                f"{row['log_likelihood']:.1f}",
                "supported" if row["supported"] else "",
            )
            for row in self.rows()
        )
        return Grid(("law of values", "log likelihood", ""), cells, left=1)

    def caption(self) -> str:
        """What bars are."""
        return "Mean and standard deviation of the values of ideas, with 95 % intervals."

    def drawing(self) -> Markup:
        """Where the middle of the values lies, and how far they spread."""
        found = self.result
        pairs = (("mean", found.mean, found.mean_error), ("sd", found.sd, found.sd_error))
        estimates = [_estimate(name, value, _SURE * error) for name, value, error in pairs]
        return forest(estimates, f"mean {number(found.mean)}, sd {number(found.sd)}")

    def figures(self) -> dict[str, go.Figure]:
        """The laws that were fitted."""
        drawn = f"the laws of values fitted to {self.result.tests:,} tests"
        return titled("What ideas are worth", self._laws(), drawn)

    def _laws(self) -> go.Figure:
        found = self.result
        figure = empty_figure("value of an idea", "share of ideas at most")
        reach = 3.0 * found.sd + 3.0 * found.mean_error or 1.0
        grid = np.linspace(found.mean - reach, found.mean + reach, 200)
        values, weights = np.array(found.npmle.values), np.array(found.npmle.weights)
        below = [float(weights[values <= value].sum()) for value in grid]
        t, normal = found.student_t, stats.norm(found.mean, found.sd or 1e-12 * reach)
        shapes = (
            ("normal", normal.cdf(grid)),
            ("Student-t", stats.t(t.df, t.mean, t.scale).cdf(grid)),
            ("any shape", below),
        )
        for (name, curve), colour in zip(shapes, COLOURS, strict=False):
            figure.add_scatter(x=grid, y=curve, mode="lines", name=name, line_color=colour)
        return figure


def _estimate(name: str, value: float, reach: float) -> Estimate:
    return Estimate(name, value, value - reach, value + reach, around(value, reach))
