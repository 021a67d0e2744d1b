"""When policies look: every day at first, later at days on a growing scale.

Looks for a longer maximum are those for a shorter one and more, so that what can be earned never
falls as tests may run longer. A step is at most 1.25 % of the days before it: in tests, that costs
less than 0.1 % of the ROI that looks on every day would earn.
"""

from functools import lru_cache
from itertools import count

import numpy as np

from dwell.arrays import IntArray

DAILY = 400
# Up to so many days, so many apart; ten times as many, ten times as far apart; and so on.
_STEPS = ((1000, 5), (2000, 10), (5000, 25), (10_000, 50))
# Lengths of simple tests, each larger than the one before by about a fifth; with many divisors.
_SHORT = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 28, 34, 40, 50, 60, 75, 90)
_LONG = (100, 120, 150, 180, 210, 240, 300, 360, 420, 500, 600, 720, 860)
_MOST_STEPS = 60


@lru_cache(maxsize=64)
def look_days(first: int, longest: int) -> IntArray:
    """The days after which a policy may look.

    Args:
        first: The first of them.
        longest: None is later.

    Example:
        >>> look_days(2, 5).tolist(), look_days(399, 412).tolist()
        ([2, 3, 4, 5], [399, 400, 405, 410])
        >>> len(look_days(1, 10**6))
        1480
    """
    days = [np.arange(1, DAILY + 1)]
    start = DAILY
    for power in count():
        for end, step in _STEPS if power == 0 else _STEPS[1:]:
            scale = 10**power
            days.append(np.arange(start + step * scale, end * scale + 1, step * scale))
            start = end * scale
        if start >= longest:
            break
    every = np.concatenate(days)
    looks = np.append(first, every[(every > first) & (every <= longest)]).astype(np.int64)
    looks.setflags(write=False)
    return looks


def lengths(first: int, longest: int) -> list[int]:
    """Lengths of tests on a growing scale, longer than `first`: for a longer maximum, more of them.

    Example:
        >>> lengths(5, 30)
        [6, 7, 8, 10, 12, 14, 17, 20, 24, 28]
    """
    found = list(_SHORT)
    scale = 1
    while _LONG[0] * scale <= longest:
        found += [length * scale for length in _LONG]
        scale *= 10
    return [length for length in found if first < length <= longest]


def step_of(length: int) -> int:
    """How many days apart a simple test of a length looks: evenly, and at most 60 times.

    Example:
        >>> step_of(60), step_of(90), step_of(3600)
        (1, 2, 60)
    """
    least = -(-length // _MOST_STEPS)
    return next(step for step in range(least, length + 1) if length % step == 0)
