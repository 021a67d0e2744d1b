"""Intervals: one after each observation."""

from dataclasses import dataclass

import numpy as np

from dwell.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Intervals:
    """Intervals for one unknown number, an entry after each observation.

    Attributes:
        low: The lower ends.
        high: The upper ends.
        approximate: Whether they hold only approximately, and at one n chosen beforehand.
    """

    low: FloatArray
    high: FloatArray
    approximate: bool = False


def nested(low: FloatArray, high: FloatArray) -> Intervals:
    """Intersect each interval with [0, 1], which the first one meets, and with all before it.

    If all hold at once, so do their intersections. They become empty only if some interval does
    not hold; the last one that is not empty then stays.

    Example:
        >>> from numpy import array
        >>> nested(array([-0.2, 0.1, 0.0]), array([0.5, 0.6, 0.3])).low.tolist()
        [0.0, 0.1, 0.1]
    """
    low = np.maximum.accumulate(np.maximum(low, 0.0))
    high = np.minimum.accumulate(np.minimum(high, 1.0))
    held = int(np.count_nonzero(low <= high))
    low[held:], high[held:] = low[held - 1], high[held - 1]
    return Intervals(low, high)
