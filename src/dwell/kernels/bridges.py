"""Bridges: where a sum was halfway between two ends of periods, and where it should have been."""

from math import erfc, exp, pi, sqrt

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.kernels.compile import compiled

# Below this the moments of what is cut off on both sides lose their digits.
LEAST_CHANCE = 1e-9


@compiled
def squares_between(
    starts: IntArray,
    counts: IntArray,
    sums: FloatArray,
    variances: FloatArray,
    lowest: FloatArray,
    highest: FloatArray,
    factors: FloatArray,
    found: FloatArray,
    expected: FloatArray,
    spread: FloatArray,
) -> None:
    """How far sums were from where they should be on average, between ends of other periods.

    Of each test the last two periods are a pair, the two before, and so on. Given the sum before
    the pair and after it, the one in its middle is normal, whatever the value, and cut off at the
    limits between which the test went on: so the mean of its square is known.

    Args:
        starts: Where the periods of each test start, and where those of the last one end.
        counts: How many samples each period has.
        sums: Their sum.
        variances: Of one sample, an entry per test.
        lowest: The sum of all samples of the test by the end of the period is at least this …
        highest: … and at most this, or the test would have gone another way.
        factors: By which the variance of sums may be larger than samples say.
        found: Filled with the number of pairs of each test, and the sum of squares, in units of
            the variance that it has without limits.
        expected: Filled with the mean of these sums, a row per test, a column per factor.
        spread: Filled with their variance.
    """
    for test in range(len(starts) - 1):
        left_over = (starts[test + 1] - starts[test]) % 2
        total = sums[starts[test]] if left_over else 0.0
        for first in range(starts[test] + left_over, starts[test + 1], 2):
            n, m = float(counts[first]), float(counts[first + 1])
            both = sums[first] + sums[first + 1]
            middle = total + both * n / (n + m)
            scale = sqrt(variances[test] * n * m / (n + m))
            low, high = (lowest[first] - middle) / scale, (highest[first] - middle) / scale
            away = (total + sums[first] - middle) / scale
            total += both
            if _chance(low, high) < LEAST_CHANCE:
                continue  # it hardly could have been there: what is left tells next to nothing
            found[test, 0] += 1.0
            found[test, 1] += away * away
            for kind in range(len(factors)):
                root = sqrt(factors[kind])
                square, fourth = moments_between(low / root, high / root)
                expected[test, kind] += factors[kind] * square
                spread[test, kind] += factors[kind] ** 2 * (fourth - square * square)


@compiled
def _chance(low: float, high: float) -> float:
    """How likely a standard normal number lies between two limits."""
    if low > 0.0:
        low, high = -high, -low
    return 0.5 * (erfc(-high / sqrt(2.0)) - erfc(-low / sqrt(2.0)))


@compiled
def moments_between(low: float, high: float) -> tuple[float, float]:
    """The mean of the square and of the fourth power of a standard normal number within limits."""
    chance = _chance(low, high)
    first = third = 0.0
    for edge, sign in ((low, 1.0), (high, -1.0)):
        if np.isfinite(edge):
            density = sign * exp(-0.5 * edge * edge) / sqrt(2.0 * pi)
            first += edge * density
            third += edge**3 * density
    square = 1.0 + first / chance
    return square, 3.0 * square + third / chance
