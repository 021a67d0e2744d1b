"""Exact figures against enumeration, closed forms, other routes and public numbers."""

import tracemalloc
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dwell import (
    Atoms,
    Beta,
    Countable,
    Gaussian,
    InvalidInput,
    Lift,
    Normal,
    Policies,
    Policy,
    Rule,
    Signs,
    World,
    best_of,
    exact,
    first_sample,
    fixed,
    hoeffding,
)
from dwell.arrays import FloatArray
from dwell.beliefs import beliefs, mixture
from dwell.laws import Law
from dwell.normal_walk import walk_normal
from dwell.table import _stops
from tests.plain import enumerate_sequences
from tests.strategies import PROPERTY

SIGNS = {-1: (0.5, -0.5), 1: (0.5, 0.5)}
POWERS = [1, 2, 4, 8, 16, 32, 64, 128, 256]
MOSTLY_NULL = Atoms([-0.5, -0.1, 0, 0.1, 0.5], [0.1, 0.2, 0.4, 0.2, 0.1])


def lift_chances(base: float) -> dict[int, tuple[float, float]]:
    """Treatment 0/1 minus control 0/1, the treatment's rate being base + value."""
    minus, plus = (base * (1 - base), -base), (base * (1 - base), 1 - base)
    return {-1: minus, 0: (1 - minus[0] - plus[0], -minus[1] - plus[1]), 1: plus}


@st.composite
def boundaries(draw: st.DrawFn, most: int) -> Policy:
    """Any pair of boundaries, infinite here and there."""
    cap = draw(st.integers(1, most))
    edges = st.one_of(st.integers(-3, 3).map(float), st.floats(-3, 3), st.just(np.inf))
    pairs = [draw(st.tuples(edges, edges)) for _ in range(cap)]
    lower = [-abs(low) if np.isinf(low) else min(low, high) for low, high in pairs]
    upper = [high if np.isinf(low) else max(low, high) for low, high in pairs]
    upper[-1] = lower[-1] = draw(st.floats(-3, 3))
    return Policy(lower, upper)


PRIORS = st.lists(st.tuples(st.floats(-1, 1), st.integers(1, 9)), min_size=1, max_size=3)


@settings(PROPERTY, max_examples=60)
@given(boundaries(most=8), PRIORS)
def test_exact_is_the_sum_over_all_sign_sequences(
    policy: Policy, prior: list[tuple[float, int]]
) -> None:
    """Reward, cost and accept rate agree with plain enumeration to 1e-12."""
    total = sum(weight for _, weight in prior)
    weighted = [(value, weight / total) for value, weight in prior]
    table = exact(policy, World(Atoms(*zip(*weighted, strict=True)), Signs()))
    expected = enumerate_sequences(policy, SIGNS, weighted)
    assert table.reward[0] == pytest.approx(expected.reward, abs=1e-12)
    assert table.cost[0] == pytest.approx(expected.cost, abs=1e-12)
    assert table.accept_rate[0] == pytest.approx(expected.accept_rate, abs=1e-12)


@pytest.mark.parametrize("cap", [1, 2, 5, 9, 12])
def test_exact_is_the_sum_over_all_sign_sequences_of_the_papers_class(cap: int) -> None:
    """The same for the Hoeffding class at caps up to 12."""
    policy = hoeffding([cap], c=0.3, tasks=10_000, delta=0.05)[0]
    assert isinstance(policy, Policy)
    prior = [(-0.4, 0.6), (0.1, 0.1), (0.9, 0.3)]
    table = exact(policy, World(Atoms(*zip(*prior, strict=True)), Signs()))
    expected = enumerate_sequences(policy, SIGNS, prior)
    np.testing.assert_allclose(
        [table.reward[0], table.cost[0], table.accept_rate[0]], expected, rtol=0, atol=1e-12
    )


