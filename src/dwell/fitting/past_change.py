"""Whether the pool of ideas has changed among past tests, and which of them are of the present one.

Effects with standard errors are taken in the order in which tests began, by the readings that a
learner has of its own tests (`fitting.readings`), with errors as of a normal law. Among the shapes
that the pool may have is the one that fits all tests best, whatever their order, and others that
are narrower, wider, better or worse, or have more of its good ideas or its bad ones: real pools are
none of a fixed list, and where no shape fits, readings that go from one to another predict better
though nothing has changed.

What changed is told in terms that tests identify: how often an idea would be a clear win, two
standard errors above 0 in a test of the usual size, and what a test earns if these are shipped.
"""

from dataclasses import asdict, dataclass
from datetime import date
from itertools import product
from math import asinh, ceil
from typing import Any

import numpy as np
from scipy import special

from dwell.arrays import BoolArray, DateArray, FloatArray
from dwell.fitting.dating import shown
from dwell.fitting.figure import Figure, number, percent, percents, range_of
from dwell.fitting.npmle import climb
from dwell.fitting.pool import Laws, Spreads
from dwell.fitting.pool_change import FALSE_ALARMS, PoolChange, in_words, under_rule
from dwell.fitting.readings import Readings
from dwell.fitting.shapes import shapes

_CLEAR = 1.96  # standard errors above 0
# The grid: neighbours near 0, in standard errors of precise tests; how fast their distance grows;
# where it ends, as a ratio. And how far pools may spread: in such errors, and in usual effects.
_STEP, _GROWTH, _FARTHEST = 0.7, 0.1, 1e6
_PRECISE, _NARROWEST, _WIDEST = 0.1, 0.64, 3.0
# How likely the pool is as all tests together say, or like that, before there is any test: but for
# its spread and its mean, or by the factor that ideas are more frequent by for each sd that they
# are better by, on the log scale.
_FITTED, _ALIKE = 0.03, 0.1
_SPREADS, _SHIFTS = (0.5, 0.7, 1.0, 1.4, 2.0), (-0.6, -0.3, 0.0, 0.3, 0.6)
_TILTS = (-4.0, -2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 4.0)
_LEAST = 1e-12
_MANY = 5000  # tests that say well enough what fits all


@dataclass(frozen=True, slots=True, eq=False)
class PastChange(PoolChange):
    """The latest change of the pool that past tests show.

    Tests are counted in the order in which they began.

    Attributes:
        since_date: When the first test after it began …
        earliest_date: … at least …
        latest_date: … and at most.
        present: Which tests are of the present pool, in the order in which tests were given:
            those since, and those of an earlier pool that has come back.
        clear_before: How often an idea was a clear win before …
        clear_now: … and is now.
        earned_before: What a test earned before if clear wins are shipped …
        earned_now: … and earns now.
    """

    since_date: date
    earliest_date: date
    latest_date: date
    present: BoolArray
    clear_before: Figure
    clear_now: Figure
    earned_before: Figure
    earned_now: Figure

    @property
    def tests(self) -> int:
        """How many tests there are of the present pool."""
        return int(self.present.sum())

    @property
    def after(self) -> int:
        """How many tests came after it."""
        return len(self.present) - self.since

    @property
    def sentence(self) -> str:
        """The same for people."""
        return (
            f"the pool of ideas has changed since {in_words(self.since_date)} (test "
            f"{self.since + 1:,} of {len(self.present):,}; between {in_words(self.earliest_date)} "
            f"and {in_words(self.latest_date)}; {FALSE_ALARMS.lower()}): "
            f"{percent(self.clear_now.estimate)} % of ideas are clear wins "
            f"({percents(self.clear_now)} %) where it was {percent(self.clear_before.estimate)} % "
            f"({percents(self.clear_before)} %), and shipping these earns "
            f"{number(self.earned_now.estimate)} a test ({range_of(self.earned_now)}) where it "
            f"earned {number(self.earned_before.estimate)} ({range_of(self.earned_before)})"
        )


