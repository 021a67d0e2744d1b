"""Evidence: how policies stand on one another, and what may be eliminated."""

from itertools import product
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import Atoms, Policies, Policy, Rule, Signs, World, exact, fixed, hoeffding, scan
from dwell.arrays import FloatArray
from dwell.estimate.lines import radius
from dwell.learners.evidence import Evidence, Reach, Rungs
from dwell.records import until_stopped
from tests.strategies import PROPERTY, policy_sets

SMALL = st.integers(-3, 3).map(float)
HEAD = Policy([-2, -3, -3, 1], [2, 3, 3, 1])
MIXED = Policies(
    [
        HEAD.truncated(1),
        fixed(2, 1),
        Rule(lambda _: 2, lambda _, x: bool(x[0] > 0), cap=2),
        HEAD.truncated(3),
        fixed(3, 1),
        HEAD,
    ]
)


def test_every_policy_stands_on_the_next_shorter_one_of_its_chain() -> None:
    """Rules, and policies with another band, stand on the ground."""
    rungs = Rungs(MIXED)
    assert rungs.below.tolist() == [-1, -1, -1, 0, -1, 3]
    assert rungs.widths.tolist() == [1, 2, 2, 2, 3, 1]
    assert rungs.totals(np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])).tolist() == [1, 2, 4, 9, 16, 41]
    assert rungs.same_chain(3).tolist() == [0, 3, 5]
    assert rungs.same_chain(2).tolist() == [2]
    assert rungs.stopped_by(2).tolist() == [2]


def test_a_part_of_the_policies_is_recorded_by_columns() -> None:
    """Each column knows its policy, and the column that it stands on."""
    rungs = Rungs(MIXED)
    assert rungs.below_among((0, 2, 3, 5)).tolist() == [-1, -1, 0, 2]


def durations(policies: Policies, observations: Any) -> Any:
    """How long each policy runs on every sequence of observations."""
    sequences = list(product(observations, repeat=policies.caps[-1]))
    return scan(np.array(sequences, dtype=np.int8), policies).durations


@given(policies=policy_sets(longest=6, edges=SMALL))
@PROPERTY
def test_policies_that_are_said_to_have_stopped_have_stopped(policies: Policies) -> None:
    """On every sequence of -1, 0 and 1, whatever the bands; a policy has stopped by itself."""
    rungs = Rungs(policies)
    stops = durations(policies, (-1, 0, 1))
    for k in range(len(policies)):
        found = rungs.stopped_by(k)
        assert k in found
        assert (stops[:, found] <= stops[:, [k]]).all()
        # Where a policy is recorded, so are the shorter ones of its chain.
        assert set(rungs.below[found]) <= {-1, *found.tolist()}


@given(
    bands=st.lists(
        st.lists(st.integers(1, 3), min_size=4, max_size=4), min_size=1, max_size=3, unique_by=tuple
    )
)
@PROPERTY
def test_all_policies_that_always_stop_before_are_found(bands: list[list[int]]) -> None:
    """Symmetric bands of whole numbers, and samples that reach any of them in a step."""
    heads = [Policy([-float(edge) for edge in band], band) for band in bands]
    policies = Policies(head.truncated(cap) for cap in (1, 2, 4) for head in heads)
    stops = durations(policies, range(-3, 4))
    for k in range(len(policies)):
        always = np.flatnonzero((stops <= stops[:, [k]]).all(axis=0))
        assert Rungs(policies).stopped_by(k).tolist() == always.tolist()


def test_on_a_hoeffding_grid_narrower_and_shorter_policies_have_stopped() -> None:
    """And no others but those that draw a single sample."""
    caps, widths = (1, 4, 9), (0.2, 0.35, 0.5)
    grid = [hoeffding(caps, c=c, tasks=100, delta=0.05) for c in widths]
    policies = Policies(policy for same_cap in zip(*grid, strict=True) for policy in same_cap)
    rungs = Rungs(policies)
    pairs = [(cap, width) for cap in caps for width in widths]
    for k, (cap, width) in enumerate(pairs):
        expected = [j for j, (d, c) in enumerate(pairs) if d <= cap and (c <= width or d == 1)]
        assert rungs.stopped_by(k).tolist() == expected


