"""Checks of single values that many modules share: each returns the value it has checked.

A number is a number: text that looks like one is refused, and so are `True` and `False`. What
people type is turned into numbers by `dwell.parsing`.
"""

from math import isfinite
from operator import index

from dwell.errors import InvalidInput

_MOST = 10**18
_LARGEST = 1e30
# Boundaries of this length still fit in memory many times over.
LONGEST_CAP = 2**22


def count(name: str, value: object, least: int = 1) -> int:
    """A whole number that is at least `least`, and at most 10^18.

    Example:
        >>> count("tasks", 1e6)
        1000000
        >>> count("tasks", 0)
        Traceback (most recent call last):
        dwell.errors.InvalidInput: tasks must be a whole number >= 1, got 0
    """
    if type(value) is int and least <= value <= _MOST:  # as nearly always: no need to look closer
        return value
    number = real(name, value)
    if not (isfinite(number) and number == int(number) and number >= least):
        raise InvalidInput(f"{name} must be a whole number >= {least}, got {value}")
    if number > _MOST:
        raise InvalidInput(f"{name} must be at most 10^18, got {number:g}")
    return index(value) if hasattr(value, "__index__") else int(number)


def cap(name: str, value: object) -> int:
    """A cap: a whole number of samples that boundaries can be made for."""
    checked = count(name, value)
    if checked > LONGEST_CAP:
        raise InvalidInput(f"{name} must be at most {LONGEST_CAP:,}, got {checked}")
    return checked


def probability(name: str, value: object) -> float:
    """A number strictly between 0 and 1."""
    number = real(name, value)
    if not 0.0 < number < 1.0:
        raise InvalidInput(f"{name} must lie strictly between 0 and 1, got {value}")
    return number


def positive(name: str, value: object) -> float:
    """A finite number above 0."""
    number = real(name, value)
    if not (isfinite(number) and number > 0.0):
        raise InvalidInput(f"{name} must be a finite number > 0, got {value}")
    return number


def not_negative(name: str, value: object) -> float:
    """A finite number that is at least 0."""
    number = real(name, value)
    if not (isfinite(number) and number >= 0.0):
        raise InvalidInput(f"{name} must be a finite number >= 0, got {value}")
    return number


def finite(name: str, value: object) -> float:
    """A finite number."""
    number = real(name, value)
    if not isfinite(number):
        raise InvalidInput(f"{name} must be a finite number, got {value}")
    return number


def moderate(name: str, value: object) -> float:
    """A number of a size that can be squared and cubed: at most 10^30, either way of 0.

    Example:
        >>> moderate("mean", -2)
        -2.0
    """
    number = finite(name, value)
    if abs(number) > _LARGEST:
        raise InvalidInput(
            f"{name} must lie between -1e30 and 1e30, got {number:g}; choose another unit"
        )
    return number


def scale(name: str, value: object) -> float:
    """A number above 0 of such a size, and neither too small to be squared and cubed."""
    number = positive(name, value)
    if not 1.0 / _LARGEST <= number <= _LARGEST:
        raise InvalidInput(
            f"{name} must lie between 1e-30 and 1e30, got {number:g}; choose another unit"
        )
    return number


def kind(name: str, value: object, wanted: type, words: str) -> None:
    """Refuse a value that is not of a type.

    Example:
        >>> kind("world", None, dict, "a World")
        Traceback (most recent call last):
        dwell.errors.InvalidInput: world must be a World, got None
    """
    if not isinstance(value, wanted):
        raise InvalidInput(f"{name} must be {words}, got {shown(value)}")


def shown(value: object) -> str:
    """A value in one line of a sentence, however long it is."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:79]}…"


def real(name: str, value: object) -> float:
    """Any real number, as a float; text and truth values are none.

    Example:
        >>> real("c", "0.5")
        Traceback (most recent call last):
        dwell.errors.InvalidInput: c must be a number, got '0.5'
    """
    if type(value) is float:  # as nearly always: no need to look closer
        return value
    try:
        if not _is_number(value):
            raise TypeError("not a number")
        return float(value)  # type: ignore[arg-type]  # what float() refuses is the check
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"{name} must be a number, got {shown(value)}") from None


def _is_number(value: object) -> bool:
    """Whether a value is a number by its type: float() would read text as well."""
    if hasattr(
        value, "dtype"
    ):  # NumPy's scalars and arrays, which have __float__ whatever they hold
        return getattr(value, "ndim", 0) == 0 and getattr(value.dtype, "kind", "f") in "iuf"
    return not isinstance(value, bool) and (
        hasattr(value, "__float__") or hasattr(value, "__index__")
    )
