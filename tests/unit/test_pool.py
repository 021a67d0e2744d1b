"""Pools: the best limits against the oracle, and what limits do against exact figures."""

from math import inf

import numpy as np
import pytest

from dwell import Atoms, Gaussian, Policy, World, exact, oracle
from dwell.arrays import FloatArray, IntArray
from dwell.errors import NothingWorthTesting
from dwell.optimum import best_of_looks
from dwell.pools.classes import Limits, Pool, fates
from dwell.pools.limits import best_limits
from tests.refusals import refused

STEPS = np.linspace(-4, 4, 61)
BELL = np.exp(-0.5 * STEPS**2) / np.exp(-0.5 * STEPS**2).sum()
# Values, weights, noise, cap, looks, set-up: few values and many, long tests and short ones.
WORLDS: list[tuple[list[float], list[float], float, int, int, float]] = [
    ([-1, 0, 1], [0.4, 0.4, 0.2], 5, 200, 10, 20),
    ([-1, 1], [0.9, 0.1], 2, 100, 1, 0),
    ([-1, 0.5, 3], [0.6, 0.3, 0.1], 1, 50, 5, 10),
    ([-3, -1, 0, 2], [0.1, 0.3, 0.5, 0.1], 1.5, 64, 1, 3),
    ([-0.02, 0.3], [0.99, 0.01], 1, 300, 7, 5),
    ((STEPS - 0.3).tolist(), BELL.tolist(), 6, 240, 3, 100),
    ((0.01 * STEPS - 0.005).tolist(), BELL.tolist(), 0.2, 5000, 250, 1000),
]


def policy_of(limits: Limits, noise: float, row: int = 0) -> Policy:
    """The limits of one class as boundaries on the sum."""
    lower, upper = np.full(limits.looks[-1], -inf), np.full(limits.looks[-1], inf)
    scale = noise * np.sqrt(limits.looks)
    lower[limits.looks - 1], upper[limits.looks - 1] = (
        limits.lower[row] * scale,
        limits.upper[row] * scale,
    )
    return Policy(lower, upper)


def looks_of(cap: int, every: int) -> IntArray:
    return np.append(np.arange(every, cap, every), cap)


@pytest.mark.parametrize(("values", "weights", "noise", "cap", "every", "setup"), WORLDS)
def test_the_best_limits_earn_what_the_oracle_earns(
    values: list[float], weights: list[float], noise: float, cap: int, every: int, setup: float
) -> None:
    """The ROI agrees to 1e-4, and so does the exact ROI of the limits."""
    world = World(Atoms(values, weights), Gaussian(noise))
    found = best_limits(Pool.of(values, weights, noise), looks_of(cap, every), setup)
    best = oracle(world, cap, setup, every=every)
    assert found.roi == pytest.approx(best.roi, rel=1e-4)
    table = exact(policy_of(found.limits, noise), world, setup)
    assert table.roi[0] == pytest.approx(best.roi, rel=1e-5)
    assert found.reward == pytest.approx(table.reward[0], rel=1e-4)
    assert found.cost == pytest.approx(table.cost[0], rel=1e-4)


def test_random_pools_are_run_as_well_as_by_the_oracle() -> None:
    """A dozen of them, with looks at any distance; no chance is involved once they are drawn."""
    rng = np.random.default_rng(11)
    compared = 0
    for _ in range(12):
        size, scale = int(rng.integers(2, 9)), 10.0 ** rng.uniform(-1.5, 1.0)
        values = np.append(rng.normal(size=size - 2), [-1.0, 1.0]) * scale
        weights = rng.dirichlet(np.ones(size))
        looks = np.unique(np.cumsum(rng.integers(1, rng.choice([3, 40, 400]), 8)))
        setup = 10.0 ** rng.uniform(-1.0, 3.0)
        best = best_of_looks(World(Atoms(values, weights), Gaussian(1)), looks, setup)
        if best.accept_rate > 1e-6:
            compared += 1
            found = best_limits(Pool.of(values, weights, 1.0), looks, setup)
            assert found.roi == pytest.approx(best.roi, rel=1e-4)
    assert compared >= 10


