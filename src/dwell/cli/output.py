"""What a command says: its progress and notes on stderr, its figures on stdout and in files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from dwell.errors import InvalidInput
from dwell.files import same_file, write_whole

if TYPE_CHECKING:
    from dwell.report.tables import Grid


@contextmanager
def progress(doing: str, total: int | None = None) -> Iterator[Callable[..., None]]:
    """A bar on a terminal, one plain line elsewhere; gives a function to call after each step.

    It may be told how much of a step is over instead.
    """
    if not sys.stderr.isatty():
        say(f"{doing}…")
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=total)
        yield lambda steps=1.0: bar.advance(task, steps)


@contextmanager
def progress_by_share(doing: str) -> Iterator[Callable[[float], None]]:
    """The same, for work that tells which share of it is done: until it does, the bar pulses."""
    if not sys.stderr.isatty():
        say(f"{doing}…")
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda share: bar.update(task, total=1.0, completed=share)


def say(sentence: str) -> None:
    """Say something beside the figures; where nobody can hear it, that is no failure."""
    with suppress(OSError):
        click.echo(sentence, err=True)


def note(sentence: str) -> None:
    """Say something that is worth knowing and no error."""
    say(f"Note: {sentence}")


def wrapped(paragraphs: Iterable[str]) -> None:
    """Print paragraphs, no wider than is good to read."""
    for paragraph in paragraphs:
        click.echo(f"{_filled(paragraph)}\n")


def _filled(text: str) -> str:
    # Options keep their hyphens, and figures their signs.
    kept = text.replace(" %", "\N{NO-BREAK SPACE}%").replace(" ± ", "\N{NO-BREAK SPACE}± ")
    width = min(88, get_terminal_size().columns)
    return fill(kept, width, break_on_hyphens=False).replace("\N{NO-BREAK SPACE}", " ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """Where a command was asked to put what it found, besides the standard output.

    Attributes:
        as_json: Whether it prints JSON and nothing else.
        out: A file for the figures, or for the page if it ends in .html.
        plot: A file for the page.
    """

    as_json: bool = False
    out: Path | None = None
    plot: Path | None = None

    def __post_init__(self) -> None:
        if self.out is not None and self.plot is not None and same_file(self.out, self.plot):
            raise InvalidInput(f"--out and --plot must be different files, got {self.out} twice")

    @property
    def files(self) -> dict[str, Path]:
        """The files to write, by the option that named each."""
        named = {"--out": self.out, "--plot": self.plot}
        return {option: path for option, path in named.items() if path is not None}

    def write(
        self, about: Mapping[str, object], rows: Sequence[Any], page: Callable[[], str]
    ) -> None:
        """Write the files that were asked for, and say so.

        This comes before anything is printed: a reader that goes away early costs no file.

        Args:
            about: What the figures are about, for JSON.
            rows: The figures, for CSV and for JSON.
            page: Draws the page; it is called if a page is asked for.
        """
        drawn = ""
        for option, path in self.files.items():
            if path.suffix.lower() == ".html":
                text = drawn = drawn or page()
            else:
                text = _figures(path, about, rows)
            write_whole(path, text, option)
            say(f"Wrote {path}.")

    def show(self, about: Mapping[str, object], rows: Sequence[Any], *grids: Grid) -> None:
        """Print the figures, for people or as JSON."""
        if self.as_json:
            print_json({**about, "rows": rows})
        else:
            for grid in grids:
                print_grid(grid)


def _figures(path: Path, about: Mapping[str, object], rows: Sequence[Any]) -> str:
    from dwell.report.encode import csv_text, document

    as_csv = path.suffix.lower() == ".csv"
    return csv_text(rows) if as_csv else document({**about, "rows": rows}) + "\n"


def print_json(value: Mapping[str, object]) -> None:
    """Print something for programs."""
    from dwell.report.encode import document

    click.echo(document(value))


def print_grid(grid: Grid) -> None:
    """Print a table."""
    from rich.console import Console

    if grid.title:
        click.echo(_filled(grid.title))
    # What is piped has no width to fit in; sentences are broken all the same.
    piped = 80 if grid.tight else 120 if grid.shares else 200
    console = Console(width=None if sys.stdout.isatty() else piped)
    # Rich would leave the process itself where nobody reads what it prints.
    with console.capture() as printed:
        console.print(grid.rich())
    click.echo(printed.get(), nl=False)
