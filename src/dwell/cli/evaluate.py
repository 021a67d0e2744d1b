"""`dwell evaluate`: what stopping policies would have earned on past tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from dwell.cli.command import Command, flag
from dwell.cli.files import files_in, refuse_inputs
from dwell.cli.logs import Asked, log_options
from dwell.cli.options import (
    not_negative,
    one_of,
    option,
    output_options,
    probability,
    stacked,
    whole,
)
from dwell.cli.output import (
    Outputs,
    note,
    print_grid,
    print_json,
    progress,
    progress_by_share,
    wrapped,
)
from dwell.errors import InvalidInput

if TYPE_CHECKING:
    from dwell.history.replay.current_rule import AtEnd
    from dwell.policy import Policy
    from dwell.report.evaluation.report import Report
    from dwell.sparse_policy import SparsePolicy


def _current(name: str, text: str) -> AtEnd | Policy | SparsePolicy:
    from dwell.history.replay.current_rule import parse_current

    return parse_current(name, text)


_OPTIONS = (
    option(
        "--setup-cost",
        not_negative,
        help="What it takes to build and launch an idea, in samples: days of work x samples a day. "
        "Without it there is no answer, but a table over set-up costs.",
    ),
    flag("--check", help="Only read it, and say what is wrong with it."),
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
_OUTPUT = (flag("--all", "every", help="Show all policies, not only the best 15."),)


def _with_options(command: Any) -> Any:
    command = stacked(output_options()(command), _OUTPUT, "Output")
    return stacked(log_options(command), _OPTIONS, "The evaluation")


@click.command(cls=Command)
@_with_options
def evaluate(
    asked: Asked,
    check: bool,
    every: bool,
    outputs: Outputs,
    workers: int | None,
    scheduler: str | None,
    **given: Any,
) -> None:
    """Find what stopping policies would have earned on past tests.

    LOG is a CSV or Parquet file, a folder of them or a pattern such as "logs/*.parquet". Bands of
    several widths, fixed sizes and group-sequential tests are tried on every test in it and
    compared with the current rule. A decision is scored on the samples that came after it. The
    answer is to change the rule, to keep it, or that nothing earns.

    \b
    Forms of a log, by its columns:
      raw      test, order, value: a row per sample
      two-arm  test, arm, order, outcome, perhaps time or period: a row per user
      counts   test, n_c, x_c, n_t, x_t, perhaps date: a row per test
      batches  test, period, n, mean, variance, perhaps arm: a row per period

    \b
    Examples:
      dwell evaluate log.parquet --setup-cost 1000
      dwell evaluate log.csv --check
      dwell evaluate log.csv --columns value=revenue --plot report.html
      dwell evaluate --query "select * from tests" --database tests.duckdb --json
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    if check and outputs.files:
        raise InvalidInput(f"--check writes nothing: give it without {next(iter(outputs.files))}")
    if workers is not None and scheduler is not None:
        raise InvalidInput("give --workers or --scheduler, not both")
    if check:
        _check(asked, outputs.as_json, given)
        return
    given_log = click.get_current_context().params
    read = (given_log["log"], given_log["database"], *files_in(given_log["query"]))
    refuse_inputs(outputs.files, read)
    from dwell.report.evaluation.report import evaluate as evaluated

    log = asked.log()
    with (
        _executor(workers, scheduler) as executor,
        progress_by_share("reading the log") as advance,
    ):
        report = evaluated(log, executor=executor, advance=advance, **given)
    _show(report, asked.notes, every, outputs)


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


def _show(report: Report, notes: tuple[str, ...], every: bool, outputs: Outputs) -> None:
    from dwell.report.evaluation.rows import about, rows
    from dwell.report.evaluation.text import summary

    def page() -> str:
        from dwell.report.evaluation.page import page_of

        return page_of(report, notes)

    if outputs.as_json or outputs.files:
        told, found = about(report, notes), rows(report)
        outputs.write(told, found, page)
    if outputs.as_json:
        outputs.show(told, found)
    else:
        wrapped(summary(report))
        _print_table(report, every)
    for sentence in (*notes, *report.notes):
        note(sentence)


def _print_table(report: Report, every: bool) -> None:
    from dwell.report.evaluation.table import fitted, grid, legend, setup_grid, setup_legend

    if report.setup_cost is None:
        print_grid(setup_grid(report))
        wrapped([setup_legend(report)])
        return
    table = grid(report, most=None) if every else grid(report)
    if sys.stdout.isatty():
        table = fitted(table, get_terminal_size().columns)
    print_grid(table)
    wrapped([legend(report, table)])
