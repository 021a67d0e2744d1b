"""The learners that the contract is tested on, and how to drive them."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import pytest

from dwell import (
    Atoms,
    Cape,
    CapeSharp,
    Countable,
    EmpiricalBayes,
    Esc,
    EscCape,
    ExploreThenCommit,
    Fixed,
    Gaussian,
    Ladder,
    Normal,
    Policies,
    Policy,
    Signs,
    World,
    fixed,
    scales,
    simulate,
)
from dwell.arrays import Samples
from dwell.learners.design import Design
from dwell.learners.learner import Learner
from dwell.testing import Subject, in_a_row

SHORT = Policies([fixed(1, 1), fixed(2, 1), fixed(3, 1)])
# One chain, of which only the longest ever accepts: running it shows that the others never do.
PATIENT = Policy([-7] * 5 + [1], [7] * 5 + [1])
NESTED = Policies([PATIENT.truncated(cap) for cap in (1, 3, 6)])
FAMILY = Countable(c=0.5, tasks=100, delta=0.5)
THREE_VALUES = World(Atoms([-1, 0, 1], [0.3, 0.3, 0.4]), Signs())
TWO_VALUES = World(Atoms([0, 1]), Signs())
TWO_SIDES = World(Atoms([-0.3, 0.3]), Signs())
BELL = World(Normal(0.0, 0.5), Gaussian(1.0))
WIDTH = 256


@dataclass(frozen=True)
class Case:
    """A learner with a world in which it goes through all its phases within `tasks` tasks."""

    kind: type[Learner]
    arguments: dict[str, Any]
    world: World
    tasks: int

    @cached_property
    def subject(self) -> Subject:
        return Subject(self.make, self.world, self.tasks, WIDTH, seed=3)

    def make(self, **other: Any) -> Learner:
        return self.kind(**{**self.arguments, **other})


CASES = {
    "Fixed": Case(Fixed, {"policies": SHORT, "index": 1}, THREE_VALUES, 100),
    "ExploreThenCommit": Case(
        ExploreThenCommit,
        {"policies": SHORT, "tasks": 1000, "exploration_cap": 250},
        THREE_VALUES,
        400,
    ),
    # Eliminates the longest policy within some 600 tasks, and the next within some 1,300.
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
    # Eliminates the longest policy within some 200 tasks, and the next within some 400.
    "CapeSharp": Case(
        CapeSharp,
        {"policies": SHORT, "tasks": 10**6, "exploration_cap": 3000, "delta": 0.5},
        THREE_VALUES,
        800,
    ),
    # Soon chooses the longest, and has eliminated the others within some 500 tasks.
    "Ladder": Case(Ladder, {"policies": NESTED, "delta": 0.5}, THREE_VALUES, 800),
    # Soon chooses the shortest, where policies are no truncations of one another.
    "Ladder, usual class": Case(
        Ladder, {"policies": scales([1, 4, 16], sd=1.0), "delta": 0.5}, THREE_VALUES, 400
    ),
    # Fits the pool 18 times; its guard, which can cover one loss, closes.
    "EmpiricalBayes": Case(
        EmpiricalBayes,
        {"law": Signs(), "cap": 16, "setup_cost": 1.0, "guard": True, "budget": 2.4},
        TWO_SIDES,
        150,
    ),
    # Accepts at first, then waits for more of its budget.
    "EmpiricalBayes, free set-up": Case(
        EmpiricalBayes,
        {"law": Signs(), "cap": 4, "guard": True, "seed": 1},
        World(Atoms([-0.1, 0.1]), Signs()),
        80,
    ),
    # Looks for a change 8 times.
    "EmpiricalBayes, drift": Case(
        EmpiricalBayes,
        {"law": Signs(), "cap": 8, "setup_cost": 1.0, "guard": False, "drift": True},
        TWO_SIDES,
        42,
    ),
    "EmpiricalBayes, normal": Case(
        EmpiricalBayes,
        {"law": Gaussian(1.0), "cap": 32, "setup_cost": 10.0, "looks": 16, "seed": 5},
        BELL,
        40,
    ),
    "EmpiricalBayes, noise levels": Case(
        EmpiricalBayes,
        {"law": Gaussian(1.0), "cap": 4, "setup_cost": 1.0, "looks": 2, "noise_levels": (0.5, 2.0)},
        BELL,
        12,
    ),
}
# Learners that compute their boundaries have no policies to choose from, and no delta of bounds.
CHOOSERS = {name: case for name, case in CASES.items() if case.kind is not EmpiricalBayes}
LEARNERS = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@lru_cache(maxsize=8)
def drawn_rows(world: World, tasks: int) -> Samples:
    """The samples that the tasks would yield, drawn beforehand; seeded."""
    return world.sample(tasks, WIDTH, rng=3)[1]


def after(case: Case, tasks: int, **other: Any) -> Learner:
    """The learner after so many tasks of its world."""
    learner = case.make(**other)
    in_a_row(learner, drawn_rows(case.world, case.tasks)[:tasks])
    return learner


def begun(learner: Learner, tasks: int = 1) -> Design:
    """The next design of a learner that has one."""
    design = learner.begin(tasks)
    assert design is not None
    return design


def outcome(learner: Learner, case: Case, **options: Any) -> tuple[object, ...]:
    run = simulate(learner, case.world, **{"tasks": case.tasks, "rng": 17, **options})
    return run.reward, run.cost, run.tasks, run.samples, run.chosen, run.learner.to_json()
