"""Lifts of rates from counts: how many users each arm had, and how many of them converted."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dwell.arrays import FloatArray
from dwell.errors import InvalidInput
from dwell.fitting.noise import Means, steady_errors
from dwell.fitting.numbers import column, require, require_same_tests


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
    effects = treatment.rate - control.rate
    return Lifts(
        effects=effects,
        standard_errors=steady_errors(effects, [control.means, treatment.means]),
        base_rate=float(control.conversions.sum() / control.users.sum()),
    )


class _Arm(NamedTuple):
    users: FloatArray
    conversions: FloatArray

    @property
    def rate(self) -> FloatArray:
        return self.conversions / self.users

    @property
    def means(self) -> Means:
        others = np.where(self.users > 1.0, self.users - 1.0, np.nan)
        variances = self.rate * (1.0 - self.rate) / others
        # Where nobody converted, or everybody: as if half a user had not done as the others.
        return Means(self.users, variances, least=0.5 / (float(self.users.sum()) + 1.0))


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
