"""A pool that has moved."""

import numpy as np
import pytest

from dwell.fitting.moved import moved
from dwell.pools.leveled import EXPONENTS, LeveledPool
from dwell.pools.normal import NormalPool


def spread(pool: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    mean = float(pool @ values)
    return mean, float(np.sqrt(pool @ (values - mean) ** 2))


def test_a_pool_is_moved_to_where_many_tests_are() -> None:
    """To within a step of the grid of shifts, a tenth of its spread; the spread stays."""
    pool = NormalPool(1.0, 100)
    weights = np.exp(-0.5 * (pool.values / 0.5) ** 2) * np.gradient(pool.values)
    weights /= weights.sum()
    rng = np.random.default_rng(0)
    for mean in (-0.3, 0.0, 0.2):
        sums = rng.normal(100 * rng.normal(mean, 0.5, 2000), 10.0)
        kinds, counts = np.unique(
            pool.at_levels[0].kinds(np.full(2000, 100), sums), return_counts=True
        )
        likelihood = np.exp(pool.log_likelihood(kinds))
        found = spread(moved(weights, pool.values, likelihood, counts.astype(float)), pool.values)
        assert found == pytest.approx((mean, 0.5), abs=0.05)


def test_without_tests_a_pool_stays_where_it_is() -> None:
    """Nothing speaks for a move, and no weight is lost, whatever the pool."""
    values = np.linspace(-1.0, 1.0, 21)
    for weights in (np.eye(21)[0], np.eye(21)[20], np.full(21, 1 / 21)):
        found = moved(weights, values, np.ones((1, 21)), np.zeros(1))
        np.testing.assert_allclose(found, weights, atol=1e-12)


def test_what_would_leave_the_grid_stays_at_its_end() -> None:
    """The best ideas that there can be are no better if the others are."""
    values, weights = np.linspace(-1.0, 1.0, 21), np.zeros(21)
    weights[[10, 20]] = 0.5
    better = np.exp(-0.5 * ((values - 0.3) / 0.01) ** 2)[np.newaxis]
    found = moved(weights, values, better, np.full(1, 100.0))
    assert found.sum() == pytest.approx(1.0)
    assert found[20] == pytest.approx(0.5)
    assert found[13] == pytest.approx(0.5)


def test_a_pool_of_several_levels_is_moved_with_each_exponent() -> None:
    """Its grid stands there once for every exponent: no weight goes from one to another."""
    pool = LeveledPool((1.0, 4.0), cap=100)
    weights = pool.laws.weights[20]
    likelihood = np.exp(-0.5 * ((pool.values - 0.5) / 0.1) ** 2)[np.newaxis]
    found = moved(weights, pool.values, likelihood, np.full(1, 50.0))
    before, after = (each.reshape(len(EXPONENTS), -1).sum(axis=1) for each in (weights, found))
    np.testing.assert_allclose(after, before, rtol=1e-9)
    assert found @ pool.values > weights @ pool.values
