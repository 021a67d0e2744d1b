"""How well several readings of the past predict tests, one after another."""

from math import exp, log

import numpy as np

from dwell.arrays import FloatArray
from dwell.kernels.compile import compiled

LEAST = -300.0  # logarithms: two such numbers have a product that is above 0


@compiled
def follow(
    likelihood: FloatArray, beliefs: FloatArray, evidence: FloatArray, chances: FloatArray
) -> None:
    """Let each reading predict tests, and learn from each before the next.

    The same numbers come of tests that are given one by one and of tests given together.

    Args:
        likelihood: How likely each test is under each shape of the pool: a row per test.
        beliefs: How likely each shape was by each reading when the span began that the tests are
            of, but for a factor: a row per reading.
        evidence: How likely the span's tests are under each shape, as logarithms; brought up to
            date.
        chances: The logarithm of how likely each reading is; brought up to date.
    """
    tests, shapes = likelihood.shape
    seen = np.empty(shapes)
    for i in range(tests):
        most = -np.inf
        for j in range(shapes):
            most = max(most, evidence[j])
        for j in range(shapes):
            seen[j] = exp(max(evidence[j] - most, LEAST))
        for k in range(len(chances)):
            before, after = 0.0, 0.0
            for j in range(shapes):
                believed = beliefs[k, j] * seen[j]
                before += believed
                after += believed * likelihood[i, j]
            chances[k] += log(after / before)
        for j in range(shapes):
            evidence[j] += log(likelihood[i, j])
