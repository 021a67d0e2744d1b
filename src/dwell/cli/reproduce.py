"""`dwell reproduce`: the paper's claims, checked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dwell.cli.files import writable_folder, write_into
from dwell.cli.options import json_option, option, seed_option, workers_option
from dwell.cli.output import print_grid, print_json, progress
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


@click.command
@click.argument("claims", nargs=-1, metavar="[CLAIM]...", callback=_names)
@click.option("--quick", is_flag=True, help="Smaller sizes: seconds instead of minutes.")
@seed_option
@workers_option("2")
@json_option
@option(
    "--out",
    lambda name, text: writable_folder(Path(text), name),
    default="dwell-reproduction",
    metavar="DIR",
    help="The folder for report.html and report.json; it is made if there is none.",
)
def reproduce(
    claims: list[str], quick: bool, seed: int, workers: int, as_json: bool, out: Path
) -> None:
    """Check the claims of the paper against exact figures.

    Prints what the paper states, what was measured and whether the two agree, and writes a report
    with figures. Leaves with exit code 1 if any claim fails.

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
      dwell reproduce --out paper
      dwell reproduce elimination rates --seed 7 --json
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.lab.claims.finding import Effort

    with executor_of(workers) as executor:
        effort = Effort(quick=quick, seed=seed, executor=executor)
        status = check_claims(claims, effort, as_json=as_json, out=out)
    click.get_current_context().exit(status)


def check_claims(names: Sequence[str], effort: Effort, *, as_json: bool, out: Path) -> int:
    """Check claims, show and write what was found, and return the exit status."""
    from dwell.lab.claims import CLAIMS
    from dwell.report.encode import json_text
    from dwell.report.reproduction import Reproduction

    findings = []
    doing = f"checking {len(names)} claim{'s' * (len(names) > 1)}"
    with progress(doing, len(names)) as advance:
        for name in names:
            findings.append(CLAIMS[name](effort))
            advance()
    found = Reproduction(findings, effort)
    if as_json:
        print_json(found.about())
    else:
        print_grid(found.grid())
        click.echo(found.conclusion)
    written = {"report.json": json_text(found.about()) + "\n", "report.html": found.html()}
    write_into(out, written, "--out")
    click.echo(f"The report is in {out}", err=as_json)
    return _SOME_FAIL if found.failed else 0
