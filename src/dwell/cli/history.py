"""`dwell history`: logs of past tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dwell import checks
from dwell.cli.command import Command, flag
from dwell.cli.files import writable
from dwell.cli.logs import FORMS
from dwell.cli.options import (
    json_option,
    not_negative,
    one_of,
    option,
    positive,
    prior,
    probability,
    seed_option,
    stacked,
    whole,
)
from dwell.cli.output import note, print_json, progress
from dwell.errors import CannotWrite, InvalidInput

_ENDINGS = (".csv", ".parquet")


def _length(name: str, text: str) -> int:
    return checks.cap(name, whole(name, text, least=20))


def _share(name: str, text: str) -> float:
    share = not_negative(name, text)
    if share > 1.0:
        raise InvalidInput(f"{name} must be a share from 0 to 1, got {text}")
    return share


_OPTIONS = (
    option(
        "--form",
        one_of(*FORMS),
        default="raw",
        metavar="FORM",
        help="What a row is: raw, a sample; two-arm, a user's outcome; counts, a test; batches, "
        "a day of an arm.",
    ),
    option("--tests", whole, help="How many tests.  [default: 1000]"),
    option("--rows", whole, help="Go on until there are as many rows, instead of so many --tests."),
    option(
        "--length",
        _length,
        default="2000",
        help="The median of tests' lengths, in samples: pairs of outcomes where there are arms.",
    ),
    option(
        "--prior",
        prior,
        metavar="TEXT",
        default="Normal(-0.0003, 0.0045)",
        help="How ideas' values are spread: Normal(mean, sd), StudentT(mean, scale, df), "
        "Atoms(value:weight, …) or Beta(a, b). It is truncated to what a base rate leaves room "
        "for; an atom outside that is refused.",
    ),
    option(
        "--base-rate",
        probability,
        help="Outcomes are 0 and 1, and so often 1 without the treatment.  [default: 0.05]",
    ),
    option(
        "--sd",
        positive,
        help="Outcomes have a normal law instead, and a treated one minus an untreated one has "
        "this standard deviation.",
    ),
    seed_option,
    option(
        "--faults",
        _share,
        default="0",
        metavar="SHARE",
        help="The share of tests with a fault to be warned of: arms of unequal size, or gaps in "
        "the order of raw samples.",
    ),
)
_OUTPUT = (
    flag("--overwrite", help="Replace FILE if there is one: it may be a log of yours."),
    json_option,
)


def _with_options(command: Any) -> Any:
    return stacked(stacked(command, _OUTPUT, "Output"), _OPTIONS, "The log")


@click.group(invoke_without_command=True)
@click.pass_context
def history(context: click.Context) -> None:
    """Work with logs of past tests.

    \b
    Examples:
      dwell history generate log.parquet
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@history.command(cls=Command)
@click.argument(
    "file",
    callback=lambda _, parameter, text: writable(Path(text), _ENDINGS, parameter.metavar),
    metavar="FILE",
)
@_with_options
def generate(
    file: Path,
    base_rate: float | None,
    sd: float | None,
    overwrite: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Write a log of tests that nobody ran to FILE.csv or FILE.parquet.

    For demos, and to try large logs. Values are drawn from the prior; lengths are spread widely
    around their median and do not depend on results. The same options give the same file, and more
    tests or rows a longer one that begins with it.

    \b
    Columns:
      raw      test, order, value: a treated outcome minus an untreated one
      two-arm  test, arm, order, outcome: each user in an arm by a fair coin
      counts   test, n_c, x_c, n_t, x_t: users and conversions of both arms
      batches  test, arm, period, n, mean, variance: day by day

    \b
    Examples:
      dwell history generate log.parquet
      dwell history generate log.csv --form two-arm --tests 50 --faults 0.1
      dwell history generate log.csv --form counts --prior "Normal(0, 0.002)"
      dwell history generate large.parquet --rows 20_000_000 --sd 1.5
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    if base_rate is not None and sd is not None:
        raise InvalidInput("give --base-rate or --sd, not both")
    if given["tests"] is not None and given["rows"] is not None:
        raise InvalidInput("give --tests or --rows, not both")
    if sd is not None and given["form"] == "counts":
        raise InvalidInput("counts are of outcomes 0 and 1: give --base-rate instead of --sd")
    if file.exists() and not overwrite:
        raise CannotWrite(f"there is a file {file} already; choose another, or give --overwrite")
    from dwell.history.datasets.synthetic_log import LAW, STEPS
    from dwell.history.datasets.synthetic_log import generate as write
    from dwell.laws import Gaussian, Lift

    law = LAW if base_rate is None else Lift(base_rate)
    with progress(f"writing {file}", STEPS) as advance:
        written = write(file, law=law if sd is None else Gaussian(sd), advance=advance, **given)
    counted = {"tests": written.tests, "rows": written.rows}
    if as_json:
        print_json({"file": str(file), "form": given["form"], **counted})
    else:
        click.echo(f"{file}: {written.tests:,} tests in {written.rows:,} rows, {given['form']}.")
    for sentence in written.notes:
        note(sentence)