def change_fields(change: PastChange) -> dict[str, Any]:
    """A change for programs: dates as texts, tests counted from 1.

    Args:
        change: The change.
    """
    figures = ("clear_before", "clear_now", "earned_before", "earned_now")
    return {
        "since": change.since_date.isoformat(),
        "earliest": change.earliest_date.isoformat(),
        "latest": change.latest_date.isoformat(),
        "test": change.since + 1,
        "tests": change.tests,
        **{name: asdict(getattr(change, name)) for name in figures},
        "sentence": change.sentence,
    }


def past_change(
    effects: FloatArray, standard_errors: FloatArray, began: DateArray
) -> PastChange | None:
    """The latest change that tests show; None if none is shown.

    Where the pool stays, one is shown with a probability of at most 5 %.

    Args:
        effects: The effect that each test measured.
        standard_errors: Their standard errors, above 0.
        began: When each began.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> values = np.append(rng.normal(0.2, 0.3, 100), rng.normal(-0.4, 0.1, 60))
        >>> days = np.datetime64("2026-01-01") + np.arange(160)
        >>> found = past_change(rng.normal(values, 0.1), np.full(160, 0.1), days)
        >>> found.since, str(found.since_date), found.tests
        (100, '2026-04-11', 60)
    """
    order = np.argsort(began, kind="stable")
    past = _Past.of(effects[order], standard_errors[order])
    readings, change = past.read()
    if change is None or not change.since:  # none was shown, or it was taken back
        return None
    present = _within(readings, readings.settled, len(order))
    # Tests of days on which it may have been are of the one pool or the other: they tell of none.
    before, now = (_within(readings, side, len(order)) for side in readings.sides)
    clear_before, earned_before = past.clear_wins(before if before.any() else ~present)
    clear_now, earned_now = past.clear_wins(now)
    as_given = np.empty_like(present)
    as_given[order] = present
    ends = [change.since, change.earliest, change.latest]
    first, earliest, latest = began[order][ends].astype("datetime64[D]").tolist()
    return PastChange(
        change.since,
        change.earliest,
        change.latest,
        change.shown,
        since_date=first,
        earliest_date=earliest,
        latest_date=latest,
        present=as_given,
        clear_before=clear_before,
        clear_now=clear_now,
        earned_before=earned_before,
        earned_now=earned_now,
    )


