"""The current rule: each test to its end, or a policy."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import AtEnd
from dwell.history.reading.blocks import PeriodBlock, SampleBlock
from tests.refusals import refused
from tests.strategies import PROPERTY


def plain_end(row: list[int], z: float) -> tuple[float, float]:
    """Each sample in turn is scored where the others are far enough ahead."""
    earned, accepted = 0.0, 0
    for i, sample in enumerate(row):
        rest = np.array(row[:i] + row[i + 1 :])
        error = rest.std(ddof=1) * np.sqrt(len(rest)) if len(rest) > 1 else 0.0
        if rest.sum() > z * error + 1e-9:
            earned, accepted = earned + sample, accepted + 1
    return accepted / len(row), earned / len(row)


@PROPERTY
@given(
    st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=9), min_size=1, max_size=5),
    st.sampled_from([0.0, 1.03, 1.96]),
)
def test_the_end_is_its_plain_twin(rows: list[list[int]], z: float) -> None:
    """Sample by sample."""
    lengths = np.array([len(row) for row in rows])
    flat = np.array([x for row in rows for x in row], dtype=np.float64)
    found = AtEnd(z).on(SampleBlock(tuple(map(str, range(len(rows)))), lengths, flat))
    wanted = [plain_end(row, z) for row in rows]
    assert found.accepts.tolist() == pytest.approx([share for share, _ in wanted])
    assert found.rewards.tolist() == pytest.approx([reward for _, reward in wanted])
    assert found.durations.tolist() == lengths.tolist()


def test_the_end_is_scored_without_bias() -> None:
    """Over all sequences, what the rule is estimated to earn is what one sample less earns."""
    rows = np.array(list(itertools.product([-1, 1], repeat=9)), dtype=np.int8)
    past = SampleBlock(tuple(map(str, range(len(rows)))), np.full(len(rows), 9), rows.ravel())
    found = AtEnd().on(past)
    for value in (-0.6, 0.0, 0.3):
        ups = (rows == 1).sum(axis=1)
        weights = ((1 + value) / 2) ** ups * ((1 - value) / 2) ** (9 - ups)
        ships = weights[rows[:, :8].sum(axis=1) > 0].sum()
        assert weights @ found.rewards == pytest.approx(value * ships, abs=1e-12)
        assert weights @ found.accepts == pytest.approx(ships, abs=1e-12)


def test_the_end_of_periods_leaves_periods_out() -> None:
    """Each period is scored where the others are ahead, in their own standard errors."""
    days = PeriodBlock(
        ("a",), np.array([3]), np.array([4, 2, 2]), np.array([6.0, 3.0, -4.0]), np.full(3, 2.0)
    )
    # Without each: -1, 2 and 9, with standard errors sqrt(8), sqrt(12), sqrt(12).
    ahead, far = AtEnd().on(days), AtEnd(2.0).on(days)
    assert (ahead.accepts[0], ahead.rewards[0]) == (0.5, -0.125)
    assert (far.accepts[0], far.rewards[0]) == (0.25, -0.5)
    assert ahead.durations.tolist() == [8]


def test_a_rule_that_demands_less_than_nothing_is_refused() -> None:
    """Standard errors are counted from 0 up."""
    with refused("z", "-1"):
        AtEnd(-1.0)
