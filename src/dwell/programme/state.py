"""State: what the log of a programme comes to, event by event.

It holds what is needed to go on: the learner, the tasks that are open and some counts. What is over
is in the log alone, so that the state does not grow with it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import Struct

from dwell import wire
from dwell.errors import InvalidInput
from dwell.learners.learner import Learner
from dwell.learners.registry import from_json
from dwell.programme.events import (
    Abandoned,
    Amended,
    Begun,
    Cleared,
    Corrected,
    Created,
    Decided,
    Event,
    Finished,
    Held,
    Notified,
    Recorded,
    Settings,
    SettingsChanged,
    Start,
    Told,
)
from dwell.programme.minimum_run import MinimumRun
from dwell.programme.observations import Observations, Range
from dwell.programme.pool_changes import Calendar
from dwell.programme.running import Running
from dwell.records import Records

_VERSION = 1


class Counts(Struct, kw_only=True):
    """How many tasks were begun, and what became of them."""

    begun: int = 0
    shipped: int = 0
    dropped: int = 0
    finished: int = 0
    abandoned: int = 0
    samples: int = 0


@dataclass(slots=True)
class State:
    """What a log comes to.

    Attributes:
        name: The programme's name.
        settings: What can be set anew.
        learner: What it has learned.
        position: How many events that was.
        tasks: The tasks that are open, or wait to be learned from, by number.
        numbers: Their numbers, by name.
        counts: What became of all tasks.
        notified: Up to which position each address has heard of decisions.
        start: What the learner knew before the first task.
        calendar: When tests were by which changes of the pool are dated.
    """

    name: str
    settings: Settings
    learner: Learner
    position: int = 0
    tasks: dict[int, Running] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    counts: Counts = field(default_factory=Counts)
    notified: dict[str, int] = field(default_factory=dict)
    start: Start | None = None
    calendar: Calendar = field(default_factory=Calendar)

    @property
    def known(self) -> Range:
        """What samples look like, as far as was said."""
        return Range.of(self.learner)

    def to_json(self) -> str:
        """All of it, as a snapshot keeps it."""
        written = _Written(
            version=_VERSION,
            name=self.name,
            settings=self.settings,
            learner=self.learner.to_dict(),
            position=self.position,
            tasks=[_Task.of(task) for task in self.tasks.values()],
            counts=self.counts,
            notified=self.notified,
            start=self.start,
            calendar=self.calendar,
        )
        return msgspec.json.encode(written).decode()


class _Task(Struct, kw_only=True):
    """A task in a snapshot; its design stands in the learner's queue."""

    number: int
    name: str
    begun_at: float
    told_at: float
    parts: dict[str, Observations]
    decided: Decided | None
    held: str
    cleared: bool
    finished: bool
    run: MinimumRun | None = None

    @classmethod
    def of(cls, task: Running) -> "_Task":
        return cls(**{name: getattr(task, name) for name in cls.__struct_fields__})


class _Written(Struct, kw_only=True):
    """A snapshot."""

    version: int
    name: str
    settings: Settings
    learner: dict[str, Any]
    position: int
    tasks: list[_Task]
    counts: Counts
    notified: dict[str, int] = {}
    start: Start | None = None
    calendar: Calendar = msgspec.field(default_factory=Calendar)


def restored(text: str) -> State | None:
    """The state that `to_json` wrote; None if another version of dwell did, or nobody."""
    try:
        written = msgspec.json.decode(text, type=_Written)
        if written.version != _VERSION:
            return None
        learner = _learner(written.learner)
    except (msgspec.DecodeError, InvalidInput):
        return None
    state = State(written.name, written.settings, learner, written.position, counts=written.counts)
    state.notified, state.start = written.notified, written.start
    state.calendar = written.calendar
    designs = {design.number: design for design in learner.queue.open}
    for task in written.tasks:
        fields = {name: getattr(task, name) for name in task.__struct_fields__ if name != "number"}
        state.tasks[task.number] = Running(design=designs[task.number], known=state.known, **fields)
        state.numbers[task.name] = task.number
    return state


