"""What CAPE and ESC promise with probability 1 - delta."""

import numpy as np
import pytest

from dwell import (
    Atoms,
    Cape,
    Countable,
    Esc,
    Policies,
    Signs,
    World,
    best_of,
    exact,
    fixed,
    hoeffding,
    simulate,
)
from dwell.arrays import FloatArray
from dwell.lab.claims.bounds import worst_share_of_width
from dwell.lab.claims.finding import Effort
from dwell.lab.claims.instances import Instance

RUNS = 1000
DELTA = 0.05

INSTANCES = {
    "one policy earns twice as much": (
        World(Atoms([-1, 1]), Signs()),
        Policies([fixed(samples, threshold=1) for samples in (1, 2, 3)]),
    ),
    "the paper's class": (
        World(Atoms([-1, 0, 1]), Signs()),
        hoeffding([1, 2, 3, 5], c=0.35, tasks=10_000, delta=DELTA),
    ),
    "all lose": (
        World(Atoms([-0.9, 0.1]), Signs()),
        Policies([fixed(samples, threshold=-3) for samples in (1, 2, 3)]),
    ),
}


@pytest.mark.parametrize("name", INSTANCES)
def test_all_bounds_hold_at_once_in_at_least_1_minus_delta_of_the_runs(name: str) -> None:
    """Lemma 5 over 1,000 runs.

    The bounds are Hoeffding's with a union bound, so that the true share is far above 1 - delta;
    were it exactly 1 - delta, this test would fail in half of all seeds, and at 0.97 in 0.2 %.
    """
    strays = worst_strays(name, RUNS)
    assert (strays <= 1.0).mean() >= 1 - DELTA


def test_bounds_a_third_as_wide_would_not_hold() -> None:
    """So the test above can fail."""
    strays = worst_strays("the paper's class", 200)
    assert (strays <= 1 / 3).mean() < 1 - DELTA


def worst_strays(name: str, runs: int) -> FloatArray:
    """How far any mean strays from the truth in each run, as a share of its bound's width."""
    instance = Instance(name, *INSTANCES[name])
    rng = np.random.default_rng(7)
    return np.array([worst_share_of_width(instance, 400, rng, Effort()) for _ in range(runs)])


@pytest.mark.parametrize("name", INSTANCES)
def test_the_best_policy_is_never_dropped(name: str) -> None:
    """Over 100 runs; by the lemma a run fails with probability below 0.05, in fact far below."""
    world, policies = INSTANCES[name]
    best = exact(policies, world).best
    learner = Cape(policies, tasks=10**6, exploration_cap=10_000, delta=DELTA, announce=False)
    runs = [simulate(learner, world, tasks=10**6, rng=seed) for seed in range(100)]
    assert all(best in run.known.candidates for run in runs)
    if name == "one policy earns twice as much":
        assert {run.chosen for run in runs} == {best}


def test_esc_finds_an_index_beyond_which_no_policy_is_best() -> None:
    """Lemma 2: over 100 runs at most delta fail; in fact none do."""
    world = World(Atoms([-1, 0, 1]), Signs())
    family = Countable(c=0.35, tasks=10**5, delta=DELTA)
    best = best_of(family, world)
    runs = [simulate(Esc(family, tasks=10**5), world, tasks=10**5, rng=seed) for seed in range(100)]
    found = [run.learner.state.found for run in runs if isinstance(run.learner, Esc)]
    assert all(k is not None and k >= best.k for k in found)
    assert all(run.reward == 0.0 for run in runs)
