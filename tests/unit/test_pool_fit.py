"""Pools fitted to tests: the kernel against a plain twin, what is recovered, and extreme data."""

from math import comb

import numpy as np
import pytest

from dwell import Policies, Policy, fixed
from dwell.arrays import FloatArray, IntArray
from dwell.fitting.pool import (
    DRAWS,
    PSEUDO_TESTS,
    Plausible,
    PoolFit,
    Spreads,
    fit_pool,
    normal_laws,
)
from dwell.kernels.pool_fit import climb, maximise
from dwell.outcomes import scan
from dwell.pools.best import GridPool
from dwell.pools.normal import NormalPool
from dwell.pools.signs import SignsPool


def problem(seed: int, pools: int = 3) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Likelihood, counts, pseudo-tests and weights of some pools."""
    rng = np.random.default_rng(seed)
    likelihood = rng.random((7, 5)) ** 4
    counts, pseudo = rng.gamma(2.0, size=(7, pools)), rng.gamma(0.5, size=(5, pools))
    return likelihood, counts, pseudo, rng.dirichlet(np.ones(5), pools).T.copy()


def plain_step(
    likelihood: FloatArray, counts: FloatArray, pseudo: FloatArray, weights: FloatArray
) -> FloatArray:
    """A step of expectation-maximisation for one pool: each test is shared among the values."""
    shares = likelihood * weights / (likelihood @ weights)[:, None]
    found: FloatArray = (counts @ shares + pseudo) / (counts.sum() + pseudo.sum())
    return found


@pytest.mark.parametrize("seed", range(5))
def test_pools_are_fitted_as_the_plain_twin_does(seed: int) -> None:
    """Each pool by itself, whatever the others are."""
    likelihood, counts, pseudo, weights = problem(seed)
    together = weights.copy()
    maximise(likelihood, counts, pseudo, together, 6)
    for pool in range(3):
        alone = weights[:, pool]
        for _ in range(6):
            alone = plain_step(likelihood, counts[:, pool], pseudo[:, pool], alone)
        np.testing.assert_allclose(together[:, pool], alone, rtol=1e-12)
        single = weights[:, [pool]].copy()
        one = np.ascontiguousarray
        maximise(likelihood, one(counts[:, [pool]]), one(pseudo[:, [pool]]), single, 6)
        assert single[:, 0].tolist() == together[:, pool].tolist()


def plain_climb(
    likelihood: FloatArray, counts: FloatArray, pseudo: FloatArray, weights: FloatArray
) -> FloatArray:
    """Three steps for one pool, the third from where the first two lead, unless that is worse."""
    terms = likelihood, counts, pseudo
    once = plain_step(*terms, weights)
    twice = plain_step(*terms, once)
    moved, bent = once - weights, twice - 2.0 * once + weights
    length = max(1.0, float(np.linalg.norm(moved) / np.linalg.norm(bent)))
    ahead = np.maximum(weights + 2.0 * length * moved + length**2 * bent, 0.01 * twice)
    ahead /= ahead.sum()
    return plain_step(*terms, ahead if _likely(*terms, ahead) >= _likely(*terms, once) else twice)


def _likely(
    likelihood: FloatArray, counts: FloatArray, pseudo: FloatArray, weights: FloatArray
) -> float:
    return float(counts @ np.log(likelihood @ weights) + pseudo @ np.log(weights))


@pytest.mark.parametrize("seed", range(5))
def test_one_pool_climbs_as_the_plain_twin_does(seed: int) -> None:
    """Three steps at a time, four times."""
    likelihood, *columns = problem(seed, pools=1)
    counts, pseudo, weights = (each[:, 0].copy() for each in columns)
    plain = weights.copy()
    climb(np.ascontiguousarray(likelihood.T), counts, pseudo, weights, 4)
    for _ in range(4):
        plain = plain_climb(likelihood, counts, pseudo, plain)
    np.testing.assert_allclose(weights, plain, rtol=1e-9)


def test_climbing_never_makes_weights_less_likely() -> None:
    """Few tests of some hundred samples: two steps often tell of a place that is far too far."""
    pool, rng = SignsPool(cap=256), np.random.default_rng(0)
    laws = pool.laws
    for _ in range(20):
        tests = int(rng.integers(2, 30))
        drawn = rng.integers(1, 257, tests)
        sums = np.float64(2.0) * rng.binomial(drawn, rng.uniform(0.2, 0.8, tests)) - drawn
        by_value = np.exp(pool.log_likelihood(pool.kinds(drawn, sums))).T.copy()
        counts, pseudo = np.ones(tests), PSEUDO_TESTS * laws.chances @ laws.weights
        weights = laws.weights[rng.integers(len(laws.weights))].copy()
        values = []
        for _ in range(20):
            values.append(_likely(by_value.T, counts, pseudo, weights))
            climb(by_value, counts, pseudo, weights, 1)
        assert (np.diff(values) >= -1e-9).all()


@pytest.mark.parametrize("seed", range(5))
def test_each_step_makes_weights_more_likely(seed: int) -> None:
    """The likelihood of tests and pseudo-tests never falls, and weights add up to 1."""
    likelihood, counts, pseudo, weights = problem(seed, pools=1)
    values = []
    for _ in range(30):
        values.append(_likely(likelihood, counts[:, 0], pseudo[:, 0], weights[:, 0]))
        maximise(likelihood, counts, pseudo, weights, 1)
        assert weights.sum() == pytest.approx(1.0)
    assert (np.diff(values) >= -1e-12).all()
    assert values[-1] > values[0]


def fitted(pool: GridPool, drawn: IntArray, sums: FloatArray, *, counts: float = 1.0) -> PoolFit:
    kinds, numbers = np.unique(pool.at_levels[0].kinds(drawn, sums), return_counts=True)
    return fit_pool(
        pool.log_likelihood(kinds),
        numbers.astype(np.float64) * counts,
        pool.laws,
        None,
        np.random.default_rng(0),
    )


def test_a_fit_to_many_short_tests_is_nearly_the_most_likely_one() -> None:
    """10,000 tests of six signs: sixty plain steps from the same start are still on their way."""
    rng = np.random.default_rng(0)
    values = rng.choice([-0.05, 0.6], 10_000, p=[0.9, 0.1])
    pool: GridPool = SignsPool(cap=64)
    sums = np.float64(2.0) * rng.binomial(6, (1.0 + values) / 2.0) - 6.0
    kinds, numbers = np.unique(
        pool.at_levels[0].kinds(np.full(10_000, 6), sums), return_counts=True
    )
    log_likelihood, counts = pool.log_likelihood(kinds), numbers.astype(np.float64)
    likelihood = np.exp(log_likelihood)
    fit = fit_pool(log_likelihood, counts, pool.laws, None, np.random.default_rng(0))

    def objective(weights: FloatArray) -> float:
        return float(
            counts @ np.log(likelihood @ weights) + PSEUDO_TESTS * fit.explained @ np.log(weights)
        )

    weights, after = fit.explained, {}
    for number in range(1, 5001):
        weights = plain_step(likelihood, counts, PSEUDO_TESTS * fit.explained, weights)
        if number in (60, 5000):
            after[number] = objective(weights)
    assert after[60] < objective(fit.weights) <= after[5000] + 0.01
    assert after[5000] - objective(fit.weights) < 0.3 * (after[5000] - after[60])


def assert_sound(fit: PoolFit) -> None:
    """All weights are weights."""
    for weights in (fit.weights[None], fit.draws, fit.explained[None]):
        assert np.isfinite(weights).all()
        assert (weights >= 0.0).all()
        assert weights.sum(axis=1) == pytest.approx(1.0)


BAND = 2.5 * np.sqrt(np.arange(1, 65))
RULES = {
    "always 64": fixed(64),
    "a band": Policy(np.append(-BAND[:-1], 0), np.append(BAND[:-1], 0)),
    "drops soon": Policy(np.append(np.full(63, -3.0), 0), np.append(np.full(63, 20.0), 0)),
}


@pytest.mark.parametrize("rule", RULES)
def test_a_pool_is_recovered_however_tests_were_stopped(rule: str) -> None:
    """Values -0.2 and 0.6, a fourth of them high: the mean is 0, the share above 0.2 is 0.25.

    4,000 tests. The error of the mean is 0.0055 even if all values were known, that of the share
    0.007; five of them are allowed: below 1e-5 false alarms. Stops that were taken for fixed sizes
    would move the mean by far more: 'drops soon' ends most tests at a sum of -3.
    """
    rng = np.random.default_rng(1)
    values = np.where(rng.random(4000) < 0.25, 0.6, -0.2)
    signs = np.where(rng.random((4000, 64)) < (1 + values[:, None]) / 2, 1, -1).astype(np.int8)
    stops = scan(signs, Policies([RULES[rule]])).durations[:, 0].astype(np.int64)
    sums = np.take_along_axis(np.cumsum(signs, axis=1, dtype=np.int64), stops[:, None] - 1, 1)[:, 0]
    pool = SignsPool(64)
    fit = fitted(pool, stops, sums.astype(float))
    assert_sound(fit)
    assert float(fit.weights @ pool.values) == pytest.approx(values.mean(), abs=5 * 0.0055)
    assert float(fit.weights[pool.values > 0.2].sum()) == pytest.approx(0.25, abs=5 * 0.007)
    spread = (fit.draws @ pool.values).std()
    assert 0.002 < spread < 0.02, "and draws differ by about the error"
    if rule == "drops soon":
        assert abs((sums / stops).mean() - values.mean()) > 0.1


def test_a_pool_of_normal_tests_is_recovered() -> None:
    """Values -1 and 3 of 2,000 tests with noise 10, at two lengths: mean and share as above."""
    rng = np.random.default_rng(2)
    values = np.where(rng.random(2000) < 0.25, 3.0, -1.0)
    drawn = np.where(rng.random(2000) < 0.5, 100, 400)
    sums = rng.normal(values * drawn, 10.0 * np.sqrt(drawn))
    pool = NormalPool(10.0, 400)
    fit = fitted(pool, drawn, sums)
    assert_sound(fit)
    assert float(fit.weights @ pool.values) == pytest.approx(values.mean(), abs=5 * 0.018)
    assert float(fit.weights[pool.values > 1].sum()) == pytest.approx(0.25, abs=5 * 0.012)


def test_without_tests_the_pool_is_what_normal_laws_say() -> None:
    """Nothing is known, and everything is finite."""
    for pool in (SignsPool(1), SignsPool(256), NormalPool(2.0, 1), NormalPool(2.0, 10**6)):
        fit = fitted(pool, np.zeros(0, dtype=np.int64), np.zeros(0))
        assert_sound(fit)
        assert fit.weights.tolist() == fit.explained.tolist()


@pytest.mark.parametrize("count", [1.0, 1e6, 1e12])
@pytest.mark.parametrize("plus", [0, 1, 2048, 4095, 4096])
def test_extreme_signs_are_fitted(plus: int, count: float) -> None:
    """One test or a million of one kind, at the edge of the grid or in its middle."""
    pool = SignsPool(4096)
    fit = fitted(pool, np.array([4096]), np.array([2.0 * plus - 4096]), counts=count)
    assert_sound(fit)
    if count > 1:
        mean = plus / 2048 - 1
        assert float(fit.weights @ pool.values) == pytest.approx(mean, abs=0.02)


def test_an_outlier_among_very_many_alike_is_fitted() -> None:
    """A million tests say 0 and one says 1: normal laws that explain the million give 1 nothing."""
    pool = SignsPool(4096)
    kinds = pool.at_levels[0].kinds(np.array([4096, 4096]), np.array([0.0, 4096.0]))
    fit = fit_pool(
        pool.log_likelihood(kinds),
        np.array([1e6, 1.0]),
        pool.laws,
        None,
        np.random.default_rng(0),
    )
    assert_sound(fit)
    assert fit.weights[-3:].sum() == pytest.approx(1e-6, rel=0.1)


@pytest.mark.parametrize("z", [0.0, 1e-3, 15.0, 1e3, 1e6, -1e12, 1e300, -1e305])
def test_extreme_normal_tests_are_fitted(z: float) -> None:
    """Beyond the grid, its end explains a test best."""
    pool = NormalPool(3.0, 10_000)
    drawn = np.array([1, 100, 10_000])
    fit = fitted(pool, drawn, z * 3.0 * np.sqrt(drawn))
    assert_sound(fit)


def test_normal_laws_are_laws() -> None:
    """Weights that add up to 1, on any grid, however narrow they are."""
    for pool in (SignsPool(1), SignsPool(10**6), NormalPool(1e-9, 10**6), NormalPool(1e9, 1)):
        for laws in (pool.laws, pool.shapes):
            assert np.isfinite(laws.weights).all()
            assert (laws.weights > 0.0).all(), "what a law gives no weight, no test could show"
            assert laws.weights.sum(axis=1) == pytest.approx(1.0)
            assert laws.chances.sum() == pytest.approx(1.0)
            assert (laws.chances > 0.0).all()
    laws = normal_laws(np.linspace(-1, 1, 2001), Spreads(0.05, 0.05, 0.1))
    means = laws.weights @ np.linspace(-1, 1, 2001)
    assert means[:7] == pytest.approx(0.05 * np.array([-2, -1, -0.5, -0.2, 0, 0.2, 0.5]), abs=1e-6)


def test_likelihoods_of_signs_are_those_of_paths() -> None:
    """Up to a factor of the test: how many ways lead to a sum says nothing of the value."""
    pool = SignsPool(12)
    inner = np.abs(pool.values) < 1
    for plus in range(13):
        found = pool.log_likelihood(
            pool.at_levels[0].kinds(np.array([12]), np.array([2.0 * plus - 12]))
        )[0]
        chance = (1 + pool.values[inner]) / 2
        binomial = comb(12, plus) * chance**plus * (1 - chance) ** (12 - plus)
        np.testing.assert_allclose(
            found[inner] - found[inner].max(), np.log(binomial / binomial.max()), atol=1e-9
        )


def test_without_tests_since_it_changed_the_pool_is_taken_to_be_as_before() -> None:
    """Pools that change are drawn around the one that all tests have, others around normal laws."""
    values = np.linspace(-1.0, 1.0, 21)
    laws = normal_laws(values, Spreads(0.1, 0.3, 0.6))
    former = np.zeros(21)
    former[[3, 18]] = 0.9, 0.1
    anew = np.arange(DRAWS) % 2 == 1
    none = Plausible(np.zeros((DRAWS, 1)), anew.astype(np.int64), np.zeros(DRAWS), values, former)
    rng = np.random.default_rng(0)
    fit = fit_pool(np.zeros((1, 21)), np.zeros(1), laws, None, rng, none)
    assert fit.draws[anew][:, [3, 18]].sum(axis=1).min() > 0.99
    assert fit.draws[~anew][:, [3, 18]].sum(axis=1).max() < 0.9
    assert fit.readings.tolist() == anew.tolist()


def test_a_pool_that_fades_begins_where_its_latest_tests_are() -> None:
    """It is worth as many tests as have faded, 40 at most; by other readings it has not moved."""
    values = np.linspace(-1.0, 1.0, 41)
    laws = normal_laws(values, Spreads(0.1, 0.3, 0.6))
    former = np.zeros(41)
    former[[20, 38]] = 0.9, 0.1  # rare wins of 0.9
    fades = np.arange(DRAWS) % 2 == 1
    readings = np.where(fades, 1, 2)
    bulk_worse = -0.5 * ((values + 0.1) / 0.02)[np.newaxis] ** 2
    for faded, worth in ((20.0, 20.0), (1e3, 40.0)):
        tests = Plausible(np.full((DRAWS, 1), 30.0), readings, faded * fades, values, former)
        fit = fit_pool(bulk_worse, np.full(1, 30.0), laws, None, np.random.default_rng(0), tests)
        wins = fit.draws[fades][:, 34:].sum(axis=1)
        # A share of 0.1 of what is begun with, within four standard errors over 32 draws.
        share = 0.1 * worth / (30.0 + worth)
        assert abs(wins.mean() - share) < 4.0 * np.sqrt(share / (30.0 + worth) / 32.0)
        moved = fit.draws[:, 17:19].sum(axis=1)  # to about -0.1
        assert moved[fades].min() > 0.7
        assert fit.draws[fades][:, 20].max() < 0.05 < fit.draws[~fades][:, 20].mean()
