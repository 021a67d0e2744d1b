"""Scan: policies on recorded samples, against a plain loop."""

from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import Outcomes, Policies, Policy, fixed, hoeffding, scan
from dwell.arrays import Samples
from tests import strategies
from tests.plain import run_policy
from tests.refusals import refused
from tests.strategies import PROPERTY

SIGNS = (np.int8, st.sampled_from([-1, 0, 1]))
STEPS = (np.int8, st.integers(-128, 127))
REALS = (np.float64, st.floats(-3, 3) | st.sampled_from([-1.0, 0.0, 0.1, 0.2, 0.7, 1.0]))
HALVES = st.integers(-16, 16).map(lambda edge: edge / 2)
TENTHS = st.integers(-40, 40).map(lambda edge: edge / 10)
TABLE = np.array(
    [[1, 1, -1, 1, 1, 1, 1, 1, 1, 1], [-1, 0, 0, -1, -1, -1, 0, 1, 0, 0]], dtype=np.int8
)
WALKS = Policies([*hoeffding([2, 5, 8], c=0.3, tasks=10, delta=0.1), fixed(9, 3)])


def same(one: Outcomes, other: Outcomes) -> bool:
    return np.array_equal(one.durations, other.durations) and np.array_equal(
        one.decisions, other.decisions
    )


@pytest.mark.parametrize(
    ("samples_of", "edges"),
    [(SIGNS, HALVES), (STEPS, st.integers(-900, 900).map(float)), (REALS, HALVES), (REALS, TENTHS)],
    ids=["signs", "large steps", "reals", "reals that tie with boundaries"],
)
@given(data=st.data())
@PROPERTY
def test_every_policy_does_on_every_task_what_the_plain_loop_does(
    samples_of: tuple[type, st.SearchStrategy[float]],
    edges: st.SearchStrategy[float],
    data: st.DataObject,
) -> None:
    """Durations and decisions are those of ten plain lines.

    For chains and for policies that share nothing, on tasks of any length, zero included.
    """
    kind, sample = samples_of
    policies = data.draw(strategies.policy_sets(longest=40, edges=edges))
    tasks = data.draw(st.lists(st.lists(sample, max_size=48), max_size=5))
    flat: Samples = np.array([sample for task in tasks for sample in task], dtype=kind)
    outcomes = scan(flat, policies, lengths=[len(task) for task in tasks])
    for index, policy in enumerate(policies):
        assert isinstance(policy, Policy)
        expected = [run_policy(policy, task) for task in tasks]
        assert outcomes.durations[:, index].tolist() == [duration for duration, _ in expected]
        assert outcomes.decisions[:, index].tolist() == [decision for _, decision in expected]


@pytest.mark.parametrize("kind", [np.int8, np.float64])
@pytest.mark.parametrize("first_look", range(1, 19))
def test_a_policy_that_looks_late_does_what_the_plain_loop_does(first_look: int, kind: Any) -> None:
    """Samples before the first look count towards the sum; seeded."""
    policy = Policy([-inf] * (first_look - 1) + [-1, 0], [inf] * (first_look - 1) + [1, 0])
    rows = np.random.default_rng(first_look).choice([-1, 1], (40, 20)).astype(kind)
    outcomes = scan(rows, policy)
    expected = [run_policy(policy, row) for row in rows.tolist()]
    assert [*zip(outcomes.durations[:, 0], outcomes.decisions[:, 0], strict=True)] == expected


@given(
    policies=strategies.policy_sets(longest=20, edges=HALVES),
    rows=st.lists(st.lists(SIGNS[1], min_size=24, max_size=24), min_size=1, max_size=5),
)
@PROPERTY
def test_a_set_does_what_its_policies_do_one_at_a_time(
    policies: Policies, rows: list[list[int]]
) -> None:
    """Sharing a pass changes nothing, in whole numbers or in floating point."""
    for samples in (np.array(rows, dtype=np.int8), np.array(rows, dtype=np.float64)):
        together = scan(samples, policies)
        for index, policy in enumerate(policies):
            alone = scan(samples, policy)
            assert together.durations[:, index].tolist() == alone.durations[:, 0].tolist()
            assert together.decisions[:, index].tolist() == alone.decisions[:, 0].tolist()


