"""Evaluation of policies on past tests: figures, intervals, comparisons, the current rule."""

from typing import Any

import numpy as np
import pytest

from dwell import AtEnd, Atoms, Policies, Signs, World, fixed, hoeffding
from dwell.history.reading.blocks import PeriodBlock, SampleBlock
from dwell.history.replay.current_rule import ByPolicy, CurrentOutcomes
from dwell.history.replay.evaluation import Evaluation, evaluated
from dwell.history.replay.replay import replay, replay_block
from tests.refusals import refused

POLICIES = Policies(
    [fixed(1, 1), *hoeffding([2, 4, 8], c=0.2, tasks=10, delta=0.5), fixed(9, 3)],
)
WAYS = [("bernstein", "normal"), ("betting", "bootstrap")]


def block(tests: int = 400, values: tuple[float, ...] = (-0.3, 0.3)) -> SampleBlock:
    _, samples = World(Atoms(values), Signs()).sample(tests, 20, rng=0)
    return SampleBlock(tuple(map(str, range(tests))), np.full(tests, 20), samples.ravel())


def evaluation(past: SampleBlock, policies: Any = POLICIES, **options: Any) -> Evaluation:
    found = replay(past.samples, policies, past.lengths)
    return evaluated(found, AtEnd().on(past), **options)


@pytest.mark.parametrize(("guaranteed", "approximate"), WAYS)
def test_figures_are_means_over_tests(guaranteed: str, approximate: str) -> None:
    """Whatever the intervals, the figures are the same, and lie inside."""
    past = block()
    seen = replay(past.samples, POLICIES, past.lengths)
    current = AtEnd().on(past)
    found = evaluation(
        past, setup_cost=4.0, bound=1, longest=20, guaranteed=guaranteed, approximate=approximate
    )
    for k in range(len(POLICIES)):
        assert found.reward[k] == pytest.approx(seen.rewards(k).mean())
        assert found.cost[k] == pytest.approx(4.0 + seen.durations(k).mean())
        assert found.accept_rate[k] == pytest.approx(seen.accepts(k).mean())
        assert found.saved[k] == pytest.approx(1.0 - seen.durations(k).mean() / 20.0)
    assert found.current.roi == pytest.approx(current.rewards.mean() / 24.0)
    assert found.best == int(np.argmax(found.roi))
    gains = found.roi - found.current.roi
    assert found.guaranteed is not None
    for verdict in (found.guaranteed, found.approximate):
        assert (verdict.roi_low <= found.roi).all()
        assert (found.roi <= verdict.roi_high).all()
        assert verdict.current.low <= found.current.roi <= verdict.current.high
        assert (verdict.gain_low <= gains).all()
        assert (gains <= verdict.gain_high).all()
        assert (verdict.lead_low <= found.roi - found.roi.max()).all()
        assert (found.roi - found.roi.max() <= verdict.lead_high).all()
        assert found.best in verdict.indistinguishable
    # What is certain costs some width.
    assert (
        found.guaranteed.roi_high - found.guaranteed.roi_low
        > found.approximate.roi_high - found.approximate.roi_low
    ).all()


@pytest.mark.parametrize(("guaranteed", "approximate"), WAYS)
def test_what_is_clearly_worse_is_distinguished(guaranteed: str, approximate: str) -> None:
    """To draw nine samples where one says as much is worse, and found to be; so is to the end."""
    found = evaluation(
        block(4000), bound=1, longest=20, guaranteed=guaranteed, approximate=approximate
    )
    assert found.guaranteed is not None
    for verdict in (found.guaranteed, found.approximate):
        assert found.best == 0
        assert len(POLICIES) - 1 not in verdict.indistinguishable
        assert verdict.gain_low[0] > 0.0
    assert found.corrected.gain > 4.0 * found.corrected.gain_error


def test_a_policy_gains_nothing_over_itself() -> None:
    """Compared test by test with itself, its gain is 0 within every interval, and barely wide."""
    past = block()
    now = replay(past.samples, [POLICIES[2]], past.lengths)
    seen = replay(past.samples, POLICIES, past.lengths)
    drawn, shares = now.durations(0).astype(np.int64), now.accepts(0).astype(float)
    current = CurrentOutcomes(drawn, shares, now.rewards(0), int(now.caps[0]))
    for approximate in ("normal", "bootstrap"):
        found = evaluated(seen, current, bound=1, approximate=approximate)
        assert found.approximate.gain_low[2] == pytest.approx(0.0, abs=1e-12)
        assert found.approximate.gain_high[2] == pytest.approx(0.0, abs=1e-12)
        assert found.guaranteed is not None
        assert found.guaranteed.gain_low[2] <= 0.0 <= found.guaranteed.gain_high[2]


