"""Catching up: what is new in all that is known of some tests, told to their tasks."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from dwell.errors import InvalidInput
from dwell.programme.closed import Closed
from dwell.programme.commands import Begin, Correct
from dwell.programme.events import Begun, Corrected, Decided, Told
from dwell.programme.journal import Journal
from dwell.programme.observations import ArmBatches, Batch, Observations, observed
from dwell.programme.telling import Observed, Telling, tell_all

_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """What was new.

    Attributes:
        begun: The tasks that were begun.
        decided: The tasks that were decided.
        told: How many tellings were new.
        corrected: How many were restated.
    """

    begun: tuple[str, ...]
    decided: tuple[str, ...]
    told: int
    corrected: int


def catch_up(journal: Journal, tellings: Iterable[Telling], *, so_far: bool = False) -> CaughtUp:
    """Tell tasks what they have not been told, by keys; to do it twice changes nothing.

    Tasks that are new are begun; what was told otherwise is corrected; tasks that are over are left
    alone.

    Args:
        journal: The programme's log.
        tellings: All that is known of each task, in order, with keys.
        so_far: Whether each telling has a batch per arm of all users so far, without a key: what
            is new is the difference to what the task was told.
    """
    by_task: dict[str, list[Telling]] = {}
    for each in tellings:
        if each.key is None and not so_far:
            raise InvalidInput(f"what task {each.task!r} is told must have a key, to catch up by")
        by_task.setdefault(each.task, []).append(each)
    with journal.state() as state:
        before = state.position
        names = {number: task.name for number, task in state.tasks.items()}
    new = {}
    for name, told in by_task.items():
        if Closed.of(journal, name) is None:
            find = _new_so_far if so_far else _new
            new[name] = find(journal, name, told)
    # A round has the next telling of every task: one transaction for all of them.
    while new := {name: told for name, told in new.items() if told}:
        advice = tell_all(journal, [told.pop(0) for told in new.values()])
        for name, given in zip(list(new), advice, strict=True):
            if given.done:
                del new[name]
    return _since(journal, before, names)


def _new(journal: Journal, name: str, told: list[Telling]) -> list[Telling]:
    """What a task has not been told; what it was told otherwise is corrected."""
    with journal.known() as state:
        there, known = name in state.numbers, state.known
    if not there:
        with journal.carried_out(Begin(journal.clock(), name)):
            return told
    with journal.known() as state:
        task = state.tasks[state.numbers[name]]
        parts, finished = dict(task.parts), task.finished
    for each in told:
        if each.key in parts:
            right: Observations = observed(
                each.values, control=each.control, treatment=each.treatment, known=known
            )
            if right != parts[each.key]:
                with journal.carried_out(Correct(journal.clock(), name, each.key, right)):
                    pass
    return [] if finished else [each for each in told if each.key not in parts]


def _new_so_far(journal: Journal, name: str, told: list[Telling]) -> list[Telling]:
    """What a task has not been told of all that is known of it."""
    with journal.known() as state:
        there = name in state.numbers
    if not there:
        with journal.carried_out(Begin(journal.clock(), name)):
            pass
    with journal.known() as state:
        task = state.tasks[state.numbers[name]]
        parts, finished = list(task.parts.values()), task.finished
    arms = [part for part in parts if isinstance(part, ArmBatches)]
    if len(arms) < len(parts):
        raise InvalidInput(
            f"task {name!r} was not told batches of two arms: go on in that form, not by counts"
        )
    control = _more(name, told[-1].control, [part.control for part in arms])
    treatment = _more(name, told[-1].treatment, [part.treatment for part in arms])
    # Who is alone in a batch is compared with nobody: wait until both arms have somebody.
    if finished or not (control.n and treatment.n):
        return []
    users = sum(part.control.n + part.treatment.n for part in arms) + control.n + treatment.n
    # Counts do not say when: the day is that on which they are told.
    key = f"{datetime.fromtimestamp(journal.clock(), UTC):%Y-%m-%d}, {users} users"
    return [Telling(name, control=control, treatment=treatment, key=key)]


def _more(name: str, all_of_it: Observed, told: list[Batch]) -> Batch:
    """An arm's users that are new; outcomes are 0 or 1, so that sums count users as well."""
    assert isinstance(all_of_it, Batch)  # all that is said of counts
    users = all_of_it.n - sum(part.n for part in told)
    ones = all_of_it.sum - sum(part.sum for part in told)
    if users < 0 or not -_ROUNDING <= ones <= users + _ROUNDING:
        raise InvalidInput(
            f"counts of task {name!r} must grow, got {all_of_it.n:,} users with "
            f"{all_of_it.sum:,.0f} conversions in an arm that had {all_of_it.n - users:,} with "
            f"{all_of_it.sum - ones:,.0f} before: give all users so far, or tell days, which can "
            "be corrected"
        )
    return Batch(users, float(round(ones)), float(round(ones)))


def _since(journal: Journal, position: int, names: dict[int, str]) -> CaughtUp:
    """What the events after a position come to; the tasks that were open then had these names."""
    events = [event for _, event in journal.events(position)]
    begun = {event.task: event.name for event in events if isinstance(event, Begun)}
    named = names | begun
    return CaughtUp(
        tuple(begun.values()),
        tuple(named[event.task] for event in events if isinstance(event, Decided)),
        sum(isinstance(event, Told) for event in events),
        sum(isinstance(event, Corrected) for event in events),
    )
