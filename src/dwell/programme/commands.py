"""Commands: what can be asked of a programme, and the events that follow.

`decide` is pure: it changes nothing, asks no clock and draws nothing at random. What cannot be done
is refused in a sentence.
"""

from typing import NamedTuple

import numpy as np

from dwell import checks
from dwell.errors import Clash, InvalidInput, NotThere
from dwell.fitting.sample_ratio import MISMATCH, sample_ratio_p_values
from dwell.policies import Policies
from dwell.programme.events import (
    Abandoned,
    Amended,
    Begun,
    Cleared,
    Corrected,
    Done,
    Event,
    Finished,
    Held,
    Notified,
    Recorded,
    Settings,
    SettingsChanged,
    Told,
)
from dwell.programme.observations import Observations
from dwell.programme.path import kept_limits
from dwell.programme.running import Running, deciding
from dwell.programme.state import State

_LONGEST_NAME = 200
UNEQUAL = f"the arms are of unequal size (p < {MISMATCH:g})"


class Begin(NamedTuple):
    """Begin a task; without a name it is called by its number."""

    at: float
    name: str | None = None


class Tell(NamedTuple):
    """Tell a task what was observed."""

    at: float
    task: str
    observations: Observations
    key: str | None = None


class TellAll(NamedTuple):
    """Tell several tasks, or one several times: all of it or nothing."""

    tellings: tuple[Tell, ...]


class Correct(NamedTuple):
    """Say that what was told under a key was something else."""

    at: float
    task: str
    key: str
    observations: Observations


class Note(NamedTuple):
    """Keep a correction of a task that was learned from: it comes too late to change that."""

    at: float
    task: int
    key: str
    observations: Observations


class Abandon(NamedTuple):
    """Give a task up."""

    at: float
    task: str
    reason: str = ""


class Clear(NamedTuple):
    """Say that a task's doubtful data are sound."""

    at: float
    task: str
    note: str = ""


class Record(NamedTuple):
    """Say what people did about the decision on a task, by its number: it may be over."""

    at: float
    task: int
    done: Done
    note: str = ""


class Change(NamedTuple):
    """Change settings."""

    at: float
    settings: Settings


class Notify(NamedTuple):
    """Remember that an address has heard of all decisions up to a position.

    One that listens from now on has heard of what was before, unless it listened already.
    """

    at: float
    to: str
    upto: int
    from_now_on: bool = False


Command = Begin | Tell | TellAll | Correct | Note | Abandon | Clear | Record | Change | Notify


def decide(state: State, command: Command) -> list[Event]:
    """The events that follow from a command; none if it changes nothing."""
    match command:
        case Begin():
            return _begin(state, command)
        case Tell():
            return _tell(open_task(state, command.task).fork(), command)
        case TellAll(tellings):
            forks: dict[str, Running] = {}
            events: list[Event] = []
            for each in tellings:
                if each.task not in forks:
                    forks[each.task] = open_task(state, each.task).fork()
                events += _tell(forks[each.task], each)
            return events
        case Correct():
            return _correct(open_task(state, command.task).fork(), command)
        case Note(at, number, key, observations):
            return [Corrected(at=at, task=number, key=key, observations=observations)]
        case Abandon(at, name, reason):
            task = open_task(state, name)
            if task.finished:
                raise Clash(f"task {name!r} is finished and cannot be abandoned any more")
            return [Abandoned(at=at, task=task.number, reason=_remark("a reason", reason))]
        case Clear(at, name, note):
            task = open_task(state, name).fork()
            if not task.held:
                raise Clash(f"task {name!r} is not held: there is nothing to clear")
            task.held, task.cleared = "", True
            cleared = Cleared(at=at, task=task.number, note=_remark("a note", note))
            return [cleared, *_follow(task, at)]
        case Record(at, number, done, note):
            remark = _remark("a note", note)
            return [Recorded(at=at, task=number, done=done, note=remark)]
        case Notify(at, to, upto, from_now_on):
            known = to in state.notified
            heard = known and (from_now_on or state.notified[to] >= upto)
            return [] if heard else [Notified(at=at, to=to, upto=upto)]
        case Change(at, settings):
            changed = settings != state.settings
            return [SettingsChanged(at=at, settings=settings)] if changed else []


def open_task(state: State, name: str) -> Running:
    """The task of that name, if it is open."""
    if name not in state.numbers:
        raise NotThere(f"there is no task {checks.shown(name)} that is open in {state.name!r}")
    return state.tasks[state.numbers[name]]


