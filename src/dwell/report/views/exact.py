"""How exact figures and the best policy there is show themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from dwell.optimum import Optimum
from dwell.policy import Policy
from dwell.report.drawings.forest import Estimate, forest
from dwell.report.exact import exact_grid, exact_rows, roi_by_cap, shown_rows
from dwell.report.tables import Grid, amount, number, sentence
from dwell.report.views.policies import BETWEEN, closing, leaf_of, limits_caption
from dwell.report.views.view import View, titled
from dwell.table import Table

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from markupsafe import Markup


class TableView(View[Table]):
    """What policies earn, exactly."""

    def lines(self) -> Sequence[str]:
        """The best policy, and what it earns."""
        table, best = self.result, self.result.best
        of = f"the best of {len(table.policies):,} policies" if len(table.policies) > 1 else "it"
        told = [
            f"ROI {number(table.roi[best])}: {of} has the cap {table.policies.caps[best]:,}, takes "
            f"{amount(table.cost[best] - table.setup_cost)} samples a test on average and ships "
            f"{table.accept_rate[best]:.1%} of all ideas.",
            f"{table.world}, set-up cost {table.setup_cost:g}.",
        ]
        return told if table.note is None else [*told, sentence(table.note)]

    def about(self) -> Mapping[str, object]:
        """The world and what a test costs."""
        table = self.result
        return {
            "world": str(table.world),
            "setup_cost": table.setup_cost,
            "best_cap": table.policies.caps[table.best],
            "best_roi": float(table.roi[table.best]),
            "note": table.note,
        }

    def rows(self) -> Sequence[Mapping[str, object]]:
        """A row per policy."""
        return [asdict(row) for row in exact_rows(self.result)]

    def grid(self) -> Grid:
        """The same for people."""
        table = exact_grid(shown_rows(exact_rows(self.result)))
        return replace(table, header=("cap", "ROI", "reward a test", "cost a test", "shipped", ""))

    def caption(self) -> str:
        """What dots are."""
        return "ROI by cap, the most samples that a test may take; exact, so without intervals."

    def drawing(self) -> Markup:
        """What each policy earns."""
        rows = exact_rows(self.result)
        estimates = [
            Estimate(f"cap {row.cap:,}", row.roi, row.roi, row.roi, number(row.roi), row.best)
            for row in rows
        ]
        return forest(estimates, f"ROI by cap; the best cap is {rows[self.result.best].cap:,}")

    def figures(self) -> dict[str, go.Figure]:
        """ROI by cap, and the best policy's limits."""
        table = self.result
        made = titled(
            "ROI by cap",
            roi_by_cap(shown_rows(exact_rows(table))),
            f"exact, in {table.world} with a set-up cost of {table.setup_cost:g}",
            finding=f"ROI is highest at a cap of {table.policies.caps[table.best]:,} samples",
        )
        best = table.policies[table.best]
        if isinstance(best, Policy):
            made |= titled("When the best policy stops", closing(best, table.world.law), BETWEEN)
        return made


class OptimumView(View[Optimum]):
    """The best policy there is."""

    def lines(self) -> Sequence[str]:
        """What it earns, and by what."""
        best = self.result
        told = [
            f"ROI {number(best.roi)}: the highest there is with at most {best.policy.cap:,} "
            "samples a test.",
            f"A test costs {amount(best.cost)} on average, set-up included, and earns "
            f"{number(best.reward)}; {best.accept_rate:.1%} of all ideas are shipped.",
        ]
        return [*told, "A larger cap would earn more."] if best.cap_binds else told

    def about(self) -> Mapping[str, object]:
        """Its figures."""
        best = self.result
        names = ("roi", "reward", "cost", "accept_rate", "cap_binds")
        return {"cap": best.policy.cap, **{name: getattr(best, name) for name in names}}

    def rows(self) -> Sequence[Mapping[str, object]]:
        """Its limits, after each sample."""
        policy = self.result.policy
        sides = zip(policy.lower.tolist(), policy.upper.tolist(), strict=True)
        return [
            {"samples": k, "drop_at": lower, "ship_at": upper}
            for k, (lower, upper) in enumerate(sides, start=1)
        ]

    def grid(self) -> Grid:
        """The figures of the policy."""
        best = self.result
        row = (number(best.roi), number(best.reward), number(best.cost), f"{best.accept_rate:.1%}")
        return Grid(("ROI", "reward a test", "cost a test", "shipped"), (row,))

    def caption(self) -> str:
        """What the lines are."""
        return limits_caption(self.result.policy)

    def drawing(self) -> Markup:
        """Its two limits."""
        return leaf_of(self.result.policy)

    def figures(self) -> dict[str, go.Figure]:
        """Its two limits."""
        return titled("When the best policy stops", closing(self.result.policy), BETWEEN)