def _within(readings: Readings, spans: FloatArray, count: int) -> BoolArray:
    """Which of so many tests, each of a kind of its own, some spans hold."""
    found = np.zeros(count, dtype=np.bool_)
    for span, holds in zip(readings.spans, spans.tolist(), strict=True):
        found[span.kinds] = holds == 1.0
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Past:
    """Past tests in order, and the shapes that the pool may have.

    Attributes:
        effects: Their effects.
        errors: Their standard errors.
        values: The grid of values.
        shapes: The shapes.
    """

    effects: FloatArray
    errors: FloatArray
    values: FloatArray
    shapes: Laws

    @classmethod
    def of(cls, effects: FloatArray, standard_errors: FloatArray) -> "_Past":
        """With a grid that fits them, whatever their order."""
        precise = float(np.quantile(standard_errors, _PRECISE))
        # On the grid, what is more precise says no more.
        errors = np.maximum(standard_errors, precise)
        farthest = min(float((np.abs(effects) + 3.0 * errors).max()), _FARTHEST * precise)
        half = ceil(asinh(farthest / precise * _GROWTH / _STEP) / _GROWTH)
        values = precise * _STEP / _GROWTH * np.sinh(_GROWTH * np.arange(-half, half + 1))
        usual = float(max(np.median(errors), np.median(np.abs(effects))))
        spreads = Spreads(_NARROWEST * precise, usual, _WIDEST * usual)
        found = cls(
            np.clip(effects, values[0], values[-1]), errors, values, shapes(values, spreads)
        )
        return found._with_fitted()

    def _with_fitted(self) -> "_Past":
        """With shapes that fit all tests, or are like that."""
        some = slice(None, None, ceil(len(self.effects) / _MANY))
        table = np.exp(self.log_likelihood(some))
        best = climb(table, np.ones(len(table)))
        fitted = np.zeros(len(self.values))
        fitted[best.support] = best.weights
        alike = [
            _changed(self.values, fitted, spread, shift)
            for spread, shift in product(_SPREADS, _SHIFTS)
            if (spread, shift) != (1.0, 0.0)
        ]
        alike += [_tilted(self.values, fitted, tilt) for tilt in _TILTS]
        # No value is impossible: each shape has to predict whatever comes.
        weights = np.maximum([fitted, *alike], _LEAST)
        weights /= weights.sum(axis=1, keepdims=True)
        chances = np.append(_FITTED, np.full(len(alike), _ALIKE / len(alike)))
        fixed = (1.0 - _FITTED - _ALIKE) * self.shapes.chances
        together = Laws(np.vstack([self.shapes.weights, weights]), np.append(fixed, chances))
        return _Past(self.effects, self.errors, self.values, together)

    def log_likelihood(self, tests: slice | BoolArray) -> FloatArray:
        """How likely tests are under each value: a row each, its greatest entry 0."""
        z = (self.effects[tests, None] - self.values) / self.errors[tests, None]
        found = -0.5 * z**2
        found -= found.max(axis=1, keepdims=True)
        return found

    def read(self) -> tuple[Readings, PoolChange | None]:
        """Readings of all tests, each of a kind of its own, and the latest change that is shown."""
        readings, latest = Readings.of(len(self.shapes.chances)), None
        count, chances = len(self.effects), self.shapes.chances[np.newaxis]
        while readings.tests < count:
            tests = slice(readings.tests, min(readings.tests + readings.left, count))
            likelihood = np.exp(self.log_likelihood(tests))
            predicted = np.einsum("ij,hj->ih", likelihood, self.shapes.weights)
            readings.take(np.arange(tests.start, tests.stop), predicted, chances)
            if readings.tests == count:
                readings.next_look = count  # what a log shows at its end is shown
            latest = shown(readings) or latest
        return readings, latest

    def clear_wins(self, tests: BoolArray) -> tuple[Figure, Figure]:
        """How often ideas are clear wins, by some tests; and what shipping these earns a test."""
        accepts = special.ndtr(self.values / np.median(self.errors) - _CLEAR)
        return under_rule(
            self.log_likelihood(tests), np.ones(int(tests.sum())), accepts, self.values
        )


def _tilted(values: FloatArray, weights: FloatArray, tilt: float) -> FloatArray:
    """A law whose better ideas are more frequent, or less, exponentially."""
    logs = tilt * (values - weights @ values) / _sd(values, weights)
    logs -= logs[weights > 0.0].max()
    tilted = weights * np.exp(np.minimum(logs, 0.0))
    found: FloatArray = tilted / tilted.sum()
    return found


def _sd(values: FloatArray, weights: FloatArray) -> float:
    """The standard deviation; of a single value, what tells it from its neighbours."""
    sd = float(np.sqrt(weights @ (values - weights @ values) ** 2))
    return max(sd, float(np.diff(values).min()))


def _changed(values: FloatArray, weights: FloatArray, spread: float, shift: float) -> FloatArray:
    """A law on the grid, its sd and its mean changed: what falls between two values is shared."""
    mean = float(weights @ values)
    moved = mean + spread * (values - mean) + shift * _sd(values, weights)
    moved = np.clip(moved, values[0], values[-1])
    below = np.clip(np.searchsorted(values, moved) - 1, 0, len(values) - 2)
    share = (moved - values[below]) / (values[below + 1] - values[below])
    places = np.concatenate([below, below + 1])
    shared = np.concatenate([weights * (1.0 - share), weights * share])
    found: FloatArray = np.bincount(places, shared, len(values)).astype(np.float64)
    return found
