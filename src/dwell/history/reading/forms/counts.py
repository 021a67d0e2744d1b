"""Counts: users and conversions of tests as sequences that could have given them.

Given the counts, every order of an arm's outcomes is as likely as any other. One is drawn for each
test, from the seed and the test's name alone: it does not depend on what is read with it.

Where arms are of about the same size the sequences are of single outcomes, and a treated one minus
an untreated one is a sample. Where they are not, or where a test is very long, the sequences are of
sums over stretches that have the same share of both arms: all users count, and memory does not grow
with their number.
"""

from collections.abc import Iterable, Iterator
from hashlib import blake2b

import numpy as np

from dwell.arrays import BoolArray, Decisions, IntArray, starts_of
from dwell.checks import LONGEST_CAP
from dwell.fitting.sample_ratio import MISMATCH, sample_ratio_p_values
from dwell.history.reading.blocks import Block, PeriodBlock, SampleBlock, chosen
from dwell.history.reading.forms.stretches import USERS, Stretches, differences
from dwell.history.reading.mixed_block import block_of
from dwell.history.reading.quality import Quality
from dwell.history.reading.rows import Rows, between
from dwell.history.reading.validation import Validator

_STRETCHES = 2**11  # at most, of a test: evenly spaced on a log scale
_COUNTABLE = 10**9  # users among whom NumPy draws without replacement
_RARE = 1e-3


def counts(parts: Iterable[Rows], size: int, validator: Validator, seed: int) -> Iterator[Block]:
    """Blocks of at most `size` samples, or of one longer test.

    Args:
        parts: Rows with the columns n_c, x_c, n_t and x_t.
        size: How many samples a block may have.
        validator: What looks the rows over.
        seed: What sequences are drawn from, with tests' names.
    """
    last = -1
    for part in parts:
        rows = _counted(part, last, validator)
        last = max(last, int(part["test"].max(initial=-1)))
        stretched = _stretched(rows)
        lengths = np.where(stretched, _STRETCHES, np.minimum(rows["n_c"], rows["n_t"]))
        total = starts_of(lengths)
        first = 0
        while first < len(lengths):
            fits = int(np.searchsorted(total, total[first] + size, side="right")) - 1
            end = max(fits, first + 1)
            yield _expanded(between(rows, first, end), stretched[first:end], validator, seed)
            first = end


def _stretched(rows: Rows) -> BoolArray:
    """Which tests are known by sums over stretches."""
    unequal = sample_ratio_p_values(rows["n_c"], rows["n_t"]) < MISMATCH
    stretched: BoolArray = unequal | (np.minimum(rows["n_c"], rows["n_t"]) > LONGEST_CAP)
    return stretched


def _counted(part: Rows, last: int, validator: Validator) -> Rows:
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


