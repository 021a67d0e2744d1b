"""`dwell evaluate`: what stopping policies would have earned on past tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from math import nextafter
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from dwell import checks
from dwell.cli.logs import Asked, log_options
from dwell.cli.options import (
    file_ending_in,
    json_option,
    not_negative,
    one_of,
    option,
    probability,
    stacked,
    whole,
)
from dwell.cli.output import (
    note,
    print_grid,
    print_json,
    progress,
    progress_by_share,
    wrapped,
    write_figures,
)
from dwell.errors import InvalidInput
from dwell.files import write_whole

if TYPE_CHECKING:
    from dwell.history.replay.current_rule import AtEnd
    from dwell.policy import Policy
    from dwell.report.evaluation.report import Report
    from dwell.sparse_policy import SparsePolicy

_SIGNIFICANT = 1.959964  # standard errors: 5 %, two-sided


def _current(name: str, text: str) -> AtEnd | Policy | SparsePolicy:
    from dwell.families import fixed
    from dwell.history.replay.current_rule import AtEnd
    from dwell.sparse_policy import SparsePolicy

    if text in ("ahead", "significant"):
        return AtEnd(0.0 if text == "ahead" else _SIGNIFICANT)
    try:
        size = whole(name, text)
        above_zero = nextafter(0.0, 1.0)
        if size <= checks.LONGEST_CAP:
            return fixed(size, above_zero)
        return SparsePolicy.fixed(size, above_zero)
    except InvalidInput:
        raise InvalidInput(
            f"{name} must be ahead, significant or a whole number of samples from 1 to 2^53, got "
            f"{checks.shown(text)}"
        ) from None


_OPTIONS = (
    option(
        "--setup-cost",
        not_negative,
        default="0",
        help="What each test costs besides its samples, in samples.",
    ),
    click.option("--check", is_flag=True, help="Only read it, and say what is wrong with it."),
    option(
        "--current",
        _current,
        default="ahead",
        metavar="RULE",
        help="The current rule: run each test to its end and ship what is ahead, or what is "
        "significant at 5 %; or a number, to stop after so many samples and ship what is ahead.",
    ),
    option("--min-samples", whole, default="1", help="No policy looks before it has as many."),
    option("--alpha", probability, default="0.05", help="How often an interval may miss."),
    option(
        "--longest",
        whole,
        metavar="SAMPLES",
        help="No test has more samples, nor ever will: the current rule and batches have "
        "guaranteed intervals only if this is known.",
    ),
    option(
        "--guaranteed",
        one_of("bernstein", "betting"),
        default="bernstein",
        metavar="KIND",
        help="Which intervals to give that hold for any number of tests: bernstein, or betting.",
    ),
    option(
        "--approximate",
        one_of("normal", "bootstrap"),
        default="normal",
        metavar="KIND",
        help="Which to give that hold for many tests: normal, or bootstrap.",
    ),
    option(
        "--workers",
        whole,
        help="Threads; the figures are the same for any number.  [default: one per processor]",
    ),
    option(
        "--scheduler",
        lambda _, text: text,
        metavar="ADDRESS",
        help="Work on a Dask cluster instead: tcp://host:port.",
    ),
)
_OUTPUT = (
    click.option("--all", "every", is_flag=True, help="Show all policies, not only the best 15."),
    option(
        "--out",
        file_ending_in(".html", ".csv", ".json"),
        metavar="FILE",
        help="Write a page that needs no network to FILE.html, or the figures to FILE.csv or "
        "FILE.json.",
    ),
    json_option,
)


def _with_options(command: Any) -> Any:
    return stacked(log_options(stacked(command, _OUTPUT)), _OPTIONS)


@click.command
@_with_options
def evaluate(
    asked: Asked,
    check: bool,
    every: bool,
    out: Path | None,
    as_json: bool,
    workers: int | None,
    scheduler: str | None,
    **given: Any,
) -> None:
    """Find what stopping policies would have earned on past tests.

    LOG is a CSV or Parquet file, a folder of them or a pattern such as "logs/*.parquet". Bands of
    several widths, fixed sizes and group-sequential tests are tried on every test in it and
    compared with the current rule. A decision is scored on the samples that came after it.

    \b
    Forms of a log, by its columns:
      raw      test, order, value: a row per sample
      two-arm  test, arm, order, outcome, perhaps time or period: a row per user
      counts   test, n_c, x_c, n_t, x_t: a row per test, users and conversions
      batches  test, period, n, mean, variance, perhaps arm: a row per period

    \b
    Examples:
      dwell evaluate log.parquet --setup-cost 1000
      dwell evaluate log.csv --check
      dwell evaluate log.csv --columns value=revenue --current significant --out report.html
      dwell evaluate --query "select * from tests" --database tests.duckdb --json
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    if check and out is not None:
        raise InvalidInput("--check writes nothing: give it without --out")
    if workers is not None and scheduler is not None:
        raise InvalidInput("give --workers or --scheduler, not both")
    if check:
        _check(asked, as_json, given)
        return
    from dwell.report.evaluation.report import evaluate as evaluated

    log = asked.log()
    with (
        _executor(workers, scheduler) as executor,
        progress_by_share("reading the log") as advance,
    ):
        report = evaluated(log, executor=executor, advance=advance, **given)
    _show(report, asked.notes, every=every, as_json=as_json, out=out)


@contextmanager
def _executor(workers: int | None, scheduler: str | None) -> Iterator[Executor | None]:
    """Who reads the log: a cluster, threads of this process, or nobody else."""
    if scheduler is not None:
        from dwell.cli.cluster import executor_at

        with executor_at(scheduler) as executor:
            yield executor
        return
    processors = os.cpu_count() or 1
    threads = min(workers or processors, processors)
    if threads == 1:
        yield None
        return
    # Compiled loops and Arrow let other threads run.
    with ThreadPoolExecutor(threads) as executor:
        yield executor


def _check(asked: Asked, as_json: bool, given: dict[str, Any]) -> None:
    from dwell.report.evaluation.check import about, grid, lines, tried
    from dwell.report.evaluation.report import evaluate as evaluated

    with progress("reading the log"):
        found = tried(asked.checked(), lambda: evaluated(asked.log(), **given))
    if as_json:
        print_json(about(found))
    else:
        for line in lines(found):
            click.echo(line)
        if found.faults:
            print_grid(grid(found))
    for sentence in asked.notes:
        note(sentence)
    if not found.usable:
        raise InvalidInput("the log cannot be used as it is: mend what is refused, and check again")


def _show(
    report: Report, notes: tuple[str, ...], *, every: bool, as_json: bool, out: Path | None
) -> None:
    from dwell.report.evaluation.rows import about, figures, rows
    from dwell.report.evaluation.text import fitted, grid, legend, summary

    if out is not None and out.suffix.lower() == ".html":
        from dwell.report.evaluation.page import page_of

        write_whole(out, page_of(report, notes), "--out")
    elif out is not None:
        write_figures(out, about(report, notes), rows(report))
    if as_json:
        print_json(figures(report, notes))
    else:
        wrapped(summary(report))
        table = grid(report, most=None) if every else grid(report)
        if sys.stdout.isatty():
            table = fitted(table, get_terminal_size().columns)
        print_grid(table)
        wrapped([legend(report, table)])
    for sentence in (*notes, *report.notes):
        note(sentence)
