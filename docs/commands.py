"""Writes the page of all commands from what they print with --help.

`make docs` runs it: the page is made anew for each site, so that it cannot be out of date.
"""

from collections.abc import Iterator
from pathlib import Path

import click
from click.testing import CliRunner

from dwell.cli import main

_PAGE = Path(__file__).parent / "reference" / "commands.md"
_WIDTH = {"COLUMNS": "100", "NO_COLOR": "1"}


def named(command: click.Command, name: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The names of a command and of all below it, in the order in which they are listed."""
    yield name
    if isinstance(command, click.Group):
        context = click.Context(command)
        for each in command.list_commands(context):
            below = command.get_command(context, each)
            assert below is not None
            yield from named(below, (*name, each))


def page() -> str:
    """The page."""
    parts = ["# Commands", "What each prints with `--help`."]
    for words in named(main, ("dwell",)):
        shown = CliRunner().invoke(main, [*words[1:], "--help"], prog_name="dwell", env=_WIDTH)
        level = "#" * min(len(words) + 1, 3)
        parts.append(f"{level} {' '.join(words)}\n\n```text\n{shown.output.strip()}\n```")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    _PAGE.write_text(page(), encoding="utf-8")
