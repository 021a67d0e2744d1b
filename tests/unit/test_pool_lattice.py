"""The best boundaries for a pool under signs: against plain induction, `exact` and `oracle`."""

from functools import cache
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dwell import Atoms, NothingWorthTesting, Policies, Policy, Signs, World, exact, oracle
from dwell.arrays import BoolArray, FloatArray
from dwell.fitting.dependence import effective_samples
from dwell.kernels.pool_lattice import even_signs, induct_signs, logarithms_of, walk_signs
from dwell.outcomes import scan
from dwell.pools.signs import SignsPool
from tests.strategies import PROPERTY, policies

VALUES = st.lists(st.floats(-1, 1).map(lambda v: round(v, 3)), min_size=1, max_size=6, unique=True)
SHARES = st.floats(1e-3, 1.0)


def plain_worth(
    values: FloatArray, weights: FloatArray, looks: BoolArray, price: float, discount: float
) -> float:
    """What the best policy is worth, by induction over all cells (samples, +1 among them)."""

    @cache
    def worth(d: int, u: int) -> float:
        plus = (1 + values) / 2
        posterior = weights * plus**u * (1 - plus) ** (d - u)
        if posterior.sum() == 0.0:  # nobody comes here
            return 0.0
        mean = float(posterior @ values / posterior.sum())
        now = max(0.0, mean - discount)
        if d == len(looks):
            return now
        chance = (1 + mean) / 2
        onward = chance * worth(d + 1, u + 1) + (1 - chance) * worth(d + 1, u) - price
        return onward if d == 0 or not looks[d - 1] else max(now, onward)

    return worth(0, 0)


@given(
    values=VALUES,
    data=st.data(),
    cap=st.integers(1, 12),
    every=st.integers(1, 5),
    first=st.integers(1, 8),
    price=st.floats(0, 0.2),
    discount=st.floats(-0.1, 0.4),
)
@PROPERTY
def test_boundaries_are_worth_what_plain_induction_says(
    values: list[float],
    data: st.DataObject,
    cap: int,
    every: int,
    first: int,
    price: float,
    discount: float,
) -> None:
    """Of any pool, at any looks: no policy is worth more, by exact figures of the one found."""
    shares = data.draw(st.lists(SHARES, min_size=len(values), max_size=len(values)))
    grid, weights = np.array(values), np.array(shares) / np.sum(shares)
    looks = SignsPool(cap, every, min(first, cap)).looks
    lower, upper = np.empty(cap), np.empty(cap)
    induct_signs(grid, weights, looks, price, discount, lower, upper)
    assert np.isinf(lower[~looks]).all()
    assert np.isinf(upper[~looks]).all()
    found = exact(Policy(lower, upper), World(Atoms(grid, weights), Signs()))
    got = found.reward[0] - discount * found.accept_rate[0] - price * found.cost[0]
    assert got == pytest.approx(plain_worth(grid, weights, looks, price, discount), abs=1e-9)


@given(policy=policies(longest=12, edges=st.integers(-5, 5).map(float)), values=VALUES)
@PROPERTY
def test_what_boundaries_do_to_each_value_is_exact(policy: Policy, values: list[float]) -> None:
    """How often each is accepted, and after how many samples on average."""
    accepts, samples = np.empty(len(values)), np.empty(len(values))
    walk_signs(policy.lower, policy.upper, np.array(values), accepts, samples)
    for value, accepted, taken in zip(values, accepts, samples, strict=True):
        known = exact(policy, World(Atoms([value]), Signs()))
        assert accepted == pytest.approx(known.accept_rate[0], abs=1e-9)
        assert taken == pytest.approx(known.cost[0], abs=1e-9)


