"""Forms: rows of each form as blocks of tests.

A raw row is a sample; two rows of different arms make one; a row of counts makes as many as it has
pairs of users; a row of batches is a period.

Counts of 0/1 outcomes become sequences that could have given them. Given the counts, every order of
an arm's outcomes is as likely as any other. One is drawn for each test, from the seed and the
test's name alone: it does not depend on what is read with it.
"""

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b

import numpy as np

from dwell.arrays import Decisions, FloatArray, IntArray, starts_of
from dwell.history.reading.blocks import Block, PeriodBlock, SampleBlock
from dwell.history.reading.columns import Form
from dwell.history.reading.quality import Quality
from dwell.history.reading.rows import Rows, between, run_starts
from dwell.history.reading.validation import Validator


def raw(rows: Rows, validator: Validator) -> SampleBlock:
    """A row is a sample."""
    validator.order(rows)
    starts = run_starts(rows["test"])
    lengths = np.diff(np.append(starts, len(rows["test"])))
    samples = rows["value"]
    return SampleBlock(
        validator.names(rows["test"][starts]),
        lengths,
        samples,
        Quality(
            rows=len(samples),
            tests=len(starts),
            samples=len(samples),
            short_tests=validator.short(lengths, rows, starts),
            constant_tests=validator.constant(samples, lengths, rows, starts),
            gaps=validator.gaps(rows, starts),
            out_of_range=validator.outside(samples, rows),
        ),
    )


def two_arm(rows: Rows, validator: Validator) -> SampleBlock:
    """The first treated outcome minus the first untreated one, and so on."""
    starts = run_starts(rows["test"])
    tests = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows["test"]))))
    kept, sizes = [], []
    for side in (0, 1):
        places = np.flatnonzero(rows["arm"] == side)
        arm = {name: column[places] for name, column in rows.items()}
        validator.order(arm)
        sizes.append(np.bincount(tests[places], minlength=len(starts)))
        kept.append((arm["outcome"], _within(sizes[side])))
    lengths: IntArray = np.minimum(*sizes)
    control, treatment = (
        outcomes[places < np.repeat(lengths, size)]
        for (outcomes, places), size in zip(kept, sizes, strict=True)
    )
    with np.errstate(over="ignore"):  # what is not finite is refused where policies are run
        samples = treatment - control
    return SampleBlock(
        validator.names(rows["test"][starts]),
        lengths,
        samples,
        Quality(
            rows=len(tests),
            tests=len(starts),
            samples=len(samples),
            unpaired=len(tests) - 2 * len(samples),
            short_tests=validator.short(lengths, rows, starts),
            constant_tests=validator.constant(samples, lengths, rows, starts),
            gaps=validator.gaps(rows, starts),
            out_of_range=validator.outside(rows["outcome"], rows),
            controls=int(sizes[0].sum()),
            treated=int(sizes[1].sum()),
            mismatched=validator.mismatched(sizes[0], sizes[1], rows, starts),
        ),
    )


def batches(rows: Rows, validator: Validator) -> PeriodBlock:
    """A row is a period, of the difference or of one arm."""
    starts = run_starts(rows["test"])
    quality = Quality(
        rows=len(rows["test"]),
        tests=len(starts),
        gaps=validator.gaps(rows, starts),
        out_of_range=validator.outside(rows["mean"], rows),
    )
    tests = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows["test"]))))
    if "arm" in rows:
        tests, counts, means, variances, found = _differences(rows, tests, starts, validator)
        quality += found
    else:
        validator.order(rows)
        counts, means, variances = rows["n"], rows["mean"], rows["variance"]
    lengths = np.bincount(tests, minlength=len(starts))
    samples = np.bincount(tests, counts, minlength=len(starts)).astype(np.int64)
    quality += Quality(
        samples=int(samples.sum()), short_tests=validator.short(samples, rows, starts)
    )
    with np.errstate(over="ignore"):  # what is not finite is refused where policies are run
        sums = counts * means
    return PeriodBlock(
        validator.names(rows["test"][starts]),
        lengths,
        counts.astype(np.int64),
        sums,
        variances,
        quality,
    )


def _differences(
    rows: Rows, tests: IntArray, starts: IntArray, validator: Validator
) -> tuple[IntArray, FloatArray, FloatArray, FloatArray, Quality]:
    """Periods of both arms: their tests, numbers of samples, means and variances."""
    _, ranks = np.unique(rows["order"], return_inverse=True)
    periods = tests * len(tests) + ranks
    arms = []
    for side in (0, 1):
        places = np.flatnonzero(rows["arm"] == side)
        arm = {name: column[places] for name, column in rows.items()}
        validator.order(arm)
        arms.append(arm | {"local": tests[places], "period": periods[places]})
    sizes = [np.bincount(arm["local"], arm["n"], len(starts)).astype(np.int64) for arm in arms]
    _, left, right = np.intersect1d(arms[0]["period"], arms[1]["period"], return_indices=True)
    control, treatment = (
        {name: column[places] for name, column in arm.items()}
        for arm, places in zip(arms, (left, right), strict=True)
    )
    counts = np.minimum(control["n"], treatment["n"])
    with np.errstate(over="ignore"):  # what is not finite is refused where it is used
        means = treatment["mean"] - control["mean"]
        variances = counts * (
            control["variance"] / control["n"] + treatment["variance"] / treatment["n"]
        )
    alone = sum(int(size.sum()) for size in sizes) - int((control["n"] + treatment["n"]).sum())
    quality = Quality(
        unpaired=alone,
        controls=int(sizes[0].sum()),
        treated=int(sizes[1].sum()),
        mismatched=validator.mismatched(sizes[0], sizes[1], rows, starts),
    )
    return control["local"], counts, means, variances, quality


def counts(
    parts: Iterable[Rows], size: int, validator: Validator, seed: int
) -> Iterator[SampleBlock]:
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
        lengths = np.minimum(rows["n_c"], rows["n_t"])
        total = starts_of(lengths)
        first = 0
        while first < len(lengths):
            fits = int(np.searchsorted(total, total[first] + size, side="right")) - 1
            end = max(fits, first + 1)
            yield _expanded(between(rows, first, end), validator, seed)
            first = end


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


def _expanded(rows: Rows, validator: Validator, seed: int) -> SampleBlock:
    names = validator.names(rows["test"])
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
    return SampleBlock(
        names,
        lengths,
        samples,
        Quality(
            rows=len(names),
            tests=len(names),
            samples=len(samples),
            unpaired=int(np.abs(controls - treated).sum()),
            short_tests=validator.short(lengths, rows, starts),
            constant_tests=validator.constant(samples, lengths, rows, starts),
            controls=int(controls.sum()),
            treated=int(treated.sum()),
            mismatched=validator.mismatched(controls, treated, rows, starts),
        ),
    )


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


def _within(sizes: IntArray) -> IntArray:
    """0, 1, … in each group of these sizes."""
    return np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)


# Counts are not among them: a row may make a block of its own, or many a single one.
MAKERS: dict[Form | None, Callable[[Rows, Validator], Block]] = {
    "raw": raw,
    "two-arm": two_arm,
    "batches": batches,
}
