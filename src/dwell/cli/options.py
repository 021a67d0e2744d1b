"""Options that several commands share, and how their texts are read."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dwell import checks
from dwell.cli.command import Option as _Option
from dwell.cli.command import flag
from dwell.cli.files import writable
from dwell.cli.output import Outputs
from dwell.errors import InvalidInput
from dwell.parsing import cap as cap
from dwell.parsing import caps as caps
from dwell.parsing import number, parse_law, parse_prior
from dwell.parsing import whole as whole

if TYPE_CHECKING:
    from dwell.laws import Law
    from dwell.priors import Prior

Command = Callable[..., None]
Option = Callable[[Command], Command]
_MOST_RUNS = 10**6


def output_options(page: str | None = None) -> Callable[[Callable[..., None]], Command]:
    """The options `--json`, `--out` and `--plot`, given to the command as `outputs`.

    They mean the same in all commands.

    Args:
        page: The page that is drawn where no other is asked for; None if there is to be none.
    """
    options = (
        json_option,
        option(
            "--out",
            file_ending_in(".csv", ".json", ".html"),
            metavar="FILE",
            help="Write the figures to FILE.csv or FILE.json, or the page to FILE.html.",
        ),
        option(
            "--plot",
            file_ending_in(".html"),
            metavar="FILE",
            help="Draw the page into FILE.html; it needs no network."
            + (f"  [default: {page}]" if page else ""),
        ),
    )

    def decorate(command: Callable[..., None]) -> Command:
        @wraps(command)
        def with_outputs(as_json: bool, out: Path | None, plot: Path | None, **values: Any) -> None:
            if page is not None and plot is None and (out is None or out.suffix.lower() != ".html"):
                plot = writable(Path(page), (".html",), "--plot")
            command(outputs=Outputs(as_json=as_json, out=out, plot=plot), **values)

        return stacked(with_outputs, options, "Output")

    return decorate


json_option: Option = flag("--json", "as_json", help="Print JSON and nothing else.")
forget_option: Option = flag(
    "--forget/--no-forget",
    help="Whether empirical-bayes reckons with a pool that changes, and forgets an earlier one.  "
    "[default: it does]",
    default=None,
)
seed_option: Option = click.option(
    "--seed",
    cls=_Option,
    callback=lambda _, parameter, text: whole(parameter.opts[0], text, least=0),
    default="0",
    metavar="NUMBER",
    show_default=True,
    help="The same seed gives the same figures.",
)


def workers_option(default: str) -> Option:
    """The option `--workers`."""
    return option(
        "--workers",
        whole,
        default=default,
        help="Processes, at most one per processor; the figures are the same for any number.",
    )


def one_of(*known: str) -> Callable[[str, str], str]:
    """Reads one of some words."""

    def read(name: str, text: str) -> str:
        if text not in known:
            listed = f"{', '.join(known[:-1])} or {known[-1]}"
            raise InvalidInput(f"{name} must be {listed}, got {checks.shown(text)}")
        return text

    return read


def option(
    name: str,
    read: Callable[[str, str], Any],
    *names: str,
    default: str | None = None,
    metavar: str = "NUMBER",
    help: str,
) -> Option:
    """An option whose text is read by a function of its name and its text."""
    return click.option(
        name,
        *names,
        cls=_Option,
        callback=lambda _, parameter, text: None if text is None else read(parameter.opts[0], text),
        default=default,
        show_default=default is not None,
        metavar=metavar,
        help=help,
    )


def stacked(command: Command, options: tuple[Option, ...], section: str = "") -> Command:
    """The command with options, which its help then shows in this order under this heading."""
    for add in reversed(options):
        command = add(command)
        added = command.__click_params__[-1]  # type: ignore[attr-defined]  # where click keeps them
        added.section = section
    return command


def positive(name: str, text: str) -> float:
    """A finite number above 0."""
    return checks.positive(name, number(name, text))


def not_negative(name: str, text: str) -> float:
    """A finite number that is at least 0."""
    return checks.not_negative(name, number(name, text))


def probability(name: str, text: str) -> float:
    """A number strictly between 0 and 1."""
    return checks.probability(name, number(name, text))


def whole_numbers(name: str, text: str) -> tuple[int, ...]:
    """Whole numbers between commas."""
    return tuple(whole(name, part) for part in text.split(","))


def number_of_runs(name: str, text: str) -> int:
    """A number of replications, few enough to be waited for."""
    count = whole(name, text)
    if count > _MOST_RUNS:
        raise InvalidInput(f"{name} must be at most {_MOST_RUNS:,}, got {count:,}")
    return count


def file_ending_in(*endings: str) -> Callable[[str, str], Path]:
    """Reads the name of a file to write, and checks that it can be written."""

    def read(name: str, text: str) -> Path:
        if not text.strip():
            raise InvalidInput(f"{name} must name a file, got {text!r}")
        return writable(Path(text), endings, name)

    return read


def prior(_: str, text: str) -> Prior:
    """A prior."""
    return parse_prior(text)


def law(_: str, text: str) -> Law:
    """A law of observations."""
    return parse_law(text)
