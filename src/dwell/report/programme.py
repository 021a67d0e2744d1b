"""Programmes as they stand: rows, tables and the sentence that comes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from dwell.fitting.figure import Figure
from dwell.fitting.pool_change import Changed, DatedChange
from dwell.learners.registry import LEARNERS
from dwell.programme.advice import Advice
from dwell.programme.outlook import Worth
from dwell.programme.path import Path
from dwell.programme.programme import Programme
from dwell.programme.task import Status, Task
from dwell.report.tables import Grid


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task, and what to do with it."""

    task: str
    status: Status
    decision: str | None
    wants: int
    done: bool
    to_go: float | None
    ships: float | None
    sentence: str


@dataclass(frozen=True, slots=True)
class TaskDetails:
    """What is known of one task, and where it has been."""

    worth: Worth | None
    path: Path


@dataclass(frozen=True, slots=True)
class ProgrammeRow:
    """A programme, and what became of its tasks."""

    programme: str
    running: int
    shipped: int
    dropped: int
    abandoned: int


def task_row(task: Task, advice: Advice | None = None) -> TaskRow:
    """A task as it stands."""
    given = task.advice if advice is None else advice
    return TaskRow(
        task.name,
        task.status,
        given.decision,
        given.wants,
        given.done,
        None if given.forecast is None else given.forecast.samples,
        None if given.forecast is None else given.forecast.ships,
        given.sentence,
    )


def task_details(task: Task) -> TaskDetails:
    """What is known of a task, and where it has been."""
    return TaskDetails(task.worth(), task.path())


def worth_sentence(worth: Worth | None) -> str:
    """What an idea is worth by what is known now.

    Example:
        >>> worth_sentence(Worth(mean=2, low=-1, high=5, helps=0.9, samples=502, tests=60))
        'Worth 2 (-1 to 5) by 502 samples and a pool of 60 tests; it helps with a chance of 90 %.'
        >>> worth_sentence(Worth(mean=1, low=None, high=None, helps=None, samples=1, tests=None))
        'Worth 1 by 1 sample.'
    """
    if worth is None:
        return "Nothing is known of its worth yet."
    between = "" if worth.low is None else f" ({worth.low:.3g} to {worth.high:.3g})"
    pool = "" if worth.tests is None else f" and a pool of {worth.tests:,} tests"
    helps = "" if worth.helps is None else f"; it helps with a chance of {100 * worth.helps:.0f} %"
    samples = f"{worth.samples:,} sample{'s' * (worth.samples != 1)}"
    return f"Worth {worth.mean:.3g}{between} by {samples}{pool}{helps}."


def task_rows(programme: Programme) -> list[TaskRow]:
    """The tasks that are open."""
    with programme.state():  # one look at the log for all
        return [task_row(task) for task in programme.tasks()]


def programme_row(programme: Programme) -> ProgrammeRow:
    """What became of the tasks of a programme."""
    counts = programme.counts
    return ProgrammeRow(
        programme.name,
        len(programme.tasks()),
        counts.shipped,
        counts.dropped,
        counts.abandoned,
    )


def headline(programme: Programme, rows: Sequence[TaskRow]) -> str:
    """What is to be done, in a sentence."""
    decided = [row for row in rows if row.status == "decided"]
    ship = sum(row.decision == "accept" for row in decided)
    running = sum(row.status == "running" for row in rows)
    to_look_at = sum(row.status in ("held", "stalled") for row in rows)
    parts = [
        f"{ship} to ship" if ship else "",
        f"{len(decided) - ship} to drop" if len(decided) > ship else "",
        f"{to_look_at} on hold" if to_look_at else "",
        f"{running} keep{'s' * (running == 1)} testing",
    ]
    counts = programme.counts
    begun = f"{counts.begun:,} test{'s' * (counts.begun != 1)} begun so far"
    return (
        f"{programme.name}: {', '.join(filter(None, parts))}; {begun}: {counts.shipped:,} to ship, "
        f"{counts.dropped:,} to drop, {counts.abandoned:,} abandoned."
    )


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """The latest change of the pool of ideas: dates where they are known, and what changed."""

    since: str | None
    earliest: str | None
    latest: str | None
    shown: str | None
    test: int
    task: str | None
    shipped_before: Figure
    shipped_now: Figure
    earned_before: Figure
    earned_now: Figure
    sentence: str


