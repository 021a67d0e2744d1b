"""A normal prior by maximum likelihood: effects are N(mean, sd^2 + error^2).

Given the sd the best mean is the average weighted by 1 / (sd^2 + error^2), which leaves a function
of the sd alone, the profile likelihood (Hardy, Thompson 1996, on the same model in meta-analysis).
It may have several peaks where errors differ, so that it is searched on a grid first.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy  # its part `optimize` is loaded when it is first used

from dwell.arrays import FloatArray


class NormalFit(NamedTuple):
    """The most likely mean and sd, their standard errors, and the log-likelihood of the effects."""

    mean: float
    sd: float
    mean_error: float
    sd_error: float
    log_likelihood: float


def fit_normal(effects: FloatArray, standard_errors: FloatArray) -> NormalFit:
    """The most likely normal prior; its sd may be 0.

    The standard error of the mean is that of the weighted average. The error of the sd is half the
    width of the range in which the profile likelihood is within 1/2 of its top, on the log scale:
    for a normal likelihood that is the standard error, and it can be had at an sd of 0 as well,
    where the range has only its upper half.

    Example:
        >>> found = fit_normal(np.array([-1.0, 0.0, 1.0, 2.0]), np.full(4, 0.5))
        >>> round(found.mean, 3), round(found.sd, 3)
        (0.5, 1.0)
    """
    unit = float(np.hypot(effects.std(), np.sqrt(np.mean(standard_errors**2))))
    center = float(np.median(effects))
    x, variances = (effects - center) / unit, (standard_errors / unit) ** 2

    def profile(sd: float) -> float:
        return _log_likelihood(x, variances + sd**2)

    # The variance of the prior is at most the largest squared distance from its mean.
    most = float(np.ptp(x))
    grid = np.append(0.0, most * np.geomspace(1e-4, 1.0, 200))
    heights = np.array([profile(sd) for sd in grid])
    best = int(heights.argmax())
    sd = 0.0
    if best > 0:
        ends = grid[best - 1], grid[min(best + 1, len(grid) - 1)]
        sd = _peak(profile, *ends)
    top = max(profile(sd), heights[0])
    if heights[0] >= top:
        sd = 0.0
    weights = 1.0 / (variances + sd**2)
    return NormalFit(
        mean=center + unit * float(weights @ x / weights.sum()),
        sd=unit * sd,
        mean_error=unit / float(np.sqrt(weights.sum())),
        sd_error=unit * _half_width(profile, sd, top),
        log_likelihood=top - len(x) * float(np.log(unit)),
    )


def _log_likelihood(x: FloatArray, variances: FloatArray) -> float:
    weights = 1.0 / variances
    mean = weights @ x / weights.sum()
    return -0.5 * float(weights @ (x - mean) ** 2 + np.log(2.0 * np.pi * variances).sum())


def _peak(profile: Callable[[float], float], low: float, high: float) -> float:
    found = scipy.optimize.minimize_scalar(
        lambda sd: -profile(sd), bounds=(low, high), method="bounded", options={"xatol": 1e-10}
    )
    return float(found.x)


def _half_width(profile: Callable[[float], float], sd: float, top: float) -> float:
    def below(other: float) -> float:
        return profile(other) - (top - 0.5)

    low = float(scipy.optimize.brentq(below, 0.0, sd)) if below(0.0) < 0.0 else 0.0
    high = max(sd, 1.0)
    while below(high) > 0.0:
        high *= 2.0
    high = float(scipy.optimize.brentq(below, sd, high))
    return (high - low) / 2.0 if sd > 0.0 else high
