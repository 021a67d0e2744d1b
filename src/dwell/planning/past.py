"""The past: effects of earlier tests, and the prior that fits them."""

import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray
from dwell.errors import UncertainPrior
from dwell.fitting import FittedPrior, fit_prior
from dwell.fitting.numbers import column
from dwell.fitting.student_t import log_densities
from dwell.priors import Atoms, Normal, StudentT

Fit = Literal["normal", "t", "npmle"]
_NAMES = {"normal": "a normal prior", "t": "a Student-t prior", "npmle": "a prior of any shape"}


@dataclass(frozen=True, slots=True)
class PastTests:
    """What earlier tests measured.

    Attributes:
        effects: The effect of each test.
        standard_errors: Their standard errors.
        sd: The standard deviation of one sample, a treated user's outcome minus an untreated
            one's; None where only effects are known.

    Example:
        >>> PastTests([0.01, -0.02], [0.005, 0.005]).sd is None
        True
    """

    effects: FloatArray
    standard_errors: FloatArray
    sd: float | None = None

    def __post_init__(self) -> None:
        for name in ("effects", "standard_errors"):
            object.__setattr__(self, name, column(name, getattr(self, name)))
        if self.sd is not None:
            object.__setattr__(self, "sd", checks.positive("sd", self.sd))


@dataclass(frozen=True, slots=True)
class Fitted:
    """A prior for the past, and how good it is.

    Attributes:
        past: What it was fitted to.
        fit: Which of the three fits is used.
        found: All of them.
        notes: What to know about them.
    """

    past: PastTests
    fit: Fit
    found: FittedPrior
    notes: tuple[str, ...]

    @property
    def prior(self) -> Normal | StudentT | Atoms:
        """The prior that is used."""
        found = self.found
        return {"normal": found.normal, "t": found.student_t, "npmle": found.npmle}[self.fit]

    @property
    def support(self) -> str:
        """Which shape the tests support, in a sentence.

        Example:
            >>> effects = StudentT(0, 1, 2).quantile((np.arange(200) + 0.5) / 200)
            >>> print(fitted(PastTests(effects, np.full(200, 0.2))).support)
            the tests support a Student-t prior (against a normal one p = 1e-27); take the fit t
        """
        found = self.found
        told = f"the tests support {_NAMES[found.supported]}"
        if found.supported == "npmle":
            told += (
                f" (it makes a test it was not fitted to {np.expm1(found.free_gain):.0%} more "
                "likely)"
            )
        elif found.supported == "t":
            told += f" (against a normal one p = {found.t_p_value:.1g})"
        return told if found.supported == self.fit else f"{told}; take the fit {found.supported}"

    def density(self, fit: Fit, effects: FloatArray) -> FloatArray:
        """How dense measured effects should be, by one of the fits: noise included."""
        noise = _few(self.past.standard_errors)
        if fit == "t":
            law = self.found.student_t
            each = [np.exp(log_densities(law, effects, np.full(len(effects), e))) for e in noise]
            averaged: FloatArray = np.mean(each, axis=0)
            return averaged
        if fit == "normal":
            values, weights, spread = np.array([self.found.mean]), np.ones(1), self.found.sd
        else:
            values, weights = np.array(self.found.npmle.values), np.array(self.found.npmle.weights)
            spread = 0.0
        sd = np.hypot(spread, noise)
        z = (effects[:, None, None] - values[:, None]) / sd
        densities = np.exp(-0.5 * z * z) / (sd * np.sqrt(2.0 * np.pi))
        mixed: FloatArray = densities.mean(axis=2) @ weights
        return mixed


def _few(errors: FloatArray, most: int = 200) -> FloatArray:
    """Errors that stand for all of them."""
    return np.quantile(errors, (np.arange(most) + 0.5) / most) if len(errors) > most else errors


def fitted(past: PastTests, fit: Fit = "normal") -> Fitted:
    """Fit a prior to the past.

    Args:
        past: Effects of earlier tests.
        fit: "normal", "t" for fat tails, or "npmle" for a law of any shape.
    """
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UncertainPrior)
        found = fit_prior(past.effects, past.standard_errors)
    notes = [str(warning.message) for warning in told]
    if fit == "normal" and found.misfit_p_value < 0.01:
        notes.append(
            f"effects are not quite normal (p = {found.misfit_p_value:.1g}); compare with the fit "
            "npmle, of any shape"
        )
    return Fitted(past, fit, found, tuple(notes))
