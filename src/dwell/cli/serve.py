"""`dwell serve`: the API and the page, until Ctrl-C."""

from __future__ import annotations

from typing import Any

import click

from dwell import checks
from dwell.cli.command import Command, flag
from dwell.cli.command import Option as SectionOption
from dwell.cli.options import Option, option, positive, stacked, whole
from dwell.cli.output import say
from dwell.cli.programme.group import STORE, text
from dwell.errors import InvalidInput, MissingExtra
from dwell.parsing import number

_LAST_PORT = 65_535


def _port(name: str, text: str) -> int:
    port = checks.count(name, number(name, text), least=0)
    if port > _LAST_PORT:
        raise InvalidInput(f"{name} must be at most {_LAST_PORT}, got {port}")
    return port


_WHAT: tuple[Option, ...] = (
    STORE,
    flag("--demo", help="Show a company that does not exist, testing ideas; nothing is kept."),
)
_WHERE: tuple[Option, ...] = (
    option("--host", text, default="127.0.0.1", metavar="ADDRESS", help="Where to listen."),
    option("--port", _port, default="8000", help="The port; 0 for one that is free."),
    option("--workers", whole, default="1", help="How many processes answer."),
)
_WHO: tuple[Option, ...] = (
    flag("--require-token", help="Ask for a token on loopback too."),
    click.option(
        "--allowed-host",
        "allowed_hosts",
        cls=SectionOption,
        multiple=True,
        metavar="NAME",
        help="A name that a proxy is called by; may be given several times.",
    ),
    option(
        "--requests-per-second",
        positive,
        default="500",
        help="How many requests of a token, or of an address, a process answers.",
    ),
)
_OUTPUT: tuple[Option, ...] = (flag("--check", help="Start, see that it works, and stop."),)


def _with_options(command: Any) -> Any:
    sections = (
        ("Output", _OUTPUT),
        ("Who may call", _WHO),
        ("The service", _WHERE),
        ("The programmes", _WHAT),
    )
    for title, options in sections:
        command = stacked(command, options, title)
    return command


@click.command(cls=Command)
@_with_options
def serve(store: str, demo: bool, workers: int, check: bool, **given: Any) -> None:
    """Serve programmes over HTTP: an API for your platform and a page for your people.

    Prints the address once it listens, and stops on Ctrl-C, when all that was told is kept.

    \b
    Examples:
      dwell serve --demo
      dwell serve --store sqlite:///tests.db --port 8080
      dwell serve --store postgresql://dwell@db/dwell --workers 2
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    try:
        from dwell.service.self_check import SelfCheck
        from dwell.service.serving import serve as run
    except ModuleNotFoundError as missing:
        raise MissingExtra(
            f"dwell serve needs {missing.name}; install it with: pip install 'dwell[service]'"
        ) from None
    from dwell.service.settings import Settings

    said = click.get_current_context().get_parameter_source("store")
    if demo and said is not click.core.ParameterSource.DEFAULT:
        raise InvalidInput("--demo keeps nothing: leave --store out")
    checking = SelfCheck(demo, say)

    def ready(url: str) -> None:
        click.echo(f"dwell is at {url}{'' if check else ' (Ctrl-C stops it)'}")
        if check:
            checking.begin(url)

    run(Settings(store=store, **given), ready, workers=workers, demo=demo)
    checking.conclude()
    say("Stopped.")
