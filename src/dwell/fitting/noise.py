"""Noise: standard errors of effects that do not go up and down with the effects themselves.

A test's own samples tell its effect and how noisy they are, and the two go together where a few
large outcomes make up a mean: an arm that is unlucky, or worth little, has few conversions, which
seem to vary little. Low effects then weigh more than high ones, and a prior fitted to them comes
out too low and too narrow; the fewer the conversions, the more so.

So errors depend on sizes alone, with one variance of an outcome for all tests: the average of the
unbiased estimates that tests give, each weighing as much as it does in the fit of a normal prior.
That prior then has the right variance, even if tests are not equally noisy and noise goes with
their sizes.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dwell.arrays import FloatArray

_ROUNDS = 5


class Means(NamedTuple):
    """Means of outcomes, of an arm or of pairs: an entry per test.

    Attributes:
        sizes: How many outcomes each is of.
        variances: How noisy each mean is, without bias; NaN where nothing is known.
        least: The variance of an outcome if none is seen to vary.
    """

    sizes: FloatArray
    variances: FloatArray
    least: float

    def noise(self, weights: FloatArray) -> FloatArray:
        """The variance of each mean, if an outcome has the same one in all tests."""
        known = np.isfinite(self.variances)
        found = 0.0
        if known.any():
            found = float(weights[known] @ self.variances[known])
            found /= float((weights[known] / self.sizes[known]).sum())
        return (found or self.least) / self.sizes


def steady_errors(effects: FloatArray, arms: Sequence[Means]) -> FloatArray:
    """Standard errors of effects, each the sum or difference of an arm's means.

    Args:
        effects: What tests measured.
        arms: How noisy the means are.

    Example:
        >>> sizes, own = np.array([10.0, 10.0, 40.0]), np.array([0.1, 0.3, 0.05])
        >>> errors = steady_errors(np.array([1.0, 2.0, 3.0]), [Means(sizes, own, 1.0)])
        >>> errors.round(3).tolist()
        [0.447, 0.447, 0.224]
    """
    own = sum(np.nan_to_num(arm.variances) for arm in arms)
    noise = np.sum([1.0 / arm.sizes for arm in arms], axis=0)
    prior_variance = 0.0
    for _ in range(_ROUNDS):
        # A fit gives squares of effects weights of (prior variance + noise)^-2.
        precision = 1.0 / (prior_variance + noise)
        precision /= precision.max()
        noise = np.sum([arm.noise(precision**2) for arm in arms], axis=0)
        squares = (effects - np.average(effects, weights=precision)) ** 2
        prior_variance = max(0.0, float(np.average(squares - own, weights=precision**2)))
    errors: FloatArray = np.sqrt(noise)
    return errors
