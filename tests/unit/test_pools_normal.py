"""Pools under normal samples: without a scale of their own, against `oracle`, and their looks."""

from math import sqrt

import numpy as np
import pytest

from dwell import Atoms, EmpiricalBayes, Gaussian, Lift, PastSums, World, exact, oracle
from dwell.arrays import FloatArray
from dwell.fitting.pool import fit_pool
from dwell.pools.normal import NormalPool, looks_for

LIFT = Lift(0.1)


def weights_near(pool: NormalPool, drifts: dict[float, float]) -> FloatArray:
    """Weights on the values of the grid that are nearest to so many standard errors at the cap."""
    found = np.zeros(len(pool.values))
    for z, weight in drifts.items():
        found[np.abs(pool.values - z * pool.noise / sqrt(pool.cap)).argmin()] += weight
    return found


POOLS = {
    "few win": {-0.5: 0.9, 2.5: 0.1},
    "bell": {-2.0: 0.1, -1.0: 0.2, 0.0: 0.4, 1.0: 0.2, 2.0: 0.1},
    "mostly losing": {-4.0: 0.6, -1.5: 0.38, 5.0: 0.02},
    "one": {1.0: 1.0},
    "clear": {-30.0: 0.5, 30.0: 0.5},
}


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize(("every", "first"), [(1, 1), (10, 20)])
def test_the_best_boundaries_earn_what_the_oracle_does(name: str, every: int, first: int) -> None:
    """To a thousandth of the ROI, by its own figures and by exact ones."""
    pool = NormalPool(8.0, 60, every, first)
    weights = weights_near(pool, POOLS[name])
    world = World(Atoms(pool.values[weights > 0], weights[weights > 0]), Gaussian(8.0))
    for setup_cost in (0.0, 20.0):
        found = pool.best(weights, setup_cost)
        best = oracle(world, 60, setup_cost, every=every, first=first)
        assert found.roi == pytest.approx(best.roi, rel=1e-3)
        assert exact(found.policy, world, setup_cost).roi[0] == pytest.approx(best.roi, rel=1e-3)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e9])
def test_the_unit_of_values_is_of_no_matter(scale: float) -> None:
    """Kinds are the same, likelihoods and weights up to rounding; boundaries in standard errors."""
    rng = np.random.default_rng(4)
    drawn = rng.integers(1, 1000, 300)
    means = rng.normal(0.3, 5.0 * np.sqrt(0.01 + 1.0 / drawn))
    plain, scaled = NormalPool(5.0, 1000, 50, 100), NormalPool(5.0 * scale, 1000, 50, 100)
    np.testing.assert_allclose(scaled.values, scale * plain.values, rtol=1e-12)
    np.testing.assert_allclose(scaled.laws.weights, plain.laws.weights, rtol=1e-9, atol=1e-200)
    fits = []
    for pool, unit in ((plain, 1.0), (scaled, scale)):
        kinds, counts = np.unique(pool.kinds(drawn, unit * means * drawn), return_counts=True)
        fits.append(
            fit_pool(
                pool.log_likelihood(kinds),
                counts.astype(float),
                pool.laws,
                None,
                np.random.default_rng(0),
            )
        )
        if pool is plain:
            known = kinds
    np.testing.assert_array_equal(kinds, known)
    np.testing.assert_allclose(fits[1].weights, fits[0].weights, rtol=1e-6, atol=1e-12)
    for factor in (1.0, 2.0):
        one = plain.best(fits[0].weights, 30.0, factor=factor)
        other = scaled.best(fits[0].weights, 30.0, factor=factor)
        assert other.roi == pytest.approx(scale * one.roi, rel=1e-6)
        looked = np.isfinite(one.policy.upper)
        assert (looked == np.isfinite(other.policy.upper)).all()
        for edge in ("lower", "upper"):
            plainly, other_edge = getattr(one.policy, edge), getattr(other.policy, edge)
            np.testing.assert_allclose(
                other_edge[looked] / scale, plainly[looked], rtol=1e-4, atol=1e-3
            )
        np.testing.assert_allclose(
            scaled.even(fits[0].weights, scaled.looks, factor) / scale,
            plain.even(fits[0].weights, plain.looks, factor),
            rtol=1e-6,
            atol=1e-6,
        )


