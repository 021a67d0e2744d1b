"""Programmes for tests: small ones, and a clock that tests turn."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dwell import Atoms, Fixed, Policies, Policy, Programme, Signs, fixed, hoeffding
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


GOOD, BAD = Atoms([-0.05, 0.6], [0.5, 0.5]), Atoms([-0.3, 0.1], [0.9, 0.1])


def ideas(*pools: Atoms, each: int = 40, seed: int = 1) -> list[float]:
    """Values of ideas, so many of each pool."""
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(pool.values, each, p=pool.weights) for pool in pools]
    return [float(value) for value in np.concatenate(drawn)]


def feed(programme: Programme, values: list[float], seed: int = 1) -> None:
    """Run a test for each idea, one after another, with signs."""
    rng = np.random.default_rng([seed, 1])
    for value in values:
        task = programme.begin()
        advice = task.advice
        while not advice.done:
            advice = task.tell(signs(value, advice.wants, rng))


def signs(value: float, count: int, rng: np.random.Generator) -> list[float]:
    """Samples of an idea."""
    return [1.0 if each else -1.0 for each in rng.random(count) < 0.5 * (1.0 + value)]


def forgetting(
    store: EventStore | str = "memory:", name: str = "checkout", **given: Any
) -> Programme:
    """A programme that reckons with a pool of ideas that changes; a test takes days."""
    options = {"law": Signs(), "cap": 64, "setup_cost": 20.0, "drift": True, "clock": Days()}
    return Programme.create(store, name, **{**options, **given})


@dataclass
class Days:
    """A clock on which hours pass between any two events, from 2 February 2026 on."""

    now: float = 1.77e9

    def __call__(self) -> float:
        self.now += DAY / 4
        return self.now
