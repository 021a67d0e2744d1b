"""Commands for one test: begin, tell, abandon, clear, record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from dwell.cli.command import flag
from dwell.cli.options import option
from dwell.cli.programme.group import command, opened, say_task, text
from dwell.errors import InvalidInput
from dwell.parsing import number

if TYPE_CHECKING:
    from dwell.programme.observations import Batch


def _numbers(name: str, text: str) -> list[float]:
    parts = [part for part in text.split(",") if part.strip()]
    return [number(f"each number in {name}", part) for part in parts]


def _batch(name: str, text: str) -> Batch:
    from dwell.programme.observations import Batch

    parts = _numbers(name, text)
    if len(parts) not in (2, 3):
        raise InvalidInput(f"{name} must be n,sum or n,sum,sum-of-squares, got {text!r}")
    return Batch(*parts)  # type: ignore[arg-type]  # what is no count is refused there


@command()
@click.argument("name", metavar="NAME")
@click.argument("task", metavar="[TASK]", required=False)
def begin(name: str, task: str | None, store: str, as_json: bool) -> None:
    """Begin a test of a programme; without a name it is called by its number.

    \b
    Examples:
      dwell programme begin checkout blue-button
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.report.programme import task_row

    begun = opened(store, name).begin(task)
    say_task(name, task_row(begun), as_json)


@command(
    option("--values", _numbers, metavar="LIST", help="Samples, between commas."),
    option("--control", _numbers, metavar="LIST", help="Outcomes of untreated users."),
    option("--treatment", _numbers, metavar="LIST", help="Outcomes of treated users."),
    option(
        "--batch", _batch, metavar="N,SUM[,SQUARES]", help="Samples by number, sum, sum of squares."
    ),
    option("--control-batch", _batch, metavar="N,SUM[,…]", help="The same of untreated users."),
    option("--treatment-batch", _batch, metavar="N,SUM[,…]", help="The same of treated users."),
    option("--key", text, metavar="TEXT", help="A name for this: told again, it changes nothing."),
    flag("--correct", help="What was told under --key was this instead."),
    title="What was observed",
)
@click.argument("name", metavar="NAME")
@click.argument("task", metavar="TASK")
def tell(
    name: str,
    task: str,
    store: str,
    as_json: bool,
    key: str | None,
    correct: bool,
    **told: Any,
) -> None:
    """Tell a test what was observed; prints what to do, and why.

    \b
    Examples:
      dwell programme tell checkout blue-button --values 1,-1,1 --key monday
      dwell programme tell checkout red --control 0,1,0 --treatment 1,1,0
      dwell programme tell checkout red --batch 500,51,51
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.report.programme import task_row

    observed = {}
    for each, other in (
        ("values", "batch"),
        ("control", "control_batch"),
        ("treatment", "treatment_batch"),
    ):
        if told[each] is not None and told[other] is not None:
            raise InvalidInput(f"give {each} or {other}, not both")
        observed[each] = told[other] if told[each] is None else told[each]
    found = opened(store, name).task(task)
    if correct and key is None:
        raise InvalidInput("--correct needs --key, the key that it was told under")
    if correct and key is not None:
        advice = found.correct(key, **observed)
    else:
        advice = found.tell(**observed, key=key)
    say_task(name, task_row(found, advice), as_json)


@command(
    option("--reason", text, default="", metavar="TEXT", help="Why, for whoever reads the log."),
    title="The task",
)
@click.argument("name", metavar="NAME")
@click.argument("task", metavar="TASK")
def abandon(name: str, task: str, store: str, as_json: bool, reason: str) -> None:
    """Give a test up: nothing is learned from it, and none waits for it.

    Abandon for reasons outside the data: to abandon what looks bad biases what is learned.

    \b
    Examples:
      dwell programme abandon checkout blue-button --reason "called off"
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.report.programme import task_row

    found = opened(store, name).task(task)
    found.abandon(reason)
    say_task(name, task_row(found), as_json)


@command(
    option("--note", text, default="", metavar="TEXT", help="Why, for whoever reads the log."),
    title="The task",
)
@click.argument("name", metavar="NAME")
@click.argument("task", metavar="TASK")
def clear(name: str, task: str, store: str, as_json: bool, note: str) -> None:
    """Say that the data of a test on hold are sound after all.

    \b
    Examples:
      dwell programme clear checkout blue-button --note "bots were taken out"
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.report.programme import task_row

    found = opened(store, name).task(task)
    say_task(name, task_row(found, found.clear(note)), as_json)


@command(
    option("--note", text, default="", metavar="TEXT", help="Why, for whoever reads the log."),
    title="The task",
)
@click.argument("name", metavar="NAME")
@click.argument("task", metavar="TASK")
@click.argument("done", metavar="shipped|dropped")
def record(name: str, task: str, done: Any, store: str, as_json: bool, note: str) -> None:
    """Say what people did about the decision on a test: it may be other than what was advised.

    \b
    Examples:
      dwell programme record checkout blue-button shipped
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.report.programme import task_row

    found = opened(store, name).task(task)
    found.record(done, note)
    say_task(name, task_row(found), as_json)
