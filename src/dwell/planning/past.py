"""The past: effects of earlier tests, and the prior that fits them."""

import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dwell import checks
from dwell.arrays import BoolArray, DateArray, FloatArray
from dwell.errors import InvalidInput, UncertainPrior
from dwell.fitting import FittedPrior, fit_prior
from dwell.fitting.numbers import column
from dwell.fitting.past_change import PastChange, past_change
from dwell.fitting.prior import checked_tests
from dwell.fitting.student_t import log_densities
from dwell.priors import Atoms, Normal, StudentT

Fit = Literal["normal", "t", "npmle"]
_FEW = 10  # a prior that is fitted to fewer tests says next to nothing
_NAMES = {"normal": "a normal prior", "t": "a Student-t prior", "npmle": "a prior of any shape"}


@dataclass(frozen=True, slots=True)
class PastTests:
    """What earlier tests measured.

    Attributes:
        effects: The effect of each test.
        standard_errors: Their standard errors.
        sd: The standard deviation of one sample, a treated user's outcome minus an untreated
            one's; None where only effects are known.
        began: When each test began, as dates; None where that is not known.

    Example:
        >>> PastTests([0.01, -0.02], [0.005, 0.005]).sd is None
        True
    """

    effects: FloatArray
    standard_errors: FloatArray
    sd: float | None = None
    began: DateArray | None = None

    def __post_init__(self) -> None:
        for name in ("effects", "standard_errors"):
            object.__setattr__(self, name, column(name, getattr(self, name)))
        if self.sd is not None:
            object.__setattr__(self, "sd", checks.positive("sd", self.sd))
        if self.began is not None:
            object.__setattr__(self, "began", _dates(self.began, len(self.effects)))

    def only(self, tests: BoolArray) -> "PastTests":
        """Some of the tests."""
        began = None if self.began is None else self.began[tests]
        return PastTests(self.effects[tests], self.standard_errors[tests], self.sd, began)


def _dates(began: ArrayLike, tests: int) -> DateArray:
    """A date per test."""
    try:
        found = np.asarray(began, dtype="datetime64[us]")
    except (TypeError, ValueError):
        raise InvalidInput(
            f"began must be dates such as 2026-03-31, got {checks.shown(began)}"
        ) from None
    if found.shape != (tests,) or np.isnat(found).any():
        raise InvalidInput(f"began must be {tests} dates, one a test, got {checks.shown(began)}")
    return found


@dataclass(frozen=True, slots=True)
class Fitted:
    """A prior for the past, and how good it is.

    Attributes:
        past: What it was fitted to.
        fit: Which of the three fits is used.
        found: All of them.
        notes: What to know about them.
        changed: The latest change of the pool of ideas that the tests show; None if they show none,
            or if it is not known when they began.
    """

    past: PastTests
    fit: Fit
    found: FittedPrior
    notes: tuple[str, ...]
    changed: PastChange | None = None

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


def fitted(past: PastTests, fit: Fit = "normal", *, all_tests: bool = False) -> Fitted:
    """Fit a prior to the past.

    Where it is known when tests began, and they show that the pool of ideas has changed, it is
    fitted to those of the present pool, if there are ten of them; docs/drift.md.

    Args:
        past: Effects of earlier tests.
        fit: "normal", "t" for fat tails, or "npmle" for a law of any shape.
        all_tests: Whether to fit it to all tests even so.
    """
    changed, notes = _changed(past), []
    if changed is not None:
        notes.append(f"{changed.sentence}; {_used(changed, all_tests)}")
        if not all_tests and changed.tests >= _FEW:
            past = past.only(changed.present)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UncertainPrior)
        found = fit_prior(past.effects, past.standard_errors)
    notes += [str(warning.message) for warning in told]
    if fit == "normal" and found.misfit_p_value < 0.01:
        notes.append(
            f"effects are not quite normal (p = {found.misfit_p_value:.1g}); compare with the fit "
            "npmle, of any shape"
        )
    return Fitted(past, fit, found, tuple(notes), changed)


def _used(changed: PastChange, all_tests: bool) -> str:
    """Which tests the prior is fitted to."""
    if all_tests:
        return "the plan uses all tests, as --all-tests says"
    if changed.tests < _FEW:
        return f"the plan uses all tests, as {changed.tests} since are too few"
    which = "since" if changed.tests == changed.after else "of the present pool"
    return f"the plan uses the {changed.tests:,} tests {which}; --all-tests uses all of them"


def _changed(past: PastTests) -> PastChange | None:
    if past.began is None:
        return None
    effects, errors = checked_tests(past.effects, past.standard_errors)
    return past_change(effects, errors, past.began)
