"""The prior of an organisation's ideas, from the effects that its tests measured."""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from dwell.arrays import FloatArray
from dwell.errors import InvalidInput, UncertainPrior
from dwell.fitting.normal import NormalFit, fit_normal
from dwell.fitting.npmle import fit_mixture
from dwell.fitting.numbers import column, require, require_same_tests
from dwell.fitting.shape import Shape, supported
from dwell.fitting.student_t import fit_student_t
from dwell.priors import Atoms, Normal, StudentT
from dwell.shown import Shown

_FEW = 10
_LARGEST = 1e20


@dataclass(repr=False, frozen=True, slots=True)
class FittedPrior(Shown):
    """Priors fitted to past tests.

    Attributes:
        normal: The most likely normal law; one atom where its sd is 0.
        student_t: The most likely Student-t law, with 1.05 to 200 degrees of freedom.
        npmle: The most likely law of any shape.
        supported: Which of the three the tests support: "normal", "t" or "npmle" (any shape). With
            fewer than 20 tests, always the first.
        t_p_value: How often the t law would be so much more likely than the normal one if that
            were the true one; t is supported at 0.01 or less.
        free_gain: How much more likely the law of any shape makes a test that it was not fitted to
            than the better of the other two does, on the log scale; it is supported if that is
            above two standard errors.
        free_gain_error: Its standard error.
        mean: The mean of the normal law.
        sd: Its sd, which may be 0: then noise alone explains how effects differ.
        mean_error: The standard error of the mean.
        sd_error: The standard error of the sd, by the profile likelihood; at an sd of 0 the sd
            that is as far out as one standard error.
        tests: How many tests it was fitted to.
        moment_mean: The plain mean of the effects.
        moment_sd: The sd that they have beyond what errors add: the root of their variance minus
            the mean squared error, each test counting the same (Hedges, Olkin 1985).
            It differs from `sd` where values have heavier tails than a normal law, or spread more
            where errors are large; whoever needs the right variance rather than the right bulk
            takes it.
        normal_log_likelihood: How likely the effects are under the normal law.
        t_log_likelihood: And under the t law.
        npmle_log_likelihood: And under the law of any shape.
        npmle_gap: No law on the grid makes a test more likely by more than this, on the log scale.
        misfit: The Kolmogorov-Smirnov distance between the effects, standardised by the normal
            law, and a standard normal: 0 to 1.
        misfit_p_value: How often the distance would be as large if the normal law were the true
            one. As the law was fitted to the same tests, it is larger than it should be: a small
            one does tell against a normal prior.
    """

    normal: Normal | Atoms
    student_t: StudentT
    npmle: Atoms
    supported: Shape
    t_p_value: float
    free_gain: float
    free_gain_error: float
    mean: float
    sd: float
    mean_error: float
    sd_error: float
    tests: int
    moment_mean: float
    moment_sd: float
    normal_log_likelihood: float
    t_log_likelihood: float
    npmle_log_likelihood: float
    npmle_gap: float
    misfit: float
    misfit_p_value: float

    @property
    def gain(self) -> float:
        """How much more likely the law of any shape makes a test, on the log scale."""
        return (self.npmle_log_likelihood - self.normal_log_likelihood) / self.tests


def fit_prior(effects: ArrayLike, standard_errors: ArrayLike) -> FittedPrior:
    """Fit priors to the effects that tests measured.

    Three of them: normal, Student-t with its fat tails, and one of any shape; `supported` says
    which the tests speak for (docs/plan.md).

    Warns with `UncertainPrior` if there are fewer than ten tests, or if noise alone explains how
    the effects differ.

    Args:
        effects: The effect that each test measured.
        standard_errors: Their standard errors.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> effects = rng.normal(-1, np.hypot(2, 1), 1000)
        >>> fitted = fit_prior(effects, np.ones(1000))
        >>> fitted.normal, round(fitted.sd_error, 3), fitted.supported
        (Normal(-1.10739, 1.94171), 0.055, 'normal')
    """
    measured, errors = checked_tests(effects, standard_errors)
    normal, mixture = fit_normal(measured, errors), fit_mixture(measured, errors)
    student_t = fit_student_t(measured, errors, normal)
    support = supported(measured, errors, normal, student_t)
    _warn(normal, len(measured))
    misfit, p_value = _misfit((measured - normal.mean) / np.hypot(normal.sd, errors))
    return FittedPrior(
        normal=Normal(normal.mean, normal.sd) if normal.sd > 0.0 else Atoms([normal.mean]),
        student_t=student_t.prior,
        supported=support.shape,
        t_p_value=support.t_p_value,
        free_gain=support.free_gain,
        free_gain_error=support.free_gain_error,
        npmle=Atoms(mixture.values.tolist(), mixture.weights.tolist()),
        mean=normal.mean,
        sd=normal.sd,
        mean_error=normal.mean_error,
        sd_error=normal.sd_error,
        tests=len(measured),
        moment_mean=float(measured.mean()),
        moment_sd=float(np.sqrt(max(0.0, measured.var(ddof=1) - np.mean(errors**2)))),
        normal_log_likelihood=normal.log_likelihood,
        t_log_likelihood=student_t.log_likelihood,
        npmle_log_likelihood=mixture.log_likelihood,
        npmle_gap=mixture.gap,
        misfit=misfit,
        misfit_p_value=p_value,
    )


def checked_tests(effects: ArrayLike, standard_errors: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """What tests measured, two of them or more, in numbers that can be squared.

    Args:
        effects: The effect that each test measured.
        standard_errors: Their standard errors.
    """
    measured, errors = column("effects", effects), column("standard_errors", standard_errors)
    require_same_tests(effects=measured, standard_errors=errors)
    require(errors > 0.0, errors, "standard_errors must be above 0")
    # Beyond, squares and their ratios are no numbers any more.
    within = (errors >= 1.0 / _LARGEST) & (errors <= _LARGEST)
    require(within, errors, "standard_errors must lie between 1e-20 and 1e20 (choose another unit)")
    within = np.abs(measured) <= _LARGEST
    require(within, measured, "effects must lie between -1e20 and 1e20 (choose another unit)")
    if len(measured) < 2:
        raise InvalidInput(
            f"a prior needs at least 2 tests, and far more to be any good, got {len(measured)}"
        )
    return measured, errors


def _warn(fit: NormalFit, tests: int) -> None:
    fitted = (
        f"mean {fit.mean:.3g} with standard error {fit.mean_error:.2g}, sd {fit.sd:.3g} with "
        f"standard error {fit.sd_error:.2g}"
    )
    if tests < _FEW:
        text = f"{tests} tests say little about a prior: {fitted}"
    elif fit.sd == 0.0:
        text = f"noise alone explains how the effects of {tests} tests differ: {fitted}"
    else:
        return
    warnings.warn(text, UncertainPrior, stacklevel=3)


def _misfit(residuals: FloatArray) -> tuple[float, float]:
    """The Kolmogorov-Smirnov distance from a standard normal, and its p-value."""
    from scipy import stats  # a third of a second to load, which a plan without a past need not pay

    found = stats.ks_1samp(residuals, special.ndtr)
    return float(found.statistic), float(found.pvalue)
