"""Expansion: counts of 0/1 outcomes as sequences that could have given them.

Given the counts, every order of an arm's outcomes is as likely as any other. One is drawn for each
test, from the seed and the test's name alone: it is the same whatever is read with it.
"""

from collections.abc import Iterable, Iterator
from hashlib import blake2b

import numpy as np

from dwell.arrays import Decisions, IntArray, starts_of
from dwell.history.inspector import Inspector
from dwell.history.quality import Quality
from dwell.history.rows import Rows, cut
from dwell.history.tests import Tests


def expanded(parts: Iterable[Rows], size: int, inspector: Inspector, seed: int) -> Iterator[Tests]:
    """Blocks of at most `size` samples, or of one longer test.

    Args:
        parts: Rows with the columns n_c, x_c, n_t and x_t.
        size: How many samples a block may have.
        inspector: What looks the rows over.
        seed: What sequences are drawn from, with tests' names.
    """
    last = -1
    for part in parts:
        rows = _counted(part, last, inspector)
        last = max(last, int(part["test"].max(initial=-1)))
        lengths = np.minimum(rows["n_c"], rows["n_t"])
        total = starts_of(lengths)
        first = 0
        while first < len(lengths):
            fits = int(np.searchsorted(total, total[first] + size, side="right")) - 1
            end = max(fits, first + 1)
            yield _tests(cut(rows, first, end), inspector, seed)
            first = end


def _counted(part: Rows, last: int, inspector: Inspector) -> Rows:
    """Rows of whole numbers that fit, of tests that were not there before."""
    rows = {name: column.astype(np.int64) for name, column in part.items()}
    reader = inspector.reader
    most = np.maximum.accumulate(np.concatenate([[last], rows["test"]]))[:-1]
    again = rows["test"] <= most
    beyond = (rows["x_c"] > rows["n_c"]) | (rows["x_t"] > rows["n_t"])
    for kind, bad, sentence in (
        ("repeated tests", again, "a test must have one row"),
        ("conversions above users", beyond, "x_c and x_t must be at most n_c and n_t"),
    ):
        if bad.any():
            place = int(np.flatnonzero(bad)[0])
            reader.findings.add(
                kind,
                rows["row"][bad],
                f"{sentence}, unlike test {reader.names[rows['test'][place]]} in row "
                f"{rows['row'][place]} of {reader.source.name}",
            )
    wrong = again | beyond
    return {name: column[~wrong] for name, column in rows.items()} if wrong.any() else rows


def _tests(rows: Rows, inspector: Inspector, seed: int) -> Tests:
    names = inspector.names(rows["test"])
    controls, treated = rows["n_c"], rows["n_t"]
    lengths: IntArray = np.minimum(controls, treated)
    samples = np.zeros(lengths.sum(), dtype=np.int8)
    start = 0
    columns = (rows[name].tolist() for name in ("n_c", "x_c", "n_t", "x_t"))
    for name, n_c, x_c, n_t, x_t in zip(names, *columns, strict=True):
        end = start + min(n_c, n_t)
        digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        key = np.array([seed, int.from_bytes(digest, "little")], dtype=np.uint64)
        rng = np.random.Generator(np.random.Philox(key=key))
        _add_ones(samples[start:end], n_t, x_t, 1, rng)
        _add_ones(samples[start:end], n_c, x_c, -1, rng)
        start = end
    starts = np.arange(len(names))
    return Tests(
        names,
        lengths,
        samples,
        Quality(
            rows=len(names),
            tests=len(names),
            samples=len(samples),
            unpaired=int(np.abs(controls - treated).sum()),
            short_tests=inspector.short(lengths, rows, starts),
            constant_tests=inspector.constant(samples, lengths, rows, starts),
            controls=int(controls.sum()),
            treated=int(treated.sum()),
            mismatched=inspector.mismatched(controls, treated, rows, starts),
        ),
    )


def _add_ones(
    samples: Decisions, users: int, ones: int, sign: int, rng: np.random.Generator
) -> None:
    """Add an arm's outcomes, in a random order, of which the first so many have partners."""
    rare = min(ones, users - ones)
    places = rng.choice(users, rare, replace=False, shuffle=False) if rare else np.empty(0, int)
    places = places[places < len(samples)]
    if rare == ones:
        samples[places] += sign
    else:
        samples += sign
        samples[places] -= sign
