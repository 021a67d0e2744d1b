"""Which shape of prior tests support: normal, Student-t, or any.

A normal law is a t law with endless degrees of freedom. Where it is the true one, twice the gain in
log-likelihood is 0 half of the time and has a chi-squared law otherwise (Self, Liang 1987, on
parameters at the end of their range): that gives the p-value, and t is taken at 1 % or less.

A law of any shape is always more likely on the tests that it was fitted to. So it is compared on
tests that it was not: each fifth of them is judged by fits to the others, and the free shape is
taken if it is ahead by more than two standard errors of the difference. It has no values beyond the
effects that it saw, which held-out tests far out tell against.
"""

from typing import Literal, NamedTuple

import numpy as np
from scipy import special

from dwell.arrays import FloatArray
from dwell.fitting.normal import NormalFit, fit_normal
from dwell.fitting.npmle import Mixture, fit_mixture
from dwell.fitting.student_t import StudentTFit, fit_student_t, log_densities

Shape = Literal["normal", "t", "npmle"]
_LEAST_TESTS = 20
_MOST_TESTS = 2000  # are judged by fits to others: enough to tell, and quick
_FOLDS = 5
_SURE, _ERRORS = 0.01, 2.0


class Support(NamedTuple):
    """What tests say about the shape of a prior.

    Attributes:
        shape: The shape that they support.
        t_p_value: How often a t law would gain as much if the normal law were the true one.
        free_gain: How much more likely the free shape makes a held-out test than the better of the
            other two, on the log scale; 0 where there are too few tests to tell.
        free_gain_error: Its standard error.
    """

    shape: Shape
    t_p_value: float
    free_gain: float
    free_gain_error: float


def supported(
    effects: FloatArray, standard_errors: FloatArray, normal: NormalFit, student_t: StudentTFit
) -> Support:
    """Which shape tests support.

    Args:
        effects: The effects.
        standard_errors: Their standard errors.
        normal: The most likely normal prior.
        student_t: The most likely t prior.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> effects, errors = rng.choice([-1.0, 1.0], 200), np.full(200, 0.2)
        >>> effects = effects + 0.2 * rng.standard_normal(200)
        >>> normal = fit_normal(effects, errors)
        >>> supported(effects, errors, normal, fit_student_t(effects, errors, normal)).shape
        'npmle'
    """
    gain = max(0.0, 2.0 * (student_t.log_likelihood - normal.log_likelihood))
    p_value = float(0.5 * special.chdtrc(1.0, gain)) if gain > 0.0 else 1.0
    few = len(effects) < _LEAST_TESTS
    fat = p_value <= _SURE and not few
    if few:
        return Support("normal", p_value, 0.0, 0.0)
    chosen = np.linspace(0, len(effects) - 1, min(len(effects), _MOST_TESTS)).round().astype(int)
    gains = _held_out_gains(effects[chosen], standard_errors[chosen], fat)
    mean, error = float(gains.mean()), float(gains.std(ddof=1) / np.sqrt(len(gains)))
    shape: Shape = "t" if fat else "normal"
    return Support("npmle" if mean > _ERRORS * error else shape, p_value, mean, error)


def _held_out_gains(effects: FloatArray, standard_errors: FloatArray, fat: bool) -> FloatArray:
    """By how much the free shape makes each test more likely than the other, on the log scale."""
    gains = np.empty(len(effects))
    fold = np.arange(len(effects)) % _FOLDS
    for held in range(_FOLDS):
        out, kept = fold == held, fold != held
        normal = fit_normal(effects[kept], standard_errors[kept])
        free = fit_mixture(effects[kept], standard_errors[kept])
        gains[out] = _free_densities(free, effects[out], standard_errors[out])
        if fat:
            fitted = fit_student_t(effects[kept], standard_errors[kept], normal)
            gains[out] -= log_densities(fitted.prior, effects[out], standard_errors[out])
        else:
            gains[out] -= _normal_densities(normal, effects[out], standard_errors[out])
    return gains


def _normal_densities(fit: NormalFit, effects: FloatArray, errors: FloatArray) -> FloatArray:
    sd = np.hypot(fit.sd, errors)
    z = (effects - fit.mean) / sd
    densities: FloatArray = -0.5 * z * z - np.log(sd * np.sqrt(2.0 * np.pi))
    return densities


def _free_densities(free: Mixture, effects: FloatArray, errors: FloatArray) -> FloatArray:
    z = (effects[:, None] - free.values) / errors[:, None]
    logs = special.logsumexp(-0.5 * z * z, b=free.weights, axis=1)
    densities: FloatArray = logs - np.log(errors * np.sqrt(2.0 * np.pi))
    return densities