def test_joint_bootstrap_intervals_are_like_normal_ones() -> None:
    """On many tests, they are nearly as wide, and no wider than what they bound needs."""
    past = block(2000)
    normal = evaluation(past, setup_cost=5).approximate
    again = evaluation(past, setup_cost=5, approximate="bootstrap").approximate
    ratio = (again.roi_high - again.roi_low) / (normal.roi_high - normal.roi_low)
    assert (ratio > 0.8).all()
    assert (ratio < 1.1).all()


def test_without_bounds_nothing_is_certain() -> None:
    """Where nobody knows how far samples may lie from 0, only approximate intervals are given."""
    assert evaluation(block()).guaranteed is None


def test_the_longest_test_so_far_guarantees_nothing() -> None:
    """The current rule has a guaranteed interval, and gains have, if a longest test is declared."""
    past = block()
    found = evaluation(past, bound=1).guaranteed
    assert found is not None
    assert np.isnan([*found.current, *found.gain_low, *found.gain_high]).all()
    assert np.isfinite([*found.roi_low, *found.roi_high, *found.lead_low, *found.lead_high]).all()
    for longest in (20, 10**12):
        declared = evaluation(past, bound=1, longest=longest)
        assert declared.guaranteed is not None
        ends = declared.guaranteed.current
        assert ends.low < declared.current.roi < ends.high
        assert np.isfinite([*declared.guaranteed.gain_low, *declared.guaranteed.gain_high]).all()
    # Of a policy it is known how long it runs.
    alone = ByPolicy(fixed(9, 3)).on(past)
    seen = evaluated(replay(past.samples, POLICIES, past.lengths), alone, bound=1).guaranteed
    assert seen is not None
    assert np.isfinite([*seen.current, *seen.gain_low]).all()
    with refused("longest", "20", "19"):
        evaluation(past, bound=1, longest=19)


def test_on_batches_nothing_is_guaranteed_without_a_longest_test() -> None:
    """A policy may draw more than its cap by a period, and nobody knows how large those may be."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 9, 200)
    sums = rng.uniform(-sizes, sizes)
    days = PeriodBlock(tuple(map(str, range(50))), np.full(50, 4), sizes, sums, np.ones(200))
    seen = replay_block(days, POLICIES)
    parts = replay_block(days, POLICIES).joined(seen)
    for current in (AtEnd().on(days), ByPolicy(fixed(1, 1)).on(days)):
        assert evaluated(seen, current, bound=1).guaranteed is None
        assert evaluated(parts, current.joined(current), bound=1).guaranteed is None
        found = evaluated(seen, current, bound=1, longest=32).guaranteed
        assert found is not None
        assert np.isfinite([*found.current, *found.roi_low, *found.gain_high]).all()


def test_where_nothing_earns_there_is_no_best() -> None:
    """All ideas are harmful: no policy is recommended, and none is like it."""
    found = evaluation(block(50, (-0.9,)), [fixed(1, -1), fixed(2, -2)])
    assert (found.best, found.approximate.indistinguishable) == (None, ())
    assert np.isnan(found.approximate.lead_low).all()
    assert found.corrected.roi < 0.0


def test_tests_that_end_too_soon_are_counted() -> None:
    """A policy that wants more samples than there are is truncated, and that is said."""
    past = SampleBlock(("a", "b", "c"), np.array([2, 4, 6]), np.ones(12))
    assert evaluation(past, [fixed(1, 1), fixed(4, 4)]).truncated.tolist() == [0, 2]


def test_bad_input_is_refused() -> None:
    """One sentence each."""
    with refused("guaranteed", "guess", "betting"):
        evaluation(block(), guaranteed="guess")
    with refused("approximate", "guess", "bootstrap"):
        evaluation(block(), approximate="guess")
    with refused("at least 2 tests", "1"):
        evaluation(block(1))
    with refused("alpha", "2"):
        evaluation(block(), alpha=2.0)
    with refused("bound", "-1"):
        evaluation(block(), bound=-1)
    with refused("100,000", "normal"):
        many = SampleBlock(tuple(map(str, range(100_001))), np.full(100_001, 2), np.ones(200_002))
        evaluation(many, [fixed(1)], approximate="bootstrap")
