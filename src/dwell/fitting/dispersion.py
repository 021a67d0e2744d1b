"""Dispersion: by how much sums over periods vary more than their samples say.

Days differ, users are counted twice, the noise was understated: then sums over periods vary more
than independent samples with their variance would. `Dispersion` measures by how much from all tests
so far, whatever their values and whatever stopped them, if sums over periods are about normal.

Take two periods in a row, of n and m samples. Given the sum before them and after them, the sum in
their middle has a normal law that does not depend on the value of the idea: around the straight
line, with the variance phi sigma^2 n m / (n + m). That the test went on from there only says
between which limits it was: the law is cut off at these, and no more. Pairs of one test are
independent of one another, given what is between them. So the sum of squares over tests has a known
mean for every phi, and phi is where that is what was found. docs/noise.md has what was measured.
"""

from dataclasses import dataclass, fields
from math import inf, sqrt

import numpy as np

from dwell.arrays import FloatArray, starts_of
from dwell.errors import InvalidInput
from dwell.fitting.dependence import LARGEST, NEGLIGIBLE, SURE, Measured
from dwell.kernels.bridges import squares_between
from dwell.periods import Periods, scan_periods
from dwell.policy import Policy
from dwell.sparse_policy import SparsePolicy

FACTORS = np.geomspace(1.0, LARGEST, 13)
# Of the square of a normal number, the third cumulant over the variance.
_SKEWNESS = 4.0


@dataclass(frozen=True, slots=True)
class Spreads:
    """What tests showed of dispersion, a row per test.

    Attributes:
        found: How many pairs of periods it has, and the sum of their squares.
        expected: What this sum is on average, a column per factor by which sums may vary more …
        variance: … and its variance.
    """

    found: FloatArray
    expected: FloatArray
    variance: FloatArray

    def __len__(self) -> int:
        return len(self.found)

    def part(self, start: int, end: int) -> "Spreads":
        """What some tests in a row showed."""
        return Spreads(*(getattr(self, field.name)[start:end] for field in fields(self)))


def limits_by(periods: Periods, policy: Policy | SparsePolicy) -> tuple[FloatArray, FloatArray]:
    """Between which limits the sums of tests were at the end of each period, as a policy ran them.

    Args:
        periods: The tests, with as many periods as were drawn, those after the stop included.
        policy: What stopped them.

    Returns:
        What `spreads` takes for `lowest` and `highest`.

    Example:
        >>> days = Periods(np.array([3]), np.array([5, 5, 5]), np.array([1.0, 4.0, 0.0]))
        >>> policy = SparsePolicy(np.array([5, 10]), np.array([-2.0, 3.0]), np.array([2.0, 3.0]))
        >>> [limits.tolist() for limits in limits_by(days, policy)]
        [[-2.0, 3.0, -inf], [2.0, inf, inf]]
    """
    sparse = SparsePolicy.of(policy) if isinstance(policy, Policy) else policy
    outcomes = scan_periods(periods, sparse)
    drawn = starts_of(periods.counts)
    before_test = np.repeat(drawn[periods.starts[:-1]], periods.lengths)
    end = drawn[1:] - before_test
    made = np.searchsorted(sparse.looks, end, side="right")
    looks = made > np.searchsorted(sparse.looks, drawn[:-1] - before_test, side="right")
    # Of the looks within a period the latest counts; without any, the limits are not used.
    lower, upper = sparse.lower[made - 1], sparse.upper[made - 1]
    stop = np.repeat(outcomes.durations[:, 0], periods.lengths)
    decision = np.repeat(outcomes.decisions[:, 0], periods.lengths)
    stopped = looks & (end == stop) & (decision >= 0)
    went_on = looks & (end <= stop) & ~stopped
    # At the cap, whatever does not reach the upper boundary is rejected.
    rejected_below = np.where(made == len(sparse.looks), upper, lower)
    lowest = np.where(went_on, lower, np.where(stopped & (decision == 1), upper, -inf))
    highest = np.where(went_on, upper, np.where(stopped & (decision == 0), rejected_below, inf))
    return lowest, highest


