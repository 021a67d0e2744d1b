"""Sums of what was drawn, least numbers of samples, and traits: against plain loops."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dwell import Policies, Policy, fixed, hoeffding
from dwell.arrays import IntArray, Samples
from dwell.fitting.agreement import DECAYS, PathMoments, traits
from dwell.learners.design import FIRST_SAMPLES, Design
from dwell.records import Records, at_period_ends, unfinished, until_stopped
from tests.plain import record_task, run_on_periods
from tests.refusals import refused
from tests.strategies import PROPERTY, policy_sets
from tests.unit.test_records_of_periods import TASKS, periods_of

SETS = policy_sets(longest=6, edges=st.integers(-3, 3).map(float))


@given(
    policies=SETS,
    rows=st.integers(0, 14).flatmap(
        lambda length: st.lists(
            st.lists(st.integers(-2, 2), min_size=length, max_size=length), min_size=1, max_size=5
        )
    ),
    extras=st.integers(0, 3),
    least=st.integers(0, 12),
    whole=st.booleans(),
)
@PROPERTY
def test_samples_are_summed_as_far_as_they_are_drawn(
    policies: Policies, rows: list[list[int]], extras: int, least: int, whole: bool
) -> None:
    """To the stop, past it to verify, and at least so far; estimates are those without `least`."""
    samples = np.array(rows, dtype=np.int8 if whole else np.float64)
    records = until_stopped(samples, policies, extras, least=least, sums=True)
    shorter = until_stopped(samples, policies, extras)
    wanting = unfinished(records, samples.shape[1])
    assert records.sums is not None
    for task, row in enumerate(rows):
        expected = record_task(policies, row, extras)
        drawn = max(expected.drawn, least)
        assert wanting[task] == (-1 in expected.decisions or drawn > len(row))
        if not wanting[task]:
            assert records.drawn[task] == drawn
            assert records.sums[task] == sum(row[:drawn])
    if records.estimates is not None and shorter.estimates is not None:
        assert records.estimates.tolist() == shorter.estimates.tolist()


class Drawn(NamedTuple):
    samples: int
    total: float


@given(
    policies=SETS.filter(lambda policies: not policies.rules),
    tasks=TASKS,
    extras=st.integers(0, 5),
    least=st.integers(0, 15),
)
@PROPERTY
def test_periods_are_summed_as_far_as_they_are_drawn(
    policies: Policies, tasks: list[list[tuple[int, float]]], extras: int, least: int
) -> None:
    """Whole periods, until all policies have stopped, the value is estimated and `least` is drawn.

    A test that has too few says how many it wants.
    """
    periods = periods_of(tasks)
    records = at_period_ends(periods, policies, extras=extras, least=least, sums=True)
    plain = at_period_ends(periods, policies, extras=extras)
    wanting = unfinished(records, periods.samples)
    assert records.sums is not None
    for task, days in enumerate(tasks):
        outcomes = [run_on_periods(each, days, 0) for each in policies if isinstance(each, Policy)]
        stopped = max(stop for stop, _, _ in outcomes)
        more = extras if 1 in [decision for _, decision, _ in outcomes] else 0
        wanted = max(stopped + more, least)
        drawn = Drawn(0, 0.0)
        for count, day in days:
            if drawn.samples < wanted:
                drawn = Drawn(drawn.samples + count, drawn.total + day)
        undecided = -1 in [decision for _, decision, _ in outcomes]
        assert wanting[task] == (undecided or drawn.samples < wanted)
        if not wanting[task]:
            assert records.drawn[task] == drawn.samples
            assert records.sums[task] == pytest.approx(drawn.total)
    finished = ~wanting
    if records.estimates is not None and plain.estimates is not None:
        assert records.estimates[finished].tolist() == plain.estimates[finished].tolist()


def test_sums_of_bytes_do_not_overflow() -> None:
    """A thousand ones in a byte each are a thousand."""
    rows = np.ones((2, 1000), dtype=np.int8)
    records = until_stopped(rows, Policies([fixed(1000, 1)]), sums=True)
    assert records.sums is not None
    assert records.sums.tolist() == [1000.0, 1000.0]


LONG = hoeffding(caps=[400], c=0.5, tasks=100, delta=0.5)


@given(
    seed=st.integers(0, 10**6),
    value=st.floats(-0.6, 0.6),
    extras=st.sampled_from([0, 1, 7, 64]),
    least=st.sampled_from([0, 10, 64, 65, 200, 500]),
)
@settings(PROPERTY, max_examples=25)
def test_designs_run_in_pieces_record_what_whole_rows_do(
    seed: int, value: float, extras: int, least: int
) -> None:
    """Sums, traits and all else, though most tests draw a few samples and some go on for long."""
    design = Design(policies=LONG, columns=(0,), extras=extras, least=least, sums=True, traits=True)
    rng = np.random.default_rng(seed)
    rows = np.where(rng.random((20, design.samples)) < (1 + value) / 2, 1, -1).astype(np.int8)
    taken = np.zeros(len(rows), dtype=np.int64)

    def draw(tasks: IntArray, more: int) -> Samples:
        columns = taken[tasks][:, None] + np.arange(more)
        taken[tasks] += more
        return np.ascontiguousarray(rows[tasks[:, None], columns])

    pieces, whole = design.run(len(rows), draw), design.record(rows)
    for name in ("durations", "decisions", "drawn", "sums", "traits", "estimates"):
        one, other = getattr(pieces, name), getattr(whole, name)
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_array_equal(one, other)
    assert design.samples > FIRST_SAMPLES
    assert whole.traits is not None
    policy = LONG[0]
    assert isinstance(policy, Policy)
    shown = traits(rows, whole.durations[:, 0], whole.drawn, PathMoments.of(policy))
    np.testing.assert_array_equal(whole.traits[:, 0], shown.excess)
    np.testing.assert_array_equal(whole.traits[:, 1], shown.variance)
    np.testing.assert_array_equal(whole.traits[:, 2], shown.sensitivity)


def test_parts_of_records_keep_sums_and_traits() -> None:
    """The first tasks, and the first policies."""
    rows = np.random.default_rng(0).choice(np.array([-1, 1], dtype=np.int8), (6, 30))
    policies = Policies([fixed(3), fixed(9)])
    design = Design(policies=policies, columns=(0, 1), decider=1, sums=True, traits=True)
    records = design.record(rows)
    assert records.sums is not None
    assert records.traits is not None
    first, fewer = records.first(2), records.of_first(1)
    assert first.sums is not None
    assert first.traits is not None
    assert first.sums.tolist() == records.sums[:2].tolist()
    assert first.traits.shape == (2, 3, len(DECAYS))
    assert fewer.sums is records.sums
    assert fewer.traits is records.traits


def test_records_without_what_was_asked_for_are_refused() -> None:
    """Or with what was not; and sums or traits of another number of tasks are no records."""
    rows = np.ones((1, 5), dtype=np.int8)
    policies = Policies([fixed(3)])
    plain, full = (
        Design(policies=policies, columns=(0,), sums=asked, traits=asked) for asked in (False, True)
    )
    with refused("lack", "sums"):
        full.require(plain.record(rows))
    with refused("have", "sums"):
        plain.require(full.record(rows))
    records = full.record(rows)
    for bad in ({"sums": np.zeros(2)}, {"sums": np.array([np.nan])}, {"traits": np.zeros((1, 3))}):
        with refused(next(iter(bad))):
            Records(
                records.durations,
                records.decisions,
                None,
                records.drawn,
                **bad,
            )