def _expanded(rows: Rows, stretched: BoolArray, validator: Validator, seed: int) -> Block:
    names = validator.names(rows["test"])
    controls, treated = rows["n_c"], rows["n_t"]
    fewer: IntArray = np.minimum(controls, treated)
    lengths = fewer[~stretched]
    samples = np.zeros(lengths.sum(), dtype=np.int8)
    sums: list[Stretches] = []
    start = 0
    columns = (rows[name].tolist() for name in ("n_c", "x_c", "n_t", "x_t"))
    for name, apart, n_c, x_c, n_t, x_t in zip(names, stretched.tolist(), *columns, strict=True):
        digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        key = np.array([seed, int.from_bytes(digest, "little")], dtype=np.uint64)
        rng = np.random.Generator(np.random.Philox(key=key))
        if apart:
            sums.append(_stretches((n_c, n_t), (x_c, x_t), rng))
            continue
        end = start + min(n_c, n_t)
        _add_ones(samples[start:end], n_t, x_t, 1, rng)
        _add_ones(samples[start:end], n_c, x_c, -1, rng)
        start = end
    block = SampleBlock(chosen(names, ~stretched), lengths, samples)
    periods = PeriodBlock(chosen(names, stretched), *_joined(sums))
    drawn = np.where(stretched, (controls + treated) // 2 * (fewer > 0), fewer)
    unused = np.where(stretched & (fewer > 0), 0, np.abs(controls - treated))
    starts = np.arange(len(names))
    quality = Quality(
        rows=len(names),
        tests=len(names),
        samples=sum(drawn.tolist()),
        unpaired=sum(unused.tolist()),
        short_tests=validator.short(drawn, rows, starts),
        constant_tests=validator.constant(samples, lengths, rows, starts[~stretched]),
        controls=sum(controls.tolist()),
        treated=sum(treated.tolist()),
        mismatched=validator.mismatched(controls, treated, rows, starts),
    )
    return block_of(stretched, block, periods, quality)


def _joined(parts: list[Stretches]) -> Stretches:
    empty = Stretches(*(np.empty(0, dtype=kind) for kind in (int, int, float, float)))
    return Stretches(*(np.concatenate(columns) for columns in zip(empty, *parts, strict=True)))


def _stretches(
    users: tuple[int, int], ones: tuple[int, int], rng: np.random.Generator
) -> Stretches:
    """One test's arms in stretches that have the same share of each."""
    fewer = min(users)
    if not fewer:
        return Stretches(np.zeros(1, dtype=np.int64), *_joined([])[1:])
    least = min(max(fewer // 2, 1), USERS)
    spaced = np.geomspace(least, fewer, _STRETCHES) / least
    steps = np.unique(np.ceil(spaced).astype(np.int64)) * least
    ends = np.append(steps[steps <= fewer - least], fewer)
    sizes, converted, variances = [], [], []
    for size, one in zip(users, ones, strict=True):
        # In whole numbers: floats do not know the product.
        arm_ends = np.array([end * size // fewer for end in ends.tolist()])
        sizes.append(np.diff(arm_ends, prepend=0))
        converted.append(ones_by_stretch(sizes[-1], one, rng))
        rate = one / size
        variances.append(np.full(len(ends), rate * (1.0 - rate) * size / max(size - 1, 1)))
    number, means = (np.stack(each, axis=1).astype(np.float64) for each in (sizes, converted))
    tests = np.zeros(len(ends), dtype=np.int64)
    return differences(tests, number, means / number, np.stack(variances, axis=1), 1)


def ones_by_stretch(sizes: IntArray, ones: int, rng: np.random.Generator) -> IntArray:
    """How many of so many ones fall into each stretch, all orders being equally likely.

    Exact up to 10^9 users; beyond, within a thousandth of its standard deviation.

    Args:
        sizes: How many users each stretch has.
        ones: How many of all users convert.
        rng: What they are drawn from.

    Example:
        >>> found = ones_by_stretch(np.array([10, 10, 20]), 12, np.random.default_rng(0))
        >>> found.sum(), bool((found <= [10, 10, 20]).all())
        (np.int64(12), True)
    """
    users = int(sizes.sum())
    if users < _COUNTABLE:
        return rng.multivariate_hypergeometric(sizes, ones, method="marginals")
    found = np.zeros(len(sizes), dtype=np.int64)
    for place, size in enumerate(sizes.tolist()):
        found[place] = _ones_among(size, users, ones, rng)
        users, ones = users - size, ones - int(found[place])
    return found


def _ones_among(size: int, users: int, ones: int, rng: np.random.Generator) -> int:
    """How many of the ones are among the first `size` of so many users."""
    if size == users or not ones:
        return ones
    rare, share = min(ones, users - ones), size / users
    if users < _COUNTABLE:
        drawn = int(rng.hypergeometric(rare, users - rare, size))
    elif rare <= _RARE * users:
        drawn = int(rng.binomial(rare, share))
    else:
        variance = rare * share * (1.0 - share) * ((users - rare) / (users - 1))
        drawn = round(rare * share + float(np.sqrt(variance)) * float(rng.standard_normal()))
    drawn = min(max(drawn, size - (users - rare), 0), size, rare)
    return drawn if rare == ones else size - drawn


def _add_ones(
    samples: Decisions, users: int, ones: int, sign: int, rng: np.random.Generator
) -> None:
    """Add an arm's outcomes in a random order; as many as there are samples have partners."""
    rare = min(ones, users - ones)
    places = rng.choice(users, rare, replace=False, shuffle=False) if rare else np.empty(0, int)
    places = places[places < len(samples)]
    if rare == ones:
        samples[places] += sign
    else:
        samples += sign
        samples[places] -= sign
