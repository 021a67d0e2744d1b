"""Rules that people can say: what they earn is exact, and hardly any of the family earns more."""

from itertools import product

import numpy as np
import pytest

from dwell import Atoms, Gaussian, Signs, World, exact
from dwell.arrays import FloatArray
from dwell.learners.explainable import _DROP, _SHIP, Simple, explainable, met_by
from dwell.pools.normal import NormalPool
from dwell.pools.signs import SignsPool


def weights_of(pool: SignsPool | NormalPool, *weighted: tuple[float, float]) -> FloatArray:
    """A pool of a few values, each at the nearest of the grid."""
    weights = np.zeros(len(pool.values))
    for value, weight in weighted:
        weights[np.abs(pool.values - value).argmin()] += weight
    return weights


def world_of(pool: SignsPool | NormalPool, weights: FloatArray) -> World:
    some = weights > 0.0
    law = Signs() if isinstance(pool, SignsPool) else Gaussian(pool.noise)
    return World(Atoms(pool.values[some], weights[some]), law)


@pytest.mark.parametrize("setup_cost", [0.0, 20.0])
@pytest.mark.parametrize(
    "pool", [SignsPool(32), SignsPool(48, 8, 16), NormalPool(1.0, 32)], ids=["signs", "8", "normal"]
)
def test_what_a_rule_earns_is_exact(pool: SignsPool | NormalPool, setup_cost: float) -> None:
    """And what it loses is by comparison with the best boundaries; it looks only when it may."""
    weights = weights_of(pool, (-0.3, 0.5), (0.0, 0.2), (0.4, 0.3))
    best = pool.best(weights, setup_cost)
    found = explainable(pool, weights, setup_cost, best=best)
    table = exact(found.rule.policy, world_of(pool, weights), setup_cost=setup_cost)
    assert found.rule.roi == pytest.approx(float(table.roi[0]), rel=1e-3)
    assert found.lost == pytest.approx(1.0 - found.rule.roi / best.roi, abs=1e-9)
    assert 0.0 <= found.lost < 0.3
    looked = np.flatnonzero(np.isfinite(found.rule.policy.upper)) + 1
    allowed = np.arange(1, pool.cap + 1)
    assert set(looked) <= set(allowed[pool.looks] if isinstance(pool, SignsPool) else pool.looks)


@pytest.mark.parametrize("setup_cost", [0.0, 20.0])
@pytest.mark.parametrize("lean", [-0.2, 0.1])
def test_hardly_any_rule_of_the_family_earns_more(lean: float, setup_cost: float) -> None:
    """Of all limits and lengths up to 12, none by more than two per cent."""
    pool = SignsPool(12)
    weights = weights_of(pool, (lean - 0.4, 0.4), (lean, 0.3), (lean + 0.4, 0.3))
    found = explainable(pool, weights, setup_cost, best=pool.best(weights, setup_cost))
    looks = np.arange(1, 13)
    shapes = [(up, down) for up, down in product(_SHIP, _DROP) if up + down > 0.0]
    family = [Simple(n, *shape).policy(looks, 1.0) for n in range(2, 13) for shape in shapes]
    family += [Simple(n).policy(looks, 1.0) for n in range(1, 13)]
    family.sort(key=lambda policy: policy.cap)
    most = exact(family, world_of(pool, weights), setup_cost=setup_cost).roi.max()
    assert found.rule.roi >= 0.98 * most


def test_dependent_samples_take_longer_and_cost_more() -> None:
    """Twice as many of them are worth as much: limits are wider by the root of 2."""
    pool = SignsPool(64)
    weights = weights_of(pool, (-0.2, 0.6), (0.3, 0.4))
    alone, twice = (
        explainable(pool, weights, 20.0, best=pool.best(weights, 20.0, factor=f), factor=f)
        for f in (1.0, 2.0)
    )
    assert 0.5 * alone.rule.roi < twice.rule.roi < alone.rule.roi
    assert twice.lost < 0.2
    assert twice.rule.policy.cap <= 64
    assert (twice.rule.samples >= 1.0).all()
    assert f"after {twice.rule.policy.cap} samples" in twice.words


def test_words_tell_the_limits() -> None:
    """Below 0, at 0 and above it."""
    assert "drop what is 0.5 below" in Simple(40, 2.0, 0.5).words
    assert "drop what is not above 0" in Simple(40, 2.0, 0.0).words
    assert "drop what is not even 0.5 above" in Simple(40, 2.0, -0.5).words
    assert Simple(1).words == "draw 1 sample, and ship what is above 0"


def test_nothing_is_lost_where_nothing_earns() -> None:
    """The share would be of nothing."""
    pool = SignsPool(16)
    weights = weights_of(pool, (-0.5, 1.0))
    best = pool.best(weights, 0.0)
    assert explainable(pool, weights, 0.0, best=best).lost == 0.0


@pytest.mark.parametrize("factor", [1.0, 2.0])
@pytest.mark.parametrize("pool", [SignsPool(32), NormalPool(1.0, 32)], ids=["signs", "normal"])
def test_what_boundaries_do_is_what_the_search_for_them_says(
    pool: SignsPool | NormalPool, factor: float
) -> None:
    """For the best boundaries, whether samples depend on one another or not."""
    best = pool.best(weights_of(pool, (-0.3, 0.6), (0.4, 0.4)), 20.0, factor=factor)
    found = met_by(pool, best.policy, factor)
    assert found.accepts == pytest.approx(best.accepts, abs=1e-9)
    assert found.samples == pytest.approx(best.samples, abs=1e-9)
