"""Making: blocks of rows, of each form, into blocks of tests."""

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.history.batches import Batches
from dwell.history.inspector import Inspector
from dwell.history.quality import Quality
from dwell.history.rows import Rows, run_starts
from dwell.history.tests import Tests


def raw(rows: Rows, inspector: Inspector) -> Tests:
    """A row is a sample."""
    inspector.order(rows)
    starts = run_starts(rows["test"])
    lengths = np.diff(np.append(starts, len(rows["test"])))
    samples = rows["value"]
    return Tests(
        inspector.names(rows["test"][starts]),
        lengths,
        samples,
        Quality(
            rows=len(samples),
            tests=len(starts),
            samples=len(samples),
            short_tests=inspector.short(lengths, rows, starts),
            constant_tests=inspector.constant(samples, lengths, rows, starts),
            gaps=inspector.gaps(rows, starts),
            out_of_range=inspector.outside(samples, rows),
        ),
    )


def two_arm(rows: Rows, inspector: Inspector) -> Tests:
    """The first treated outcome minus the first untreated one, and so on."""
    starts = run_starts(rows["test"])
    tests = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows["test"]))))
    kept, sizes = [], []
    for side in (0, 1):
        places = np.flatnonzero(rows["arm"] == side)
        arm = {name: column[places] for name, column in rows.items()}
        inspector.order(arm)
        sizes.append(np.bincount(tests[places], minlength=len(starts)))
        kept.append((arm["outcome"], _within(sizes[side])))
    lengths: IntArray = np.minimum(*sizes)
    control, treatment = (
        outcomes[places < np.repeat(lengths, size)]
        for (outcomes, places), size in zip(kept, sizes, strict=True)
    )
    samples = treatment - control
    return Tests(
        inspector.names(rows["test"][starts]),
        lengths,
        samples,
        Quality(
            rows=len(tests),
            tests=len(starts),
            samples=len(samples),
            unpaired=len(tests) - 2 * len(samples),
            short_tests=inspector.short(lengths, rows, starts),
            constant_tests=inspector.constant(samples, lengths, rows, starts),
            gaps=inspector.gaps(rows, starts),
            out_of_range=inspector.outside(rows["outcome"], rows),
            controls=int(sizes[0].sum()),
            treated=int(sizes[1].sum()),
            mismatched=inspector.mismatched(sizes[0], sizes[1], rows, starts),
        ),
    )


def batches(rows: Rows, inspector: Inspector) -> Batches:
    """A row is a period, of the difference or of one arm."""
    starts = run_starts(rows["test"])
    quality = Quality(
        rows=len(rows["test"]),
        tests=len(starts),
        gaps=inspector.gaps(rows, starts),
        out_of_range=inspector.outside(rows["mean"], rows),
    )
    tests = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows["test"]))))
    if "arm" in rows:
        tests, counts, means, variances, found = _differences(rows, tests, starts, inspector)
        quality += found
    else:
        inspector.order(rows)
        counts, means, variances = rows["n"], rows["mean"], rows["variance"]
    lengths = np.bincount(tests, minlength=len(starts))
    samples = np.bincount(tests, counts, minlength=len(starts)).astype(np.int64)
    quality += Quality(
        samples=int(samples.sum()), short_tests=inspector.short(samples, rows, starts)
    )
    return Batches(
        inspector.names(rows["test"][starts]),
        lengths,
        counts.astype(np.int64),
        counts * means,
        variances,
        quality,
    )


def _differences(
    rows: Rows, tests: IntArray, starts: IntArray, inspector: Inspector
) -> tuple[IntArray, FloatArray, FloatArray, FloatArray, Quality]:
    """Periods of both arms: their tests, numbers of samples, means and variances."""
    _, ranks = np.unique(rows["order"], return_inverse=True)
    periods = tests * len(tests) + ranks
    arms = []
    for side in (0, 1):
        places = np.flatnonzero(rows["arm"] == side)
        arm = {name: column[places] for name, column in rows.items()}
        inspector.order(arm)
        arms.append(arm | {"local": tests[places], "period": periods[places]})
    sizes = [np.bincount(arm["local"], arm["n"], len(starts)).astype(np.int64) for arm in arms]
    _, left, right = np.intersect1d(arms[0]["period"], arms[1]["period"], return_indices=True)
    control, treatment = (
        {name: column[places] for name, column in arm.items()}
        for arm, places in zip(arms, (left, right), strict=True)
    )
    counts = np.minimum(control["n"], treatment["n"])
    variances = counts * (
        control["variance"] / control["n"] + treatment["variance"] / treatment["n"]
    )
    alone = sum(int(size.sum()) for size in sizes) - int((control["n"] + treatment["n"]).sum())
    quality = Quality(
        unpaired=alone,
        controls=int(sizes[0].sum()),
        treated=int(sizes[1].sum()),
        mismatched=inspector.mismatched(sizes[0], sizes[1], rows, starts),
    )
    return control["local"], counts, treatment["mean"] - control["mean"], variances, quality


def _within(sizes: IntArray) -> IntArray:
    """0, 1, … in each group of these sizes."""
    return np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
