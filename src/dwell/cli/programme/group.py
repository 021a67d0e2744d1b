"""The group of commands, and what they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import click

from dwell.cli.command import Command
from dwell.cli.options import Option, json_option, option, stacked
from dwell.cli.output import print_json

if TYPE_CHECKING:
    from dwell.programme.programme import Programme
    from dwell.programme.stores.protocol import EventStore
    from dwell.report.programme import TaskRow


def text(_: str, text: str) -> str:
    """Any text."""
    return text


STORE = option(
    "--store",
    text,
    default="sqlite:///dwell.db",
    metavar="ADDRESS",
    help="Where programmes are kept: sqlite:///FILE or "
    "postgresql://user:password@host:port/database.",
)


@click.group(invoke_without_command=True)
@click.pass_context
def programme(context: click.Context) -> None:
    """Run tests live: begin them, tell what was observed, do what is advised.

    \b
    Examples:
      dwell programme create checkout --law "Lift(0.1)" --cap 20000
      dwell programme begin checkout blue-button
      dwell programme tell checkout blue-button --control 0,1 --treatment 1,1
      dwell programme show checkout
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def command(
    *options: Option, title: str = "", name: str | None = None
) -> Callable[[Callable[..., None]], click.Command]:
    """A command of the group, with options of its own under a heading."""

    def decorate(function: Callable[..., None]) -> click.Command:
        with_output = stacked(function, (json_option,), "Output")
        with_store = stacked(with_output, (STORE,), "The programme")
        return programme.command(name, cls=Command)(stacked(with_store, options, title))

    return decorate


def opened(store: str | EventStore, name: str) -> Programme:
    """The programme of that name."""
    from dwell.programme.programme import Programme

    return Programme.open(store, name)


def say_task(
    name: str, row: TaskRow, as_json: bool, details: Mapping[str, object] | None = None
) -> None:
    """Print what to do with a task; for programs, with details."""
    from dwell.report.encode import plain

    if as_json:
        print_json({"programme": name, **plain(row), **(details or {})})
    else:
        click.echo(f"{row.task}: {row.sentence}.")
