"""Commands for whole programmes: create, show, list, export, audit, verify."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dwell.cli.command import flag
from dwell.cli.files import writable
from dwell.cli.options import cap, caps, law, not_negative, one_of, option, positive
from dwell.cli.output import note, print_grid, print_json, wrapped
from dwell.cli.programme.group import command, opened, say_task
from dwell.errors import CannotWrite, InvalidInput


@command(
    option(
        "--learner",
        one_of("empirical-bayes", "ladder", "fixed"),
        metavar="NAME",
        help="empirical-bayes, ladder or fixed.  [default: empirical-bayes with --law, else "
        "ladder]",
    ),
    option("--law", law, metavar="TEXT", help="Signs, Lift(base_rate) or Gaussian(sd)."),
    option("--cap", cap, help="The most samples of a test, with --law."),
    option(
        "--caps",
        caps,
        metavar="LIST",
        help="The most samples that each policy may draw, without --law: 1,2,4 or 1:256:x2.",
    ),
    option("--setup-cost", not_negative, default="20", help="What a test costs besides samples."),
    option(
        "--silence-days",
        positive,
        default="4",
        help="After so many days without data a test is listed as stalled.",
    ),
    title="The learner",
)
@click.argument("name", metavar="NAME")
def create(
    name: str, store: str, caps: tuple[int, ...] | None, as_json: bool, **given: Any
) -> None:
    """Create a programme.

    \b
    Examples:
      dwell programme create checkout --law "Lift(0.1)" --cap 20000
      dwell programme create search --caps 1:256:x2 --store sqlite:///tests.db
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.families import hoeffding
    from dwell.programme.programme import Programme
    from dwell.report.programme import choice_sentence

    if caps is None and given["law"] is None:
        raise InvalidInput(
            "say what a sample is like by --law and --cap, or which caps to choose among by --caps"
        )
    policies = None
    if caps is not None:
        policies = hoeffding(caps, c=0.5, tasks=10_000, delta=0.05)
    created = Programme.create(store, name, policies=policies, **given)
    sentence = choice_sentence(created)
    if as_json:
        learner = type(created.learner()).__name__
        print_json({"programme": name, "learner": learner, "sentence": sentence})
    else:
        click.echo(sentence)


@command()
@click.argument("name", metavar="NAME")
@click.argument("task", metavar="[TASK]", required=False)
def show(name: str, task: str | None, store: str, as_json: bool) -> None:
    """Show a programme and what to do with each test, or one test.

    \b
    Examples:
      dwell programme show checkout
      dwell programme show checkout blue-button --json
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.report.programme import (
        headline,
        programme_row,
        task_row,
        task_rows,
        tasks_grid,
    )

    found = opened(store, name)
    if task is not None:
        say_task(name, task_row(found.task(task)), as_json)
        return
    rows = task_rows(found)
    sentence = headline(found, rows)
    if as_json:
        from dwell.report.encode import plain

        policies = found.policies()
        about = {**plain(programme_row(found)), "sentence": sentence, "policies": policies}
        print_json({**about, "rows": rows})
        return
    wrapped([sentence])
    if rows:
        print_grid(tasks_grid(rows))


@command(name="list")
def list_(store: str, as_json: bool) -> None:
    """List the programmes of a store.

    \b
    Examples:
      dwell programme list
      dwell programme list --store sqlite:///tests.db --json
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.programme.stores.addresses import store_at
    from dwell.report.programme import programme_row, programmes_grid

    kept = store_at(store)
    rows = [programme_row(opened(kept, name)) for name in kept.names()]
    if as_json:
        print_json({"rows": rows})
    elif rows:
        print_grid(programmes_grid(rows))
    else:
        click.echo(f"There is no programme in {store}; dwell programme create makes one.")


@command(flag("--overwrite", help="Replace FILE if there is one."), title="The file")
@click.argument("name", metavar="NAME")
@click.argument(
    "file",
    callback=lambda _, parameter, text: writable(
        Path(text), (".csv", ".parquet"), parameter.metavar
    ),
    metavar="FILE",
)
def export(name: str, file: Path, store: str, as_json: bool, overwrite: bool) -> None:
    """Write all finished tests to FILE.csv or FILE.parquet, as `dwell evaluate` reads them.

    \b
    Examples:
      dwell programme export checkout log.parquet
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    if file.exists() and not overwrite:
        raise CannotWrite(f"there is a file {file} already; choose another, or give --overwrite")
    tasks = opened(store, name).export(file)
    if as_json:
        print_json({"programme": name, "file": str(file), "tasks": tasks})
    else:
        click.echo(f"{file}: {tasks:,} finished tests of {name}.")


@command()
@click.argument("name", metavar="NAME")
def audit(name: str, store: str, as_json: bool) -> None:
    """List what each test taught, how it was decided, and what followed.

    \b
    Examples:
      dwell programme audit checkout
      dwell programme audit checkout --json
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.report.programme import audit_grid, audit_rows

    rows = audit_rows(opened(store, name))
    if as_json:
        print_json({"programme": name, "rows": rows})
    elif rows:
        print_grid(audit_grid(rows))
    else:
        click.echo(f"No test of {name} has been learned from yet.")


@command()
@click.argument("name", metavar="NAME")
def verify(name: str, store: str, as_json: bool) -> None:
    """Replay a programme's log and compare: decisions, records, the snapshot.

    \b
    Examples:
      dwell programme verify checkout
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.report.encode import plain

    found = opened(store, name).verify()
    if as_json:
        print_json({"programme": name, **plain(found)})
    else:
        click.echo(
            f"{name}: {found.events:,} events of {found.tasks:,} tests replayed; all "
            f"{found.decisions:,} decisions are as given."
        )
        if found.other_designs:
            note(
                f"this version of dwell would have begun {found.other_designs:,} of the tests in "
                "another way: an earlier one began them, and they stay as they were"
            )
