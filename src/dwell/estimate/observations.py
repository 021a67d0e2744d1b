"""Observations in a known range."""

from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from dwell import checks
from dwell.arrays import FloatArray
from dwell.columns import numbers
from dwell.errors import InvalidInput
from dwell.estimate.intervals import Intervals


def within(name: str, values: ArrayLike, low: float, high: float) -> FloatArray:
    """Numbers that all lie in [low, high], in the order in which they came.

    Example:
        >>> within("rewards", [0.5, 2.0], -1, 1)
        Traceback (most recent call last):
        dwell.errors.InvalidInput: rewards must lie in [-1, 1], got 2.0 as number 2: ...
    """
    given = numbers(name, values)
    if given.ndim != 1 or len(given) == 0:
        raise InvalidInput(f"{name} must be a list of one or more, got shape {given.shape}")
    outside = ~((given >= low) & (given <= high))
    if outside.any():
        first = int(outside.argmax())
        raise InvalidInput(
            f"{name} must lie in [{low}, {high}], got {given[first]} as number {first + 1}: "
            "correct it or widen the range"
        )
    return given


@dataclass(frozen=True, slots=True)
class Observations:
    """Observations of one mean, moved to the range [0, 1]."""

    unit: FloatArray
    low: float
    high: float

    @classmethod
    def checked(cls, values: ArrayLike, low: float, high: float) -> "Observations":
        """Observations that lie in [low, high]."""
        low, high = checks.finite("low", low), checks.finite("high", high)
        if not (low < high and isfinite(high - low)):
            raise InvalidInput(
                f"low must be below high, at a finite distance, got {low} and {high}"
            )
        observed = within("observations", values, low, high)
        return cls((observed - low) / (high - low), low, high)

    def restored(self, found: Intervals) -> Intervals:
        """Intervals for the mean of `unit`, as intervals for that of the observations."""
        low, high = (
            np.clip(self.low + (self.high - self.low) * end, self.low, self.high)
            for end in (found.low, found.high)
        )
        return Intervals(low, high, found.approximate)
