"""Programmes for tests: small ones, and a clock that tests turn."""

from dataclasses import dataclass
from typing import Any

from dwell import Fixed, Policies, Policy, Programme, fixed, hoeffding
from dwell.programme.events import event_of
from dwell.programme.state import fold
from dwell.programme.stores.memory import MemoryStore
from dwell.programme.stores.protocol import EventStore

SMALL = Policies([fixed(1, 1), fixed(3, 1)])
BANDS = hoeffding(caps=[1, 4, 16], c=0.35, tasks=10_000, delta=0.05)
DAY = 86_400.0


@dataclass
class Clock:
    """What tells the time in tests: a second later each time."""

    now: float = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def small(store: EventStore | str | None = None, **given: object) -> Programme:
    """A programme with two policies, of one sample and of three."""
    options = {"policies": SMALL, "clock": Clock(), **given}
    return Programme.create(store or MemoryStore(), "checkout", **options)  # type: ignore[arg-type]  # tests give what fits


def deciding(policy: Policy, **given: Any) -> Programme:
    """A programme that always runs one policy."""
    return small(policies=None, learner=Fixed(policy), **given)


def snapshot(programme: Programme) -> str:
    """All that a programme is, as a text."""
    with programme._journal.state() as state:
        return state.to_json()


def replayed(store: EventStore, name: str = "checkout") -> str:
    """All that its log comes to, from the first event on."""
    state = fold(None, map(event_of, store.read(name)))
    assert state is not None
    return state.to_json()
