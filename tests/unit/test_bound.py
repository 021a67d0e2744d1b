"""Learners and worlds whose samples leave the learner's bound."""

import warnings
from typing import Any

import pytest

from dwell import (
    Atoms,
    Beta,
    BoundTooSmall,
    Cape,
    CapeSharp,
    Esc,
    ExploreThenCommit,
    Fixed,
    Gaussian,
    Ladder,
    Lift,
    Normal,
    Signs,
    World,
    fixed,
    simulate,
)
from dwell.families import Countable
from tests.refusals import refused

POLICIES = [fixed(1, 1), fixed(3, 1)]
FAMILY = Countable(c=0.5, tasks=100, delta=0.5)
MAKERS: dict[str, Any] = {
    "Ladder": lambda **other: Ladder(POLICIES, **other),
    "CapeSharp": lambda **other: CapeSharp(POLICIES, tasks=50, **other),
    "Cape": lambda **other: Cape(POLICIES, tasks=50, announce=False, **other),
    "ExploreThenCommit": lambda **other: ExploreThenCommit(POLICIES, tasks=50, **other),
    "Esc": lambda **other: Esc(FAMILY, tasks=50, **other),
}
LEARNERS = pytest.mark.parametrize("name", MAKERS)


@LEARNERS
@pytest.mark.parametrize("world", [World(Beta(2, 3), Signs()), World(Normal(0, 0.1), Lift(0.3))])
def test_samples_that_surely_leave_the_bound_are_refused(name: str, world: World) -> None:
    """Signs and lifts reach 1: with a bound below that no interval would hold."""
    with refused("reach 1", 0.1, "bound=1"):
        simulate(MAKERS[name](bound=0.1), world, tasks=20, rng=0)
    simulate(MAKERS[name](), world, tasks=20, rng=0)


@LEARNERS
@pytest.mark.parametrize(
    ("world", "deviation"),
    [
        (World(Normal(-0.5, 1.2), Gaussian(2)), (0.25 + 1.44 + 4) ** 0.5),
        (World(Atoms([0, 3], [0.75, 0.25]), Gaussian(1)), (2.25 + 1) ** 0.5),
    ],
)
def test_a_bound_below_what_normal_samples_reach_is_warned_of(
    name: str, world: World, deviation: float
) -> None:
    """Values are included: a range takes three deviations, a sub-Gaussian scale one."""
    wanted = deviation * (3 if name in ("Ladder", "CapeSharp") else 1)
    with pytest.warns(BoundTooSmall, match="bounds do not hold"):
        simulate(MAKERS[name](bound=0.99 * wanted), world, tasks=5, rng=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulate(MAKERS[name](bound=1.01 * wanted), world, tasks=5, rng=0)


def test_a_learner_without_bounds_runs_anywhere() -> None:
    """A policy that never changes claims nothing."""
    assert simulate(Fixed(fixed(3)), World(Normal(0, 1), Gaussian(1)), tasks=9).tasks == 9
