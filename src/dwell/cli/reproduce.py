"""`dwell reproduce`: the paper's claims, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from dwell.cli.command import Command, flag
from dwell.cli.options import output_options, seed_option, stacked, workers_option
from dwell.cli.output import Outputs, progress
from dwell.cli.running import executor_of
from dwell.errors import InvalidInput

if TYPE_CHECKING:
    from dwell.lab.claims.finding import Effort

_SOME_FAIL = 1


def _names(_: click.Context, __: click.Parameter, asked: tuple[str, ...]) -> list[str]:
    from dwell.lab.claims import CLAIMS

    for name in asked:
        if name not in CLAIMS:
            raise InvalidInput(f"there is no claim {name!r}; the claims are {', '.join(CLAIMS)}")
    return [name for name in CLAIMS if name in asked or not asked]


def _with_options(command: Any) -> Any:
    quick = flag("--quick", help="Smaller sizes: seconds instead of minutes.")
    runs = (quick, seed_option, workers_option("2"))
    return stacked(output_options("dwell-reproduction.html")(command), runs, "The runs")


@click.command(cls=Command)
@click.argument("claims", nargs=-1, metavar="[CLAIM]...", callback=_names)
@_with_options
def reproduce(claims: list[str], quick: bool, seed: int, workers: int, outputs: Outputs) -> None:
    """Check the claims of the paper against exact figures.

    Prints what the paper states, what was measured and whether the two agree, and draws a page.
    Leaves with exit code 1 if any claim fails.

    \b
    Claims, all of them by default:
      bounds       all of CAPE's bounds hold at once
      elimination  when CAPE has eliminated all but the best policy
      rates        how fast the regret of CAPE falls
      countable    what ESC finds and costs, and the regret of ESC-CAPE
      unbiased     a policy's own samples flatter it
      discovery    controlling false discoveries against one sample per idea
      measures     which ratio to maximise
      guarantee    from how many tasks on CAPE's guarantee says anything

    \b
    Examples:
      dwell reproduce --quick
      dwell reproduce --out paper.json --plot paper.html
      dwell reproduce elimination rates --seed 7 --json
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.lab.claims.finding import Effort

    with executor_of(workers) as executor:
        effort = Effort(quick=quick, seed=seed, executor=executor)
        status = check_claims(claims, effort, outputs)
    click.get_current_context().exit(status)


def check_claims(names: Sequence[str], effort: Effort, outputs: Outputs) -> int:
    """Check claims, show and write what was found, and return the exit status."""
    from dwell.lab.claims import CLAIMS
    from dwell.report.reproduction import Reproduction

    findings = []
    doing = f"checking {len(names)} claim{'s' * (len(names) > 1)}"
    with progress(doing, len(names)) as advance:
        for name in names:
            findings.append(CLAIMS[name](effort))
            advance()
    found = Reproduction(findings, effort)
    about, rows = found.about(), found.rows()
    outputs.write(about, rows, found.html)
    outputs.show(about, rows, found.grid())
    if not outputs.as_json:
        click.echo(found.conclusion)
    return _SOME_FAIL if found.failed else 0