def limits_like(kind: str, looks: IntArray) -> tuple[FloatArray, FloatArray]:
    """Limits of several shapes on the z scale."""
    share = 1.0 - looks / looks[-1]
    if kind == "narrow":
        return 0.2 - 0.05 * share, 0.2 + 0.05 * share
    if kind == "wide":
        return -4.0 * share, 5.0 * share
    if kind == "open":
        return np.append(np.full(len(looks) - 1, -inf), 0.5), np.append(
            np.full(len(looks) - 1, inf), 0.5
        )
    if kind == "one-sided":
        return np.append(np.full(len(looks) - 1, -inf), 1.0), np.append(
            np.full(len(looks) - 1, 1.5), 1.0
        )
    return np.full(len(looks), -6.0), np.append(np.full(len(looks) - 1, -5.5), 0.0)


@pytest.mark.parametrize("kind", ["narrow", "wide", "open", "one-sided", "far"])
@pytest.mark.parametrize("noise", [0.5, 3.0, 50.0])
def test_fates_are_exact(kind: str, noise: float) -> None:
    """Of values far below and far above 0 too, under limits of any shape."""
    looks = np.array([3, 6, 9, 12, 20, 40, 44, 48])
    lower, upper = limits_like(kind, looks)
    limits = Limits(looks, lower[None], upper[None])
    values = np.array([-20.0, -3.0, -0.5, 0.0, 0.2, 1.0, 9.0])
    found = fates(values[None], np.array([noise]), limits)
    for j, value in enumerate(values):
        table = exact(policy_of(limits, noise), World(Atoms([value]), Gaussian(noise)))
        assert found.accept[0, j] == pytest.approx(table.accept_rate[0], abs=3e-5), value
        assert found.samples[0, j] == pytest.approx(table.cost[0], rel=3e-5), value


def test_one_price_holds_in_all_classes() -> None:
    """Each class alone, with a set-up for which it would earn as much, is best run as it is run."""
    values = np.array([0.7, 1.0, 1.5])[:, None] * STEPS - 0.4
    noise = np.array([4.0, 6.0, 9.0])
    pool = Pool.of(values, BELL, noise, shares=[0.5, 0.3, 0.2])
    best = best_limits(pool, looks_of(120, 8), 60)
    for row in range(3):
        reward = float((BELL * values[row] * best.fates.accept[row]).sum())
        setup = reward / best.roi - float((BELL * best.fates.samples[row]).sum())
        world = World(Atoms(values[row], BELL), Gaussian(noise[row]))
        assert oracle(world, 120, setup, every=8).roi == pytest.approx(best.roi, rel=1e-4)


def test_roi_of_many_laws_is_one_product() -> None:
    """The law of the pool gives the ROI of the pool, another what it would earn instead."""
    pool = Pool.of([-1, 0, 1], [0.4, 0.4, 0.2], noise=[5, 7])
    best = best_limits(pool, looks_of(100, 10), 20)
    sure = np.broadcast_to([0.0, 0.0, 1.0], (2, 3))
    found = best.fates.roi(pool.values, np.stack([pool.weights, sure]), pool.shares, 20)
    assert found[0] == pytest.approx(best.roi, rel=1e-12)
    accept, samples = best.fates.accept[:, 2].mean(), best.fates.samples[:, 2].mean()
    assert found[1] == pytest.approx(accept / (20 + samples), rel=1e-12)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e4, 1e9])
def test_the_unit_of_values_does_not_matter(scale: float) -> None:
    """Limits on z are the same, and the ROI is in the unit of the values."""
    looks = looks_of(200, 10)
    plain = best_limits(Pool.of(0.1 * STEPS, BELL, 1.0), looks, 20)
    scaled = best_limits(Pool.of(0.1 * scale * STEPS, BELL, scale), looks, 20)
    assert scaled.roi == pytest.approx(scale * plain.roi, rel=1e-9)
    assert scaled.limits.upper == pytest.approx(plain.limits.upper, abs=1e-7)


def test_a_hundred_million_samples_are_as_good_as_a_hundred() -> None:
    """A million times as many samples, each with a thousand times the noise."""
    plain = best_limits(Pool.of(0.3 * STEPS, BELL, 1.0), looks_of(100, 5), 20)
    long = best_limits(Pool.of(0.3 * STEPS, BELL, 1e3), looks_of(100, 5) * 10**6, 20e6)
    assert long.roi * 1e6 == pytest.approx(plain.roi, rel=1e-9)


