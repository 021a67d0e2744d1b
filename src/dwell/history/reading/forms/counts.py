"""Counts: users and conversions of tests, a row each."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from dwell.arrays import starts_of
from dwell.history.reading.counts_block import CountsBlock
from dwell.history.reading.quality import Quality
from dwell.history.reading.rows import Rows, between
from dwell.history.reading.validation import Validator

# Enough to keep a worker busy, few enough that all of them have some.
_MOST_TESTS = 64


def counts(
    parts: Iterable[Rows], size: int, validator: Validator, seed: int
) -> Iterator[CountsBlock]:
    """Blocks of at most `size` samples, or of one longer test.

    Args:
        parts: Rows with the columns n_c, x_c, n_t and x_t.
        size: How many samples a block may have.
        validator: What looks the rows over.
        seed: What orders are drawn from, with tests' names.
    """
    last = -1
    for part in parts:
        rows = counted(part, last, validator)
        last = max(last, int(part["test"].max(initial=-1)))
        total = starts_of(np.minimum(rows["n_c"], rows["n_t"]))
        first, count = 0, len(total) - 1
        while first < count:
            fits = int(np.searchsorted(total, total[first] + size, side="right")) - 1
            end = min(max(fits, first + 1), first + _MOST_TESTS)
            yield _block(between(rows, first, end), validator, seed)
            first = end


def counted(part: Rows, last: int, validator: Validator) -> Rows:
    """Rows of whole numbers that fit, of tests that were not there before."""
    rows = {name: column.astype(np.int64) for name, column in part.items()}
    reader = validator.reader
    most = np.maximum.accumulate(np.concatenate([[last], rows["test"]]))[:-1]
    again = rows["test"] <= most
    beyond = (rows["x_c"] > rows["n_c"]) | (rows["x_t"] > rows["n_t"])
    for kind, bad, sentence in (
        ("repeated tests", again, "a test must have one row"),
        ("conversions above users", beyond, "x_c and x_t must be at most n_c and n_t"),
    ):
        if bad.any():
            place = int(np.flatnonzero(bad)[0])
            reader.faults.add(
                kind,
                rows["row"][bad],
                f"{sentence}, unlike test {reader.names[rows['test'][place]]} in row "
                f"{rows['row'][place]} of {reader.source.name}",
            )
    wrong = again | beyond
    return {name: column[~wrong] for name, column in rows.items()} if wrong.any() else rows


def _block(rows: Rows, validator: Validator, seed: int) -> CountsBlock:
    controls, treated = rows["n_c"], rows["n_t"]
    users = np.stack([controls, treated], axis=1)
    ones = np.stack([rows["x_c"], rows["x_t"]], axis=1)
    block = CountsBlock(validator.names(rows["test"]), users, ones, seed)
    drawn, starts = block.drawn, np.arange(len(users))
    both = users.min(axis=1) > 0
    unused = np.where(both, 0, np.abs(controls - treated))
    quality = Quality(
        rows=len(users),
        tests=len(users),
        samples=sum(drawn.tolist()),
        unpaired=sum(unused.tolist()),
        short_tests=validator.short(np.minimum(drawn, users.min(axis=1)), rows, starts),
        constant_tests=validator.equal(block.constant, rows, starts),
        controls=sum(controls.tolist()),
        treated=sum(treated.tolist()),
        mismatched=validator.mismatched(controls, treated, rows, starts),
    )
    return replace(block, quality=quality)
