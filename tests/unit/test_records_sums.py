"""Sums of what was drawn, least numbers of samples, and traits: against plain loops."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dwell import Policies, Policy, fixed, hoeffding
from dwell.arrays import IntArray, Samples
from dwell.fitting.agreement import PathMoments, traits
from dwell.learners.design import Design
from dwell.learners.drawing import FIRST_SAMPLES
from dwell.learners.noise_evidence import COLUMNS
from dwell.periods import Periods
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


def some_of(tasks: int, rng: np.random.Generator) -> tuple[bool, ...]:
    """Some of the tasks, chosen at random."""
    return tuple((rng.random(tasks) < 0.5).tolist())


def require_equal(one: Records, other: Records) -> None:
    """All that records say is the same."""
    for name in ("durations", "decisions", "drawn", "sums", "traits", "estimates"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert (mine is None) == (theirs is None)
        if mine is not None:
            np.testing.assert_array_equal(mine, theirs)


LONG = hoeffding(caps=[400], c=0.5, tasks=100, delta=0.5)


@given(
    seed=st.integers(0, 10**6),
    value=st.floats(-0.6, 0.6),
    extras=st.sampled_from([0, 1, 7, 64]),
    least=st.sampled_from([0, 10, 64, 65, 200, 500]),
    chosen=st.booleans(),
)
@settings(PROPERTY, max_examples=25)
def test_designs_run_in_pieces_record_what_whole_rows_do(
    seed: int, value: float, extras: int, least: int, chosen: bool
) -> None:
    """Sums, traits and all else, though most tests draw a few samples and some go on for long."""
    rng = np.random.default_rng(seed)
    design = Design(
        policies=LONG,
        columns=(0,),
        extras=extras,
        verified=some_of(20, rng) if chosen else (),
        least=least,
        deepened=some_of(20, rng) if chosen else (),
        sums=True,
        noise=1.0,
        tasks=20,
    )
    rows = np.where(rng.random((20, design.samples)) < (1 + value) / 2, 1, -1).astype(np.int8)
    taken = np.zeros(len(rows), dtype=np.int64)

    def draw(tasks: IntArray, more: int) -> Samples:
        columns = taken[tasks][:, None] + np.arange(more)
        taken[tasks] += more
        return np.ascontiguousarray(rows[tasks[:, None], columns])

    pieces, whole = design.run(len(rows), draw), design.record(rows)
    require_equal(pieces, whole)
    assert design.samples > FIRST_SAMPLES
    assert whole.traits is not None
    policy = LONG[0]
    assert isinstance(policy, Policy)
    shown = traits(rows, whole.durations[:, 0], whole.drawn, PathMoments.of(policy))
    expected = np.hstack([shown.excess, shown.variance, shown.sensitivity])
    np.testing.assert_array_equal(whole.traits[:, : expected.shape[1]], expected)
    assert not whole.traits[:, expected.shape[1] :].any()


@pytest.mark.parametrize("by_periods", [False, True])
def test_tasks_that_are_run_in_different_ways_are_recorded_as_if_each_were_alone(
    by_periods: bool,
) -> None:
    """Some verified, some drawn on, some both; each record is that of a design of one task."""
    rng = np.random.default_rng(3)
    rows = np.where(rng.random((40, 300)) < 0.6, 1, -1).astype(np.int8)
    policies = hoeffding(caps=[60], c=0.5, tasks=100, delta=0.5)
    given: dict[str, Any] = {"policies": policies, "columns": (0,), "sums": True, "noise": 1.0}
    verified, deepened = some_of(40, rng), some_of(40, rng)

    def samples(some: Samples) -> Samples | Periods:
        if not by_periods:
            return some
        days = some.reshape(-1, 10).sum(axis=1)
        return Periods(np.full(len(some), 30), np.full(len(days), 10), days.astype(np.float64))

    together = Design(
        **given, extras=7, verified=verified, least=90, deepened=deepened, tasks=40
    ).record(samples(rows))
    assert together.estimates is not None
    for task, (verify, deepen) in enumerate(zip(verified, deepened, strict=True)):
        alone = Design(**given, extras=7 * verify, least=90 * deepen)
        records = alone.record(samples(rows[task : task + 1]))
        assert together.drawn[task] == records.drawn[0]
        assert together.sums is not None
        assert records.sums is not None
        assert together.sums[task] == records.sums[0]
        assert together.traits is not None
        assert records.traits is not None
        np.testing.assert_array_equal(together.traits[task], records.traits[0])
        assert (records.estimates is not None) == verify
        if records.estimates is not None:
            assert together.estimates[task, 0] == records.estimates[0, 0]


def test_ways_to_run_tasks_are_said_of_each_or_of_none() -> None:
    """And a design of so many tasks has records of no more."""
    policies = Policies([fixed(3)])
    for name in ("verified", "deepened"):
        which: dict[str, Any] = {name: (True, False)}
        with refused(name, 3, 2):
            Design(policies=policies, columns=(0,), tasks=3, **which)
        design = Design(policies=policies, columns=(0,), extras=1, least=4, tasks=2, **which)
        with refused("2 tasks", "got 3"):
            design.record(np.ones((3, 5), dtype=np.int8))


def test_parts_of_records_keep_sums_and_traits() -> None:
    """The first tasks, and the first policies."""
    rows = np.random.default_rng(0).choice(np.array([-1, 1], dtype=np.int8), (6, 30))
    policies = Policies([fixed(3), fixed(9)])
    design = Design(policies=policies, columns=(0, 1), decider=1, sums=True, noise=1.0)
    records = design.record(rows)
    assert records.sums is not None
    assert records.traits is not None
    first, fewer = records.first(2), records.of_first(1)
    assert first.sums is not None
    assert first.traits is not None
    assert first.sums.tolist() == records.sums[:2].tolist()
    assert first.traits.shape == (2, COLUMNS)
    assert fewer.sums is records.sums
    assert fewer.traits is records.traits


def test_records_without_what_was_asked_for_are_refused() -> None:
    """Or with what was not; and sums or traits of another number of tasks are no records."""
    rows = np.ones((1, 5), dtype=np.int8)
    policies = Policies([fixed(3)])
    plain, full = (
        Design(policies=policies, columns=(0,), sums=asked, noise=float(asked))
        for asked in (False, True)
    )
    with refused("lack", "sums"):
        full.require(plain.record(rows))
    with refused("have", "sums"):
        plain.require(full.record(rows))
    records = full.record(rows)
    for bad in ({"sums": np.zeros(2)}, {"sums": np.array([np.nan])}, {"traits": np.zeros(1)}):
        with refused(next(iter(bad))):
            Records(
                records.durations,
                records.decisions,
                None,
                records.drawn,
                **bad,
            )