def _learner(fields: dict[str, Any]) -> Learner:
    return from_json(msgspec.json.encode(fields).decode())


def fold(state: State | None, events: Iterable[Event]) -> State | None:
    """The state after some more events; the one that is given is used up."""
    for event in events:
        state = apply(state, event)
    return state


def apply(state: State | None, event: Event) -> State:
    """The state after one more event; the one that is given is used up.

    Args:
        state: The state before; None before the first event.
        event: What happened.
    """
    if isinstance(event, Created):
        if state is not None:
            raise _broken(state.position + 1, "a programme is created once")
        learner = _learner(event.learner)
        calendar = Calendar.of_past({} if event.start is None else event.start.began)
        return State(
            event.name,
            event.settings,
            learner,
            position=1,
            start=event.start,
            calendar=calendar,
        )
    if state is None:
        raise _broken(1, "a programme is created first")
    position = state.position + 1
    if isinstance(event, SettingsChanged):
        state.settings = event.settings
    elif isinstance(event, Notified):
        state.notified[event.to] = event.upto
    elif isinstance(event, Begun):
        _begin(state, event, position)
    elif event.task in state.tasks:
        _of_task(state, state.tasks[event.task], event)
    elif not isinstance(
        event, Corrected | Recorded
    ):  # what comes too late to be learned is kept in the log
        raise _broken(position, f"task {event.task} is not open")
    state.position = position
    return state


def _begin(state: State, event: Begun, position: int) -> None:
    try:
        design = state.learner.begin_as(event.design)
    except (InvalidInput, ValueError, LookupError, TypeError):
        raise _broken(position, "the learner knows no such design") from None
    if design.number != event.task:
        raise _broken(position, f"the next task is {design.number}, not {event.task}")
    task = Running(event.name, design, state.known, event.at, event.at, run=event.run)
    state.tasks[event.task] = task
    state.numbers[event.name] = event.task
    state.counts.begun += 1


def _of_task(state: State, task: Running, event: Event) -> None:
    match event:
        case Told(key=key, observations=observations, at=at):
            task.tell(task.next_key() if key is None else key, observations, at)
        case Corrected(key=key, observations=observations):
            task.correct(key, observations)
        case Decided(decision=decision):
            task.decided = event
            state.counts.shipped += decision == "accept"
            state.counts.dropped += decision == "reject"
        case Held(reason=reason):
            task.held = reason
        case Cleared():
            task.held, task.cleared = "", True
        case Finished(at=at, samples=samples, record=record):
            task.finished = True
            state.counts.finished += 1
            state.counts.samples += samples
            state.learner.learn(task.design, _records(record))
            _let_go(state, at)
        case Amended(record=record):
            state.learner.queue.amend(task.design, _records(record))
        case Abandoned(at=at):
            state.counts.abandoned += 1
            state.learner.forget(task.design)
            del state.numbers[state.tasks.pop(task.number).name]
            _let_go(state, at)


def _records(record: Any) -> Records:
    """The record of an event, as it was made or as a log has it."""
    return record if isinstance(record, Records) else wire.typed(record, Records)


def _let_go(state: State, at: float) -> None:
    """Let go of the tasks that the learner has learned from: of all, the first ones."""
    queue, tasks, learned = state.learner.queue, state.tasks, []
    while tasks and (first := next(iter(tasks))) not in queue:
        learned.append(tasks.pop(first))
        del state.numbers[learned[-1].name]
    if learned:
        state.calendar.note(state.learner, learned, at)


def _broken(position: int, why: str) -> InvalidInput:
    return InvalidInput(
        f"event {position} of the log does not follow from those before: {why}; restore the log "
        "from a copy, or open it with the version of dwell that wrote it"
    )