@given(
    policies=strategies.policy_sets(longest=30, edges=HALVES),
    rows=st.lists(st.lists(SIGNS[1], min_size=17, max_size=17), max_size=5),
)
@PROPERTY
def test_tasks_in_one_line_are_as_good_as_rows(policies: Policies, rows: list[list[int]]) -> None:
    """Rows of one length and the same samples with lengths give the same outcomes."""
    table = np.array(rows, dtype=np.int8).reshape(-1, 17)
    in_one_line = scan(table.ravel(), policies, lengths=[17] * len(rows))
    assert same(scan(table, policies), in_one_line)


def test_outcomes_have_a_row_per_task_and_a_column_per_policy() -> None:
    """Durations are int32, decisions int8."""
    outcomes = scan(TABLE, WALKS)
    assert outcomes.durations.shape == outcomes.decisions.shape == (2, 4)
    assert outcomes.durations.dtype == np.int32
    assert outcomes.decisions.dtype == np.int8


def test_where_the_samples_end_a_policy_is_undecided() -> None:
    """It has drawn what there was, and its decision is -1; what it decided before stands."""
    policies = Policies([fixed(2), Policy([-9] * 3 + [0], [1, 9, 9, 0]), fixed(5)])
    outcomes = scan([1, 1, 1, -1, -1], policies, lengths=[3, 0, 2])
    assert outcomes.durations.tolist() == [[2, 1, 3], [0, 0, 0], [2, 2, 2]]
    assert outcomes.decisions.tolist() == [[1, 1, -1], [-1, -1, -1], [0, -1, -1]]


def test_what_lies_beyond_the_cap_is_not_looked_at() -> None:
    """A policy's outcome depends on its own samples only."""
    policy = Policy([-2, -2, 0], [2, 2, 0])
    assert same(scan([[1, -1, 1, 99, 99]], policy), scan([[1, -1, 1]], policy))


@pytest.mark.parametrize(
    "samples",
    [
        TABLE.tolist(),
        tuple(map(tuple, TABLE.tolist())),
        list(TABLE),
        TABLE.astype(np.int16),
        TABLE.astype(np.int64),
        TABLE.astype(np.float32),
        TABLE.astype(np.float64),
        TABLE.astype(">f8"),
        np.asfortranarray(TABLE),
        np.asfortranarray(TABLE.astype(np.float64)),
        np.repeat(TABLE, 2, axis=1)[:, ::2],
        np.repeat(TABLE, 3, axis=0)[::3].astype(np.float64),
        TABLE[::-1][::-1],
        np.array(TABLE, order="F")[:, :],
    ],
    ids=lambda samples: getattr(getattr(samples, "dtype", None), "str", type(samples).__name__),
)
def test_the_type_and_the_layout_of_samples_do_not_matter(samples: Any) -> None:
    """Lists, any type of number, any order in memory, any slice give the same outcomes."""
    assert same(scan(samples, WALKS), scan(TABLE, WALKS))


@pytest.mark.parametrize("kind", [np.bool_, np.uint8, np.uint64])
def test_samples_that_cannot_be_negative_are_numbers_too(kind: Any) -> None:
    """A sample of True is a sample of 1."""
    ones = TABLE > 0
    assert same(scan(ones.astype(kind), WALKS), scan(ones.astype(np.int8), WALKS))


def test_samples_are_left_alone() -> None:
    """Scanning writes into nothing that it was given."""
    for samples in (TABLE.copy(), TABLE.astype(np.float64)):
        before = samples.copy()
        samples.setflags(write=False)
        scan(samples, WALKS)
        np.testing.assert_array_equal(samples, before)


@pytest.mark.parametrize("kind", [np.int8, np.float64])
def test_no_tasks_have_no_outcomes(kind: Any) -> None:
    """Zero rows and zero lengths give arrays without rows."""
    assert scan(np.empty((0, 5), dtype=kind), WALKS).durations.shape == (0, 4)
    assert scan(np.empty(0, dtype=kind), WALKS, lengths=[]).decisions.shape == (0, 4)


@pytest.mark.parametrize("kind", [np.int8, np.float64])
def test_tasks_without_samples_are_undecided(kind: Any) -> None:
    """Rows of length zero give durations of zero."""
    outcomes = scan(np.empty((3, 0), dtype=kind), WALKS)
    assert (outcomes.durations == 0).all()
    assert (outcomes.decisions == -1).all()