def spreads(
    periods: Periods, variances: FloatArray, lowest: FloatArray, highest: FloatArray
) -> Spreads:
    """What tests show of dispersion.

    Args:
        periods: The tests, with as many periods as were drawn. How long one is must not depend on
            its own samples, nor on those of the one before.
        variances: The variance of one sample, an entry per test: known, or of many samples.
        lowest: The sum of all samples of its test by the end of each period is at least this: the
            lower limit if the test went on, the upper one if it was accepted then and drawn on,
            -inf if nobody looked …
        highest: … and at most this; see `limits_by`.

    Example:
        >>> days = Periods(np.array([2]), np.array([50, 50]), np.array([20.0, 0.0]))
        >>> free = np.array([np.inf, np.inf])
        >>> spreads(days, np.array([1.0]), -free, free).found.tolist()
        [[1.0, 4.0]]
    """
    per_test, per_period = (len(periods),), (len(periods.counts),)
    if variances.shape != per_test or not (np.isfinite(variances) & (variances > 0.0)).all():
        raise InvalidInput(
            f"each of {len(periods)} tests needs a finite variance > 0 of one sample, got "
            f"{variances.shape} of them, the least {variances.min(initial=inf):g}"
        )
    if not (lowest.shape == highest.shape == per_period and (lowest <= highest).all()):
        raise InvalidInput(
            f"each of {len(periods.counts)} periods needs limits of the sum, lowest <= highest, "
            f"got {lowest.shape} and {highest.shape} of them"
        )
    found = np.zeros((len(periods), 2))
    expected, variance = np.zeros((2, len(periods), len(FACTORS)))
    squares_between(
        periods.starts,
        periods.counts,
        periods.sums,
        variances,
        lowest,
        highest,
        FACTORS,
        found,
        expected,
        variance,
    )
    return Spreads(found, expected, variance)


@dataclass(slots=True)
class Dispersion:
    """Sums over tests: all that is needed to measure dispersion.

    With the factor phi that `measured` gives, N samples are worth N / phi independent ones: periods
    are long enough for the dependence within them to show in full.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> days = Periods(np.full(100, 4), np.full(400, 25), rng.normal(0.0, 5.0 * 2**0.5, 400))
        >>> found, free = Dispersion.empty(), np.full(400, np.inf)
        >>> found.take(spreads(days, np.ones(100), -free, free))
        >>> found.measured().sentence
        'samples within a test are worth 0.59 of independent ones'

    Attributes:
        tests: How many there were.
        found: How many pairs of periods they had, and the sum of their squares.
        expected: What this sum is on average, for each factor …
        variance: … and its variance.
    """

    tests: int
    found: FloatArray
    expected: FloatArray
    variance: FloatArray

    @classmethod
    def empty(cls) -> "Dispersion":
        """No test yet."""
        return cls(0, np.zeros(2), *np.zeros((2, len(FACTORS))))

    def take(self, shown: Spreads) -> None:
        """Add tests, in order: a block gives what its tests give one by one, to the last bit."""
        self.tests += len(shown)
        for name in ("found", "expected", "variance"):
            rows = np.vstack([getattr(self, name), getattr(shown, name)])
            setattr(self, name, np.cumsum(rows, axis=0)[-1])

    def measured(self) -> Measured:
        """What is known by now."""
        if self.found[0] == 0.0:
            return Measured(1.0, inf, significant=False, detectable=inf)
        independent, deviation = float(self.expected[0]), sqrt(self.variance[0])
        squares = max(float(self.found[1]), independent)
        sure = SURE + _SKEWNESS / deviation * (SURE**2 - 1.0) / 6.0
        limit = independent + sure * deviation
        estimate = self._factor(squares)
        error = sqrt(float(np.interp(estimate, FACTORS, self.variance)))
        least, most = self._factor(squares - error), self._factor(squares + error)
        significant = squares > limit and least > NEGLIGIBLE
        return Measured(
            least if significant else 1.0,
            max(most - estimate, estimate - least),  # either end may be cut off
            significant,
            max(self._factor(limit + deviation), NEGLIGIBLE),
        )

    def _factor(self, squares: float) -> float:
        """Of which factor this sum of squares is the mean."""
        return float(np.interp(squares, self.expected, FACTORS))
