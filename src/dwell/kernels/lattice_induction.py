"""Backward induction: when to stop if every sample costs the same and accepting pays the value.

After d samples with sum s the best that can still be had is the greatest of 0 (reject), the mean
of the value given s (accept), and what one look more leads to, less its cost. The more the sum,
the more there is to accept: so rejecting is best below some sum, accepting above another.
"""

import numpy as np

from dwell.arrays import FloatArray
from dwell.kernels.compile import compiled


@compiled
def means_on_lattice(
    values: FloatArray,
    weights: FloatArray,
    stride: int,
    moves: FloatArray,
    most: int,
    cap: int,
) -> FloatArray:
    """The mean of the value given the position alone.

    Args:
        values: The values that an idea can have.
        weights: How likely each is.
        stride: The sum is stride * position - d after d samples.
        moves: How likely a sample raises the position by 0, 1, 2: c0 + c1 * value.
        most: Sums beyond -most and most are left out.
        cap: The most samples.

    Returns:
        A row per number of samples d = 0, …, cap, a column per position from the first with a sum
        of at least -most. Where no task can be, the mean is that of the nearest where one can.
    """
    reach = 3 - stride
    width = 2 * most // stride + 1
    total = np.zeros((cap + 1, width))
    earned = np.zeros((cap + 1, width))
    mass = np.zeros(reach * cap + 3)
    for i in range(len(values)):
        stay = moves[0, 0] + moves[0, 1] * values[i]
        one = moves[1, 0] + moves[1, 1] * values[i]
        two = moves[2, 0] + moves[2, 1] * values[i]
        mass[:] = 0.0
        mass[2] = weights[i]  # two empty cells below position 0
        for d in range(cap + 1):
            first = first_position(d, stride, most)
            beyond = min(first + width, reach * d + 1)
            if d > 0:
                for u in range(beyond - 1, first - 1, -1):
                    mass[u + 2] = stay * mass[u + 2] + one * mass[u + 1] + two * mass[u]
                mass[first : first + 2] = 0.0
            for u in range(first, beyond):
                total[d, u - first] += mass[u + 2]
                earned[d, u - first] += mass[u + 2] * values[i]
    for d in range(cap + 1):
        latest = -1
        for column in range(width):
            if total[d, column] > 0.0:
                earned[d, column] /= total[d, column]
                if latest < 0:
                    earned[d, :column] = earned[d, column]
                latest = column
            elif latest >= 0:
                earned[d, column] = earned[d, latest]
    return earned


