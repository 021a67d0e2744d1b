"""Commands as dwell has them: no option twice, and help in sections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import click

from dwell.errors import DwellError

_OTHER = "Other"


class Option(click.Option):
    """An option that knows under which heading a command's help shows it."""

    section: str = ""


class Command(click.Command):
    """A command that refuses an option given twice, and shows its options in sections."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words after the command's name."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        _refuse_twice(order)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run it; where the library refuses something, options go by the names they have here."""
        try:
            return super().invoke(ctx)
        except DwellError as error:
            error.args = (spelled(str(error), (name for p in self.params for name in p.opts)),)
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings, in the order in which these first come up."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                title = getattr(parameter, "section", "") or _OTHER
                sections.setdefault(title, []).append(record)
        # Every command has --help, which is of no interest to who reads it.
        other = sections.pop(_OTHER, [])
        for title, records in [*sections.items(), (_OTHER if sections else "Options", other)]:
            with formatter.section(title):
                formatter.write_dl(records)


def _refuse_twice(order: Sequence[click.Parameter]) -> None:
    options = [each for each in order if isinstance(each, click.Option) and not each.multiple]
    for each in options:
        if sum(each is other for other in options) > 1:
            raise click.UsageError(f"{each.opts[0]} is given twice; give it once")


def spelled(sentence: str, options: Iterable[str]) -> str:
    """A sentence of the library with its arguments called as the options that give them.

    A name of several words is one wherever it stands; one of a single word, which may be any word,
    where the sentence begins with it or says to give it.

    Example:
        >>> spelled("min_days must be at most max_days, 28, got 29", ["--min-days", "--max-days"])
        '--min-days must be at most --max-days, 28, got 29'
        >>> spelled("log.csv has no arms: name the labels by arms", ["--arms"])
        'log.csv has no arms: name the labels by --arms'
    """
    for option in options:
        name = option.removeprefix("--").replace("-", "_")
        if not option.startswith("--"):
            continue
        if "_" in name:
            sentence = re.sub(rf"(?<![\w-]){name}\b", option, sentence)
        else:
            sentence = re.sub(rf"\b{name}=True\b", option, sentence)
            sentence = re.sub(
                rf"(?:^|(?<=\bby )|(?<=\bat most )){name}(?=$| must\b|,)", option, sentence
            )
    return sentence


def flag(*names: str, help: str, default: bool | None = False) -> Any:
    """An option without a value; with None for default one can tell whether it was given."""
    return click.option(*names, cls=Option, is_flag=True, default=default, help=help)