def test_long_boundaries_lose_no_path() -> None:
    """Over 2,000 samples what is negligible adds up to less than a billionth."""
    cap = 2000
    wide = 3.0 * np.sqrt(np.arange(1, cap + 1))
    policy = Policy(np.append(-wide[:-1], 0.0), np.append(wide[:-1], 0.0))
    values = np.array([-1.0, -0.1, 0.0, 0.02, 0.3, 1.0])
    accepts, samples = np.empty(6), np.empty(6)
    walk_signs(policy.lower, policy.upper, values, accepts, samples)
    for value, accepted, taken in zip(values, accepts, samples, strict=True):
        known = exact(policy, World(Atoms([value]), Signs()))
        assert accepted == pytest.approx(known.accept_rate[0], abs=1e-9)
        assert taken == pytest.approx(known.cost[0], rel=1e-9)


def random_pool(pool: SignsPool, seed: int) -> FloatArray:
    """A few values of the grid, with weights."""
    rng = np.random.default_rng(seed)
    weights = np.zeros(len(pool.values))
    places = rng.choice(len(weights), rng.integers(2, 8), replace=False)
    weights[places] = rng.dirichlet(np.ones(len(places)))
    return weights


@pytest.mark.parametrize("seed", range(12))
def test_the_best_boundaries_earn_what_the_oracle_does(seed: int) -> None:
    """In worlds whose values lie on the grid, to a millionth of the ROI."""
    pool = SignsPool([1, 2, 7, 64, 200][seed % 5])
    weights = random_pool(pool, seed)
    world = World(Atoms(pool.values[weights > 0], weights[weights > 0]), Signs())
    for setup_cost in (0.0, 20.0, 1e6):
        found = pool.best(weights, setup_cost)
        if found.roi == 0.0:
            with pytest.raises(NothingWorthTesting):
                oracle(world, pool.cap, setup_cost)
            continue
        best = oracle(world, pool.cap, setup_cost)
        assert found.roi == pytest.approx(best.roi, rel=1e-6)
        known = exact(found.policy, world, setup_cost)
        assert known.roi[0] == pytest.approx(found.roi, rel=1e-6, abs=1e-15)


def test_nothing_worth_testing_is_rejected_as_cheaply_as_possible() -> None:
    """All values are negative: ROI 0, after the first look, and a discount may do the same."""
    pool = SignsPool(50, every=5, first=7)
    weights = (pool.values < 0) / np.sum(pool.values < 0)
    found = pool.best(weights, 3.0)
    assert found.roi == 0.0
    assert found.accepts.max() == 0.0
    assert found.samples == pytest.approx(10.0)
    above = (pool.values > 0) / np.sum(pool.values > 0)
    assert pool.best(above, 3.0).roi > 0.0
    assert pool.best(above, 3.0, discount=1.0).roi == 0.0


@given(
    cap=st.integers(1, 60),
    data=st.data(),
    factor=st.floats(1, 10) | st.sampled_from([2.0, 3.0, 5.0, 10.0]),
    seed=st.integers(0, 10**6),
    setup_cost=st.sampled_from([0.0, 1.0, 20.0]),
)
@settings(PROPERTY, max_examples=60)
def test_looks_are_kept_whatever_samples_are_worth(
    cap: int, data: st.DataObject, factor: float, seed: int, setup_cost: float
) -> None:
    """Boundaries are finite at multiples of `every` from `first` on and at the cap, not beyond."""
    every, first = data.draw(st.integers(1, cap)), data.draw(st.integers(1, cap))
    pool = SignsPool(cap, every, first)
    found = pool.best(random_pool(pool, seed), setup_cost, factor=factor)
    looked = np.isfinite(found.policy.lower) | np.isfinite(found.policy.upper)
    assert found.policy.cap <= cap
    assert not (looked & ~pool.looks[: found.policy.cap]).any()
    assert looked[-1]
    assert (found.samples >= 1.0 - 1e-9).all()
    # To reach the last look takes no more than there is.
    assert (found.samples <= cap + 1e-9).all()


