"""Stretches: users of two arms, compared by their means within short stretches of time.

Pairs in the order of arrival, the first treated user and the first untreated one, are of about the
same time only where arms are split evenly at all times. Elsewhere a drift of outcomes would be
taken for an effect. Within a stretch both arms have the same time, whatever the split.

Of a stretch with n users, n / 2 count as samples: two users cost as much as a pair does, wherever
they are. The variance is such that variance / samples is that of the difference of means.
"""

from typing import NamedTuple

import numpy as np

from dwell.arrays import FloatArray, IntArray, starts_of
from dwell.kernels.stretches import cut

# Of each arm. A mean of so few is nearly as good as one of many by the same users, and a test of
# some hundred users still has stretches to look after.
USERS = 8
_LONGEST = 4  # times as long as a stretch should be


class Stretches(NamedTuple):
    """Stretches of tests: how many each test has, and of each its samples' number, sum, variance.

    Of periods these are the attributes of a `PeriodBlock`.
    """

    lengths: IntArray
    counts: IntArray
    sums: FloatArray
    variances: FloatArray


def stretches_of(sides: IntArray, starts: IntArray) -> IntArray:
    """The number of each user's stretch, counted through all tests; -1 for users without one.

    Args:
        sides: 1 for treated users, 0 for others, in the order of time, one test after another.
        starts: Where each test's users start; one more entry marks the end of the last.

    Example:
        >>> stretches_of(np.array([0, 1, 0, 0, 1, 0]), np.array([0, 6])).tolist()
        [0, 0, 1, 1, 1, 1]
    """
    sizes = np.diff(starts)
    treated = np.diff(starts_of(sides)[starts])
    fewer = np.minimum(treated, sizes - treated)
    least = np.clip(fewer // 2, 1, USERS)
    most = _LONGEST * -(-sizes * least // np.maximum(fewer, 1))
    found = np.empty(len(sides), dtype=np.int64)
    cut(sides.astype(np.int8), starts, least, most, found)
    return found


def compared(
    tests: IntArray, stretches: IntArray, sides: IntArray, outcomes: FloatArray, count: int
) -> Stretches:
    """Differences of means, stretch by stretch.

    Args:
        tests: Which test each user is of, counted from 0.
        stretches: Which stretch of its test, counted through all tests; each has both arms.
        sides: 1 for treated users, 0 for others.
        outcomes: Their outcomes.
        count: How many tests there are.

    Example:
        >>> zero = np.zeros(4, dtype=np.int64)
        >>> compared(zero, zero, np.array([0, 0, 0, 1]), np.array([1.0, 2, 3, 5]), 1).sums.tolist()
        [6.0]
    """
    total = int(stretches.max(initial=-1)) + 1
    group = 2 * stretches + sides
    users = np.bincount(group, minlength=2 * total).astype(np.float64)
    means = np.bincount(group, outcomes, 2 * total) / np.maximum(users, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):  # who takes the root asks if it is finite
        squares = np.bincount(group, (outcomes - means[group]) ** 2, 2 * total)
    test_of = np.empty(total, dtype=np.int64)
    test_of[stretches] = tests
    of_arm = 2 * np.repeat(test_of, 2) + np.tile([0, 1], total)
    freedom = np.bincount(of_arm, users - 1.0, 2 * count)
    spread = np.bincount(of_arm, squares, 2 * count) / np.maximum(freedom, 1.0)
    return differences(test_of, users.reshape(-1, 2), means.reshape(-1, 2), spread[of_arm], count)


def differences(
    tests: IntArray, users: FloatArray, means: FloatArray, variances: FloatArray, count: int
) -> Stretches:
    """Treatment minus control of stretches, whose two arms (columns) are known by their means.

    Args:
        tests: Which test each stretch is of, counted from 0, in order.
        users: How many users each arm has; at least one.
        means: Their means.
        variances: The variances of one user's outcome.
        count: How many tests there are.

    Example:
        >>> users, means = np.array([[10.0, 5.0]]), np.array([[0.5, 2.0]])
        >>> found = differences(np.array([0]), users, means, np.array([[2.0, 3.0]]), 1)
        >>> found.counts.tolist(), (found.variances / found.counts).tolist()
        ([7], [0.8])
    """
    lengths = np.bincount(tests, minlength=count)
    # Half of all users so far, less half of those before: no user is lost to rounding.
    so_far = np.cumsum(users.sum(axis=1).astype(np.int64))
    before = np.append(0, so_far)[starts_of(lengths)[:-1]][tests]
    halves = (so_far - before) // 2
    counts = np.diff(halves, prepend=0)
    first = np.flatnonzero(np.diff(tests, prepend=-1))
    counts[first] = halves[first]
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused where used
        sums = counts * (means[:, 1] - means[:, 0])
        variance = counts * (variances.reshape(-1, 2) / users).sum(axis=1)
    return Stretches(lengths, counts, sums, variance)
