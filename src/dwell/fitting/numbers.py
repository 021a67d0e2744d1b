"""Columns of numbers, one entry per test."""

import numpy as np
from numpy.typing import ArrayLike

from dwell.arrays import BoolArray, FloatArray
from dwell.columns import numbers
from dwell.errors import InvalidInput


def column(name: str, values: ArrayLike) -> FloatArray:
    """A list of finite numbers.

    Example:
        >>> column("effects", [0.5, float("nan")])
        Traceback (most recent call last):
        dwell.errors.InvalidInput: effects must be finite numbers, got nan in test 2
    """
    given = numbers(name, values)
    if given.ndim != 1:
        raise InvalidInput(f"{name} must be a list, got shape {given.shape}")
    require(np.isfinite(given), given, f"{name} must be finite numbers")
    return given


def require(holds: BoolArray, given: FloatArray, demand: str) -> None:
    """Refuse the first number for which a demand does not hold."""
    if not holds.all():
        first = int(holds.argmin())
        raise InvalidInput(f"{demand}, got {given[first]:g} in test {first + 1}")


def require_same_tests(**columns: FloatArray) -> None:
    """Refuse columns of different lengths."""
    if len({len(entries) for entries in columns.values()}) > 1:
        lengths = ", ".join(f"{len(entries)} {name}" for name, entries in columns.items())
        raise InvalidInput(f"each test needs one entry of each kind, got {lengths}")
