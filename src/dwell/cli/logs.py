"""Options that say which log of past tests to read, and how."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from dwell import checks
from dwell.cli.command import Option as TitledOption
from dwell.cli.command import flag
from dwell.cli.options import Command, Option, one_of, option, seed_option, stacked
from dwell.errors import InvalidInput
from dwell.parsing import bounds, day
from dwell.parsing import labels_of_arms as labels_of_arms
from dwell.parsing import titles_of_columns as titles_of_columns

if TYPE_CHECKING:
    from dwell.history.reading.inspection import Inspection
    from dwell.history.reading.log import Log

FORMS = ("raw", "two-arm", "counts", "batches")


@dataclass(frozen=True, slots=True)
class Asked:
    """A log that a command is asked about.

    Attributes:
        source: Where it is.
        notes: What was left out on the way.
        reading: How it is to be read.
        sort: Whether to put rows in order first.
        seed: What sequences are drawn from, for counts.
    """

    source: object
    notes: tuple[str, ...]
    reading: dict[str, Any]
    sort: bool
    seed: int

    def log(self) -> Log:
        """The log itself; its form and its columns are checked."""
        from dwell.history.reading.log import Log

        return Log(self.source, sort=self.sort, seed=self.seed, **self.reading)

    def checked(self) -> Inspection:
        """What a dry run over it finds."""
        from dwell.history.reading.inspection import check

        return check(self.source, **self.reading)


def _memory(name: str, text: str) -> str:
    if not re.fullmatch(r"[1-9]\d*(\.\d+)?\s*[KMGT]i?B", text, re.IGNORECASE):
        raise InvalidInput(f"{name} must look like 500MB or 1GB, got {checks.shown(text)}")
    return text


cumulative_option: Option = click.option(
    "--cumulative/--not-cumulative",
    cls=TitledOption,
    default=None,
    help="Whether batches have all users since the first period.  [default: refused if so]",
)


def query_options(instead_of: str) -> tuple[Option, ...]:
    """The options `--query` and `--database`."""
    return (
        option(
            "--query",
            lambda _, text: text,
            metavar="SQL",
            help=f"Read a query instead of {instead_of}.",
        ),
        option(
            "--database",
            lambda _, text: text,
            metavar="PATH",
            help="What to query: a DuckDB file, or postgresql://….  [default: files that it names]",
        ),
    )


def _file(name: str, text: str) -> str:
    if not text.strip():
        raise InvalidInput(f"{name} must name a file, a folder or a pattern of files, got {text!r}")
    return text


def past_tests_options(what: str) -> tuple[Option, ...]:
    """Options that say which past tests a command begins from.

    Args:
        what: What it does with them, up to "any log that …".
    """
    return (
        option(
            "--from",
            _file,
            "source",
            metavar="FILE",
            help=f"{what}: any log that `dwell evaluate` reads, or a table with the columns effect "
            "and standard_error and a row per test.",
        ),
        *query_options("FILE"),
        option(
            "--columns",
            titles_of_columns,
            metavar="LIST",
            help="Titles of columns where they differ: effect=lift,test=id.",
        ),
        option(
            "--arms",
            labels_of_arms,
            metavar="LABELS",
            help="What arms are called: control,treatment.",
        ),
        cumulative_option,
    )


_OPTIONS = (
    option(
        "--form",
        one_of(*FORMS),
        metavar="FORM",
        help="What a row of LOG is, as above.  [default: told by the columns]",
    ),
    option(
        "--format",
        one_of("log", "upworthy"),
        "kind",
        default="log",
        metavar="KIND",
        help="log, or upworthy: the CSV of packages that the Upworthy Research Archive publishes.",
    ),
    option(
        "--columns",
        titles_of_columns,
        metavar="LIST",
        help="Titles of columns where they differ: value=revenue,test=id.",
    ),
    *query_options("LOG"),
    option(
        "--bounds",
        bounds,
        metavar="LOW,HIGH",
        help="Where values (outcomes, means) lie: then there are guaranteed intervals.",
    ),
    option(
        "--arms",
        labels_of_arms,
        metavar="LABELS",
        help="Which arms to compare: control,treatment; rows of others are left out.",
    ),
    cumulative_option,
    option(
        "--since",
        day,
        metavar="DATE",
        help="Only tests that began on this day or later, such as 2026-03-31.",
    ),
    flag("--sort", help="Sort rows first, without trying to do without."),
    option("--memory", _memory, default="1GB", metavar="SIZE", help="What sorting may take of it."),
    seed_option,
)
_WHERE = ("log", "kind", "query", "database")
_HOW = ("form", "columns", "memory", "bounds", "arms", "cumulative", "since")


def log_options(command: Callable[..., None]) -> Command:
    """The argument LOG and the options that make an `Asked`, given to the command as `asked`."""

    @wraps(command)
    def with_log(**values: Any) -> None:
        where = {name: values.pop(name) for name in _WHERE}
        reading = {name: values.pop(name) for name in _HOW}
        reading["columns"] = reading["columns"] or {}
        sort, seed = values.pop("sort"), values.pop("seed")
        source, notes = _source(**where)
        command(asked=Asked(source, notes, reading, sort, seed), **values)

    return click.argument("log", required=False)(stacked(with_log, _OPTIONS, "The log"))


def _source(
    *, log: str | None, kind: str, query: str | None, database: str | None
) -> tuple[object, tuple[str, ...]]:
    """What to read, and what to know about it."""
    if (log is None) == (query is None):
        raise InvalidInput("give a LOG to read or a --query, one of the two")
    if log is not None and not log.strip():
        raise InvalidInput("LOG must name a file, a folder or a pattern of files, got ''")
    if database is not None and query is None:
        raise InvalidInput("--database needs a --query that says what to read from it")
    if query is not None:
        if kind == "upworthy":
            raise InvalidInput("--format upworthy is for a file: give LOG instead of --query")
        from dwell.history.reading.sources import Query

        return Query(query, database), ()
    assert log is not None  # one of the two is there
    if kind == "log":
        return log, ()
    from dwell.history.datasets.upworthy import upworthy

    archive = upworthy(log)
    return archive.relation, archive.notes
