"""decide and apply: pure, and the same by replay from wherever it begins."""

import copy
from collections.abc import Iterator

import numpy as np
import pytest

from dwell import Batch, Ladder, Learner, Policies, fixed
from dwell.errors import InvalidInput
from dwell.programme import commands
from dwell.programme.commands import Command, decide
from dwell.programme.creation import creation
from dwell.programme.events import (
    Abandoned,
    Begun,
    Created,
    Decided,
    Event,
    Finished,
    Settings,
    Told,
    entry_of,
    event_of,
)
from dwell.programme.observations import Values
from dwell.programme.state import State, apply, fold, restored
from dwell.programme.stores.protocol import Entry
from tests.programmes import BANDS


def created(learner: Learner) -> Created:
    return creation(
        at=0.0,
        name="checkout",
        learner=learner,
        choices={},
        setup_cost=0.0,
        settings=Settings(),
        start=None,
    )


def stream(steps: int, seed: int) -> Iterator[Command]:
    """Commands at random, of which some are refused."""
    draw = np.random.default_rng(seed)
    begun = 0
    for at in range(1, steps + 1):
        task = f"task-{draw.integers(max(0, begun - 3), begun + 1)}"
        signs = Values(draw.choice([-1, 1], draw.integers(1, 5)).tolist())
        key = f"{draw.integers(0, 6)}"
        chosen = (
            commands.Begin(float(at)),
            commands.Tell(float(at), task, signs),
            commands.Tell(float(at), task, signs, key),
            commands.Correct(float(at), task, key, signs),
            commands.Abandon(float(at), task),
            commands.Clear(float(at), task),
            commands.Change(float(at), Settings(silence_days=float(at))),
            commands.TellAll((commands.Tell(float(at), task, signs),) * 2),
        )[draw.choice(8, p=[0.25, 0.25, 0.15, 0.1, 0.05, 0.05, 0.05, 0.1])]
        begun += isinstance(chosen, commands.Begin)
        yield chosen


def followed(steps: int = 150, seed: int = 0) -> tuple[list[Event], int]:
    """The events of such a stream, and how many commands were refused.

    To decide changes nothing, and what is applied as it was made comes to what the log comes to.
    """
    events: list[Event] = [created(Ladder(BANDS))]
    state = fold(None, events)
    assert state is not None
    refusals = 0
    for command in stream(steps, seed):
        before = state.to_json()
        try:
            found = decide(state, command)
        except InvalidInput:
            found, refusals = [], refusals + 1
        assert state.to_json() == before, "to decide changes nothing"
        assert _twice(state, command) == [*map(entry_of, found)], "and gives the same again"
        events += found
        state = _kept(fold(state, found))
        if len(events) % 10 == 0:
            assert state.to_json() == _kept(fold(None, through_json(events))).to_json()
    return events, refusals


def _twice(state: State, command: Command) -> list[Entry]:
    try:
        return [*map(entry_of, decide(state, command))]
    except InvalidInput:
        return []


def through_json(events: list[Event]) -> list[Event]:
    """Events as a log gives them back."""
    return [event_of(entry_of(event).body) for event in events]


def _kept(state: State | None) -> State:
    assert state is not None
    return state


def test_to_decide_changes_nothing_and_replay_gives_the_same() -> None:
    """Through JSON, and from a snapshot after any of the events."""
    events, refusals = followed()
    assert len(events) > 120
    assert 10 < refusals < 130, "some commands are refused, and some are not"
    stored = through_json(events)
    end = _kept(fold(None, stored)).to_json()
    state: State | None = None
    for place, event in enumerate(stored):
        state = apply(state, event)
        if place % 20 == 0:
            kept = restored(state.to_json())
            assert kept is not None
            assert kept.to_json() == state.to_json(), "a snapshot comes back bit by bit"
            assert _kept(fold(kept, copy.deepcopy(stored[place + 1 :]))).to_json() == end


def test_the_state_does_not_grow_with_what_is_over() -> None:
    """After ten times as many tasks it is hardly longer."""
    lengths = []
    for tasks in (30, 300):
        state = _kept(fold(None, [created(Ladder(Policies([fixed(1, 1), fixed(3, 1)])))]))
        for number in range(1, tasks + 1):
            told = Values([-1] * 8)
            for command in (
                commands.Begin(0.0),
                commands.Tell(0.0, f"task-{number}", told, "all"),
            ):
                state = _kept(fold(state, decide(state, command)))
        assert not state.tasks
        lengths.append(len(state.to_json()))
    assert lengths[1] < 1.1 * lengths[0]


@pytest.mark.parametrize(
    "events",
    [
        [Begun(at=0.0, task=1, name="blue", design={})],
        [created(Ladder(BANDS))] * 2,
        [created(Ladder(BANDS)), Begun(at=0.0, task=1, name="blue", design={})],
        [created(Ladder(BANDS)), Told(at=0.0, task=7, observations=Batch(1, 1))],
        [created(Ladder(BANDS)), Finished(at=0.0, task=7, samples=1, record={})],
        [created(Ladder(BANDS)), Abandoned(at=0.0, task=7)],
        [
            created(Ladder(BANDS)),
            Decided(at=0.0, task=7, decision="accept", samples=1, total=1.0, limit=1.0),
        ],
    ],
    ids=["begun", "created twice", "design", "told", "finished", "abandoned", "decided"],
)
def test_a_log_that_cannot_be_is_refused(events: list[Event]) -> None:
    """With the event that does not follow from those before."""
    with pytest.raises(InvalidInput, match=f"event {len(events)} of the log does not follow"):
        fold(None, events)
