"""`dwell token`: who may call the service."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from dwell.cli import output
from dwell.cli.command import Command
from dwell.cli.options import Option, json_option, one_of, option, stacked
from dwell.cli.output import print_grid, print_json
from dwell.cli.programme.group import STORE, text

if TYPE_CHECKING:
    from dwell.service.access.tokens import Scope, Tokens


@click.group(invoke_without_command=True)
@click.pass_context
def token(context: click.Context) -> None:
    """Make, list and revoke the tokens that `dwell serve` asks for.

    \b
    Examples:
      dwell token create --scope tell --note "nightly job"
      dwell token list
      dwell token revoke k3v8m2qa
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def _command(
    *options: Option, name: str | None = None
) -> Callable[[Callable[..., None]], click.Command]:
    """A command of the group, with options of its own."""

    def decorate(function: Callable[..., None]) -> click.Command:
        with_output = stacked(function, (json_option,), "Output")
        with_store = stacked(with_output, (STORE,), "The store")
        return token.command(name, cls=Command)(stacked(with_store, options, "The token"))

    return decorate


def _tokens(store: str) -> Tokens:
    from dwell.programme.stores.addresses import store_at
    from dwell.service.access.tokens import Tokens

    return Tokens(store_at(store))


@_command(
    option(
        "--scope",
        one_of("read", "tell", "admin"),
        default="read",
        metavar="NAME",
        help="read: look; tell: also begin tests and tell what was observed; admin: also create "
        "programmes.",
    ),
    option("--programme", text, metavar="NAME", help="The only programme it is for."),
    option("--note", text, default="", metavar="TEXT", help="What it is for."),
)
def create(scope: Scope, programme: str | None, note: str, store: str, as_json: bool) -> None:
    """Make a token and print it: it is shown this once.

    \b
    Examples:
      dwell token create
      dwell token create --scope tell --programme checkout --note "nightly job"
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.report.encode import plain
    from dwell.service.access.token_table import token_row

    made, shown = _tokens(store).create(scope, programme, note)
    if as_json:
        print_json({**plain(token_row(made)), "token": shown})
    else:
        click.echo(shown)
        output.note(f"keep it now, it is not shown again; dwell token revoke {made.id} ends it")


@_command(name="list")
def list_(store: str, as_json: bool) -> None:
    """List the tokens of a store, those that were revoked too.

    \b
    Examples:
      dwell token list
      dwell token list --store sqlite:///tests.db --json
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.service.access.token_table import token_row, tokens_grid

    rows = [token_row(each) for each in _tokens(store).all()]
    if as_json:
        print_json({"rows": rows})
    elif rows:
        print_grid(tokens_grid(rows))
    else:
        click.echo("There is no token in this store; dwell token create makes one.")


@_command()
@click.argument("identity", metavar="ID")
def revoke(identity: str, store: str, as_json: bool) -> None:
    """Revoke a token: who has it is refused within a second, and signed out.

    \b
    Examples:
      dwell token revoke k3v8m2qa
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.report.encode import plain
    from dwell.service.access.token_table import token_row

    row = token_row(_tokens(store).revoke(identity))
    if as_json:
        print_json(plain(row))
    else:
        click.echo(f"{row.id} is revoked: who has it is refused within a second.")
