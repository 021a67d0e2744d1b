"""Observations -1, 0 and 1 from random bytes."""

import numpy as np
from numpy.typing import NDArray

from dwell.arrays import FloatArray, IntArray
from dwell.kernels.compile import compiled


@compiled
def draw_signs(
    first_byte: NDArray[np.uint8],
    plus: FloatArray,
    not_minus: FloatArray,
    drawn: NDArray[np.int8],
    tied: IntArray,
) -> int:
    """Compare uniform numbers with two thresholds, by their first bytes where those suffice.

    Args:
        first_byte: Of the uniform numbers, a row per task.
        plus: Below it an observation is +1, a threshold per task.
        not_minus: From it on an observation is -1.
        drawn: Filled with the observations, except those that the first byte does not settle.
        tied: Filled with the positions of these, from its beginning.

    Returns:
        How many there are.
    """
    width = first_byte.shape[1]
    ties = 0
    for task in range(len(first_byte)):
        if plus[task] >= 1.0 or not_minus[task] <= 0.0:  # no need to look at any number
            certain = 1 if plus[task] >= 1.0 else -1
            for i in range(width):
                drawn[task, i] = certain
            continue
        high, low = 256.0 * plus[task], 256.0 * not_minus[task]
        plus_byte, minus_byte = np.uint8(min(high, 255.0)), np.uint8(min(low, 255.0))
        # A threshold between two bytes is settled by them; one inside a byte ties with it.
        plus_ties = high > plus_byte
        minus_ties = low > minus_byte
        last_not_minus = minus_byte if minus_ties else np.uint8(minus_byte - 1)
        for i in range(width):
            drawn[task, i] = (
                1
                if first_byte[task, i] < plus_byte
                else (-1 if first_byte[task, i] > last_not_minus else 0)
            )
        found = 0
        if plus_ties:
            for i in range(width):
                found += first_byte[task, i] == plus_byte
        if minus_ties and not (plus_ties and minus_byte == plus_byte):
            for i in range(width):
                found += first_byte[task, i] == minus_byte
        i = 0
        while found > 0:
            if (plus_ties and first_byte[task, i] == plus_byte) or (
                minus_ties and first_byte[task, i] == minus_byte
            ):
                tied[ties] = task * width + i
                ties += 1
                found -= 1
            i += 1
    return ties
