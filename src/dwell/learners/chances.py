"""Chances: random numbers that belong to tasks, however these are begun and learned from."""

import numpy as np

from dwell.arrays import FloatArray


def uniform(seed: int, stream: int, first: int, count: int) -> FloatArray:
    """Numbers in [0, 1) that belong to tasks by their numbers, whatever else happens.

    Args:
        seed: What they are made of.
        stream: Other streams have other numbers.
        first: The number of the first task.
        count: For how many tasks in a row.

    Example:
        >>> bool((uniform(7, 0, 1, 3)[1:] == uniform(7, 0, 2, 2)).all())
        True
    """
    with np.errstate(over="ignore"):
        # The mixing of SplitMix64 (Steele, Lea, Flood 2014), a step per task.
        mixed = np.arange(first, first + count, dtype=np.uint64)
        mixed += np.uint64((2 * seed + stream) % 2**24) * np.uint64(2**40)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53
