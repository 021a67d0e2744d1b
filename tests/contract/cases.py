"""The learners that the contract is tested on, and how to drive them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import cycle
from typing import Any

import numpy as np
import pytest

from dwell import (
    Atoms,
    Cape,
    CapeSharp,
    Countable,
    Esc,
    EscCape,
    ExploreThenCommit,
    Fixed,
    Ladder,
    Policies,
    Policy,
    Signs,
    World,
    fixed,
    simulate,
)
from dwell.arrays import Samples
from dwell.learners.learner import Learner, Plan
from dwell.records import Records, oversampled, until_stopped

AnyLearner = Fixed | ExploreThenCommit | Cape | Esc | EscCape | CapeSharp | Ladder
Restore = Callable[[AnyLearner], AnyLearner]

SHORT = Policies([fixed(1, 1), fixed(2, 1), fixed(3, 1)])
# One chain, of which only the longest ever accepts: running it shows that the others never do.
PATIENT = Policy([-7] * 5 + [1], [7] * 5 + [1])
NESTED = Policies([PATIENT.truncated(cap) for cap in (1, 3, 6)])
FAMILY = Countable(c=0.5, tasks=100, delta=0.5)
THREE_VALUES = World(Atoms([-1, 0, 1], [0.3, 0.3, 0.4]), Signs())
TWO_VALUES = World(Atoms([0, 1]), Signs())
WIDTH = 256


@dataclass(frozen=True)
class Case:
    """A learner with a world in which it goes through all its phases within `tasks` tasks."""

    kind: type[AnyLearner]
    arguments: dict[str, Any]
    world: World
    tasks: int

    def make(self, **other: Any) -> AnyLearner:
        return self.kind(**{**self.arguments, **other})


CASES = {
    "Fixed": Case(Fixed, {"policies": SHORT, "index": 1}, THREE_VALUES, 100),
    "ExploreThenCommit": Case(
        ExploreThenCommit,
        {"policies": SHORT, "tasks": 1000, "exploration_cap": 250},
        THREE_VALUES,
        400,
    ),
    # Drops the longest policy within some 600 tasks, and the next within some 1,300.
    "Cape": Case(
        Cape,
        {"policies": SHORT, "tasks": 10**6, "exploration_cap": 3000, "delta": 0.5},
        THREE_VALUES,
        1600,
    ),
    # Find within some 1,200 tasks that 128 policies are enough.
    "Esc": Case(
        Esc, {"family": FAMILY, "tasks": 5000, "accuracy": 0.1, "delta": 0.5}, TWO_VALUES, 1400
    ),
    "EscCape": Case(
        EscCape,
        {
            "family": FAMILY,
            "tasks": 5000,
            "accuracy": 0.1,
            "exploration_cap": 60,
            "delta": 0.5,
        },
        TWO_VALUES,
        1400,
    ),
    # Drops the longest policy within some 200 tasks, and the next within some 400.
    "CapeSharp": Case(
        CapeSharp,
        {"policies": SHORT, "tasks": 10**6, "exploration_cap": 3000, "delta": 0.5},
        THREE_VALUES,
        800,
    ),
    # Soon chooses the longest, and has dropped the others within some 500 tasks.
    "Ladder": Case(Ladder, {"policies": NESTED, "delta": 0.5}, THREE_VALUES, 800),
}
LEARNERS = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@lru_cache(maxsize=8)
def drawn_rows(world: World, tasks: int) -> Samples:
    """The samples that the tasks would yield, drawn beforehand; seeded."""
    return world.sample(tasks, WIDTH, rng=3)[1]


def record(plan: Plan, rows: Samples) -> Records:
    """What the tasks teach when they are run as the plan says."""
    samples = np.ascontiguousarray(rows[:, : plan.samples])
    if plan.oversamples:
        return oversampled(samples, plan.policies)
    return until_stopped(samples, plan.policies, plan.extras)


def part(records: Records, start: int, stop: int) -> Records:
    estimates = None if records.estimates is None else records.estimates[start:stop]
    return Records(
        records.durations[start:stop],
        records.decisions[start:stop],
        estimates,
        records.drawn[start:stop],
    )


def drive(learner: Learner, rows: Samples, sizes: Iterable[int] = (10**9,)) -> int:
    """Let a learner learn from rows in blocks of these sizes, over and over; say how many it took.

    Where the plan changes in a block, the rest is recorded again under the new plan.
    """
    blocks: Iterator[int] = cycle(sizes)
    done = 0
    while done < len(rows) and (plan := learner.plan()) is not None:
        standing = replace(plan, tasks=None)
        recorded = record(plan, rows[done:])
        start = 0
        while start < len(recorded):
            now = learner.plan()
            if now is None or replace(now, tasks=None) != standing:
                break
            most = len(recorded) if now.tasks is None else now.tasks
            block = part(recorded, start, start + min(next(blocks), most))
            taken = learner.learn(block)
            assert 1 <= taken <= len(block)
            start += taken
        done += start
    return done


def after(case: Case, tasks: int, **other: Any) -> AnyLearner:
    """The learner after so many tasks of its world."""
    learner = case.make(**other)
    drive(learner, drawn_rows(case.world, case.tasks)[:tasks])
    return learner


def moments(case: Case) -> list[int]:
    """Numbers of tasks at which a learner is looked at: in every phase."""
    return [0, 1, *(case.tasks * share // 7 for share in range(1, 8))]


def outcome(learner: Learner, case: Case, **options: Any) -> tuple[object, ...]:
    run = simulate(learner, case.world, **{"tasks": 3000, "rng": 17, **options})
    assert isinstance(run.learner, AnyLearner)
    return run.reward, run.cost, run.tasks, run.samples, run.chosen, run.learner.to_json()
