"""Lists of numbers, checked and converted once."""

import numpy as np
from numpy.typing import ArrayLike

from dwell import checks
from dwell.arrays import FloatArray
from dwell.errors import InvalidInput


def numbers(name: str, values: ArrayLike) -> FloatArray:
    """Numbers in an array of any shape, as floats; text is refused.

    An array of truth values is one of 0 and 1: that is what yes-or-no outcomes look like.

    Example:
        >>> numbers("effects", ["1", 2])
        Traceback (most recent call last):
        dwell.errors.InvalidInput: effects must be numbers, got ['1', 2]
    """
    try:
        given = np.asarray(values)
        if given.dtype.kind == "O":  # such as Decimal and Fraction
            entries = [checks.real(name, entry) for entry in given.flat]
            given = np.array(entries, dtype=np.float64).reshape(given.shape)
        if given.dtype.kind not in "iufb":
            raise TypeError("not a type of number")
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"{name} must be numbers, got {checks.shown(values)}") from None
    return given.astype(np.float64, copy=False)