def test_estimates_are_means_of_tasks() -> None:
    """Where all tasks have recorded all policies, sums of rungs are sums over tasks."""
    policies = Policies([HEAD.truncated(1), fixed(2, 1), HEAD.truncated(3), HEAD])
    rows = World(Atoms([-0.2, 0.5]), Signs()).sample(200, 8, rng=4)[1]
    records = until_stopped(rows, policies, extras=2)
    evidence = empty_evidence(policies)
    evidence.add(records, (0, 1, 2, 3))
    assert records.rewards is not None
    np.testing.assert_allclose(evidence.reward, records.rewards.mean(axis=0))
    np.testing.assert_allclose(evidence.accept_rate, records.decisions.mean(axis=0))
    # In the imagined task a rung is as long as it took to get to it, if it can be.
    longest = 1 + 1 + min(HEAD.cap - 3, 3)
    imagined = np.vstack([records.durations, [1, 2, 1 + 1, longest]])
    np.testing.assert_allclose(evidence.cost, 5.0 + imagined.mean(axis=0))
    assert (evidence.reward_variance > 0.0).all()


def test_variances_are_those_of_the_mean_rewards() -> None:
    """Over 400 repetitions, to within 40 %.

    That is more than 5 standard deviations of a variance of 400 figures: false alarms below 1e-6.
    """
    policies = Policies([HEAD.truncated(1), HEAD.truncated(3), HEAD])
    world, estimates, variances = World(Atoms([-0.2, 0.5]), Signs()), [], []
    for seed in range(400):
        evidence = empty_evidence(policies)
        rows = world.sample(200, 8, rng=seed)[1]
        evidence.add(until_stopped(rows, policies, 2), (0, 1, 2))
        estimates.append(evidence.reward)
        variances.append(evidence.reward_variance)
    truth = exact(policies, world).reward
    found, claimed = np.var(estimates, axis=0)[1:], np.mean(variances, axis=0)[1:]
    assert claimed == pytest.approx(found, rel=0.4)
    assert np.mean(estimates, axis=0) == pytest.approx(truth, abs=5 * (claimed.max() / 400) ** 0.5)


def empty_evidence(policies: Policies) -> Evidence:
    sums = np.zeros((Evidence.ROWS, len(policies)))
    return Evidence(Rungs(policies), sums, setup_cost=5.0, bound=1.0)


def test_before_any_task_bounds_are_what_cannot_be_otherwise() -> None:
    """Rewards within the range of observations, costs from one sample to the cap."""
    evidence = empty_evidence(MIXED)
    bounds = evidence.reach(0.05).bounds
    assert bounds.reward_low.tolist() == [-1.0] * 6
    assert bounds.reward_high.tolist() == [1.0] * 6
    assert bounds.cost_low.tolist() == [6.0] * 6
    assert bounds.cost_high.tolist() == [5.0 + cap for cap in MIXED.caps]
    assert evidence.reward.tolist() == [0.0] * 6
    first = evidence.rungs.below < 0
    assert evidence.cost[first].tolist() == bounds.cost_high[first].tolist()
    assert (evidence.cost <= bounds.cost_high).all()


# What may be eliminated.

CLASSES = {
    "a chain": Policies([HEAD.truncated(cap) for cap in (1, 2, 3, 4)]),
    "two chains and a rule": MIXED,
}


