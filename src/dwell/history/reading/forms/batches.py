"""Batches: rows of periods, of the difference or of one arm, as blocks of tests.

Two users are a sample: of a period with two arms, n is half of their number.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dwell.arrays import BoolArray, FloatArray, IntArray, starts_of
from dwell.history.reading.blocks import PeriodBlock
from dwell.history.reading.forms.arms import comparisons
from dwell.history.reading.forms.cumulated import looks_cumulative, own_periods
from dwell.history.reading.forms.stretches import Stretches, differences
from dwell.history.reading.quality import Quality
from dwell.history.reading.rows import Rows, run_starts
from dwell.history.reading.validation import Validator


def batches(rows: Rows, validator: Validator) -> PeriodBlock:
    """A row is a period, of the difference or of one arm."""
    validator.order(rows)
    quality = Quality(gaps=validator.gaps(rows, run_starts(rows["test"])))
    rows, found = with_users(rows, validator)
    quality += found + Quality(out_of_range=validator.outside(rows["mean"], rows))
    told = _of_arms(rows, validator) if "arm" in rows else _of_difference(rows, validator)
    samples = np.diff(starts_of(told.stretches.counts)[starts_of(told.stretches.lengths)])
    quality += told.quality + Quality(
        tests=len(told.names),
        samples=sum(samples.tolist()),
        short_tests=validator.short(samples, told.rows, told.starts),
    )
    return replace(PeriodBlock(told.names, *told.stretches), quality=quality)


class _Told(NamedTuple):
    """Periods of tests, and the rows that they are from."""

    names: tuple[str, ...]
    stretches: Stretches
    rows: Rows
    starts: IntArray
    quality: Quality


def _of_difference(rows: Rows, validator: Validator) -> _Told:
    starts = run_starts(rows["test"])
    lengths = np.diff(np.append(starts, len(rows["test"])))
    counts = rows["n"].astype(np.int64)
    with np.errstate(over="ignore"):  # what is not finite is refused where policies are run
        sums: FloatArray = rows["n"] * rows["mean"]
    stretches = Stretches(lengths, counts, sums, rows["variance"])
    names = validator.names(rows["test"][starts])
    return _Told(names, stretches, rows, starts, Quality(rows=len(counts)))


def _of_arms(rows: Rows, validator: Validator) -> _Told:
    found = comparisons(rows, validator)
    told, tests, count = found.rows, found.numbers, len(found.starts)
    _, ranks = np.unique(told["order"], return_inverse=True)
    periods = tests * max(len(tests), 1) + ranks
    sides = [np.flatnonzero(told["arm"] == side) for side in (0, 1)]
    control, treatment = (periods[side] for side in sides)
    _, left, right = np.intersect1d(control, treatment, return_indices=True)
    matched = np.stack([sides[0][left], sides[1][right]], axis=1)
    users = told["n"][matched]
    columns = (told["mean"][matched], told["variance"][matched])
    stretches = differences(tests[matched[:, 0]], users, *columns, count)
    controls, treated = (
        np.bincount(tests[side], told["n"][side], count).astype(np.int64) for side in sides
    )
    quality = Quality(
        unpaired=int(told["n"].sum() - users.sum()),
        controls=sum(controls.tolist()),
        treated=sum(treated.tolist()),
        mismatched=validator.mismatched(controls, treated, told, found.starts),
    )
    return _Told(found.names, stretches, told, found.starts, found.quality + quality)


def with_users(rows: Rows, validator: Validator) -> tuple[Rows, Quality]:
    """Periods that have users of their own, with a variance each: by test and arm."""
    if "arm" in rows:
        places = np.lexsort((rows["arm"], rows["test"]))
        rows = {name: column[places] for name, column in rows.items()}
    before = len(rows["n"])
    rows = _where(rows, rows["n"] > 0)
    quality = Quality()
    if validator.cumulative:
        rows = own_periods(rows, _series(rows), validator)
        rows = _where(rows, rows["n"] > 0)
    elif validator.cumulative is None:
        several, cumulative = looks_cumulative(rows, _series(rows))
        quality = Quality(several_periods=several, cumulative=cumulative)
    quality += Quality(empty_periods=before - len(rows["n"]))
    # One outcome is its own mean: it says nothing of the variance, and 0 is what SQL may say.
    alone = (rows["n"] == 1) & ~(rows["variance"] > 0.0)
    if not alone.any():
        return rows, quality
    missing = int(np.isnan(rows["variance"][alone]).sum())
    rows = rows | {"variance": _imputed(rows, alone)}
    return rows, quality + Quality(single_periods=missing)


def _where(rows: Rows, which: BoolArray) -> Rows:
    return rows if which.all() else {name: column[which] for name, column in rows.items()}


def _series(rows: Rows) -> IntArray:
    """Which test and arm each row is of, counted from 0."""
    new = np.diff(rows["test"], prepend=rows["test"][:1]) != 0
    if "arm" in rows:
        new |= np.diff(rows["arm"], prepend=rows["arm"][:1]) != 0
    return np.cumsum(new)


def _imputed(rows: Rows, alone: BoolArray) -> FloatArray:
    """Variances; of periods with one user, that within the others, or else between such periods."""
    series = _series(rows)
    weights = np.where(alone, 0.0, rows["n"] - 1.0)
    freedom = np.bincount(series, weights)
    within = np.bincount(series, weights * np.where(alone, 0.0, rows["variance"]))
    singles = np.bincount(series, alone)
    means = np.bincount(series, np.where(alone, rows["mean"], 0.0)) / np.maximum(singles, 1.0)
    with np.errstate(over="ignore"):  # who takes the root asks if it is finite
        squares = np.bincount(series, np.where(alone, (rows["mean"] - means[series]) ** 2, 0.0))
    between = squares / np.maximum(singles - 1.0, 1.0)
    pooled = np.where(freedom > 0.0, within / np.maximum(freedom, 1.0), between)
    return np.where(alone, pooled[series], rows["variance"])
