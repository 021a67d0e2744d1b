"""How well several readings of the past predict tests, one after another."""

from math import exp, log

import numpy as np

from dwell.arrays import FloatArray
from dwell.kernels.compile import compiled

LEAST = -300.0  # logarithms: two such numbers have a product that is above 0


@compiled
def follow(
    likelihood: FloatArray, beliefs: FloatArray, evidence: FloatArray, chances: FloatArray
) -> FloatArray:
    """Let each reading predict tests, and learn from each before the next.

    The same numbers come of tests that are given one by one and of tests given together.

    Args:
        likelihood: How likely each test is under each shape of the pool: a row per test.
        beliefs: How likely each shape was by each reading when the span began that the tests are
            of, but for a factor: a row per reading.
        evidence: How likely the span's tests are under each shape, as logarithms; brought up to
            date.
        chances: How likely each reading is, as logarithms, a column each; in several rows that sum
            to 1 together. Brought up to date.

    Returns:
        For each test, by how much all readings together make it likelier than the first does, as a
        logarithm.
    """
    tests, shapes = likelihood.shape
    rows, readings = chances.shape
    seen, predicted, gained = np.empty(shapes), np.empty(readings), np.empty(tests)
    for i in range(tests):
        most = -np.inf
        for j in range(shapes):
            most = max(most, evidence[j])
        for j in range(shapes):
            seen[j] = exp(max(evidence[j] - most, LEAST))
            evidence[j] += log(likelihood[i, j])
        together = 0.0
        for k in range(readings):
            before, after = 0.0, 0.0
            for j in range(shapes):
                believed = beliefs[k, j] * seen[j]
                before += believed
                after += believed * likelihood[i, j]
            predicted[k] = log(after / before)
            for row in range(rows):
                together += exp(chances[row, k] + predicted[k])
        gained[i] = log(together) - predicted[0]
        for k in range(readings):
            for row in range(rows):
                chances[row, k] += predicted[k] - log(together)
    return gained
