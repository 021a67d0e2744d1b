"""Columns of numbers, one entry per test."""

import numpy as np
from numpy.typing import ArrayLike

from dwell import checks
from dwell.arrays import BoolArray, FloatArray
from dwell.errors import InvalidInput


def column(name: str, values: ArrayLike) -> FloatArray:
    """A list of finite numbers.

    Example:
        >>> column("effects", [0.5, float("nan")])
        Traceback (most recent call last):
        dwell.errors.InvalidInput: effects must be finite numbers, got nan in test 2
    """
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"{name} must be numbers, got {checks.shown(values)}") from None
    if numbers.ndim != 1:
        raise InvalidInput(f"{name} must be a list, got shape {numbers.shape}")
    require(np.isfinite(numbers), numbers, f"{name} must be finite numbers")
    return numbers


def require(holds: BoolArray, numbers: FloatArray, demand: str) -> None:
    """Refuse the first number for which a demand does not hold."""
    if not holds.all():
        first = int(holds.argmin())
        raise InvalidInput(f"{demand}, got {numbers[first]:g} in test {first + 1}")


def require_same_tests(**columns: FloatArray) -> None:
    """Refuse columns of different lengths."""
    if len({len(numbers) for numbers in columns.values()}) > 1:
        lengths = ", ".join(f"{len(numbers)} {name}" for name, numbers in columns.items())
        raise InvalidInput(f"each test needs one entry of each kind, got {lengths}")
