"""Exact figures against a million simulated tasks."""

import numpy as np
import pytest

from dwell import Atoms, Gaussian, Lift, Normal, Policy, Signs, World, exact, fixed, hoeffding, scan
from dwell.arrays import FloatArray, Samples
from dwell.policies import Policies

NESTED = hoeffding([1, 8, 64, 512], c=0.35, tasks=10_000, delta=0.05)
POLICIES = Policies([*NESTED[:3], fixed(100, 3), NESTED[3]])
WORLDS = [
    World(Atoms([-0.5, -0.1, 0, 0.1, 0.5], [0.1, 0.2, 0.4, 0.2, 0.1]), Signs()),
    World(Normal(-0.05, 0.1), Lift(0.3)),
    World(Normal(0.1, 0.3), Gaussian(2.0)),
]
TASKS, BLOCK = 1_000_000, 20_000


@pytest.mark.parametrize("world", WORLDS, ids=repr)
def test_a_million_simulated_tasks_agree_within_four_standard_errors(world: World) -> None:
    """Reward, cost and accept rate at caps up to 512: 15 comparisons, false alarms below 0.1 %.

    A standard error of what the longest policy earns is below 0.28 % of it, so that an error of
    2 % goes unseen for less than 0.1 % of all seeds.
    """
    rng = np.random.default_rng(2021)
    table = exact(POLICIES, world)
    sums = np.zeros((3, len(POLICIES)))
    squares = np.zeros((3, len(POLICIES)))
    for _ in range(TASKS // BLOCK):
        values, samples = drawn(world, rng)
        outcomes = scan(samples, POLICIES)
        accepted = outcomes.decisions.astype(float)
        figures = np.array([accepted * values[:, None], outcomes.durations, accepted])
        sums += figures.sum(axis=1)
        squares += (figures**2).sum(axis=1)
    means = sums / TASKS
    errors = np.sqrt(np.maximum(squares / TASKS - means**2, 0.0) / TASKS)
    expected = np.array([table.reward, table.cost, table.accept_rate])
    assert (np.abs(means - expected) <= 4 * errors + 1e-12).all()
    assert errors[0, -1] < 0.0028 * expected[0, -1]


def drawn(world: World, rng: np.random.Generator) -> tuple[FloatArray, Samples]:
    """Values, and as many samples as any of the policies looks at; zeros stand for the others.

    Few tasks go on beyond 128 samples, and to draw them takes longer than all else.
    """
    values, first = world.sample(BLOCK, 128, rng)
    samples = np.zeros((BLOCK, 512), dtype=first.dtype)
    samples[:, :128] = first
    longest = NESTED[3]
    assert isinstance(longest, Policy)
    going = np.flatnonzero(scan(first, longest.truncated(128)).durations[:, 0] == 128)
    samples[going, 128:] = world.law.sample(values[going], 384, rng)
    return values, samples
