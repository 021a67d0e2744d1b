"""Expectation-maximisation for one pool, and for many at once."""

from math import log, sqrt

import numpy as np

from dwell.arrays import FloatArray
from dwell.kernels.compile import compiled

_SMALLEST = 1e-300


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


@compiled
def climb(
    likelihood: FloatArray, counts: FloatArray, pseudo: FloatArray, weights: FloatArray, steps: int
) -> None:
    """Make the weights of one pool likelier, three steps at a time, which go as far as hundreds.

    Two steps tell in which direction weights move and how that changes; the third is taken from
    where this leads (SQUAREM; Varadhan, Roland 2008, Scandinavian Journal of Statistics 35), unless
    weights are less likely there: then from where the two steps led.

    Args:
        likelihood: A row per value, a column per kind of test.
        counts: How many tests of each kind there are.
        pseudo: How many pseudo-tests have each value.
        weights: The weights of the values, brought up to date.
        steps: How many times three.
    """
    values = len(weights)
    once, twice, ahead = np.empty(values), np.empty(values), np.empty(values)
    for _ in range(steps):
        _step(likelihood, counts, pseudo, weights, once)
        likely = _step(likelihood, counts, pseudo, once, twice)
        moved, bent = 0.0, 0.0
        for j in range(values):
            moved += (once[j] - weights[j]) ** 2
            bent += (twice[j] - 2.0 * once[j] + weights[j]) ** 2
        length = max(1.0, sqrt(moved / max(bent, _SMALLEST)))  # 1 leads to where the two steps do
        total = 0.0
        for j in range(values):
            forward, turn = once[j] - weights[j], twice[j] - 2.0 * once[j] + weights[j]
            reached = weights[j] + 2.0 * length * forward + length**2 * turn
            ahead[j] = max(reached, 0.01 * twice[j])
            total += ahead[j]
        for j in range(values):
            ahead[j] /= total
        if not _step(likelihood, counts, pseudo, ahead, weights) >= likely:
            _step(likelihood, counts, pseudo, twice, weights)


@compiled
def _step(
    likelihood: FloatArray,
    counts: FloatArray,
    pseudo: FloatArray,
    weights: FloatArray,
    found: FloatArray,
) -> float:
    """One step from weights to likelier ones: each test is shared among the values.

    Returns:
        How likely tests and pseudo-tests are by the weights that the step is taken from, as a
        logarithm.
    """
    values, kinds = likelihood.shape
    mixed, total, likely = np.zeros(kinds), 0.0, 0.0
    for j in range(values):
        total += pseudo[j]
        if pseudo[j] > 0.0:
            likely += pseudo[j] * log(weights[j])
        for i in range(kinds):
            mixed[i] += likelihood[j, i] * weights[j]
    for i in range(kinds):
        total += counts[i]
        if counts[i] > 0.0:
            likely += counts[i] * log(mixed[i])
        mixed[i] = counts[i] / mixed[i]
    for j in range(values):
        share = 0.0
        for i in range(kinds):
            share += likelihood[j, i] * mixed[i]
        found[j] = weights[j] * share + pseudo[j]
    for j in range(values):
        found[j] /= total
    return likely