@pytest.mark.parametrize("times", [2, 3, 5])
def test_samples_seen_several_times_are_decided_as_if_seen_once(times: int) -> None:
    """A policy for samples worth 1/k stops where a sample is new, and decides as for single ones.

    After k (d - 1) + 1 samples, d different ones were seen, the last of them once. The sums differ
    by the weight of that one: less than two steps of the sum that was scaled up.
    """
    pool = SignsPool(60)
    weights = random_pool(pool, 5)
    found = pool.best(weights, 20.0, factor=float(times))
    looked = 1 + np.flatnonzero(np.isfinite(found.policy.upper))
    assert ((looked - 1) % times == 0).all()
    counted = (looked - 1) // times + 1
    assert counted.tolist() == list(range(1, len(counted) + 1))
    original = Policy(
        found.policy.lower[looked - 1] * counted / looked,
        found.policy.upper[looked - 1] * counted / looked,
    )
    accepts, samples = np.empty(len(pool.values)), np.empty(len(pool.values))
    walk_signs(original.lower, original.upper, pool.values, accepts, samples)
    assert accepts == pytest.approx(found.accepts, abs=1e-9)
    assert times * (samples - 1) + 1 == pytest.approx(found.samples, abs=1e-9)
    rng = np.random.default_rng(0)
    single = rng.choice(np.array([-1, 1], dtype=np.int8), (4000, original.cap), p=[0.4, 0.6])
    once = scan(single, Policies([original]))
    many = scan(np.repeat(single, times, axis=1), Policies([found.policy]))
    apart = np.abs(once.durations - ((many.durations - 1) // times + 1))[:, 0]
    agree = once.decisions[:, 0] == many.decisions[:, 0]
    assert agree.mean() > 0.97
    assert np.median(apart) <= 1


def test_even_sums_are_where_the_mean_of_the_value_changes_its_sign() -> None:
    """By the plain posterior mean at every sum."""
    rng = np.random.default_rng(2)
    values, looks = np.array([-0.6, -0.1, 0.05, 0.4]), np.arange(1, 40)
    weights = rng.dirichlet(np.ones(4))
    for look, even in zip(looks, even_signs(values, weights, looks), strict=True):
        for plus in range(look + 1):
            posterior = weights * (1 + values) ** plus * (1 - values) ** (look - plus)
            assert (2.0 * plus - look >= even) == (posterior @ values > 0.0)


def test_logarithms_of_certain_values_are_finite() -> None:
    """A value of 1 leaves next to nothing to the other sign."""
    found = logarithms_of(np.array([-1.0, 0.0, 1.0]))
    assert np.isfinite(found).all()
    assert found[:, 1] == pytest.approx(log(0.5))
    assert found[0, 2] == pytest.approx(0.0, abs=1e-9)


def test_the_likelihood_counts_independent_samples() -> None:
    """Kinds keep samples and sum; those that are worth half count half, the first in full."""
    pool = SignsPool(20)
    kinds = pool.kinds(np.array([9, 1, 20]), np.array([3.0, -1.0, -20.0]))
    plain = pool.log_likelihood(kinds)
    assert (plain.max(axis=1) == 0.0).all()
    halved = pool.log_likelihood(kinds, factor=2.0)
    for row, samples in enumerate((9, 1, 20)):
        worth = effective_samples(float(samples), 2.0) / samples
        np.testing.assert_allclose(halved[row], plain[row] * worth)
    assert pool.values[plain[0].argmax()] == pytest.approx(1 / 3, abs=0.05)
    assert pool.values[plain[2].argmax()] == -1.0


@pytest.mark.parametrize("start", [1e-6, 0.002, 0.1, 1e3])
@pytest.mark.parametrize("discount", [0.0, 0.02])
def test_a_guess_at_the_roi_changes_nothing_that_counts(start: float, discount: float) -> None:
    """Far too low or too high, where something earns and where nothing does."""
    pool = SignsPool(cap=64)
    below = np.where(pool.values < 0.0, pool.laws.weights[17], 0.0)
    for weights in (*pool.laws.weights[::6], below / below.sum()):
        found = pool.best(weights, 20.0, discount=discount, start=start).roi
        assert found == pytest.approx(pool.best(weights, 20.0, discount=discount).roi, rel=1e-5)
