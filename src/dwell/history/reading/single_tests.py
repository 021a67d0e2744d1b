"""Single tests: a log's past tests one after another, as whoever learns from tests takes them."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from dwell.arrays import Samples, starts_of
from dwell.history.reading.block import Block
from dwell.history.reading.blocks import PeriodBlock, SampleBlock
from dwell.history.reading.counts_block import CountsBlock
from dwell.history.reading.log import Log
from dwell.history.reading.mixed_block import MixedBlock
from dwell.periods import Periods


def single_tests(log: Log) -> Iterator[Samples | Periods]:
    """Each test that has samples: one by one, or as sums over its periods.

    Of tests known by counts, one of the orders that fit them is drawn.

    Args:
        log: The log.

    Example:
        >>> import pyarrow as pa
        >>> table = pa.table({"test": ["a", "a", "b"], "order": [1, 2, 1], "value": [1, -1, 1]})
        >>> [test.tolist() for test in single_tests(Log(table))]
        [[1.0, -1.0], [1.0]]
    """
    for block in log.blocks():
        for part in _parts(block):
            for start, end in pairwise(starts_of(part.lengths).tolist()):
                if end == start:
                    continue
                if isinstance(part, SampleBlock):
                    yield part.samples[start:end]
                else:
                    lengths = np.array([end - start])
                    yield Periods(lengths, part.counts[start:end], part.sums[start:end])


def _parts(block: Block) -> tuple[SampleBlock | PeriodBlock, ...]:
    """The tests of a block by what is known of them."""
    if isinstance(block, CountsBlock):
        return _parts(block.ordered(0))
    if isinstance(block, MixedBlock):
        return block.samples, block.periods
    assert isinstance(block, SampleBlock | PeriodBlock)  # there are no others
    return (block,)
