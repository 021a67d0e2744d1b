"""Blocks of tests: of samples and of periods, which answer the same calls."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dwell import Policies, fixed
from dwell.history.reading.block import Block
from dwell.history.reading.blocks import PeriodBlock, SampleBlock
from tests.refusals import refused
from tests.strategies import PROPERTY


def test_blocks_check_themselves() -> None:
    """A length per name, and as many samples as lengths say."""
    one = np.array([1])
    with refused("2 names"):
        SampleBlock(("a", "b"), one, np.zeros(1))
    with refused("sum to 1"):
        SampleBlock(("a",), one, np.zeros(3))
    with refused("1 periods"):
        PeriodBlock(("a",), one, one, np.zeros(2), np.zeros(1))


@PROPERTY
@given(st.lists(st.lists(st.integers(-3, 3), min_size=0, max_size=9), min_size=1, max_size=6))
def test_periods_of_one_sample_answer_as_samples_do(rows: list[list[int]]) -> None:
    """Which tests are long enough, how long they are, and what rules and policies do on them."""
    names, lengths = tuple(map(str, range(len(rows)))), np.array([len(row) for row in rows])
    samples = np.array([x for row in rows for x in row], dtype=np.float64)
    ones = np.ones(len(samples))
    blocks: list[Block] = [
        SampleBlock(names, lengths, samples),
        PeriodBlock(names, lengths, ones.astype(np.int64), samples, ones),
    ]
    one, other = (block.long_enough() for block in blocks)
    assert one.names == other.names == tuple(name for name in names if lengths[int(name)] >= 2)
    assert one.drawn.tolist() == other.drawn.tolist() == lengths[lengths >= 2].tolist()
    assert one.spread().visible.tolist() == other.spread().visible.tolist()
    for mine, theirs in zip(one.leave_one_out(0.0), other.leave_one_out(0.0), strict=True):
        assert mine.tolist() == theirs.tolist()
    policies = Policies([fixed(1, 1), fixed(4, 2)])
    for found, wanted in zip(one.held_out(policies), other.held_out(policies), strict=True):
        assert np.allclose(np.asarray(found), np.asarray(wanted), rtol=1e-12)
