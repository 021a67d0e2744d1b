"""Fixed sizes on tests that are known by counts, without any order of their outcomes.

Given the counts of an arm, all orders of its outcomes are equally likely: how many ones are among
the first users has a hypergeometric law, and what a fixed size does is a sum over two of these.
"""

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.kernels.compile import compiled
from dwell.kernels.orders import standing

_FAR = 12.0  # standard deviations: what lies beyond has no weight worth counting


@compiled
def _law(users: int, ones: int, drawn: int, chances: FloatArray) -> tuple[int, int]:
    """How many of the ones are among so many drawn users: the chances from a number to another."""
    least, most = max(0, drawn - (users - ones)), min(ones, drawn)
    mean = drawn * (ones / users)
    reach = _FAR * (1.0 + np.sqrt(mean * (1.0 - ones / users) * (1.0 - drawn / users)))
    first, last = max(least, int(mean - reach)), min(most, int(mean + reach) + 1)
    top = min(max(int((drawn + 1.0) * (ones + 1.0) / (users + 2.0)), first), last)
    chances[top - first] = 1.0
    total = 1.0
    for number in range(top + 1, last + 1):
        ratio = (ones - number + 1.0) * (drawn - number + 1.0)
        ratio /= number * (users - ones - drawn + number * 1.0)
        chances[number - first] = chances[number - first - 1] * ratio
        total += chances[number - first]
    for number in range(top - 1, first - 1, -1):
        ratio = (number + 1.0) * (users - ones - drawn + number + 1.0)
        ratio /= (ones - number * 1.0) * (drawn - number * 1.0)
        chances[number - first] = chances[number - first + 1] * ratio
        total += chances[number - first]
    for number in range(last - first + 1):
        chances[number] /= total
    return first, last


@compiled
def room(users: IntArray, ones: IntArray) -> int:
    """How many chances a law may have."""
    most = 0.0
    for arm in range(2):
        spread = np.sqrt(0.25 * ones[arm] * (1.0 - ones[arm] / users[arm]))
        most = max(most, min(ones[arm] * 1.0, 2.0 * _FAR * (1.0 + spread)) + 3.0)
    return int(most)


@compiled
def at_size(
    users: IntArray,
    ones: IntArray,
    arms: IntArray,
    limit: float,
    variance: float,
    weight: float,
    chances: FloatArray,
    found: FloatArray,
) -> None:
    """Look once, ship what is above a limit: over all orders, exactly.

    Args:
        users: How many users control and treatment have.
        ones: How many of each converted.
        arms: How many of each are looked at.
        limit: In standard errors.
        variance: The variance of a sample in all tests …
        weight: … which counts as much as so many samples of the test.
        chances: Room for the laws of both arms, a row each.
        found: Filled with the chance to ship, and what is earned.
    """
    control, treated = arms[0], arms[1]
    low, high = _law(users[0], ones[0], control, chances[0])
    first, last = _law(users[1], ones[1], treated, chances[1])
    # Who ships with so many ones in the control does with fewer: the least number of ones in the
    # treatment rises with those in the control, and tails are summed from the top down.
    shipped, earned = 0.0, 0.0
    above, above_rest, number = 0.0, 0.0, last + 1
    for other in range(high, low - 1, -1):
        while number > first and (
            standing(other, number - 1, control, treated, variance, weight) > limit
        ):
            number -= 1
            chance = chances[1, number - first]
            above += chance
            above_rest += chance * (ones[1] - number) / (users[1] - treated)
        chance = chances[0, other - low]
        shipped += chance * above
        earned += chance * (above_rest - above * ((ones[0] - other) / (users[0] - control)))
    found[0], found[1] = shipped, earned


@compiled
def at_sizes(
    users: IntArray,
    ones: IntArray,
    drawn: IntArray,
    arms: IntArray,
    variance: float,
    weight: float,
    sizes: IntArray,
    limits: FloatArray,
    rows: IntArray,
    chances: FloatArray,
    found: FloatArray,
) -> None:
    """Rules that look once.

    Args:
        users: How many users control and treatment have.
        ones: How many of each converted.
        drawn: The samples at each look …
        arms: … and the users of each arm, a row per look.
        variance: The variance of a sample in all tests …
        weight: … which counts as much as so many samples of the test.
        sizes: Of rules, as in `prepare` …
        limits: … and their limits.
        rows: Which of the rules look once.
        chances: Room for the laws of both arms, a row each.
        found: Filled, for these rules, with means over all orders of what `decide` says.
    """
    both = np.empty(2)
    for k in rows:
        look = 0
        while look < len(drawn) - 1 and drawn[look] < sizes[k, 1]:
            look += 1
        ended = drawn[look] < sizes[k, 1]
        limit = limits[k, 3] if ended else limits[k, 2]
        at_size(users, ones, arms[look], limit, variance, weight, chances, both)
        found[k, 0], found[k, 1], found[k, 2] = both[0], drawn[look], both[1]
        found[k, 3] = 1.0 if ended else 0.0
