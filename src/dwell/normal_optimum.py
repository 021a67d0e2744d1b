"""The best boundaries under normal samples, looked at now and then: what the induction needs."""

from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from scipy import special

from dwell.arrays import FloatArray, IntArray
from dwell.beliefs import Belief, beliefs
from dwell.kernels.normal_induction import break_even, induct_gaussian, rewards_of_one_look
from dwell.laws import Gaussian
from dwell.normal_walk import FARTHEST, REACH
from dwell.policy import Policy
from dwell.world import World

# Boundaries that are off by so little cost the square of it.
_ACCURACY = 1e-6
# So many standard errors from where the mean is 0, or from the usual sums, all is decided: either
# the prior is wide, and the value known, or it is narrow, and no sum is there.
_DECIDED = 60.0
PANEL = 3.0  # standard deviations of the next step: in tests the ROI is right to 1e-9


@dataclass(frozen=True, slots=True)
class NormalInduction:
    """Backward induction over given looks.

    Attributes:
        looks: The numbers of samples after which a policy looks; the last is its cap.
        noise: The standard deviation of a sample.
        weights: Of the beliefs that the prior is a mixture of, an entry each …
        means: … the mean of the value before any sample …
        variances: … and its variance.
        intercept: A row per look, a column per part: the mean of the value given the sum s is
            intercept + slope * s …
        slope: … and
        variance: its variance is this.
        evidence: A block per look: see `_evidence`.
        even: The sum at which the mean of the value is 0, an entry per look.
        spans: A row per look: the sums within which to look for the boundaries.
    """

    looks: IntArray
    noise: float
    weights: FloatArray
    means: FloatArray
    variances: FloatArray
    intercept: FloatArray
    slope: FloatArray
    variance: FloatArray
    evidence: FloatArray
    even: FloatArray
    spans: FloatArray

    @classmethod
    def of(cls, world: World, law: Gaussian, looks: IntArray) -> "NormalInduction":
        """All that does not depend on the price of a sample."""
        # Of each part, which has an entry per sample, only those at looks are kept.
        parts = [
            Belief(part.weight, *(each[places] for each in _arrays(part)))
            for places in [np.append(0, looks)]
            for part in beliefs(world, int(looks[-1]), accuracy=_ACCURACY)
        ]
        intercept, slope, variance = (
            np.column_stack(columns)[1:] for columns in zip(*map(_arrays, parts), strict=True)
        )
        evidence = np.stack([_evidence(part, law.sd**2, looks) for part in parts], axis=1)
        weights = np.array([part.weight for part in parts])
        means = np.array([part.intercept[0] for part in parts])
        variances = np.array([part.variance[0] for part in parts])
        low, high = looks * means.min(), looks * means.max()
        spread = np.sqrt(looks * law.sd**2 + looks**2 * variances.max())
        normal = variances[0] > 0.0  # a normal prior, or several: fat tails
        if normal:
            evens = -intercept / slope
            usual = np.column_stack([evens.min(axis=1), evens.max(axis=1)])
        else:
            usual = np.column_stack([low - REACH * spread, high + REACH * spread])
        even = usual[:, 0]
        if len(parts) > 1 or not normal:
            even = break_even(intercept, slope, evidence, usual)
        # All that far priors earn comes from sums farther out than usually counts.
        nearest = float(np.min((even - high) / spread))
        reach = min(max(REACH, nearest + 5.0), FARTHEST)
        spans = np.column_stack([low - REACH * spread, high + reach * spread])
        if len(parts) > 1 and normal:
            # Far out among fat tails likelihoods are all rounding, and nothing is left to decide.
            within = _DECIDED * law.sd * np.sqrt(looks)
            spans[:, 0] = np.maximum(spans[:, 0], np.minimum(even, low) - within)
            spans[:, 1] = np.minimum(spans[:, 1], np.maximum(even, high) + within)
        return cls(
            looks,
            law.sd,
            weights,
            means,
            variances,
            intercept,
            slope,
            variance,
            evidence,
            even,
            spans,
        )

    def one_look_roi(self, setup_cost: float) -> float:
        """The highest ROI of policies that look but once, by closed forms."""
        rewards = rewards_of_one_look(
            self.looks,
            self.noise,
            self.weights,
            self.means,
            self.variances,
            self.intercept,
            self.slope,
            self.even,
        )
        return float(np.max(rewards / (setup_cost + self.looks)))

    def best(self, price: float) -> Policy:
        """The best policy if a sample costs so much."""
        nodes, weights = special.roots_legendre(10)
        lower, upper = np.empty(len(self.looks)), np.empty(len(self.looks))
        induct_gaussian(
            self.looks,
            self.noise,
            self.intercept,
            self.slope,
            self.variance,
            self.evidence,
            self.even,
            self.spans,
            price,
            self._reach(price),
            (1.0 + nodes) / 2.0,
            weights / 2.0,
            PANEL,
            lower,
            upper,
        )
        cap = int(self.looks[-1])
        boundaries = np.full(cap, -np.inf), np.full(cap, np.inf)
        for boundary, at_looks in zip(boundaries, (lower, upper), strict=True):
            boundary[self.looks - 1] = at_looks
        return Policy(*boundaries)

    def _reach(self, price: float) -> float:
        """How many standard deviations count: what is beyond is worth far less than a sample."""
        most = float((np.abs(self.means) + np.sqrt(self.variances)).max())
        if not price > 1e-300 * most:
            return FARTHEST
        return min(max(REACH, sqrt(max(0.0, -2.0 * log(price / most))) + 4.0), FARTHEST)


def _arrays(part: Belief) -> tuple[FloatArray, FloatArray, FloatArray]:
    return part.intercept, part.slope, part.variance


def _evidence(part: Belief, noise: float, looks: IntArray) -> FloatArray:
    """The logarithm of weight * Z as a parabola in the sum, a row per look.

    Args:
        part: One part of the prior, before any sample and at the looks.
        noise: The variance of a sample.
        looks: The numbers of samples.
    """
    log_weight = np.log(part.weight)
    mean, slope, variance = (each[1:] for each in _arrays(part))
    if part.variance[0] == 0.0:  # a known value
        rows = (log_weight - mean**2 * looks / (2.0 * noise), mean / noise, np.zeros(len(looks)))
        return np.column_stack(rows)
    prior_mean, prior_variance = part.intercept[0], part.variance[0]
    constant = 0.5 * np.log(variance / prior_variance) - prior_mean**2 / (2.0 * prior_variance)
    rows = (
        log_weight + constant + mean**2 / (2.0 * variance),
        mean * slope / variance,
        slope**2 / (2.0 * variance),
    )
    return np.column_stack(rows)
