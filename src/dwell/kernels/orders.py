"""Rules of two limits on tests that are known by counts: over the orders of their outcomes.

Given the counts of an arm, all orders of its outcomes are equally likely. Orders are drawn, by
where the ones of each arm fall; for fixed sizes, see `counted_sizes`.
"""

import numpy as np
from numpy.typing import NDArray

from dwell.arrays import FloatArray, IntArray
from dwell.kernels.compile import compiled
from dwell.kernels.looks import decide, prepare


@compiled
def looks_of(
    users: IntArray, visible: int, even: bool, grid: IntArray, drawn: IntArray, arms: IntArray
) -> int:
    """When a test of two arms is looked at.

    Args:
        users: How many users control and treatment have.
        visible: How many samples rules may see.
        even: Whether each sample is a user of each arm; else two users, of both arms in proportion.
        grid: After how many samples there are looks.
        drawn: Filled with the samples at each look …
        arms: … and with the users of each arm, a row per look.

    Returns:
        How many looks there are.
    """
    count = 0
    for place in range(len(grid) + 1):
        samples = visible
        if place < len(grid) and grid[place] < visible:
            samples = grid[place]
        drawn[count] = samples
        for arm in range(2):
            share = samples * (2.0 * users[arm] / (users[0] + users[1]))
            arms[count, arm] = samples if even else min(max(int(share), 1), users[arm] - 1)
        count += 1
        if samples == visible:
            break
    return count


@compiled
def standing(
    ones: int, more: int, control: int, treated: int, variance: float, weight: float
) -> float:
    """By how many standard errors the treatment is ahead.

    Args:
        ones: How many of the control's users converted …
        more: … and of the treated ones.
        control: How many users the control has so far …
        treated: … and the treatment.
        variance: The variance of a sample in all tests …
        weight: … which counts as much as so many samples of the test.
    """
    lead = more / treated - ones / control
    if lead == 0.0:
        return 0.0
    users = control + treated
    rate = (ones + more) / users
    noise = (users * rate * (1.0 - rate) + weight * variance) / (users + 2.0 * weight)
    return float(lead / np.sqrt(noise * (1.0 / control + 1.0 / treated)))


@compiled
def _next(state: NDArray[np.uint64]) -> float:
    """A uniform number below 1, by splitmix64 (Steele, Lea, Flood 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = state[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed = mixed ^ (mixed >> np.uint64(31))
    return float(np.float64(mixed >> np.uint64(11)) * 2.0**-53)


@compiled
def place_ones(
    users: int,
    ones: int,
    ends: IntArray,
    look_of: IntArray,
    taken: IntArray,
    mark: int,
    state: NDArray[np.uint64],
    found: IntArray,
) -> None:
    """How many ones of an arm come before each look, in an order drawn at random.

    Args:
        users: How many users the arm has.
        ones: How many of them converted.
        ends: How many users come before each look.
        look_of: The look before which each of these users comes first.
        taken: By which order each place was taken last.
        mark: The number of this order.
        state: Of the random numbers.
        found: Filled with a number per look.
    """
    for look in range(len(ends)):
        found[look] = 0
    rare = min(ones, users - ones)
    placed = 0
    while placed < rare:
        place = int(_next(state) * users)
        if taken[place] != mark:
            taken[place] = mark
            placed += 1
            if place < len(look_of):
                found[look_of[place]] += 1
    for look in range(1, len(ends)):
        found[look] += found[look - 1]
    if rare < ones:
        for look in range(len(ends)):
            found[look] = ends[look] - found[look]


@compiled
def place_arms(
    users: IntArray,
    ones: IntArray,
    arms: IntArray,
    state: NDArray[np.uint64],
    before: IntArray,
) -> None:
    """How many ones come before each look, in orders drawn at random.

    Args:
        users: How many users control and treatment have.
        ones: How many of each converted.
        arms: How many users of each come before each look, a row per look.
        state: Of the random numbers.
        before: Filled: by order, arm and look.
    """
    for arm in range(2):
        look_of = np.empty(arms[-1, arm], np.int64)
        place = 0
        for look in range(len(arms)):
            while place < arms[look, arm]:
                look_of[place] = look
                place += 1
        taken = np.full(users[arm], -1)
        for order in range(len(before)):
            place_ones(
                users[arm],
                ones[arm],
                arms[:, arm],
                look_of,
                taken,
                order,
                state,
                before[order, arm],
            )


@compiled
def over_orders(
    users: IntArray,
    ones: IntArray,
    drawn: IntArray,
    arms: IntArray,
    before: IntArray,
    variance: float,
    weight: float,
    sizes: IntArray,
    shapes: IntArray,
    limits: FloatArray,
    found: FloatArray,
    spread: FloatArray,
) -> None:
    """Rules on orders of a test, whose ones are known at each look.

    Args:
        users: How many users control and treatment have.
        ones: How many of each converted.
        drawn: The samples at each look …
        arms: … and the users of each arm, a row per look.
        before: How many of the ones come before each look: by order, arm and look.
        variance: The variance of a sample in all tests …
        weight: … which counts as much as so many samples of the test.
        sizes: Of rules, as in `prepare` …
        shapes: … how their limits change …
        limits: … and the limits.
        found: Filled with means over orders of what `decide` says.
        spread: Filled, by rule, with how what it earns and what it draws vary from order to order:
            the variances, and the covariance.
    """
    orders, looks, rules = len(before), len(drawn), len(sizes)
    ahead, rest = np.empty(looks), np.empty(looks)
    frame, widths = np.empty((rules, 3), np.int64), np.empty((len(shapes), looks))
    prepare(looks, drawn, sizes, shapes, frame, widths)
    one = np.empty((rules, 4))
    found[:, :] = 0.0
    spread[:, :] = 0.0
    for order in range(orders):
        for look in range(looks):
            control, treated = arms[look, 0], arms[look, 1]
            a, b = before[order, 0, look], before[order, 1, look]
            ahead[look] = standing(a, b, control, treated, variance, weight)
            rest[look] = (ones[1] - b) / (users[1] - treated) - (ones[0] - a) / (users[0] - control)
        decide(drawn, ahead, rest, sizes, limits, frame, widths, one)
        for k in range(rules):
            for figure in range(4):
                found[k, figure] += one[k, figure]
            spread[k, 0] += one[k, 2] * one[k, 2]
            spread[k, 1] += one[k, 1] * one[k, 1]
            spread[k, 2] += one[k, 2] * one[k, 1]
    for k in range(rules):
        for figure in range(4):
            found[k, figure] /= orders
        spread[k, 0] = max(spread[k, 0] / orders - found[k, 2] * found[k, 2], 0.0)
        spread[k, 1] = max(spread[k, 1] / orders - found[k, 1] * found[k, 1], 0.0)
        spread[k, 2] = spread[k, 2] / orders - found[k, 2] * found[k, 1]
