"""Shrunk effects: what tests are worth by all that is known, the law of values among it.

A law of values is fitted to tests as in `pool`, by expectation-maximisation with a few pseudo-tests
that say what normal laws say which explain the others. The mean of a test's value, given all of its
samples and the law, is then the best guess of it (James, Stein 1961; Efron 2012, Large-Scale
Inference): far less noisy than what the test measured, and right on average whatever rule looks at
the same samples, if the law is right.
"""

from math import sqrt

import numpy as np

from dwell.arrays import BoolArray, FloatArray
from dwell.fitting.pool import PSEUDO_TESTS, Spreads, normal_laws
from dwell.kernels.pool_fit import maximise

_VALUES = 81
_STEPS = 40
# A law needs no more tests than this: of longer lists every so many-th is taken.
_MOST_TESTS = 2_000
_SMALLEST = 1e-300
_AT_ONCE = 4_096  # tests whose likelihoods are held


def shrunk_effects(
    effects: FloatArray, standard_errors: FloatArray, parts: BoolArray
) -> FloatArray:
    """Means of tests' values given what they measured, under laws fitted to parts of the tests.

    Args:
        effects: What each test measured.
        standard_errors: Their standard errors.
        parts: Which tests each law is fitted to: a row per law.

    Returns:
        A row per law, a column per test.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> values = rng.normal(0.0, 1.0, 500)
        >>> effects = rng.normal(values, 2.0)
        >>> [shrunk] = shrunk_effects(effects, np.full(500, 2.0), np.ones((1, 500), dtype=bool))
        >>> bool(np.mean((shrunk - values) ** 2) < 0.25 * np.mean((effects - values) ** 2))
        True
    """
    narrow = float(np.quantile(standard_errors, 0.05))
    widest = max(float(np.abs(effects).max()), narrow)
    # Finer near 0, where most values are: steps of a third of a small error, growing outwards.
    reach = float(np.arcsinh(widest / narrow))
    values = narrow * np.sinh(np.linspace(-reach, reach, _VALUES))
    apart = float(np.var(effects)) - float(np.mean(standard_errors**2))
    usual = sqrt(max(apart, narrow**2))
    laws = normal_laws(values, Spreads(narrowest=narrow / 4.0, usual=usual, widest=widest))
    thinned = np.arange(0, len(effects), -(-len(effects) // _MOST_TESTS))
    likelihood = _likelihood(effects[thinned], standard_errors[thinned], values)
    counts = parts[:, thinned].T.astype(np.float64)
    explained = np.log(np.maximum(np.einsum("ij,hj->ih", likelihood, laws.weights), _SMALLEST))
    evidence = np.einsum("ih,ip->ph", explained, counts) + np.log(laws.chances)
    chances = np.exp(evidence - evidence.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    begun = np.einsum("ph,hj->jp", chances, laws.weights)
    weights = begun.copy()
    maximise(likelihood, counts, PSEUDO_TESTS * begun, weights, _STEPS)
    shrunk = np.empty((len(parts), len(effects)))
    for start in range(0, len(effects), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        likelihood = _likelihood(effects[some], standard_errors[some], values)
        mixed = np.einsum("ij,jp->pi", likelihood, weights)
        shrunk[:, some] = np.einsum("ij,jp->pi", likelihood, weights * values[:, None]) / mixed
    return shrunk


def _likelihood(effects: FloatArray, errors: FloatArray, values: FloatArray) -> FloatArray:
    """Of each test (a row) at each value, relative to the highest."""
    heights = -0.5 * ((effects[:, None] - values) / errors[:, None]) ** 2
    likelihood: FloatArray = np.exp(heights - heights.max(axis=1, keepdims=True))
    return likelihood