@compiled
def first_position(d: int, stride: int, most: int) -> int:
    """The first position after d samples with a sum of at least -most."""
    return max(0, (d - most + stride - 1) // stride)


@compiled
def induct_lattice(
    means: FloatArray,
    most: int,
    intercept: FloatArray,
    slope: FloatArray,
    stride: int,
    moves: FloatArray,
    price: float,
    lower: FloatArray,
    upper: FloatArray,
) -> None:
    """The best boundaries for a sum that moves on a lattice.

    Only positions between the boundaries need a look: beyond them the best is known.

    Args:
        means: The mean of the value, as `means_on_lattice` gives it; empty if it is
            intercept[d] + slope[d] * sum.
        most: As it was given there.
        intercept: See above.
        slope: See above.
        stride: The sum is stride * position - d after d samples.
        moves: How likely a sample raises the position by 0, 1, 2: c0 + c1 * (mean value).
        price: What a sample costs, in units of value.
        lower: Filled with the lower boundary, for d = 1, …, cap.
        upper: Filled with the upper one.
    """
    cap = len(upper)
    reach = 3 - stride
    worth = np.zeros(reach * cap + 4)
    # At the cap all is decided: nobody goes on, and those from position low on are accepted.
    low, high = 0, reach * cap + 1
    while low < high:
        middle = (low + high) // 2
        if _mean(means, most, intercept, slope, stride, cap, middle) > 0.0:
            high = middle
        else:
            low = middle + 1
    high = low - 1
    lower[cap - 1] = upper[cap - 1] = stride * low - cap
    for d in range(cap - 1, 0, -1):
        # Beside those that go on, worth is what deciding at once is worth.
        for step in range(1, reach + 1):
            if low >= step:
                below = _mean(means, most, intercept, slope, stride, d + 1, low - step)
                worth[low - step] = max(0.0, below)
            above = _mean(means, most, intercept, slope, stride, d + 1, high + step)
            worth[high + step] = max(0.0, above)
        first, last = -1, -2
        accept_from = high + 1
        for u in range(max(low - reach, 0), min(high, reach * d) + 1):
            mean = _mean(means, most, intercept, slope, stride, d, u)
            onward = -price
            for step in range(reach + 1):
                onward += (moves[step, 0] + moves[step, 1] * mean) * worth[u + step]
            if onward > max(0.0, mean):
                if first < 0:
                    first = u
                last = u
            elif mean > 0.0 and first < 0:
                accept_from = min(accept_from, u)
            worth[u] = max(onward, max(0.0, mean))
        if first >= 0:
            low, high = first, last
        else:
            low = accept_from
            high = low - 1
        lower[d - 1] = stride * (low - 1) - d
        upper[d - 1] = stride * (high + 1) - d


@compiled
def _mean(
    means: FloatArray,
    most: int,
    intercept: FloatArray,
    slope: FloatArray,
    stride: int,
    d: int,
    u: int,
) -> float:
    if len(means) == 0:
        return float(intercept[d] + slope[d] * (stride * u - d))
    column = u - first_position(d, stride, most)
    return float(means[d, min(max(column, 0), means.shape[1] - 1)])


@compiled
def improve_lattice(
    values: FloatArray,
    weights: FloatArray,
    stride: int,
    moves: FloatArray,
    price: float,
    lower: FloatArray,
    upper: FloatArray,
) -> bool:
    """Make the boundaries after each number of samples the best ones, given all the others.

    Where the sum does not say all that the samples say, how a task came to its sum matters, and
    with it the boundaries before; so no single backward induction finds the best of all.

    Args:
        values: The values that an idea can have.
        weights: How likely each is.
        stride: The sum is stride * position - d after d samples.
        moves: How likely a sample raises the position by 0, 1, 2: c0 + c1 * value.
        price: What a sample costs, in units of value.
        lower: Brought up to date.
        upper: Brought up to date.

    Returns:
        Whether anything could be improved.
    """
    cap, reach, count = len(upper), 3 - stride, len(values)
    chances = np.empty((count, 3))
    for i in range(count):
        for step in range(3):
            chances[i, step] = moves[step, 0] + moves[step, 1] * values[i]
    # How likely each value is together with each position, among tasks that come so far.
    mass = np.zeros((cap + 1, count, reach * cap + 1))
    mass[0, :, 0] = weights
    for d in range(cap):
        for u in range(reach * d + 1):
            at = stride * u - d
            if d == 0 or lower[d - 1] < at < upper[d - 1]:
                for i in range(count):
                    for step in range(reach + 1):
                        mass[d + 1, i, u + step] += chances[i, step] * mass[d, i, u]
    improved = False
    noticed = 1e-14 * np.abs(values).max()  # what rounding alone could add is no gain
    worth = np.zeros((count, reach * cap + 1))
    onward = np.zeros((count, reach * cap + 1))
    for d in range(cap, 0, -1):
        positions = reach * d + 1
        going_on, accepted = np.zeros(positions + 1), np.zeros(positions + 1)
        for u in range(positions):
            for i in range(count):
                if d < cap:
                    onward[i, u] = -price
                    for step in range(reach + 1):
                        onward[i, u] += chances[i, step] * worth[i, u + step]
                going_on[u + 1] += mass[d, i, u] * onward[i, u]
                accepted[u + 1] += mass[d, i, u] * values[i]
        going_on, accepted = np.cumsum(going_on), np.cumsum(accepted)
        # Below `reject` all are rejected, from `accept` on all are accepted.
        accept = _position(upper[d - 1], stride, d, positions, True)
        reject = accept
        if d < cap:
            reject = min(accept, _position(lower[d - 1], stride, d, positions, False))
        most = going_on[accept] - going_on[reject] + accepted[positions] - accepted[accept]
        bar = most + noticed
        changed = False
        start = 0
        for end in range(positions + 1):
            if going_on[end] < going_on[start] or d == cap:
                start = end
            total = going_on[end] - going_on[start] + accepted[positions] - accepted[end]
            if total > bar:
                bar, reject, accept, changed = total, start, end, True
        if changed:
            improved = True
            upper[d - 1] = stride * accept - d
            lower[d - 1] = upper[d - 1] if d == cap else stride * (reject - 1) - d
        for u in range(positions):
            for i in range(count):
                if u < reject:
                    worth[i, u] = 0.0
                elif u >= accept:
                    worth[i, u] = values[i]
                else:
                    worth[i, u] = onward[i, u]
    return improved


@compiled
def _position(boundary: float, stride: int, d: int, positions: int, at_least: bool) -> int:
    """The first position at (if at_least) or above a boundary."""
    for u in range(positions):
        at = stride * u - d
        if at > boundary or (at_least and at == boundary):
            return u
    return positions