def random_reach(policies: Policies, seed: int) -> tuple[Reach, FloatArray, FloatArray]:
    """Bounds on rungs, and true rewards and costs within them."""
    rng = np.random.default_rng(seed)
    rungs, number = Rungs(policies), len(policies)
    width = rng.choice([0.01, 0.1, 0.5])
    shares = rng.choice([0.01, 0.3, 1.0], (4, number))  # never 0: ends would tie by rounding
    reward = rng.choice([-0.2, -0.02, 0.0, 0.02, 0.2], number) + rng.normal(0, 0.02, number)
    duration = (rungs.below < 0) + rng.choice([0.0, 0.1, 1.0], number) * rng.random(number)
    reach = Reach(
        rungs,
        reward_low=rungs.totals(reward - shares[0] * width),
        reward_high=rungs.totals(reward + shares[1] * width),
        cost_low=rungs.totals(np.maximum(duration - shares[2] * width, rungs.below < 0)),
        cost_high=rungs.totals(duration + shares[3] * width),
        bound=9.0,
    )
    return reach, rungs.totals(reward), rungs.totals(duration)


@pytest.mark.parametrize("name", CLASSES)
def test_a_best_policy_is_never_hopeless_while_the_bounds_hold(name: str) -> None:
    """5,000 random bounds, some so narrow that most policies are hopeless."""
    eliminated = 0
    for seed in range(5000):
        reach, reward, cost = random_reach(CLASSES[name], seed)
        best = max(0.0, float((reward / cost).max()))
        hopeless = reach.hopeless(np.full(len(reward), True))
        assert ((reward / cost)[hopeless] < best - 1e-15).all()
        eliminated += int(hopeless.sum())
    assert eliminated > 5000


@pytest.mark.parametrize("name", CLASSES)
def test_hopeless_is_below_0_or_below_another_of_the_chain(name: str) -> None:
    """Pair by pair: the worst of theta and of the rungs between decides."""
    policies = CLASSES[name]
    chains = [chain.members.tolist() for chain in policies.chains]
    for seed in range(1000):
        reach, _, _ = random_reach(policies, seed)
        candidates = np.random.default_rng(seed).random(len(policies)) < 0.8
        low = max(0.0, *reach.bounds.roi_low)
        high = max([low, *reach.bounds.roi_high[candidates]])
        gain = reach.reward_high - low * reach.cost_low  # at most
        loss = high * reach.cost_high - reach.reward_low  # at most
        for k, hopeless in enumerate(reach.hopeless(candidates)):
            [chain] = [chain for chain in chains if k in chain] or [[k]]
            margins = [
                gain[k],
                *(gain[k] - gain[j] for j in chain if j < k),
                *(loss[j] - loss[k] for j in chain if j > k),
            ]
            if abs(min(margins)) > 1e-12:
                assert hopeless == (min(margins) < 0.0)


# The radius that all bounds come from.


@given(
    count=st.integers(1, 10**6),
    squares=st.floats(0, 1),
    scale=st.floats(1e-3, 1e3),
    alpha=st.floats(1e-12, 0.9),
)
@PROPERTY
def test_the_radius_grows_with_the_spread_and_with_certainty(
    count: int, squares: float, scale: float, alpha: float
) -> None:
    """It is finite, positive, and scales with the observations."""
    spread = squares * count
    ours = radius(count, spread * scale**2, scale=scale, alpha=alpha)
    assert 0.0 < ours < inf
    assert ours == pytest.approx(scale * radius(count, spread, scale=1.0, alpha=alpha))
    assert ours <= radius(count, 2 * spread * scale**2, scale=scale, alpha=alpha)
    assert ours < radius(count, spread * scale**2, scale=scale, alpha=alpha / 2)


def test_nothing_is_known_of_what_was_never_seen_and_all_of_what_cannot_vary() -> None:
    """No observations give an infinite radius; observations without a range, one of 0."""
    assert radius([0, 5], [0.0, 0.0], scale=1.0, alpha=0.05).tolist()[0] == inf
    assert radius(5, 0.0, scale=0.0, alpha=0.05) < 1e-300
