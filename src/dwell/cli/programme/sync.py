"""`dwell programme sync`: what a warehouse has of running tests, told to a programme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from dwell.cli.command import Command
from dwell.cli.logs import Asked, log_options
from dwell.cli.options import json_option, option, stacked
from dwell.cli.output import note, print_grid, print_json, wrapped
from dwell.cli.programme.group import STORE, opened, programme, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dwell.history.reading.running_tests import RunningTest, Sums
    from dwell.programme.telling import Telling

_DECISIONS_TO_MAKE, _NOT_DELIVERED = 10, 11
_NOTIFY = option(
    "--notify",
    text,
    metavar="URL",
    help="Post each new decision there as JSON, at least once, under an id that stays the same.",
)


def _with_options(function: Any) -> Any:
    with_log = log_options(stacked(function, (_NOTIFY, json_option), "Output"))
    return click.argument("name", metavar="NAME")(stacked(with_log, (STORE,), "The programme"))


@programme.command(cls=Command)
@_with_options
def sync(name: str, store: str, asked: Asked, notify: str | None, as_json: bool) -> None:
    """Tell a programme what is new in LOG, and print what to do.

    LOG has batches; or users of two arms with their time or period, who are added up by period or
    by day; or counts of all users so far, a row per test.

    Tests that are new are begun, periods that are new are told, and those that were restated are
    corrected: to run it twice changes nothing. Give whole days only. It leaves with 0 if there is
    nothing to do, with 10 if tests were decided, and with 11 if decisions could not be posted to
    --notify: the next run posts them.

    \b
    Examples:
      dwell programme sync checkout days.parquet
      dwell programme sync checkout --query "from days" --database tests.duckdb
      dwell programme sync checkout days.parquet --notify https://host/path
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.history.reading.running_tests import running_tests
    from dwell.programme.notices import Sent
    from dwell.report.encode import plain
    from dwell.report.programme import headline, latest_change, taken_back, task_row, tasks_grid

    found = opened(store, name)
    outbox = None if notify is None else found.outbox(notify)  # from here on it misses nothing
    log = asked.log()
    tests, heard = running_tests(log), found.pool_changes()
    caught = found.catch_up(_tellings(tests), so_far=log.form == "counts")
    # Those that are over have nothing to say, unless that was decided now.
    said = {*caught.decided, *(task.name for task in found.tasks())}
    rows = [task_row(found.task(test.name)) for test in tests if test.name in said]
    sentence, changed = headline(found, rows), latest_change(found, heard)
    withdrawn = taken_back(found, heard)
    sent = Sent((), 0, "") if outbox is None else outbox.send()
    if as_json:
        posts = {"posted": sent.posted, "left": sent.left}
        about = {"programme": name, **plain(caught), **posts, "sentence": sentence}
        print_json({**about, "changed": changed, "taken_back": withdrawn, "rows": rows})
    else:
        told = withdrawn if changed is None else changed.sentence
        wrapped([sentence, *([] if told is None else [told])])
        if rows:
            print_grid(tasks_grid(rows))
    if outbox is not None and sent.left:
        note(
            f"{sent.left} decision{'s' * (sent.left > 1)} could not be posted to "
            f"{outbox.address.host}: {sent.problem}; the next sync with the same --notify posts "
            f"{'them' if sent.left > 1 else 'it'}"
        )
        click.get_current_context().exit(_NOT_DELIVERED)
    if caught.decided:
        click.get_current_context().exit(_DECISIONS_TO_MAKE)


def _tellings(tests: Iterable[RunningTest]) -> Iterator[Telling]:
    from dwell.programme.observations import Batch
    from dwell.programme.telling import Telling

    def batch(sums: Sums | None) -> Batch | None:
        return None if sums is None else Batch(*sums)

    for test in tests:
        for period in test.periods:
            arms = batch(period.control), batch(period.treatment)
            yield Telling(test.name, batch(period.values), *arms, key=period.key or None)
