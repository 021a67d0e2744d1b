"""Policies on sums over periods, against the plain twin."""

from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import Policies, Policy, Rule, fixed, hoeffding
from dwell.outcomes import scan
from dwell.periods import Periods, scan_periods
from dwell.rules import group_sequential
from tests.plain import run_on_periods
from tests.refusals import refused
from tests.strategies import PROPERTY

POLICIES = Policies(
    [
        *hoeffding([1, 2, 4, 8], c=0.2, tasks=10, delta=0.5),
        fixed(8, 1),
        group_sequential(3, 9, sd=1.0),
    ]
)
TASKS = st.lists(
    st.lists(st.tuples(st.integers(1, 4), st.integers(-4, 4)), min_size=1, max_size=6), max_size=6
)


def periods_of(tasks: list[list[tuple[int, int]]]) -> Periods:
    """Tasks of (count, sum) pairs as arrays."""
    lengths = np.array([len(task) for task in tasks], dtype=np.int64)
    counts = np.array([count for task in tasks for count, _ in task], dtype=np.int64)
    return Periods(lengths, counts, np.array([s for task in tasks for _, s in task], dtype=float))


@pytest.mark.parametrize("held_out", [0, 1, 2])
@PROPERTY
@given(TASKS)
def test_a_scan_of_periods_is_its_plain_twin(
    held_out: int, tasks: list[list[tuple[int, int]]]
) -> None:
    """Task by task and policy by policy; with the last periods held out, and as it is recorded."""
    seen = np.array([max(len(task) - held_out, 0) for task in tasks], dtype=np.int64)
    found = scan_periods(periods_of(tasks), POLICIES, seen=seen if held_out else None)
    for k, policy in enumerate(POLICIES):
        assert isinstance(policy, Policy)
        wanted = [run_on_periods(policy, task, min(held_out, len(task))) for task in tasks]
        assert found.durations[:, k].tolist() == [one[0] for one in wanted]
        assert found.decisions[:, k].tolist() == [one[1] for one in wanted]
        assert found.rest[:, k].tolist() == pytest.approx([one[2] for one in wanted], nan_ok=True)
        assert found.durations[:, k].max(initial=0) <= found.caps[k]


@PROPERTY
@given(st.lists(st.lists(st.sampled_from([-1, 0, 1]), max_size=10), max_size=6))
def test_periods_of_one_sample_are_scanned_as_samples(rows: list[list[int]]) -> None:
    """Looking after every sample, a live task stops where a scan of its samples stops."""
    flat = np.array([x for row in rows for x in row], dtype=np.float64)
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    ones = np.ones(len(flat), dtype=np.int64)
    found = scan_periods(Periods(lengths, ones, flat), POLICIES)
    wanted = scan(flat, POLICIES, lengths)
    assert found.durations.tolist() == wanted.durations.tolist()
    assert found.decisions.tolist() == wanted.decisions.tolist()


def test_a_live_task_is_looked_at_to_its_end() -> None:
    """What has not stopped when its periods end is undecided; an acceptance then has no rest."""
    live = periods_of([[(2, 1), (2, 3)], [(3, -1)]])
    found = scan_periods(live, [fixed(4, 1), fixed(5, 1)])
    assert found.decisions.tolist() == [[1, -1], [-1, -1]]
    assert found.rest.tolist() == pytest.approx(np.array([[nan, 0], [0, 0]]), nan_ok=True)
    assert scan_periods(live, fixed(4, 1), seen=np.array([1, 0])).decisions.tolist() == [[-1], [-1]]


def test_periods_that_do_not_fit_are_refused() -> None:
    """One sentence each."""
    one = np.array([1])
    with refused("count and a sum", "2 periods"):
        Periods(np.array([2]), one, np.array([1.0]))
    with refused("counts", "0", "leave"):
        Periods(one, np.array([0]), np.array([1.0]))
    with refused("lengths", ">= 0"):
        Periods(np.array([-1]), one, np.array([1.0]))
    with refused("finite", "nan"):
        Periods(one, one, np.array([nan]))
    with refused("Rule", "Policy"):
        rule = Rule(lambda _: 1, lambda d, x: bool(x[d - 1] > 0), cap=1)
        scan_periods(Periods(one, one, np.array([1.0])), rule)