@settings(PROPERTY, max_examples=30)
@given(boundaries(most=5), st.sampled_from([0.012, 0.3, 0.5]), st.floats(0, 1), st.floats(0, 1))
def test_exact_is_the_sum_over_all_sequences_of_lifts(
    policy: Policy, base: float, first: float, second: float
) -> None:
    """The same for observations -1, 0, 1."""
    prior = [(share - base, 0.5) for share in (first * (1 - 1e-12), second * (1 - 1e-12))]
    table = exact(policy, World(Atoms(*zip(*prior, strict=True)), Lift(base)))
    expected = enumerate_sequences(policy, lift_chances(base), prior)
    np.testing.assert_allclose(
        [table.reward[0], table.cost[0], table.accept_rate[0]], expected, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize(
    ("prior", "setup_cost", "cap", "roi"),
    [
        (Atoms([-1, 0, 1]), 0.0, 4, 0.102564),
        (MOSTLY_NULL, 0.0, 4, 0.005882),
        (MOSTLY_NULL, 20.0, 16, 0.001535),
    ],
)
def test_the_best_of_the_papers_class_is_the_one_measured_elsewhere(
    prior: Atoms, setup_cost: float, cap: int, roi: float
) -> None:
    """Best caps and ROIs that were computed outside this project."""
    policies = hoeffding(POWERS, c=0.35, tasks=10_000, delta=0.05)
    table = exact(policies, World(prior, Signs()), setup_cost=setup_cost)
    assert policies.caps[table.best] == cap
    assert table.roi[table.best] == pytest.approx(roi, abs=5e-7)


@pytest.mark.parametrize("eps", [0.3, 0.01])
def test_one_sample_on_symmetric_values_earns_half_their_variance(eps: float) -> None:
    """On values +-eps the ROI is eps^2 / 2 (the paper prints order eps)."""
    table = exact(first_sample(), World(Atoms([-eps, eps]), Signs()))
    assert table.roi[0] == pytest.approx(eps**2 / 2, rel=1e-12)


def test_a_fixed_size_test_of_signs_is_a_binomial_sum() -> None:
    """Accept rate and reward in closed form."""
    samples, threshold, value = 31, 5, 0.2
    table = exact(fixed(samples, threshold), World(Atoms([value]), Signs()))
    p = (1 + value) / 2
    rate = sum(
        comb(samples, ups) * p**ups * (1 - p) ** (samples - ups)
        for ups in range(samples + 1)
        if 2 * ups - samples >= threshold
    )
    assert table.accept_rate[0] == pytest.approx(rate, rel=1e-13)
    assert table.reward[0] == pytest.approx(value * rate, rel=1e-13)
    assert table.cost[0] == samples


def test_a_fixed_size_test_of_normal_samples_is_a_normal_tail() -> None:
    """Accept rate and reward in closed form, for a known value and for a normal prior."""
    samples, threshold, sd = 50, 3.0, 4.0
    known = exact(fixed(samples, threshold), World(Atoms([0.1]), Gaussian(sd)))
    tail = stats.norm.sf(threshold, samples * 0.1, sd * samples**0.5)
    assert known.accept_rate[0] == pytest.approx(tail, rel=1e-12)
    mean, spread = -0.3, 0.7
    table = exact(fixed(samples, threshold), World(Normal(mean, spread), Gaussian(sd)))
    total_sd = (samples * sd**2 + samples**2 * spread**2) ** 0.5
    z = (threshold - samples * mean) / total_sd
    reward = mean * stats.norm.sf(z) + samples * spread**2 / total_sd * stats.norm.pdf(z)
    assert table.accept_rate[0] == pytest.approx(stats.norm.sf(z), rel=1e-12)
    assert table.reward[0] == pytest.approx(reward, rel=1e-12)


@pytest.mark.parametrize(
    ("policy", "prior", "sd"),
    [
        (hoeffding([256], c=0.35, tasks=10_000, delta=0.05)[0], Normal(-0.1, 0.5), 1.0),
        (hoeffding([256], c=0.35, tasks=10_000, delta=0.05)[0], Atoms([0.05]), 1.0),
        (hoeffding([64], c=1.5, tasks=10_000, delta=0.05)[0], Normal(-1, 1), 4.0),
        (Policy([-np.inf] * 9 + [0], [3] * 9 + [0]), Normal(0, 5), 0.2),
        (Policy([-0.3] * 5 + [0] + [-0.2] * 10, [np.inf] * 5 + [0.5] + [0.2] * 10),
         Normal(0, 0.01), 1.0),
    ],
)  # fmt: skip
def test_a_finer_grid_changes_normal_figures_by_less_than_1e_9(
    policy: Policy, prior: Atoms | Normal, sd: float
) -> None:
    """The stated error is 1e-6 relative; four times as many panels show far less."""
    world = World(prior, Gaussian(sd))
    durations = np.arange(1, policy.cap + 1)
    for belief in beliefs(world, policy.cap):
        coarse = walk_normal(policy, belief, sd)
        fine = walk_normal(policy, belief, sd, panel=0.75)
        np.testing.assert_allclose(coarse.sum(axis=0), fine.sum(axis=0), rtol=1e-9)
        assert coarse[:, 0] @ durations == pytest.approx(fine[:, 0] @ durations, rel=1e-9)


CONJUGATE = [World(Beta(2, 3), Signs()), World(Beta(0.5, 9), Signs()),
             World(Normal(-0.2, 0.4), Gaussian(1.5))]  # fmt: skip


@pytest.mark.parametrize("world", CONJUGATE, ids=repr)
def test_conjugate_walks_equal_mixtures_of_known_values(world: World) -> None:
    """One walk under a conjugate belief gives what many walks under known values give."""
    policies = hoeffding([1, 8, 64], c=0.35, tasks=10_000, delta=0.05)
    values, weights = mixture(world, 64)
    kept = weights > 1e-18
    as_atoms = Atoms(values[kept], weights[kept] / weights[kept].sum())
    assert_same_figures(policies, world, World(as_atoms, world.law), 1e-10)


@pytest.mark.parametrize(
    ("prior", "law"),
    [
        (Normal(-0.1, 0.2), Signs()),
        (Normal(0.5, 2.0), Signs()),
        (Normal(-0.0003, 0.0045), Lift(0.012)),
        (Beta(2, 3), Lift(0.4)),
        (Beta(2, 3), Gaussian(1.0)),
    ],
    ids=repr,
)
def test_quadrature_equals_a_fine_grid_of_values(prior: Beta | Normal, law: Law) -> None:
    """The prior as 4,000 Gauss nodes of a plain rule over its range gives the same figures."""
    world = World(prior, law)
    mean, sd = prior.moments
    low, high = max(world.limits[0], mean - 12 * sd), min(world.limits[1], mean + 12 * sd)
    nodes, weights = fine_rule(low, high)
    density = weights * prior.density(nodes)
    kept = density > 1e-20
    as_atoms = Atoms(nodes[kept], density[kept] / density[kept].sum())
    caps = [1, 8, 64] if isinstance(law, Gaussian) else [1, 64, 512]
    policies = hoeffding(caps, c=0.1, tasks=10_000, delta=0.05)
    assert_same_figures(policies, world, World(as_atoms, law), 1e-9)


def fine_rule(low: float, high: float) -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(20)
    edges = np.linspace(low, high, 26)
    width = edges[1] - edges[0]
    return (
        (edges[:-1, None] + width * (1 + nodes) / 2).ravel(),
        np.tile(weights * width / 2, len(edges) - 1),
    )


def assert_same_figures(policies: Policies, one: World, other: World, rel: float) -> None:
    first, second = exact(policies, one), exact(policies, other)
    scale = np.abs(second.reward).max()
    np.testing.assert_allclose(first.cost, second.cost, rtol=rel)
    np.testing.assert_allclose(first.accept_rate, second.accept_rate, rtol=rel, atol=rel)
    np.testing.assert_allclose(first.reward, second.reward, rtol=rel, atol=rel * scale)


def test_nested_caps_give_what_each_policy_gives_alone() -> None:
    """A set that shares one walk has the figures of single policies, and of mixed sets."""
    world = World(MOSTLY_NULL, Signs())
    nested = hoeffding([1, 3, 7, 20], c=0.3, tasks=10_000, delta=0.05)
    mixed = Policies(sorted([*nested, fixed(5, 1), first_sample()], key=lambda p: p.cap))
    together = exact(mixed, world, setup_cost=3)
    for index, policy in enumerate(mixed):
        alone = exact(policy, world, setup_cost=3)
        assert together.roi[index] == pytest.approx(alone.roi[0], rel=1e-13)
        ours, theirs = together.profile(index), alone.profile(0)
        np.testing.assert_allclose(ours.probability, theirs.probability, atol=1e-15)
        np.testing.assert_allclose(ours.reward, theirs.reward, atol=1e-15)


@pytest.mark.parametrize("world", [World(MOSTLY_NULL, Signs()), World(Normal(0, 1), Gaussian(2))])
def test_the_law_of_the_duration_fits_the_figures(world: World) -> None:
    """Probabilities sum to 1; their mean is the cost; accepted and reward sum to the figures."""
    policies = hoeffding([1, 5, 30], c=0.3, tasks=10_000, delta=0.05)
    table = exact(policies, world, setup_cost=7)
    for index, cap in enumerate(policies.caps):
        profile = table.profile(index)
        assert len(profile.probability) == cap
        assert profile.probability.min() >= -1e-15
        assert profile.probability.sum() == pytest.approx(1, abs=1e-12)
        assert 7 + profile.probability @ np.arange(1, cap + 1) == pytest.approx(table.cost[index])
        assert profile.accepted.sum() == pytest.approx(table.accept_rate[index])
        assert profile.reward.sum() == pytest.approx(table.reward[index])


def test_a_rule_has_the_figures_of_the_policy_that_it_repeats() -> None:
    """Python functions are enumerated; the result is the walk's."""
    policy = Policy([-2, -2, -3, -1, 1], [2, 3, 2, 2, 1])

    def duration(samples: FloatArray) -> int:
        sums = np.cumsum(samples)
        return 1 + int(np.argmax((sums >= policy.upper) | (sums <= policy.lower)))

    def decision(d: int, samples: FloatArray) -> bool:
        return bool(samples[:d].sum() >= policy.upper[d - 1])

    rule = Rule(duration, decision, cap=5)
    for world in (World(MOSTLY_NULL, Signs()), World(Normal(0, 0.2), Lift(0.3))):
        ours, theirs = exact(rule, world), exact(policy, world)
        assert ours.reward[0] == pytest.approx(theirs.reward[0], abs=1e-12)
        assert ours.cost[0] == pytest.approx(theirs.cost[0], abs=1e-12)


@pytest.mark.parametrize(
    ("cap", "law"), [(17, Signs()), (40, Signs()), (11, Lift(0.3)), (1, Gaussian(1))]
)
def test_a_rule_with_too_many_sequences_is_refused(cap: int, law: Law) -> None:
    """The message says what to do instead."""
    rule = Rule(lambda _: 1, lambda _d, _x: True, cap=cap)
    with pytest.raises(InvalidInput, match="sampled=True"):
        exact(rule, World(Atoms([0.1]), law))


@pytest.mark.parametrize("setup_cost", [-1, np.nan, np.inf, "x", None])
def test_a_set_up_cost_that_is_no_cost_is_refused(setup_cost: float) -> None:
    """Negative, not a number, infinite or not numeric."""
    with pytest.raises(InvalidInput, match="set-up cost must be"):
        exact(first_sample(), World(Atoms([0]), Signs()), setup_cost=setup_cost)


def test_memory_grows_with_the_cap_not_with_its_square() -> None:
    """A cap of 20,000 would take 3 GB as a square of sums; it takes a few MB."""
    policy = hoeffding([20_000], c=0.35, tasks=10_000, delta=0.05)
    world = World(Atoms([0.0]), Signs())
    exact(policy[0], World(Atoms([1.0]), Signs()))
    _stops.cache_clear()
    tracemalloc.start()
    exact(policy, world)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200 * 20_000


@pytest.mark.parametrize("setup_cost", [0.0, 20.0])
def test_the_best_of_countably_many_is_the_best_of_all_that_could_be(setup_cost: float) -> None:
    """Searching much farther by brute force finds nothing better."""
    family = Countable(c=0.35, tasks=10_000, delta=0.05)
    world = World(Atoms([-0.05, 0.6], [0.9, 0.1]), Signs())
    best = best_of(family, world, setup_cost)
    far = exact(family.first(2048), world, setup_cost)
    assert best.k == far.best + 1
    assert best.roi == pytest.approx(far.roi.max(), rel=1e-13)


def test_where_nothing_is_worth_accepting_the_best_is_to_accept_nothing() -> None:
    """All values are below 0, and the first policy cannot accept after one sample."""
    family = Countable(c=0.35, tasks=10_000, delta=0.05)
    assert best_of(family, World(Atoms([-0.5]), Signs())) == (1, 0.0)


def test_a_search_without_end_is_given_up_in_one_sentence() -> None:
    """Values so small under a band so wide that no policy short enough accepts anything."""
    family = Countable(c=5.0, tasks=10_000, delta=0.05)
    with pytest.raises(InvalidInput, match="worth accepting"):
        best_of(family, World(Atoms([-0.001, 0.001]), Signs()))


def test_exact_says_when_rejecting_everything_is_best() -> None:
    """Where all policies lose, or earn nothing; and not where one of them earns something."""
    policies = hoeffding([1, 2, 4], c=0.1, tasks=100, delta=0.05)
    losing = exact(policies, World(Atoms([-0.5]), Signs()))
    assert losing.note is not None
    assert "rejecting everything earns 0 and beats all these policies" in losing.note
    assert f"{losing.roi.max():.3g}" in losing.note
    nothing = exact(fixed(4, threshold=9), World(Atoms([0.5]), Signs()))
    assert nothing.note is not None
    assert "no policy earns anything" in nothing.note
    assert exact(policies, World(Atoms([-0.5, 0.5]), Signs())).note is None


def test_a_hundred_thousand_caps_take_seconds() -> None:
    """Policies cut from the same boundaries are neither hashed nor compared entry by entry."""
    policies = hoeffding(range(1, 100_001), c=0.35, tasks=10_000, delta=0.05)
    table = exact(policies, World(Atoms([-0.05, 0.6], [0.9, 0.1]), Signs()), 20.0)
    assert len(policies.chains) == 1
    few = exact(policies[::1000], World(Atoms([-0.05, 0.6], [0.9, 0.1]), Signs()), 20.0)
    np.testing.assert_allclose(table.roi[::1000], few.roi, rtol=1e-12)
    again = hoeffding(range(1, 50), c=0.35, tasks=10_000, delta=0.05)
    same = hoeffding(range(1, 50), c=0.35, tasks=10_000, delta=0.05)
    assert again == same
    assert hash(again) == hash(same)
