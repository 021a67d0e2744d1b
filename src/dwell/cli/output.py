"""What a command says: its progress and notes on stderr, its figures on stdout and in files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from dwell.files import write_whole

if TYPE_CHECKING:
    from dwell.report.tables import Grid


@contextmanager
def progress(doing: str, total: int | None = None) -> Iterator[Callable[[], None]]:
    """A bar on a terminal, one plain line elsewhere; gives a function to call after each step."""
    if not sys.stderr.isatty():
        click.echo(f"{doing}…", err=True)
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=total)
        yield lambda: bar.advance(task)


@contextmanager
def progress_by_share(doing: str) -> Iterator[Callable[[float], None]]:
    """The same, for work that tells which share of it is done: until it does, the bar pulses."""
    if not sys.stderr.isatty():
        click.echo(f"{doing}…", err=True)
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda share: bar.update(task, total=1.0, completed=share)


def note(sentence: str) -> None:
    """Say something that is worth knowing and no error."""
    click.echo(f"Note: {sentence}", err=True)


def wrapped(paragraphs: Iterable[str]) -> None:
    """Print paragraphs, no wider than is good to read."""
    width = min(88, get_terminal_size().columns)
    for paragraph in paragraphs:
        click.echo(f"{fill(paragraph, width)}\n")


def show(
    about: Mapping[str, object],
    rows: Sequence[Any],
    *grids: Grid,
    as_json: bool,
    out: Path | None,
) -> None:
    """Print the figures, for people or as JSON, and write them where that was asked for."""
    if as_json:
        print_json({**about, "rows": rows})
    else:
        for grid in grids:
            print_grid(grid)
    if out is not None:
        write_figures(out, about, rows)


def write_figures(out: Path, about: Mapping[str, object], rows: Sequence[Any]) -> None:
    """Write the rows to a file of CSV, or all there is to one of JSON."""
    from dwell.report.encode import csv_text, json_text

    as_csv = out.suffix.lower() == ".csv"
    text = csv_text(rows) if as_csv else json_text({**about, "rows": rows}) + "\n"
    write_whole(out, text, "--out")


def print_json(value: object) -> None:
    """Print something for programs."""
    from dwell.report.encode import json_text

    click.echo(json_text(value))


def print_grid(grid: Grid) -> None:
    """Print a table."""
    from rich.console import Console

    if grid.title:
        click.echo(grid.title)
    # What is piped has no width to fit in.
    Console(width=None if sys.stdout.isatty() else 120).print(grid.rich())
