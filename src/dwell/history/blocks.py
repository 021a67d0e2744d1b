"""Blocks: rows cut into blocks of whole tests."""

from collections.abc import Generator, Iterable, Iterator, Sequence

import numpy as np

from dwell.errors import NotOrdered
from dwell.history.rows import Rows, cut, joined, run_starts


def whole_tests(parts: Iterable[Rows], size: int, names: Sequence[str], log: str) -> Iterator[Rows]:
    """Blocks of at most `size` rows, or of one longer test, whatever parts the rows come in.

    Args:
        parts: Rows, a part at a time.
        size: How many rows a block may have.
        names: What tests are called.
        log: What to call the log where it is refused.

    Example:
        >>> import numpy as np
        >>> rows = {"row": np.arange(1, 7), "test": np.array([0, 0, 0, 1, 2, 2])}
        >>> [block["row"].tolist() for block in whole_tests([rows], 2, "abc", "log.csv")]
        [[1, 2, 3], [4], [5, 6]]
    """
    held: list[Rows] = []
    count, last = 0, -1
    for part in parts:
        tests = part["test"]
        if not len(tests):
            continue
        last = _follows(part, last, names, log)
        held.append(part)
        count += len(tests)
        # Nothing can be cut off while all rows fit, or while they are of one test.
        if count > size and held[0]["test"][0] != last:
            rest = yield from _cut_off(joined(held), size)
            held, count = [rest], len(rest["test"])
    if held:
        rest = yield from _cut_off(joined(held), size)
        yield rest


def _cut_off(rows: Rows, size: int) -> Generator[Rows, None, Rows]:
    """Blocks from the front, until what is left may be one block or one test."""
    starts = run_starts(rows["test"])
    end = len(rows["test"])
    first = 0
    while end - first > size and starts[-1] > first:
        fits = starts[np.searchsorted(starts, first + size, side="right") - 1]
        longer = starts[np.searchsorted(starts, first, side="right")]
        here = int(fits if fits > first else longer)
        yield cut(rows, first, here)
        first = here
    return cut(rows, first, end)


def _follows(part: Rows, last: int, names: Sequence[str], log: str) -> int:
    """The last test of a part; tests are numbered as they appear, so numbers never fall."""
    tests = part["test"]
    falls = np.flatnonzero(tests[1:] < tests[:-1]) + 1
    if tests[0] < last or len(falls):
        place = 0 if tests[0] < last else int(falls[0])
        raise NotOrdered(
            f"rows of a test must follow one another, got test {names[tests[place]]} again in row "
            f"{part['row'][place]} of {log}: order the log, or give sort=True"
        )
    return int(tests[-1])
