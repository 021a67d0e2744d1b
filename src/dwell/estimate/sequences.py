"""Confidence sequences: intervals for the mean of bounded observations.

Each function takes observations one after the other, all in [low, high] and each with the same mean
given those before it, and returns an interval per number of observations n. All of them hold at
once with probability at least 1 - alpha: they are guaranteed. Those of `normal` are approximate.

Sources: Howard, Ramdas, McAuliffe and Sekhon (2021), "Time-uniform, nonparametric, nonasymptotic
confidence sequences"; Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables
by betting".

| papers | here |
|---|---|
| X_t | observations, moved to [0, 1] |
| lambda_t | bets |
| mu_hat_(t-1) | expected |
| K_t^+-(m) | capital |
| c | the most that a bet may risk |
"""

from math import log, ulp
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dwell import checks
from dwell.arrays import FloatArray
from dwell.errors import InvalidInput
from dwell.estimate.intervals import Intervals, nested
from dwell.estimate.observations import Observations
from dwell.kernels.betting import means_ruled_out

_FINEST = 1e-6


def hoeffding(observations: ArrayLike, *, alpha: float, low: float, high: float) -> Intervals:
    """Intervals whose width depends on n alone.

    The mean so far, plus or minus (high - low) / 2 times
    1.7 sqrt((ln ln(2 n) + 0.72 ln(10.4 / alpha)) / n): the stitched boundary for sub-Gaussian sums
    (Howard et al. 2021, closed form of the introduction), at alpha / 2 on either side.

    Example:
        >>> found = hoeffding([0, 1] * 500, alpha=0.05, low=0, high=1)
        >>> round(float(found.low[-1]), 3), round(float(found.high[-1]), 3)
        (0.435, 0.565)
    """
    alpha = checks.probability("alpha", alpha)
    observed = Observations.checked(observations, low, high)
    n = np.arange(1.0, len(observed.unit) + 1)
    mean = np.cumsum(observed.unit) / n
    error = 0.85 * np.sqrt((np.log(np.log(2.0 * n)) + 0.72 * (log(10.4) - log(alpha))) / n)
    return observed.restored(nested(mean - error, mean + error))


def empirical_bernstein(
    observations: ArrayLike, *, alpha: float, low: float, high: float
) -> Intervals:
    """Intervals that narrow with the spread of the observations.

    On [0, 1]: sum(bets X) / sum(bets), plus or minus
    (ln(2 / alpha) + sum((X - expected)^2 (-ln(1 - bets) - bets))) / sum(bets), with bets of at most
    1/2 (Waudby-Smith and Ramdas 2024, Theorem 2).

    Example:
        >>> found = empirical_bernstein([0.4, 0.6] * 500, alpha=0.05, low=0, high=1)
        >>> round(float(found.low[-1]), 3), round(float(found.high[-1]), 3)
        (0.488, 0.512)
    """
    alpha = checks.probability("alpha", alpha)
    observed = Observations.checked(observations, low, high)
    expected, bets = _plug_in(observed.unit, alpha)
    bets = np.minimum(bets, 0.5)
    spread = (observed.unit - expected) ** 2 * (-np.log1p(-bets) - bets)
    total = np.cumsum(bets)
    mean = np.cumsum(bets * observed.unit) / total
    error = (log(2.0) - log(alpha) + np.cumsum(spread)) / total
    return observed.restored(nested(mean - error, mean + error))


def betting(
    observations: ArrayLike, *, alpha: float, low: float, high: float, resolution: float = 1e-3
) -> Intervals:
    """The narrowest of these intervals: means against which no fair gambler would have got rich.

    On [0, 1], half the capital bets that the mean is above m, half that it is below:
    product(1 + min(bets, 1 / (2 m)) (X - m)), and the same of 1 - X against 1 - m. Were m the mean,
    either half would reach 2 / alpha times itself with probability at most alpha / 2, ever (Ville);
    the interval is what is left when all such m are out (Waudby-Smith and Ramdas 2024, Theorem 3).

    The work is about n / resolution steps: a quarter of a second for n = 10^5.

    Args:
        observations: Numbers in [low, high].
        alpha: The probability that some interval may miss the mean.
        low: The least that an observation can be.
        high: The most that it can be.
        resolution: Each end is found to about this share of the interval's width, and rounded
            outward, so that the guarantee stands.

    Example:
        >>> found = betting([0.4, 0.6] * 500, alpha=0.05, low=0, high=1)
        >>> round(float(found.low[-1]), 3), round(float(found.high[-1]), 3)
        (0.49, 0.51)
    """
    alpha = checks.probability("alpha", alpha)
    resolution = checks.probability("resolution", resolution)
    if resolution < _FINEST:
        raise InvalidInput(f"resolution must be at least {_FINEST}, got {resolution}")
    observed = Observations.checked(observations, low, high)
    _, bets = _plug_in(observed.unit, alpha)
    reached = means_ruled_out(observed.unit, bets, log(2.0) - log(alpha), resolution)
    return observed.restored(nested(reached[:, 0], 1.0 - reached[:, 1]))


def normal(observations: ArrayLike, *, alpha: float, low: float, high: float) -> Intervals:
    """The ordinary large-sample intervals: neither exact, nor valid at all n at once.

    The mean so far, plus or minus the normal quantile times standard deviation / sqrt(n). They hold
    approximately, at one large n that was chosen before looking; if one stops when the data look
    good, they miss far more often than alpha. They are not intersected. While all observations are
    equal they have no width, and at n = 1 they are the whole range.

    Example:
        >>> found = normal([0.4, 0.6] * 500, alpha=0.05, low=0, high=1)
        >>> round(float(found.low[-1]), 3), round(float(found.high[-1]), 3), found.approximate
        (0.494, 0.506, True)
    """
    alpha = checks.probability("alpha", alpha)
    observed = Observations.checked(observations, low, high)
    n = np.arange(1.0, len(observed.unit) + 1)
    mean = np.cumsum(observed.unit) / n
    before = np.append(0.0, mean[:-1])
    squares = np.cumsum((1.0 - 1.0 / n) * (observed.unit - before) ** 2)
    # Dividing by n (n - 1): the variance of the mean. At n = 1 there is no telling.
    error = np.full(len(n), np.inf)
    # Half of the smallest positive float is 0, which has no quantile.
    quantile = -NormalDist().inv_cdf(max(alpha / 2.0, ulp(0.0)))
    error[1:] = quantile * np.sqrt(squares[1:] / (n[1:] * (n[1:] - 1.0)))
    ends = np.clip(mean - error, 0.0, 1.0), np.clip(mean + error, 0.0, 1.0)
    return observed.restored(Intervals(*ends, approximate=True))


class _PlugIn(NamedTuple):
    """What is expected of each observation, and what to bet on it, from those before it alone."""

    expected: FloatArray
    bets: FloatArray


def _plug_in(unit: FloatArray, alpha: float) -> _PlugIn:
    """The predictable plug-in: sqrt(2 ln(2 / alpha) / (variance so far * n ln(n + 1))).

    Mean and variance start as if 1/2 had been seen once, with variance 1/4.
    """
    n = np.arange(1.0, len(unit) + 1)
    mean = (0.5 + np.cumsum(unit)) / (n + 1.0)
    variance = (0.25 + np.cumsum((unit - mean) ** 2)) / (n + 1.0)
    expected, spread = np.append(0.5, mean[:-1]), np.append(0.25, variance[:-1])
    bets = np.sqrt(2.0 * (log(2.0) - log(alpha)) / (spread * n * np.log1p(n)))
    return _PlugIn(expected, bets)
