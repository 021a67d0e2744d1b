"""Names for the array types that signatures use, and where groups in one line start."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
DateArray = NDArray[np.datetime64]
Durations = NDArray[np.int32]
Decisions = NDArray[np.int8]
Samples = NDArray[Any]  # of int8 or float64


def starts_of(lengths: IntArray) -> IntArray:
    """Where groups of these lengths start if they follow one another, and where the last ends.

    Example:
        >>> starts_of(np.array([2, 0, 3])).tolist()
        [0, 2, 2, 5]
    """
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    lengths.cumsum(out=starts[1:])
    return starts
