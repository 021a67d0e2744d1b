"""Records of tasks that end where the policies stop: against a plain loop, and without bias.

Over all sequences of samples, weighted by their probability, what a task is recorded to earn is
exactly what it earns.
"""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import Atoms, Lift, Policies, Policy, Rule, Signs, World, exact, fixed, hoeffding, scales
from dwell.arrays import FloatArray, IntArray, Samples
from dwell.kernels.climbing import DURATIONS, REWARDS
from dwell.laws import Law
from dwell.learners.evidence import Evidence, Rungs
from dwell.records import Records, unfinished, until_stopped
from tests.plain import record_task
from tests.refusals import refused
from tests.strategies import PROPERTY, policy_sets

SMALL = st.integers(-3, 3).map(float)


@given(
    policies=policy_sets(longest=6, edges=SMALL),
    rows=st.integers(0, 12).flatmap(
        lambda length: st.lists(
            st.lists(st.integers(-2, 2), min_size=length, max_size=length), min_size=1, max_size=6
        )
    ),
    extras=st.integers(0, 3),
    whole=st.booleans(),
)
@PROPERTY
def test_tasks_are_recorded_as_the_plain_loop_does(
    policies: Policies, rows: list[list[int]], extras: int, whole: bool
) -> None:
    """Outcomes, means and samples needed of every task that has enough; the others are named."""
    samples = np.array(rows, dtype=np.int8 if whole else np.float64)
    records = until_stopped(samples, policies, extras)
    assert (records.estimates is None) == (extras == 0)
    wanting = unfinished(records, samples.shape[1])
    for task, row in enumerate(rows):
        expected = record_task(policies, row, extras)
        assert records.durations[task].tolist() == expected.durations
        assert records.decisions[task].tolist() == expected.decisions
        assert wanting[task] == (-1 in expected.decisions or expected.drawn > len(row))
        if wanting[task]:
            continue
        assert records.drawn[task] == expected.drawn
        if records.rewards is not None:
            earned = [a * m for a, m in zip(expected.decisions, expected.means, strict=True)]
            assert records.rewards[task].tolist() == earned


def test_one_chain_shares_one_estimate_and_others_have_one_each() -> None:
    """Policies of one chain accept at the same moment; a rule or another band may not."""
    rows = World(Atoms([0.4]), Signs()).sample(50, 20, rng=1)[1]
    chain = hoeffding([1, 4, 9], c=0.3, tasks=100, delta=0.05)
    rule = Rule(lambda _: 9, lambda _, x: bool(x[0] > 0), cap=9)
    for policies, columns in (
        (chain, 1),
        (Policies([chain[2]]), 1),
        (Policies([*chain, fixed(9)]), 4),
        (Policies([*chain, rule]), 4),
        (Policies([rule]), 1),
    ):
        records = until_stopped(rows, policies, extras=2)
        assert records.estimates is not None
        assert records.estimates.shape == (50, columns)


def test_a_rule_is_followed_by_samples_too() -> None:
    """It stops at the second sample, and accepts where that is 1."""
    rule = Rule(lambda _: 2, lambda d, x: bool(x[d - 1] > 0), cap=2)
    rows = np.array([[1, 1, -1, -1, 1], [1, -1, 1, 1, 1]], dtype=np.int8)
    records = until_stopped(rows, Policies([rule]), extras=3)
    assert records.rewards is not None
    assert records.rewards.tolist() == [[pytest.approx(-1 / 3)], [0.0]]
    assert records.drawn.tolist() == [5, 2]


def test_a_task_that_nobody_accepts_needs_no_more_samples() -> None:
    """Rejected ideas earn exactly 0, so that nothing is to be estimated."""
    records = until_stopped(np.full((3, 4), -1, dtype=np.int8), Policies([fixed(1, 1)]), extras=3)
    assert records.drawn.tolist() == [1, 1, 1]
    assert records.rewards is not None
    assert records.rewards.tolist() == [[0.0]] * 3


def test_records_of_unequal_numbers_are_refused() -> None:
    """A decision and a number of samples belong to each duration."""
    records = until_stopped(np.ones((3, 4), dtype=np.int8), Policies([fixed(1, 1)]), extras=3)
    for other in ({"decisions": records.decisions[:2]}, {"drawn": records.drawn[:2]}):
        with refused("decision", (3, 1)):
            replace(records, **other)
    with refused("estimate", (3, 2)):
        replace(records, estimates=np.zeros((3, 2)))


# Without bias: sums over all sequences.

LONG = Policy([-2, -3, -3, -2, -4, -3, -2, -3, -2, 1], [1, 3, 2, 3, 3, 1, 3, 2, 4, 1])
CHAIN = Policies([LONG.truncated(cap) for cap in (1, 2, 3, 6, 10)])
GRID = Policies(
    policy
    for same_cap in zip(
        *(hoeffding([1, 3, 7, 10], c=c, tasks=10, delta=0.2) for c in (0.2, 0.35, 0.6)), strict=True
    )
    for policy in same_cap
)
CLASSES = {"a chain": CHAIN, "a grid": GRID, "scales": scales([1, 2, 4, 10], sd=1.0)}


