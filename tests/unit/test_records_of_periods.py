"""Records of tasks that are known by sums over periods: against a plain loop, and without bias."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import Cape, Ladder, Policies, Policy, fixed, hoeffding
from dwell.learners.evidence import Rungs
from dwell.periods import Periods
from dwell.records import at_period_ends, unfinished
from tests.contract.cases import begun
from tests.plain import run_on_periods
from tests.refusals import refused
from tests.strategies import PROPERTY, policy_sets


def periods_of(tasks: list[list[tuple[int, float]]]) -> Periods:
    lengths = np.array([len(task) for task in tasks], dtype=np.int64)
    flat = [period for task in tasks for period in task]
    counts = np.array([count for count, _ in flat], dtype=np.int64)
    return Periods(lengths, counts, np.array([total for _, total in flat], dtype=np.float64))


TASKS = st.lists(
    st.lists(st.tuples(st.integers(1, 4), st.integers(-4, 4).map(float)), max_size=8),
    min_size=1,
    max_size=5,
)


@given(
    policies=policy_sets(longest=6, edges=st.integers(-3, 3).map(float)).filter(
        lambda policies: not policies.rules
    ),
    tasks=TASKS,
    extras=st.integers(0, 5),
    oversamples=st.booleans(),
)
@PROPERTY
def test_periods_are_recorded_as_the_plain_loop_does(
    policies: Policies, tasks: list[list[tuple[int, float]]], extras: int, oversamples: bool
) -> None:
    """Stops, decisions, the mean of the periods after all stops, and what is drawn for it."""
    extras = 0 if oversamples else extras
    periods = periods_of(tasks)
    records = at_period_ends(periods, policies, extras=extras, oversamples=oversamples)
    wanting = unfinished(records, periods.samples)
    for task, days in enumerate(tasks):
        outcomes = [run_on_periods(each, days, 0) for each in policies if isinstance(each, Policy)]
        stops, decisions, _ = map(list, zip(*outcomes, strict=True))
        assert records.decisions[task].tolist() == decisions
        assert records.durations[task].tolist() == stops
        stopped, more = max(stops), extras if 1 in decisions else 0
        if oversamples:
            stopped = more = policies.caps[-1]
        drawn, after, total = 0, 0, 0.0
        for count, day in days:
            if drawn >= stopped:
                if after >= more:
                    break
                after, total = after + count, total + day
            drawn += count
        done = drawn >= stopped and after >= more and -1 not in decisions
        assert wanting[task] == (not done)
        if done:
            assert records.drawn[task] == drawn
            if records.estimates is not None:
                assert records.estimates[task, 0] == pytest.approx(total / max(after, 1))


LONG = Policy([-2, -3, -3, -2, -4, 1], [1, 3, 2, 3, 3, 1])
CLASSES = {
    "a chain": Policies([LONG.truncated(cap) for cap in (1, 2, 3, 6)]),
    "two bands": Policies([fixed(1, 1), LONG.truncated(3), fixed(4, 0), LONG]),
}
DAYS = [2, 1, 3, 2, 3, 2]


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("value", [-0.4, 0.0, 0.7])
def test_estimates_from_whole_periods_are_unbiased(name: str, value: float) -> None:
    """Over all sequences of signs, what is recorded is what is earned, to 1e-12; rungs add up."""
    policies = CLASSES[name]
    rows = np.array(list(product((-1, 1), repeat=sum(DAYS))))
    weights = np.prod((1.0 + value * rows) / 2.0, axis=1)
    ends = np.cumsum(DAYS)
    sums = np.diff(np.cumsum(rows, axis=1)[:, ends - 1], axis=1, prepend=0)
    periods = Periods(
        np.full(len(rows), len(DAYS)), np.tile(DAYS, len(rows)), sums.ravel().astype(float)
    )
    rungs = Rungs(policies)
    below = rungs.below_among(tuple(range(len(policies))))
    for oversamples, extras in ((False, 3), (True, 0)):
        records = at_period_ends(periods, policies, extras=extras, oversamples=oversamples)
        assert not unfinished(records, periods.samples).any()
        assert records.rewards is not None
        assert records.estimates is not None
        accepted = weights @ (records.decisions == 1)
        np.testing.assert_allclose(weights @ records.rewards, value * accepted, atol=1e-12)
        shorter = np.where(below >= 0, records.decisions[:, below], 0)
        rewards = weights @ ((records.decisions - shorter) * records.estimates)
        np.testing.assert_allclose(rungs.totals(rewards), value * accepted, atol=1e-12)


def test_a_learner_learns_from_daily_sums() -> None:
    """A design takes days in place of samples, and refuses a test that goes on."""
    rng = np.random.default_rng(3)
    policies = hoeffding([10, 20, 40], c=0.35, tasks=1000, delta=0.05)
    for learner in (Ladder(policies, setup_cost=5), Cape(policies, tasks=300, announce=False)):
        for _ in range(300):
            design = begun(learner)
            value = rng.choice([-0.1, 0.5], p=[0.7, 0.3])
            ones = rng.binomial(10, (1 + value) / 2, size=12)
            days = (2 * ones - 10).astype(np.float64)
            records = design.record(Periods(np.array([12]), np.full(12, 10), days))
            assert (records.durations % 10 == 0).all()
            learner.learn(design, records)
        assert learner.knowledge().explored in (300, 45)
        design = begun(learner)
        with refused("goes on", "has 0"):
            design.record(Periods(np.array([0]), np.empty(0, dtype=np.int64), np.empty(0)))
