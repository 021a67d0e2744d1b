"""A pool of ideas that has moved: all ideas are better, or worse, by the same.

A pool that changes all the time is known from its latest tests, which are few, and from what it
was. Rare ideas that win or lose much are forgotten with the tests that showed them; but if the pool
only moves, it still has them. So what it was is moved to where the latest tests are.
"""

from math import sqrt

import numpy as np

from dwell.arrays import FloatArray

# By how much a pool may have moved, and by how much it usually has, in its standard deviations.
# Chosen on the worlds that docs/drift.md names.
_STEPS, _USUAL = np.linspace(-1.5, 1.5, 31), 0.7
_LEAST = 1e-300


def moved(
    weights: FloatArray, values: FloatArray, likelihood: FloatArray, counts: FloatArray
) -> FloatArray:
    """The pool, moved to where tests say that it is.

    Args:
        weights: The weights of the values as the pool was.
        values: The values: a grid, or several that follow one another, each in increasing order.
        likelihood: How likely tests are: a row per kind of test, a column per value.
        counts: How many tests there are of each kind.

    Example:
        >>> values, weights = np.linspace(-1, 1, 5), np.array([0, 0, 0.9, 0, 0.1])  # rare wins
        >>> now_worse = np.array([[0.0, 1.0, 0.0, 0.0, 0.0]])
        >>> moved(weights, values, now_worse, np.array([20.0])).round(2).tolist()
        [0.0, 0.81, 0.09, 0.09, 0.01]
    """
    mean = weights @ values
    shifts = _STEPS * sqrt(weights @ (values - mean) ** 2)
    ends = 1 + np.flatnonzero(np.diff(values) < 0.0)
    parts = zip(np.split(weights, ends), np.split(values, ends), strict=True)
    pools = np.hstack([_shifted(part, grid, shifts) for part, grid in parts])
    predicted = np.einsum("ij,hj->hi", likelihood, pools)
    evidence = np.log(np.maximum(predicted, _LEAST)) @ counts - 0.5 * (_STEPS / _USUAL) ** 2
    found: FloatArray = pools[np.argmax(evidence)]
    return found


def _shifted(weights: FloatArray, grid: FloatArray, shifts: FloatArray) -> FloatArray:
    """Weights of values that are shifted, as weights of the grid: a row per shift."""
    reached = np.clip(grid + shifts[:, np.newaxis], grid[0], grid[-1])
    above = np.clip(np.searchsorted(grid, reached), 1, len(grid) - 1)
    share = (reached - grid[above - 1]) / (grid[above] - grid[above - 1])
    found, rows = np.zeros(reached.shape), np.arange(len(shifts))[:, np.newaxis]
    np.add.at(found, (rows, above - 1), (1.0 - share) * weights)
    np.add.at(found, (rows, above), share * weights)
    return found
