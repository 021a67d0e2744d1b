"""`dwell exact`: what every policy earns and costs in a known world."""

from __future__ import annotations

import click

from dwell.cli.command import Command
from dwell.cli.options import output_options
from dwell.cli.output import Outputs, note, progress
from dwell.cli.problem import Problem, problem_options

_LONG_SECONDS = 60.0


@click.command(cls=Command)
@problem_options("--tasks")
@output_options()
def exact(problem: Problem, outputs: Outputs) -> None:
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
    from dwell.report.exact import (
        exact_grid,
        exact_page,
        exact_rows,
        how_many_shown,
        shown_rows,
    )
    from dwell.table import exact, expected_seconds

    policies = problem.policies()
    seconds = expected_seconds(policies, problem.world)
    if seconds > _LONG_SECONDS:
        note(f"this takes about {seconds / 60.0:,.0f} minutes; Ctrl-C stops it")
    with progress("computing the figures"):
        table = exact(policies, problem.world, problem.setup_cost)
    rows = exact_rows(table)
    about = {
        "world": str(problem.world),
        "setup_cost": problem.setup_cost,
        "best_cap": policies.caps[table.best],
        "best_roi": rows[table.best].roi,
        "note": table.note,
    }
    outputs.write(about, rows, lambda: exact_page(table))
    outputs.show(about, rows, exact_grid(shown_rows(rows)))
    for told in (table.note, None if outputs.as_json else how_many_shown(rows)):
        if told:
            note(told)