def every_sequence(observations: tuple[int, ...], length: int) -> Samples:
    return np.array(list(product(observations, repeat=length)), dtype=np.int8)


def likelihood(sequences: Samples, chances: dict[int, float]) -> FloatArray:
    weights = np.ones(len(sequences))
    for observation, chance in chances.items():
        weights *= chance ** (sequences == observation).sum(axis=1)
    return weights


def per_task(records: Records, rungs: Rungs, columns: IntArray) -> tuple[FloatArray, FloatArray]:
    """What each single task adds to the rewards and durations of the rungs."""
    rewards, durations = [], []
    for task in range(len(records)):
        sums = np.zeros((Evidence.ROWS, len(rungs.policies)))
        evidence = Evidence(rungs, sums, setup_cost=0.0, bound=1.0)
        assert records.estimates is not None
        alone = slice(task, task + 1)
        one = Records(
            records.durations[alone],
            records.decisions[alone],
            records.estimates[alone],
            records.drawn[alone],
        )
        evidence.add(one, tuple(columns.tolist()))
        rewards.append(sums[REWARDS])
        durations.append(sums[DURATIONS])
    return np.array(rewards), np.array(durations)


def check_unbiased(
    policies: Policies, columns: IntArray, law: Law, chances: Any, values: list[float], extras: int
) -> None:
    """Records of some policies, against the exact figures of the same."""
    rungs = Rungs(policies)
    recorded = Policies(policies[index] for index in columns)
    observations = tuple(chances(values[0]))
    sequences = every_sequence(observations, recorded.caps[-1] + extras)
    records = until_stopped(sequences, recorded, extras)
    assert not unfinished(records, sequences.shape[1]).any()
    assert records.rewards is not None
    rung_rewards, rung_durations = per_task(records, rungs, columns)
    for value in values:
        weights = likelihood(sequences, chances(value))
        assert weights.sum() == pytest.approx(1.0, abs=1e-12)
        table = exact(recorded, World(Atoms([value]), law))
        close: Any = {"rtol": 0.0, "atol": 1e-12}
        earned = value * (weights @ (records.decisions == 1))
        np.testing.assert_allclose(weights @ records.rewards, earned, **close)
        np.testing.assert_allclose(earned, table.reward, **close)
        totals = rungs.totals(weights @ rung_rewards)[columns]
        np.testing.assert_allclose(totals, earned, **close)
        totals = rungs.totals(weights @ rung_durations)[columns]
        np.testing.assert_allclose(totals, table.cost, rtol=0.0, atol=1e-11)


def signs(value: float) -> dict[int, float]:
    return {-1: (1 - value) / 2, 1: (1 + value) / 2}


@pytest.mark.parametrize("extras", [1, 2, 3])
@pytest.mark.parametrize("name", CLASSES)
def test_estimates_are_unbiased_and_so_are_sums_of_rungs(name: str, extras: int) -> None:
    """Over all sequences of up to 13 signs, at five values, to 12 digits."""
    policies = CLASSES[name]
    every = np.arange(len(policies))
    check_unbiased(policies, every, Signs(), signs, [-1.0, -0.6, 0.0, 0.3, 0.9], extras)


@pytest.mark.parametrize("name", CLASSES)
def test_rungs_are_unbiased_in_tasks_that_only_some_policies_see(name: str) -> None:
    """Those up to a cap, or those that have stopped once another has."""
    policies = CLASSES[name]
    rungs = Rungs(policies)
    seen = [np.flatnonzero(rungs.caps <= cap) for cap in policies.caps if cap < 10]
    seen += [rungs.stopped_by(index) for index in range(len(policies)) if policies.caps[index] < 10]
    for columns in {tuple(columns.tolist()): columns for columns in seen}.values():
        check_unbiased(policies, columns, Signs(), signs, [-0.6, 0.3], extras=2)


def test_estimates_are_unbiased_with_three_outcomes() -> None:
    """The difference of two click rates is -1, 0 or 1."""
    law = Lift(0.3)

    def lifts(value: float) -> dict[int, float]:
        minus, plus = 0.21 - 0.3 * value, 0.21 + 0.7 * value
        return {-1: minus, 0: 1.0 - minus - plus, 1: plus}

    head = Policy([-2, -1, -2, -1, 1], [2, 2, 1, 2, 1])
    policies = Policies([head.truncated(2), fixed(3, 0), head.truncated(4), head])
    check_unbiased(policies, np.arange(4), law, lifts, [-0.2, 0.1, 0.6], extras=2)
