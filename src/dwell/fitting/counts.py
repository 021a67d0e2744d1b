"""Lifts of rates from counts: how many users each arm had, and how many of them converted.

A lift's standard error depends on rates that are not known. With a test's own rates in their
place it goes up and down with the lift: a treatment that is unlucky, or worth little, has few
conversions, which seem to vary little. Low lifts then weigh more than high ones, and a prior fitted
to them comes out too low and too narrow; the fewer the conversions, the more so.

So errors depend on numbers of users alone, with one variance of a user's outcome for all tests: the
average of the unbiased estimates that tests give, each weighing as much as it does in the fit of a
normal prior. That prior then has the right variance, even if base rates differ between tests and
go with their sizes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dwell.arrays import FloatArray
from dwell.errors import InvalidInput
from dwell.fitting.numbers import column, require, require_same_tests

_ROUNDS = 5


class Lifts(NamedTuple):
    """Effects of tests on a rate.

    Attributes:
        effects: The rate of the treated minus that of the control, a test each.
        standard_errors: Their standard errors, at the rates of all tests: tests with the same
            numbers of users have the same.
        base_rate: The rate of all controls together.
    """

    effects: FloatArray
    standard_errors: FloatArray
    base_rate: float


def effects_from_counts(
    control_users: ArrayLike,
    control_conversions: ArrayLike,
    treatment_users: ArrayLike,
    treatment_conversions: ArrayLike,
) -> Lifts:
    """Lifts and their standard errors.

    Errors are those that tests of these sizes have at the rates of all of them together, so that a
    fit of a prior gives lifts the same weight whether they are high or low.

    Args:
        control_users: How many users saw the control, a test each.
        control_conversions: How many of them converted.
        treatment_users: How many users saw the treatment.
        treatment_conversions: How many of them converted.

    Example:
        >>> lifts = effects_from_counts([100, 400], [0, 10], [100, 400], [2, 6])
        >>> lifts.effects.round(4).tolist(), lifts.standard_errors.round(4).tolist()
        ([0.02, -0.01], [0.0188, 0.0094])
        >>> lifts.base_rate
        0.02
    """
    control = _arm("control", control_users, control_conversions)
    treatment = _arm("treatment", treatment_users, treatment_conversions)
    require_same_tests(control_users=control.users, treatment_users=treatment.users)
    if len(control.users) == 0:
        raise InvalidInput("counts must be of at least one test, got none")
    return Lifts(
        effects=treatment.rate - control.rate,
        standard_errors=_standard_errors(control, treatment),
        base_rate=float(control.conversions.sum() / control.users.sum()),
    )


class _Arm(NamedTuple):
    users: FloatArray
    conversions: FloatArray

    @property
    def rate(self) -> FloatArray:
        return self.conversions / self.users

    @property
    def variance(self) -> FloatArray:
        """Of each rate, without bias; of a single user nothing is known."""
        others = np.where(self.users > 1.0, self.users - 1.0, np.nan)
        return self.rate * (1.0 - self.rate) / others

    def noise(self, weights: FloatArray) -> FloatArray:
        """The variance of each rate, if a user's outcome has the same one in all tests."""
        variance = np.nan_to_num(self.variance)
        known = np.where(self.users > 1.0, weights / self.users, 0.0)
        found = float(weights @ variance / known.sum()) if variance.any() else 0.0
        if not found:  # nobody converted, or everybody: as if half a user had not done as others
            found = 0.5 / (self.users.sum() + 1.0)
        return found / self.users


def _standard_errors(control: _Arm, treatment: _Arm) -> FloatArray:
    """By the weights that a normal prior's fit gives to squares of lifts: (sd^2 + error^2)^-2."""
    effects = treatment.rate - control.rate
    own = np.nan_to_num(control.variance + treatment.variance)
    noise = 1.0 / control.users + 1.0 / treatment.users
    prior_variance = 0.0
    for _ in range(_ROUNDS):
        precision = 1.0 / (prior_variance + noise)
        precision /= precision.max()
        noise = control.noise(precision**2) + treatment.noise(precision**2)
        squares = (effects - np.average(effects, weights=precision)) ** 2
        prior_variance = max(0.0, float(np.average(squares - own, weights=precision**2)))
    errors: FloatArray = np.sqrt(noise)
    return errors


def _arm(name: str, users: ArrayLike, conversions: ArrayLike) -> _Arm:
    arm = _Arm(column(f"{name}_users", users), column(f"{name}_conversions", conversions))
    require_same_tests(**{f"{name}_users": arm.users, f"{name}_conversions": arm.conversions})
    for counts, what in ((arm.users, "users"), (arm.conversions, "conversions")):
        require(counts == np.floor(counts), counts, f"{name}_{what} must be whole numbers")
    require(arm.users >= 1.0, arm.users, f"{name}_users must be at least 1")
    within = (arm.conversions >= 0.0) & (arm.conversions <= arm.users)
    demand = f"{name}_conversions must lie between 0 and {name}_users"
    require(within, arm.conversions, demand)
    return arm