def test_looks_may_lie_far_apart() -> None:
    """From 1 sample to 10^8; up to 4,096 the ROI is that of the oracle."""
    values = np.geomspace(0.01, 3.0, 12)
    values = np.concatenate([-values[::-1], values])
    weights = np.full(24, 1 / 24)
    world = World(Atoms(values, weights), Gaussian(1))
    for looks in ([1, 4, 16, 64, 256, 1024, 4096], [2, 1000], [5, 6, 7, 400, 401, 402, 4000]):
        found = best_limits(Pool.of(values, weights, 1.0), np.array(looks), 3)
        assert found.roi == pytest.approx(best_of_looks(world, np.array(looks), 3).roi, rel=1e-4)
    # At the first looks all but nothing is known: what would change a mind is never seen.
    tiny = World(Atoms(1e-3 * STEPS - 2e-4, BELL), Gaussian(1))
    found = best_limits(Pool.of(1e-3 * STEPS - 2e-4, BELL, 1.0), np.array([1, 2, 10**6]), 1e4)
    best = best_of_looks(tiny, np.array([1, 2, 10**6]), 1e4)
    assert found.roi == pytest.approx(best.roi, rel=1e-4)
    far = best_limits(Pool.of(values, weights, 1.0), 10 ** np.arange(9), 3)
    few = best_of_looks(world, 10 ** np.arange(5), 3)
    assert few.roi * (1 - 1e-4) < far.roi < 1.01 * few.roi


def test_where_one_look_tells_all_nobody_looks_twice() -> None:
    """Values a thousand times the noise, on either side of 0 or not around it."""
    for values in ([-1000.0, 1000.0], [-500.0, 1500.0], [-1e6, 1.0]):
        found = best_limits(Pool.of(values, [0.75, 0.25], 1.0), np.array([9, 18, 27]), 1)
        assert found.roi == pytest.approx(0.25 * values[1] / 10, rel=1e-3)
        assert found.fates.samples.tolist() == [[9.0, 9.0]]


def test_values_above_0_need_no_test_and_those_below_none_either() -> None:
    """All is accepted at the first look; or nothing is worth a test."""
    found = best_limits(Pool.of([1, 2], [0.5, 0.5], 4.0), np.array([5, 10]), 10)
    assert found.roi == pytest.approx(0.1)
    assert found.cost == 15.0
    with pytest.raises(NothingWorthTesting, match="nothing is worth testing"):
        best_limits(Pool.of([-1, 0], [0.5, 0.5], 4.0), np.array([5, 10]), 10)
    # A class that has nothing to offer pays for its first looks all the same.
    both = best_limits(Pool.of([[1, 2], [-2, -1]], [0.5, 0.5], [4.0, 4.0]), np.array([5, 10]), 10)
    assert both.roi == pytest.approx(0.05)


@pytest.mark.parametrize("start", [1e-9, 0.5, 3.0, 1e6])
def test_any_guess_leads_to_the_same_roi(start: float) -> None:
    """Far below, near it, and far above."""
    pool = Pool.of([-1, 0, 1], [0.4, 0.4, 0.2], 5)
    plain = best_limits(pool, looks_of(200, 10), 20)
    guessed = best_limits(pool, looks_of(200, 10), 20, start=start * plain.roi)
    assert guessed.roi == pytest.approx(plain.roi, rel=3e-5)


def test_bad_pools_are_refused() -> None:
    """Each in one sentence that names the thing and the value."""
    with refused("noise", -1):
        Pool.of([0], [1], -1)
    with refused("weights", "sum to 1", 0.9):
        Pool.of([0, 1], [0.5, 0.4], 1)
    with refused("one weight per value", 2, 3):
        Pool.of([0, 1], [0.5, 0.25, 0.25], 1)
    with refused("values", "nan"):
        Pool.of([0, float("nan")], [0.5, 0.5], 1)
    with refused("values", "one per class", 3, 2):
        Pool.of([[0], [1], [2]], [1], [1, 1])
    with refused("shares", "entry per class"):
        Pool.of([0], [1], [1, 1], shares=[1])
    with refused("numbers", "'1'"):
        Pool.of(["1"], [1], 1)
    pool = Pool.of([-1, 1], [0.5, 0.5], 1)
    with refused("looks", "increasing", "[2, 2]"):
        best_limits(pool, np.array([2, 2]))
    with refused("upper limits", "nan"):
        Limits(np.array([2]), np.zeros((1, 1)), np.full((1, 1), np.nan))
    with refused("lower limits", "2 looks"):
        Limits(np.array([2, 3]), np.zeros((1, 1)), np.zeros((1, 2)))
    with refused("looks", "whole numbers"):
        best_limits(pool, np.array([0.5]))
    with refused("set-up cost", -1):
        best_limits(pool, np.array([2]), -1)