def latest_change(programme: Programme, heard: Sequence[DatedChange] = ()) -> ChangeRow | None:
    """The latest change of the pool of ideas of a programme; None if none was shown.

    Args:
        programme: The programme.
        heard: The changes that had been shown when somebody last looked: of these nothing is said.
    """
    shown = programme.pool_changes()
    # What changed takes longer to say than whether something did.
    known = programme.pool_knowledge() if shown and shown[-1] not in heard else None
    return None if known is None else change_row(known.changed)


def taken_back(programme: Programme, heard: Sequence[DatedChange]) -> str | None:
    """That nothing has changed after all, if a change had been shown before; else None.

    Args:
        programme: The programme.
        heard: The changes that had been shown when somebody last looked.
    """
    if not heard or programme.pool_changes():
        return None
    return (
        f"That the pool of ideas has changed {heard[-1].when} is taken back: "
        "by the tests since, it has not."
    )


def change_row(changed: Changed | None) -> ChangeRow | None:
    """A change of the pool of ideas, for programs."""
    if changed is None:
        return None
    dates = changed.dates
    return ChangeRow(
        since=_date(dates.since),
        earliest=_date(dates.earliest),
        latest=_date(dates.latest),
        shown=_date(dates.shown),
        test=changed.since + 1,
        task=dates.test or None,
        shipped_before=changed.shipped_before,
        shipped_now=changed.shipped_now,
        earned_before=changed.earned_before,
        earned_now=changed.earned_now,
        sentence=changed.sentence,
    )


def _date(at: float | None) -> str | None:
    return None if at is None else f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d}"


def choice_sentence(programme: Programme) -> str:
    """Which policies a programme chooses among, and why."""
    learner = programme.learner()
    [about] = (each.about for each in LEARNERS.values() if each.kind == type(learner).__name__)
    caps = [standing.cap for standing in programme.policies()]
    if len(caps) == 1:
        law = getattr(learner, "law", None)
        under = "" if law is None else f" under {law}"
        among = f"boundaries of up to {caps[0]:,} samples{under}"
    else:
        among = f"{len(caps)} policies with caps from {caps[0]:,} to {caps[-1]:,}"
    return f"{programme.name} chooses among {among}: its learner {about}. {_started(programme)}"


def _started(programme: Programme) -> str:
    """What it starts from."""
    start = programme.start
    if start is None:
        return "It starts from nothing: the first tests teach it what ideas are worth."
    if start.prior:
        return (
            f"It starts from the prior {start.prior}, which counts as {start.tests:,} past tests."
        )
    source = f" of {start.source}" if start.source else ""
    were = "was" if start.left_out == 1 else "were"
    left_out = f"; {start.left_out:,} more {were} too short to learn from" if start.left_out else ""
    return f"It starts from {start.tests:,} past tests{source}{left_out}."


@dataclass(frozen=True, slots=True)
class AuditRow:
    """What a test taught, how it was decided, and what followed: see `Lesson`."""

    task: str
    number: int
    samples: int
    sum: float
    effect: float
    standard_error: float
    noise: float
    samples_worth: float
    round: int
    rule: str
    decision: str
    counts: bool
    verified: float | None
    refit: int | None


def audit_rows(programme: Programme) -> list[AuditRow]:
    """What each test taught."""
    return [AuditRow(task=name, **asdict(lesson)) for name, lesson in programme.audit()]


def audit_grid(rows: Sequence[AuditRow]) -> Grid:
    """A table of what tests taught."""
    cells = tuple(
        (
            row.task,
            f"{row.samples:,}",
            f"{row.effect:.4g} ± {row.standard_error:.2g}",
            _ruled(row),
            "" if row.verified is None else f"{row.verified:.4g}",
            "" if row.refit is None else f"{row.refit}",
        )
        for row in rows
    )
    return Grid(("task", "samples", "effect", "decided", "verified", "refit"), cells, left=1)


def _ruled(row: AuditRow) -> str:
    """What was decided, and by the boundaries of which round."""
    return f"{row.decision} by {row.round}{'' if row.counts else ', not counted'}"


def tasks_grid(rows: Sequence[TaskRow]) -> Grid:
    """A table of tasks."""
    cells = tuple((row.task, row.status, row.sentence) for row in rows)
    return Grid(("task", "status", "advice"), cells, left=3, shares=(1, 0, 3))


def programmes_grid(rows: Sequence[ProgrammeRow]) -> Grid:
    """A table of programmes."""
    cells = tuple(
        (
            row.programme,
            *(f"{n:,}" for n in (row.running, row.shipped, row.dropped, row.abandoned)),
        )
        for row in rows
    )
    return Grid(("programme", "running", "shipped", "dropped", "abandoned"), cells, left=1)
