"""Blocks: rows cut into blocks of whole tests."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from dwell.arrays import IntArray
from dwell.errors import NotOrdered
from dwell.history.rows import Rows, cut, joined, run_starts


def whole_tests(parts: Iterable[Rows], size: int, names: Sequence[str], log: str) -> Iterator[Rows]:
    """Blocks of at most `size` rows, or of one longer test, whatever parts the rows come in.

    Only a test that lies in several parts is put together anew; all else is passed on as it is.

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
    last = -1
    for part in parts:
        tests = part["test"]
        if not len(tests):
            continue
        follows = int(tests[0] == last)
        last = _follows(part, last, names, log)
        starts = run_starts(tests)
        if held and not (follows and len(starts) == 1):
            ours = int(starts[1]) if follows else 0
            yield joined([*held, cut(part, 0, ours)])
            held, starts = [], starts[follows:]
        if not held:
            yield from _cut_up(part, starts, size)
        held.append(cut(part, int(starts[-1]), len(tests)))
    if held:
        yield joined(held)


def _cut_up(rows: Rows, starts: IntArray, size: int) -> Iterator[Rows]:
    """Blocks of all tests but the last."""
    first = 0
    while first < len(starts) - 1:
        fits = int(np.searchsorted(starts, starts[first] + size, side="right")) - 1
        end = min(max(fits, first + 1), len(starts) - 1)
        yield cut(rows, int(starts[first]), int(starts[end]))
        first = end


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
