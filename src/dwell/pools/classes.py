"""Pools: laws of values, class by class of noise, and what limits do to each value.

Tests differ in how noisy their samples are. Here they come in classes: the tests of one have the
same noise, and their values a law of their own. Limits are on the z scale: on the sum of n samples,
divided by noise * sqrt(n).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dwell import checks
from dwell.arrays import FloatArray, IntArray
from dwell.columns import numbers
from dwell.errors import InvalidInput
from dwell.kernels.pool_walk import walk_values

_MOST_SAMPLES = 10**12


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """What ideas are worth, by class of noise.

    Attributes:
        noise: The standard deviation of a sample, an entry per class.
        shares: How many of the tests are of each class; the sum is 1.
        values: The values that ideas may have, a row per class.
        weights: How likely each of them is; the sum of each row is 1.

    Example:
        >>> pool = Pool.of([-1, 1], [0.9, 0.1], noise=[2, 8])
        >>> pool.shares.tolist(), pool.values.shape
        ([0.5, 0.5], (2, 2))
    """

    noise: FloatArray
    shares: FloatArray
    values: FloatArray
    weights: FloatArray

    @classmethod
    def of(
        cls,
        values: ArrayLike,
        weights: ArrayLike,
        noise: ArrayLike,
        shares: ArrayLike | None = None,
    ) -> "Pool":
        """A pool from lists: values and weights may be given once for all classes.

        Args:
            values: The values, a list or a list per class.
            weights: Their weights, in the same form.
            noise: The standard deviation of a sample, a number or an entry per class.
            shares: How many of the tests are of each class; by default equally many.
        """
        sds = _numbers("noise", noise, 1)
        for sd in sds:
            checks.scale("noise", float(sd))
        classes = len(sds)
        parts = np.full(classes, 1.0 / classes) if shares is None else _numbers("shares", shares, 1)
        atoms, masses = _numbers("values", values, 2), _numbers("weights", weights, 2)
        for value in (atoms.min(), atoms.max()):
            checks.moderate("each value", float(value))
        for name, rows in (("values", atoms), ("weights", masses)):
            if len(rows) not in (1, classes):
                raise InvalidInput(
                    f"{name} must have one row, or one per class, got {len(rows)} for {classes} "
                    "classes"
                )
        if atoms.shape[1] != masses.shape[1]:
            raise InvalidInput(
                f"a pool needs one weight per value, got {atoms.shape[1]} values and "
                f"{masses.shape[1]} weights"
            )
        if len(parts) != classes:
            raise InvalidInput(
                f"shares must have an entry per class, got {len(parts)} for {classes}"
            )
        for name, rows in (("weights", masses), ("shares", parts[None, :])):
            sums = rows.sum(axis=1)
            if (rows < 0.0).any() or (abs(sums - 1.0) > 1e-9).any():
                raise InvalidInput(
                    f"{name} must be at least 0 and sum to 1, got a least one of {rows.min():g} "
                    f"and sums from {sums.min():.12g} to {sums.max():.12g}"
                )
        shape = classes, atoms.shape[1]
        return cls(sds, parts, np.broadcast_to(atoms, shape), np.broadcast_to(masses, shape))


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """Two limits per look and class of noise.

    Attributes:
        looks: After how many samples one looks, in increasing order; the last is the cap.
        lower: Drop what has z at or below this, a row per class and a column per look.
        upper: Ship what has z at or above this; at the cap, drop all else.
    """

    looks: IntArray
    lower: FloatArray
    upper: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "looks", checked_looks(self.looks))
        for name, limit in (("lower", self.lower), ("upper", self.upper)):
            if limit.ndim != 2 or limit.shape[1] != len(self.looks) or np.isnan(limit).any():
                raise InvalidInput(
                    f"{name} limits must be numbers, a row per class of {len(self.looks)} looks, "
                    f"got {checks.shown(limit.tolist())}"
                )


@dataclass(frozen=True, slots=True, eq=False)
class Fates:
    """What limits do to each value of each class, whatever its weight.

    Attributes:
        accept: How likely a value is accepted, a row per class and a column per value.
        samples: How many samples it takes in the mean.
    """

    accept: FloatArray
    samples: FloatArray

    def roi(
        self, values: FloatArray, weights: FloatArray, shares: FloatArray, setup_cost: float
    ) -> FloatArray:
        """Reward per cost, whichever law of values holds.

        Args:
            values: The values, a row per class.
            weights: Of laws, each a row per class with a column per value.
            shares: How many of the tests are of each class.
            setup_cost: What each test costs besides its samples.
        """
        reward = np.tensordot(weights, shares[:, None] * self.accept * values, axes=2)
        samples = np.tensordot(weights, shares[:, None] * self.samples, axes=2)
        roi: FloatArray = reward / (setup_cost + samples)
        return roi


def fates(values: FloatArray, noise: FloatArray, limits: Limits) -> Fates:
    """What limits do to each value of each class.

    Args:
        values: The values, a row per class.
        noise: The standard deviation of a sample, an entry per class.
        limits: The limits.

    Example:
        >>> limits = Limits(np.array([25]), np.zeros((1, 1)), np.zeros((1, 1)))
        >>> found = fates(np.array([[0.0, 1.0]]), np.array([5.0]), limits)
        >>> found.accept.round(4).tolist(), found.samples.tolist()
        ([[0.5, 0.8413]], [[25.0, 25.0]])
    """
    accept, samples = np.empty(values.shape), np.empty(values.shape)
    lower, upper = np.ascontiguousarray(limits.lower), np.ascontiguousarray(limits.upper)
    for row, scaled in enumerate(values / noise[:, None]):
        walk_values(limits.looks, scaled, lower[row], upper[row], accept[row], samples[row])
    return Fates(accept, samples)


def checked_looks(looks: IntArray) -> IntArray:
    """Increasing numbers of samples."""
    given = np.asarray(looks)
    if given.ndim != 1 or not len(given) or given.dtype.kind not in "iu":
        raise InvalidInput(f"looks must be a list of whole numbers, got {checks.shown(looks)}")
    if given[0] < 1 or (np.diff(given) <= 0).any() or given[-1] > _MOST_SAMPLES:
        raise InvalidInput(
            "looks must be increasing numbers of samples from 1 to 10^12, got "
            f"{checks.shown(given.tolist())}"
        )
    return given.astype(np.int64)


def _numbers(name: str, given: ArrayLike, axes: int) -> FloatArray:
    """Finite numbers in a list, or in rows if there are two axes."""
    found = np.array(numbers(name, given), ndmin=axes)
    if found.ndim != axes or not found.size or not np.isfinite(found).all():
        raise InvalidInput(f"{name} must be finite numbers, got {checks.shown(given)}")
    return found
