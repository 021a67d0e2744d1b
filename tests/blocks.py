"""Blocks of a log, of the kind that a test expects."""

from collections.abc import Iterator

from dwell.history.reading.block import Block
from dwell.history.reading.blocks import PeriodBlock, SampleBlock
from dwell.history.reading.counts_block import CountsBlock
from dwell.history.reading.log import BLOCK, Log
from dwell.history.reading.mixed_block import MixedBlock


def _ordered(log: Log, rows: int) -> Iterator[Block]:
    """The blocks of a log; of counts, in one order of their outcomes."""
    for block in log.blocks(rows):
        yield block.ordered(0) if isinstance(block, CountsBlock) else block


def sample_blocks(log: Log, rows: int = BLOCK) -> Iterator[SampleBlock]:
    """The blocks of a log whose samples are known one by one."""
    for block in _ordered(log, rows):
        assert isinstance(block, SampleBlock)
        yield block


def period_blocks(log: Log, rows: int = BLOCK) -> Iterator[PeriodBlock]:
    """The blocks of a log of batches."""
    for block in _ordered(log, rows):
        assert isinstance(block, PeriodBlock)
        yield block


def plain_blocks(log: Log, rows: int = BLOCK) -> Iterator[SampleBlock | PeriodBlock]:
    """The blocks of a log, each of one kind of tests."""
    for block in _ordered(log, rows):
        if isinstance(block, MixedBlock):
            yield block.samples
            yield block.periods
        else:
            assert isinstance(block, SampleBlock | PeriodBlock)
            yield block
