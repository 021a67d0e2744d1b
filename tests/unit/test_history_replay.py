"""Replay of past tests, against plain twins and by enumeration."""

import itertools
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import Atoms, Policies, Policy, Rule, Signs, World, exact, fixed, hoeffding
from dwell.history.reading.blocks import PeriodBlock
from dwell.history.replay.replay import replay, replay_block
from dwell.rules import group_sequential
from tests.plain import run_on_periods
from tests.refusals import refused
from tests.strategies import PROPERTY

CHAIN = hoeffding([1, 2, 4, 8], c=0.2, tasks=10, delta=0.5)
MIXED = Policies([fixed(1, 1), *CHAIN[1:], fixed(9, 3)])
LOOKING = Policies([*CHAIN, fixed(8, 1), group_sequential(3, 9, sd=1.0)])


def plain(row: list[int], policy: Policy) -> tuple[int, bool, float, bool]:
    """Duration, decision, reward and whether it ended first: on all samples but the last fifth."""
    total, seen = 0, len(row) - ceil(len(row) / 5)
    for d, sample in enumerate(row[:seen], start=1):
        total += sample
        if total >= policy.upper[d - 1]:
            rest = row[d:]
            return d, True, sum(rest) / len(rest), False
        if total <= policy.lower[d - 1] or d == policy.cap:
            return d, False, 0.0, False
    return seen, False, 0.0, True


@PROPERTY
@given(st.lists(st.lists(st.sampled_from([-1, 0, 1]), min_size=2, max_size=14), max_size=8))
def test_replay_is_its_plain_twin(rows: list[list[int]]) -> None:
    """Test by test and policy by policy, from whole numbers and from others."""
    flat = [sample for row in rows for sample in row]
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    for samples in (np.array(flat, dtype=np.int8), np.array(flat, dtype=np.float64)):
        found = replay(samples, MIXED, lengths)
        for k, policy in enumerate(MIXED):
            assert isinstance(policy, Policy)
            wanted = [plain(row, policy) for row in rows]
            assert found.durations(k).tolist() == [one[0] for one in wanted]
            assert found.accepts(k).tolist() == [one[1] for one in wanted]
            assert found.rewards(k).tolist() == pytest.approx([one[2] for one in wanted])
            assert found.truncated(k).tolist() == [one[3] for one in wanted]


def test_rewards_are_unbiased() -> None:
    """Over all sequences, what a policy is estimated to earn is what it earns, to 1e-12."""
    policies = hoeffding([1, 2, 4, 8], c=0.2, tasks=10, delta=0.5)
    rows = np.array(list(itertools.product([-1, 1], repeat=10)), dtype=np.int8)
    found = replay(rows.ravel(), policies, np.full(len(rows), 10))
    for value in (-0.7, 0.0, 0.2, 0.9):
        ups = (rows == 1).sum(axis=1)
        weights = ((1 + value) / 2) ** ups * ((1 - value) / 2) ** (10 - ups)
        table = exact(policies, World(Atoms([value]), Signs()))
        for k in range(4):
            assert weights @ found.rewards(k) == pytest.approx(table.reward[k], abs=1e-12)
            assert weights @ found.durations(k) == pytest.approx(table.cost[k], abs=1e-12)


def test_parts_of_a_history_join_to_the_whole() -> None:
    """Replayed in parts and joined, it is what it is replayed at once."""
    _, samples = World(Atoms([-0.2, 0.4]), Signs()).sample(30, 12, rng=0)
    whole = replay(samples.ravel(), MIXED, np.full(30, 12))
    parts = [
        replay(rows.ravel(), MIXED, np.full(len(rows), 12)) for rows in np.split(samples, [7, 19])
    ]
    joined = parts[0].joined(*parts[1:])
    for name in ("lengths", "stops", "decisions", "rest"):
        assert getattr(joined, name).tolist() == getattr(whole, name).tolist()


def test_bad_input_is_refused() -> None:
    """One sentence each."""
    with refused("Rule"):
        replay([1, 1], Rule(lambda _: 1, lambda d, x: bool(x[d - 1] > 0), cap=1), [2])
    for lengths in ([1], [2.0], [[2]], [-1, 3]):
        with refused("lengths", "2"):
            replay([1, 1], MIXED, lengths)
    for samples in ([1, 1, 1], [[1, 1]]):
        with refused("samples", "2"):
            replay(samples, MIXED, [2])
    with refused("finite", "nan"):
        replay([1.0, float("nan"), 1.0], MIXED, [3])
    one_day = PeriodBlock(("a",), np.array([1]), np.array([5]), np.array([1.0]), np.array([1.0]))
    with refused("two periods"):
        replay_block(one_day, MIXED)


@PROPERTY
@given(
    st.lists(
        st.lists(st.tuples(st.integers(1, 4), st.integers(-4, 4)), min_size=2, max_size=6),
        min_size=1,
        max_size=6,
    )
)
def test_replay_of_periods_is_its_plain_twin(tests: list[list[tuple[int, int]]]) -> None:
    """Test by test and policy by policy; no policy draws more than it is said to."""
    counts, sums = (np.array([day[i] for days in tests for day in days]) for i in (0, 1))
    batches = PeriodBlock(
        tuple(map(str, range(len(tests)))),
        np.array([len(days) for days in tests]),
        counts,
        sums.astype(np.float64),
        np.ones(len(counts)),
    )
    found = replay_block(batches, LOOKING)
    for k, policy in enumerate(LOOKING):
        assert isinstance(policy, Policy)
        wanted = [run_on_periods(policy, days, held_out=ceil(len(days) / 5)) for days in tests]
        assert found.durations(k).tolist() == [one[0] for one in wanted]
        assert found.accepts(k).tolist() == [one[1] == 1 for one in wanted]
        assert found.rewards(k).tolist() == pytest.approx([one[2] for one in wanted])
        assert found.truncated(k).tolist() == [one[1] == -1 for one in wanted]
        assert found.durations(k).max() <= found.caps[k]


@PROPERTY
@given(st.lists(st.lists(st.sampled_from([-1, 0, 1]), min_size=2, max_size=9), min_size=1))
def test_periods_of_one_sample_are_samples(rows: list[list[int]]) -> None:
    """Where every sample is a period of its own, nothing is lost."""
    flat, lengths = np.array([x for row in rows for x in row]), [len(row) for row in rows]
    samples = replay(flat, LOOKING, lengths)
    names = tuple(map(str, range(len(rows))))
    ones = np.ones(len(flat))
    periods = replay_block(
        PeriodBlock(names, np.array(lengths), ones.astype(np.int64), flat.astype(float), ones),
        LOOKING,
    )
    for k in range(len(LOOKING)):
        for figure in ("durations", "accepts", "rewards", "truncated"):
            got, wanted = (getattr(each, figure)(k).tolist() for each in (periods, samples))
            assert got == pytest.approx(wanted)
