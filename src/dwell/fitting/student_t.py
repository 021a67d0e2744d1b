"""A Student-t prior by maximum likelihood.

An effect is a value with a t law plus a normal error. As the t law is a mixture of normal ones, the
effect's density is one too: of N(mean, sd^2 + error^2) over the mixture's sds.
"""

from typing import NamedTuple

import numpy as np
import scipy  # its part `optimize` is loaded when it is first used

from dwell.arrays import FloatArray
from dwell.fitting.normal import NormalFit
from dwell.priors import StudentT
from dwell.scale_mixture import normals

# Fewer degrees of freedom leave hardly a mean, and more cannot be told from a normal law.
_LEAST_DF, _MOST_DF = 1.05, 200.0
_STARTS = ((0.5, 2.5), (0.9, 12.0))  # shares of the normal law's sd, degrees of freedom
_ACCURACY = 1e-6
_LEAST_SCALE = 1e-4


class StudentTFit(NamedTuple):
    """The most likely t law, and the log-likelihood of the effects."""

    prior: StudentT
    log_likelihood: float


def log_densities(prior: StudentT, effects: FloatArray, standard_errors: FloatArray) -> FloatArray:
    """The logarithm of each effect's density under a t prior, its error included.

    Example:
        >>> log_densities(StudentT(0, 1, 3), np.array([0.0, 2.0]), np.array([0.5, 0.5])).round(4)
        array([-1.1345, -2.5354])
    """
    distance = effects - prior.mean
    beside = float(np.abs(distance).max() + standard_errors.max())
    sds, weights = normals(prior, beside, _ACCURACY)
    total = np.zeros(len(effects))
    greatest = np.full(len(effects), -np.inf)
    # A part at a time, each effect relative to its densest part so far: the memory of one column.
    for sd, weight in zip(sds, weights, strict=True):
        variance = sd * sd + standard_errors * standard_errors
        log = np.log(weight / np.sqrt(variance)) - 0.5 * distance * distance / variance
        higher = np.maximum(greatest, log)
        total = total * np.exp(greatest - higher) + np.exp(log - higher)
        greatest = higher
    densities: FloatArray = greatest + np.log(total) - 0.5 * np.log(2.0 * np.pi)
    return densities


def fit_student_t(
    effects: FloatArray, standard_errors: FloatArray, normal: NormalFit
) -> StudentTFit:
    """The most likely t prior.

    Args:
        effects: The effects.
        standard_errors: Their standard errors.
        normal: The most likely normal prior, to begin with.

    Example:
        >>> from dwell.fitting.normal import fit_normal
        >>> effects = StudentT(0, 1, 3).quantile((np.arange(200) + 0.5) / 200)
        >>> errors = np.full(200, 0.01)
        >>> fit_student_t(effects, errors, fit_normal(effects, errors)).prior.df > 2.5
        True
    """
    unit = float(np.hypot(effects.std(), np.sqrt(np.mean(standard_errors**2))))
    center = float(np.median(effects))
    x, errors = (effects - center) / unit, standard_errors / unit

    def law(point: FloatArray) -> StudentT:
        mean, log_scale, share = point
        return StudentT(mean, float(np.exp(log_scale)), 1.0 / share)

    def cost(point: FloatArray) -> float:
        return -float(log_densities(law(point), x, errors).sum())

    spread = max(float(np.ptp(x)), 1.0)
    bounds = [(x.min(), x.max()), tuple(np.log([_LEAST_SCALE, 2.0 * spread]))]
    bounds.append((1.0 / _MOST_DF, 1.0 / _LEAST_DF))
    best: scipy.optimize.OptimizeResult | None = None
    for share, df in _STARTS:
        scale = max(share * normal.sd / unit, 10.0 * _LEAST_SCALE)
        start = np.array([(normal.mean - center) / unit, np.log(scale), 1.0 / df])
        found = scipy.optimize.minimize(cost, start, method="L-BFGS-B", bounds=bounds)
        best = found if best is None or found.fun < best.fun else best
    assert best is not None  # there are starts
    top = law(best.x)
    prior = StudentT(center + unit * top.mean, unit * top.scale, top.df)
    return StudentTFit(prior, -float(best.fun) - len(x) * float(np.log(unit)))
