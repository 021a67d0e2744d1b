"""Commands for whole programmes: show, list, export, audit, verify."""

from __future__ import annotations

from pathlib import Path

import click

from dwell.cli.command import flag
from dwell.cli.files import writable
from dwell.cli.output import note, print_grid, print_json, wrapped
from dwell.cli.programme.group import command, opened, say_task
from dwell.errors import CannotWrite


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
    from dwell.report.encode import plain
    from dwell.report.programme import (
        headline,
        latest_change,
        programme_row,
        task_details,
        task_row,
        task_rows,
        tasks_grid,
        worth_sentence,
    )

    found = opened(store, name)
    if task is not None:
        shown = found.task(task)
        details = task_details(shown)
        say_task(name, task_row(shown), as_json, plain(details))
        if not as_json:
            click.echo(worth_sentence(details.worth))
        return
    rows = task_rows(found)
    sentence, changed = headline(found, rows), latest_change(found)
    if as_json:
        policies = found.policies()
        about = {**plain(programme_row(found)), "sentence": sentence, "policies": policies}
        print_json({**about, "changed": changed, "rows": rows})
        return
    wrapped([sentence, *([] if changed is None else [changed.sentence])])
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
    from dwell.programme.stores.protocol import programmes_in
    from dwell.report.programme import programme_row, programmes_grid

    kept = store_at(store)
    rows = [programme_row(opened(kept, name)) for name in programmes_in(kept)]
    if as_json:
        print_json({"rows": rows})
    elif rows:
        print_grid(programmes_grid(rows))
    else:
        # Its address may hold a password, and is known to whoever gave it.
        click.echo("There is no programme in this store; dwell programme create makes one.")


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
