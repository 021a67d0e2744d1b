"""Verify: replay a whole log, and compare it with what was decided, recorded and kept."""

from dataclasses import dataclass

from dwell import wire
from dwell.errors import InvalidInput
from dwell.programme.events import Abandoned, Begun, Decided, Event, Finished, Told
from dwell.programme.journal import Journal
from dwell.programme.state import State, apply, restored


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found in order.

    Attributes:
        events: How many events were replayed.
        tasks: How many tasks were begun.
        decisions: How many decisions were made again.
        snapshot: Up to which event the last snapshot was compared; 0 if there is none.
        other_designs: How many tasks this version of dwell would have begun by another design.
            None, unless another version wrote some of the log.
    """

    events: int
    tasks: int
    decisions: int
    snapshot: int
    other_designs: int


def verified(journal: Journal) -> Verified:
    """Replay a log; what does not agree is refused in a sentence.

    Decisions and records must be those that the samples led to at that time, and the last snapshot
    what the events before it come to.
    """
    with journal.state() as state:
        now, end = state.to_json(), state.position
    snapshot = journal.store.latest(journal.name)
    replayed: State | None = None
    decisions = others = position = 0
    for position, event in journal.events():
        if position > end:  # told meanwhile
            position = end
            break
        if replayed is not None:
            _require(position, replayed, event)
            others += isinstance(event, Begun) and _is_another(event, replayed)
        decisions += isinstance(event, Decided)
        replayed = apply(replayed, event)
        if snapshot is not None and snapshot.position == position:
            _compare_snapshot(snapshot.body, replayed)
    if replayed is None or replayed.to_json() != now:
        raise InvalidInput(
            f"the log of {journal.name!r} and the state in use do not agree after {position} "
            "events; open the programme anew"
        )
    kept = 0 if snapshot is None else snapshot.position
    return Verified(position, replayed.counts.begun, decisions, kept, others)


def _require(position: int, state: State, event: Event) -> None:
    """Refuse what does not follow from the samples, and what happens to a task out of its time."""
    if not isinstance(event, Decided | Finished | Told | Abandoned) or isinstance(event, Begun):
        return
    task = state.tasks.get(event.task)
    if task is None or task.finished:
        raise InvalidInput(f"event {position} is about task {event.task}, which is not running")
    if isinstance(event, Decided):
        found = task.progress()
        agrees = found.stopped is not None and task.decision(found, event.at) == event
    elif isinstance(event, Finished):
        record = task.progress().record
        agrees = record is not None and wire.plain(record) == event.record
    else:
        agrees = True
    if not agrees:
        raise InvalidInput(
            f"event {position} does not follow from what task {event.task} was told; restore the "
            "log from a copy"
        )


def _is_another(event: Begun, state: State) -> bool:
    """Whether the learner would have made another design."""
    design = state.learner.peek()
    return design is None or not design.is_as(event.design)


def _compare_snapshot(body: str, replayed: State) -> None:
    kept = restored(body)
    if kept is not None and kept.to_json() != replayed.to_json():
        raise InvalidInput(
            f"the snapshot after event {replayed.position} is not what the log comes to; restore "
            "the log from a copy"
        )
