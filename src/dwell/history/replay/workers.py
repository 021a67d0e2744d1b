"""Workers: work on a log's tests, a part at a time, in this process or in others.

What is found in a test does not depend on the part that it comes in, and parts are put together in
their order: so results are the same, to the last bit, for any number of parts and workers.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from dwell import checks
from dwell.history.reading.block import Block
from dwell.history.reading.log import Log
from dwell.history.reading.parquet_files import ParquetFiles

Item = TypeVar("Item")
Found = TypeVar("Found")
# Blocks that workers may have at a time: enough to keep them busy, and few enough to hold.
_AT_ONCE = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """How a log is worked through.

    Attributes:
        partitions: In how many parts, where it can be read in parts.
        executor: Who works on the parts; None for this process alone.
        advance: Told the share of the work that is done.
    """

    partitions: int = 32
    executor: Executor | None = None
    advance: Callable[[float], None] = lambda _: None

    def part(self, start: float, end: float) -> "Workers":
        """The same for a part of the work, from a share of it to another."""
        return replace(self, advance=lambda done: self.advance(start + (end - start) * done))


def parts_of(log: Log, count: int) -> tuple[Log, ...]:
    """A log in at most so many parts that can be read on their own; others than Parquet in one.

    Args:
        log: The log.
        count: How many parts.
    """
    count = checks.count("partitions", count)
    source = log.opened
    if log.sort or not isinstance(source, ParquetFiles):
        return (log,)
    parts = source.divided(log.columns["test"], count)
    return tuple(replace(log, source=part) for part in parts)


def worked_through(
    parts: tuple[Log, ...],
    work: Callable[[Block], Found],
    executor: Executor | None,
    advance: Callable[[], None],
) -> Iterator[Found]:
    """What is found in each block of tests, in order.

    Args:
        parts: A log in parts: each is read by the worker that works on it. Of a log in one part,
            blocks are read here and handed to workers.
        work: What to do with a block; workers in other processes must be able to unpickle it.
        executor: Workers; None to work here.
        advance: Called after each part.
    """
    if executor is None:
        for part in parts:
            yield from map(work, part.blocks())
            advance()
    elif len(parts) == 1:
        yield from _in_flight(executor, work, parts[0].blocks(), _AT_ONCE)
        advance()
    else:
        for found in _in_flight(executor, _Reading(work), parts, len(parts)):
            yield from found
            advance()


@dataclass(frozen=True, slots=True)
class _Reading(Generic[Found]):
    """Reads a part, and works on its blocks."""

    work: Callable[[Block], Found]

    def __call__(self, part: Log) -> list[Found]:
        return [self.work(block) for block in part.blocks()]


def _in_flight(
    executor: Executor, work: Callable[[Item], Found], items: Iterable[Item], most: int
) -> Iterator[Found]:
    """Results in the order of the items; workers have at most so many at a time."""
    waiting: deque[Future[Found]] = deque()
    try:
        for item in items:
            waiting.append(executor.submit(work, item))
            if len(waiting) >= most:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
