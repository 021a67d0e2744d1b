"""Expectation-maximisation for many pools at once."""

import numpy as np

from dwell.arrays import FloatArray
from dwell.kernels.compile import compiled


@compiled
def maximise(
    likelihood: FloatArray, counts: FloatArray, pseudo: FloatArray, weights: FloatArray, steps: int
) -> None:
    """Make weights more likely, step by step.

    Each pool is a column. The same can be written with two products of matrices; but those are
    done by threads, which on a busy machine wait for one another far longer than they work.

    Args:
        likelihood: A row per kind of test, a column per value.
        counts: How many tests of each kind there are, a column per pool.
        pseudo: How many pseudo-tests have each value, a column per pool.
        weights: The weights of the values, brought up to date.
        steps: How many.
    """
    kinds, values = likelihood.shape
    pools = weights.shape[1]
    mixed, shares = np.empty(pools), np.empty((values, pools))
    totals = np.zeros(pools)
    # Sums over an axis would take longer to compile than all the rest.
    for i in range(kinds):
        for k in range(pools):
            totals[k] += counts[i, k]
    for j in range(values):
        for k in range(pools):
            totals[k] += pseudo[j, k]
    for _ in range(steps):
        shares[:] = 0.0
        for i in range(kinds):
            mixed[:] = 0.0
            for j in range(values):
                for k in range(pools):
                    mixed[k] += likelihood[i, j] * weights[j, k]
            for k in range(pools):
                mixed[k] = counts[i, k] / mixed[k]
            for j in range(values):
                for k in range(pools):
                    shares[j, k] += likelihood[i, j] * mixed[k]
        for j in range(values):
            for k in range(pools):
                weights[j, k] = (weights[j, k] * shares[j, k] + pseudo[j, k]) / totals[k]
