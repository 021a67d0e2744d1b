"""`dwell exact`: what every policy earns and costs in a known world."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dwell.cli.files import write_whole
from dwell.cli.options import Problem, output_options, problem_options
from dwell.cli.output import progress, show

if TYPE_CHECKING:
    from dwell.report.exact import ExactRow
    from dwell.table import Table


@click.command
@problem_options("--tasks")
@output_options
def exact(problem: Problem, as_json: bool, out: Path | None, plot: Path | None) -> None:
    """Compute what each policy earns and costs, with no sampling.

    ROI is the value of what is accepted per unit of testing. A policy stops as soon as the running
    mean leaves a band around 0, or at its cap; the table has a row per cap and marks the best.

    \b
    Examples:
      dwell exact
      dwell exact --prior "Beta(2, 3)" --setup-cost 5 --caps 1:50
      dwell exact --prior "Normal(-0.1, 0.2)" --law "Gaussian(2)" --caps 8:512:x2
      dwell exact --json --out policies.csv --plot policies.html
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.report.exact import exact_grid, exact_rows
    from dwell.table import exact

    policies = problem.policies()
    with progress("computing the figures"):
        table = exact(policies, problem.world, problem.setup_cost)
    rows = exact_rows(table)
    about = {
        "world": str(problem.world),
        "setup_cost": problem.setup_cost,
        "best_cap": policies.caps[table.best],
        "best_roi": rows[table.best].roi,
    }
    show(about, rows, exact_grid(rows), as_json=as_json, out=out)
    if plot is not None:
        write_whole(plot, _page(table, rows), "--plot")


def _page(table: Table, rows: list[ExactRow]) -> str:
    from dwell.policy import Policy
    from dwell.report.exact import boundaries, exact_grid, roi_by_cap
    from dwell.report.page import Section, page

    best = table.policies[table.best]
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
    return page("ROI of stopping policies, exactly", [where], sections)
