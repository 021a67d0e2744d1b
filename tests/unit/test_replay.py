"""Replay and evaluation of past tests, against plain twins and by enumeration."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import Atoms, Policies, Policy, Rule, Signs, World, exact, fixed, hoeffding
from dwell.history.evaluation import evaluated
from dwell.history.replay import Replay, replay
from tests.refusals import refused
from tests.strategies import PROPERTY

CHAIN = hoeffding([1, 2, 4, 8], c=0.2, tasks=10, delta=0.5)
MIXED = Policies([fixed(1, 1), *CHAIN[1:], fixed(9, 3)])


def plain(row: list[int], policy: Policy) -> tuple[int, bool, float, bool]:
    """Duration, decision, reward and whether the test ended first: on all samples but the last."""
    total = 0
    for d, sample in enumerate(row[:-1], start=1):
        total += sample
        if total >= policy.upper[d - 1]:
            rest = row[d:]
            return d, True, sum(rest) / len(rest), False
        if total <= policy.lower[d - 1] or d == policy.cap:
            return d, False, 0.0, False
    return len(row) - 1, False, 0.0, True


@PROPERTY
@given(st.lists(st.lists(st.sampled_from([-1, 0, 1]), min_size=2, max_size=14), max_size=8))
def test_replay_is_its_plain_twin(rows: list[list[int]]) -> None:
    """Test by test and policy by policy, from whole numbers and from others."""
    flat = [sample for row in rows for sample in row]
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    for samples in (np.array(flat, dtype=np.int8), np.array(flat, dtype=np.float64)):
        found = replay(samples, lengths, MIXED)
        for k, policy in enumerate(MIXED):
            assert isinstance(policy, Policy)
            wanted = [plain(row, policy) for row in rows]
            assert found.durations(k).tolist() == [one[0] for one in wanted]
            assert found.accepts(k).tolist() == [one[1] for one in wanted]
            assert found.rewards(k).tolist() == pytest.approx([one[2] for one in wanted])
            assert found.cut(k).tolist() == [one[3] for one in wanted]


def test_rewards_are_unbiased() -> None:
    """Over all sequences, what a policy is estimated to earn is what it earns, to 1e-12."""
    policies = hoeffding([1, 2, 4, 8], c=0.2, tasks=10, delta=0.5)
    rows = np.array(list(itertools.product([-1, 1], repeat=10)), dtype=np.int8)
    found = replay(rows.ravel(), np.full(len(rows), 10), policies)
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
    whole = replay(samples.ravel(), np.full(30, 12), MIXED)
    parts = [
        replay(rows.ravel(), np.full(len(rows), 12), MIXED) for rows in np.split(samples, [7, 19])
    ]
    joined = parts[0].joined(*parts[1:])
    for name in ("lengths", "stops", "decisions", "rest"):
        assert getattr(joined, name).tolist() == getattr(whole, name).tolist()


def history(tests: int = 400, rng: int = 0) -> Replay:
    _, samples = World(Atoms([-0.3, 0.3]), Signs()).sample(tests, 20, rng=rng)
    return replay(samples.ravel(), np.full(tests, 20), MIXED)


@pytest.mark.parametrize("method", ["betting", "bernstein", "normal", "bootstrap"])
def test_figures_are_means_over_tests(method: Any) -> None:
    """Whatever the intervals, the figures are the same, and lie inside."""
    past = history()
    found = evaluated(past, setup_cost=4.0, method=method)
    for k in range(len(MIXED)):
        assert found.reward[k] == pytest.approx(past.rewards(k).mean())
        assert found.cost[k] == pytest.approx(4.0 + past.durations(k).mean())
        assert found.accept_rate[k] == pytest.approx(past.accepts(k).mean())
        assert found.saved[k] == pytest.approx(1.0 - past.durations(k).mean() / 20.0)
    assert (found.roi_low <= found.roi).all()
    assert (found.roi <= found.roi_high).all()
    assert found.approximate == (method in ("normal", "bootstrap"))
    assert found.best == int(np.argmax(found.roi))
    assert found.best in found.alike
    assert len(found.corrected.chosen) == 5


@pytest.mark.parametrize("method", ["betting", "bernstein", "normal", "bootstrap"])
def test_what_is_clearly_worse_is_told_apart(method: Any) -> None:
    """To draw nine samples where one says as much is worse, and found to be."""
    found = evaluated(history(4000), method=method)
    assert found.best == 0
    assert len(MIXED) - 1 not in found.alike


def test_where_nothing_earns_there_is_no_best() -> None:
    """All ideas are harmful: no policy is recommended, and none is like it."""
    _, samples = World(Atoms([-0.9]), Signs()).sample(50, 20, rng=0)
    found = evaluated(replay(samples.ravel(), np.full(50, 20), [fixed(1, -1), fixed(2, -2)]))
    assert (found.best, found.alike) == (None, ())
    assert found.corrected.roi < 0.0


def test_tests_that_end_too_soon_are_counted() -> None:
    """A policy that wants more samples than there are is cut short, and that is said."""
    found = evaluated(replay(np.ones(12), [2, 4, 6], [fixed(1, 1), fixed(4, 4)]))
    assert found.cut.tolist() == [0, 2]


def test_bad_input_is_refused() -> None:
    """One sentence each."""
    with refused("Rule"):
        replay([1, 1], [2], Rule(lambda _: 1, lambda d, x: bool(x[d - 1] > 0), cap=1))
    for lengths in ([1], [2.0], [[2]], [-1, 3]):
        with refused("lengths", "2"):
            replay([1, 1], lengths, MIXED)
    for samples in ([1, 1, 1], [[1, 1]]):
        with refused("samples", "2"):
            replay(samples, [2], MIXED)
    with refused("finite", "nan"):
        replay([1.0, float("nan"), 1.0], [3], MIXED)
    with refused("method", "guess", "betting"):
        evaluated(history(), method="guess")  # type: ignore[arg-type]  # that is the mistake
    with refused("at least 2 tests", "1"):
        evaluated(history(1))
    with refused("alpha", "2"):
        evaluated(history(), alpha=2.0)