def test_sums_of_whole_numbers_do_not_overflow() -> None:
    """A thousand steps of 127 add up as they should, and so do those of -128."""
    rows = np.array([[127] * 1000, [-128] * 1000], dtype=np.int8)
    outcomes = scan(rows, Policies([fixed(1000, 127_000), fixed(1000, 127_000.5)]))
    assert outcomes.decisions.tolist() == [[1, 0], [0, 0]]


@pytest.mark.parametrize("edge", [2.0**62, 2.0**63, 2.0**70, 1e300])
def test_boundaries_out_of_reach_are_never_reached(edge: float) -> None:
    """Boundaries beyond any whole number are kept apart from each other."""
    policy = Policy([-edge, -edge, 0], [edge, edge, 0])
    outcomes = scan(np.array([[127, 127, 127], [-128, 127, -128]], dtype=np.int8), policy)
    assert outcomes.durations.tolist() == [[3], [3]]
    assert outcomes.decisions.tolist() == [[1], [0]]


@pytest.mark.parametrize("bad", [nan, inf, -inf])
def test_a_sample_that_is_not_finite_is_refused_with_its_place(bad: float) -> None:
    """The refusal names the value, the sample and the task, counted from 1."""
    table = np.ones((3, 4))
    table[1, 2] = bad
    with refused(bad, "sample 3", "task 2"):
        scan(table, WALKS)
    with refused(bad, "sample 2", "task 4"):
        scan([1.0, 1.0, 1.0, bad, 1.0], WALKS, lengths=[2, 0, 0, 3])
    with refused(bad, "sample 1", "task 1"):
        scan(np.array([[bad]], dtype=np.float32), WALKS)


@pytest.mark.parametrize(
    ("samples", "named"),
    [
        ([1, 1, 1], "(3,)"),
        (1, "()"),
        ([], "(0,)"),
        (np.ones((2, 2, 2)), "(2, 2, 2)"),
        ([[1, 1], [1]], "lengths"),
        ([["a", "b"]], "numbers"),
        ("abc", "()"),
        (np.array([[1, 2]], dtype=object), "object"),
        ([[1, None]], "object"),
        (np.array([[1j]]), "complex"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), "datetime"),
    ],
)
def test_what_is_no_table_of_samples_is_refused(samples: Any, named: str) -> None:
    """Without lengths there must be a row of numbers per task."""
    with refused("samples", named):
        scan(samples, WALKS)


@pytest.mark.parametrize(
    ("samples", "lengths", "named"),
    [
        ([1, 1, 1], [1, 1], "2"),
        ([1, 1, 1], [2, 2], "4"),
        ([1, 1, 1], [], "0"),
        ([1, 1], [-1, 3], "-1"),
        ([[1, 1]], [1, 1], "(1, 2)"),
        ([1, 1], 2, "lengths"),
        ([1, 1], [[1, 1]], "lengths"),
        ([1, 1], [1.5, 1.5], "1.5"),
        ([1, 1], [nan, 2], "nan"),
        ([1, 1], ["one", "one"], "one"),
        ([1, 1], [[1], [1, 2]], "lengths"),
        ([1, 1], [None, 2], "None"),
    ],
)
def test_lengths_that_do_not_fit_are_refused(samples: Any, lengths: Any, named: str) -> None:
    """Lengths are whole numbers from 0 on that use up all samples."""
    with refused("lengths", named):
        scan(samples, WALKS, lengths=lengths)


def test_what_is_no_policy_is_refused() -> None:
    """A scan needs policies, not their boundaries."""
    bad: Any = [3]
    with refused("3"):
        scan(TABLE, bad)


def test_outcomes_of_a_large_table_are_those_of_its_parts() -> None:
    """Tasks do not influence one another; seeded."""
    samples: Samples = np.random.default_rng(3).choice(np.array([-1, 1], dtype=np.int8), (999, 64))
    policies = Policies([*hoeffding([16, 40, 64], c=0.35, tasks=100, delta=0.1), fixed(64)])
    whole = scan(samples, policies)
    for start in range(0, 999, 333):
        part = slice(start, start + 333)
        outcomes = scan(samples[part], policies)
        assert same(outcomes, Outcomes(whole.durations[part], whole.decisions[part]))