@pytest.mark.parametrize(
    ("cap", "every", "first"),
    [(1, None, 1), (1, 1, 1), (7, 3, 1), (7, 3, 5), (7, 7, 7), (7, 3, 7), (1000, None, 400)],
)
def test_looks_are_multiples_from_the_first_on_and_the_cap(
    cap: int, every: int | None, first: int
) -> None:
    """Boundaries are finite nowhere else, and the last of them is the cap."""
    pool = NormalPool(2.0, cap, every, first)
    step = every or 1
    assert ((pool.looks % step == 0) | (pool.looks == cap)).all()
    assert (pool.looks >= first).all()
    assert pool.looks[-1] == cap
    found = pool.best(weights_near(pool, POOLS["bell"]), 5.0)
    finite = 1 + np.flatnonzero(np.isfinite(found.policy.lower) | np.isfinite(found.policy.upper))
    assert set(finite.tolist()) <= set(pool.looks.tolist())
    assert (found.samples >= pool.looks[0] - 1e-6).all()


def test_looks_of_long_tests_are_few_and_lie_close_at_first() -> None:
    """At most 64, in order, from the first that is allowed to the cap."""
    for cap, every, first in ((10**6, None, 1), (10**6, 250, 1000), (4096, 1, 9), (2**22, None, 5)):
        looks = looks_for(cap, every, first)
        assert 40 <= len(looks) <= 64
        assert (np.diff(looks) > 0).all()
        assert looks[0] == max(first, every or 1)
        assert looks[-1] == cap


def test_nothing_worth_testing_is_dropped_at_the_first_look() -> None:
    """All values are negative: ROI 0, nothing is accepted."""
    pool = NormalPool(3.0, 200, 10, 25)
    found = pool.best((pool.values < 0) / np.sum(pool.values < 0), 5.0)
    assert found.roi == 0.0
    assert found.accepts.max() == 0.0
    assert found.samples == pytest.approx(30.0)


def test_samples_that_are_worth_less_are_more_noise() -> None:
    """A factor is a noise that is larger by its root."""
    plain = NormalPool(3.0, 200)
    weights = weights_near(plain, POOLS["bell"])
    world = World(Atoms(plain.values[weights > 0], weights[weights > 0]), Gaussian(3.0 * sqrt(2.0)))
    looser = oracle(world, 200, 20.0)
    assert plain.best(weights, 20.0, factor=2.0).roi == pytest.approx(looser.roi, rel=0.01)
    assert plain.best(weights, 20.0, factor=2.0).roi < plain.best(weights, 20.0).roi
    kinds = plain.kinds(np.array([10, 200]), np.array([5.0, -300.0]))
    np.testing.assert_allclose(
        plain.log_likelihood(kinds, 2.0), plain.log_likelihood(kinds) / 2.0, atol=1e-12
    )


def test_kinds_say_nearly_what_tests_say() -> None:
    """Lengths are rounded by a 64th, means by a 32nd of an error: likelihoods hardly change."""
    rng = np.random.default_rng(6)
    pool = NormalPool(4.0, 10_000)
    drawn = rng.integers(1, 10_000, 200)
    means = rng.normal(0.0, 8.0 / np.sqrt(drawn))
    found = pool.log_likelihood(pool.kinds(drawn, means * drawn))
    errors = 4.0 / np.sqrt(drawn)[:, None]
    plain = -0.5 * ((means[:, None] - pool.values) / errors) ** 2
    plain -= plain.max(axis=1, keepdims=True)
    near = plain > -8.0
    assert np.abs(found - plain)[near].max() < 0.5
    assert np.abs(found - plain)[near].mean() < 0.1


def test_looks_are_those_of_a_plain_list() -> None:
    """All multiples from the first look on, and the cap."""
    for cap in range(1, 40):
        for every in range(1, cap + 1):
            for first in range(1, cap + 1):
                plain = {d for d in range(first, cap + 1) if d % every == 0} | {cap}
                assert looks_for(cap, every, first).tolist() == sorted(plain)


def test_a_pool_of_which_nearly_all_helps_has_limits() -> None:
    """Nobody is dropped at the first look: both limits lie beyond all sums, in their order."""
    past = PastSums.of_counts(
        [1_000] * 20, [100] * 20, [1_000] * 20, [100 + 5 * (test % 7) for test in range(20)], LIFT
    )
    learner = EmpiricalBayes(LIFT, cap=941, setup_cost=100, past=past)
    [policy] = learner.begin().policies
    assert (policy.lower <= policy.upper).all()  # type: ignore[union-attr]