def checked_name(what: str, name: object) -> str:
    """A name that can be shown in one line."""
    if not (isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME and name.isprintable()):
        raise InvalidInput(
            f"{what} must be a text of 1 to {_LONGEST_NAME} characters in one line, got "
            f"{checks.shown(name)}"
        )
    return name


def _remark(what: str, text: object) -> str:
    """A text for whoever reads the log; it may be empty."""
    return "" if text == "" else checked_name(what, text)


def _begin(state: State, command: Begin) -> list[Event]:
    design = state.learner.peek()
    if design is None:
        raise Clash(
            f"{state.name!r} has nothing left to test: its learner has found what it looked for"
        )
    name = f"task-{design.number}" if command.name is None else command.name
    if checked_name("the name of a task", name) in state.numbers:
        raise Clash(f"there is a task {name!r} already; choose another name")
    computed = not isinstance(state.learner.choices, Policies)
    return [
        Begun(
            at=command.at,
            task=design.number,
            name=name,
            design=design.to_dict(),
            limits=kept_limits(deciding(design)) if computed else None,
            run=state.settings.minimum_run,
        )
    ]


def _tell(task: Running, command: Tell) -> list[Event]:
    """What follows from a telling; the task is brought to where it then is."""
    key = command.key
    if key is not None:
        checked_name("a key", key)
        if key.startswith("#"):
            raise InvalidInput(f"a key must not begin with #, got {key!r}")
        before = task.told_under(key)
        if before is not None:
            require_same(before, command)
            return []
    if task.finished:
        raise finished(task.name)
    _require_form(task, command.observations)
    if task.run is not None:
        task.run.require(task.name, key, task.all_parts)
    task.tell(task.next_key() if key is None else key, command.observations, command.at)
    told = Told(at=command.at, task=task.number, key=key, observations=command.observations)
    return [told, *_doubt(task, command.at), *_follow(task, command.at)]


def require_same(told: Observations, command: Tell) -> None:
    """Refuse to tell something else under a key that was used."""
    if told != command.observations:
        raise Clash(
            f"task {command.task!r} was told something else under the key {command.key!r}; correct "
            "that, or use another key"
        )


def finished(name: str) -> Clash:
    """The refusal to tell a task more that has all it wants."""
    return Clash(f"task {name!r} is finished; begin another to go on testing")


def _require_form(task: Running, observations: Observations) -> None:
    before = next(task.told(), observations)
    if type(before) is not type(observations):
        raise Clash(
            f"task {task.name!r} was told {_form(before)}; go on in that form, got "
            f"{_form(observations)}"
        )


def _form(observations: Observations) -> str:
    return str(observations.__struct_config__.tag)


def _correct(task: Running, command: Correct) -> list[Event]:
    if command.key not in task.parts:
        raise NotThere(f"task {task.name!r} was told nothing under the key {command.key!r}")
    if task.parts[command.key] == command.observations:
        return []
    _require_form(task, command.observations)
    task.correct(command.key, command.observations)
    corrected: list[Event] = [
        Corrected(
            at=command.at, task=task.number, key=command.key, observations=command.observations
        )
    ]
    if not task.finished:
        return [*corrected, *_doubt(task, command.at), *_follow(task, command.at)]
    record = task.progress().record
    if record is None:  # what is left would not have been enough: the record stays as it was
        return corrected
    return [*corrected, Amended(at=command.at, task=task.number, record=record)]


def _doubt(task: Running, at: float) -> list[Event]:
    """Hold a task whose arms differ in size."""
    if task.held or task.cleared:
        return []
    controls, treated = task.arms
    if (treated - controls) ** 2 <= 9 * (treated + controls):  # p is above 0.002
        return []
    if not sample_ratio_p_values(np.array(controls), np.array(treated)) < MISMATCH:
        return []
    task.held = UNEQUAL
    return [Held(at=at, task=task.number, reason=UNEQUAL)]


def _follow(task: Running, at: float) -> list[Event]:
    """A decision, once the policy stops, and the record, once nothing more is wanted."""
    if task.held:
        return []
    events: list[Event] = []
    found = task.progress()
    if task.decided is None and found.stopped is not None:
        task.decided = task.decision(found, at)
        events.append(task.decided)
    if found.record is not None:
        task.finished = True
        events.append(Finished(at=at, task=task.number, samples=found.samples, record=found.record))
    return events
