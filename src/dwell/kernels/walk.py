"""The law of where and when a policy stops, by recursion over the running sum.

Each walk follows the probability of every value of the sum that has not stopped yet. The value of
the idea enters only through its mean given the sum, which is affine in it for every belief that we
walk under: intercept[d] + slope[d] * sum after d samples.
"""

from math import erfc, exp, pi, sqrt

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.kernels.compile import compiled
from dwell.kernels.tails import accepted_above

NEGLIGIBLE = 1e-40


@compiled
def walk_lattice(
    lower: FloatArray,
    upper: FloatArray,
    intercept: FloatArray,
    slope: FloatArray,
    stride: int,
    moves: FloatArray,
) -> FloatArray:
    """The stops of a policy whose sum moves on a lattice.

    Args:
        lower: The policy's lower boundary.
        upper: Its upper boundary.
        intercept: Of the mean value given the sum, after 0, 1, …, cap samples.
        slope: Of the same.
        stride: The sum is stride * position - d after d samples.
        moves: How likely a sample raises the position by 0, 1, 2: c0 + c1 * (mean value).

    Returns:
        A row per number of samples d = 1, …, cap: the probability to stop after d, to accept then,
        and the expected value accepted then.
    """
    cap = len(upper)
    stops = np.zeros((cap, 3))
    reach = 3 - stride  # the farthest that one sample moves the position
    # Two empty cells below position 0 let the recursion read below the lowest position.
    mass = np.zeros(reach * cap + 5)
    moved = np.zeros(reach * cap + 5)
    mass[2] = 1.0
    low, high = 2, 2
    for d in range(1, cap + 1):
        # The probability of each move is itself affine in the position.
        at_zero = intercept[d - 1] - slope[d - 1] * (d - 1 + 2 * stride)
        stay, stay_slope = moves[0, 0] + moves[0, 1] * at_zero, moves[0, 1] * slope[d - 1] * stride
        one, one_slope = moves[1, 0] + moves[1, 1] * at_zero, moves[1, 1] * slope[d - 1] * stride
        two, two_slope = moves[2, 0] + moves[2, 1] * at_zero, moves[2, 1] * slope[d - 1] * stride
        high += reach
        for u in range(low, high + 1):
            moved[u] = (
                (stay + stay_slope * u) * mass[u]
                + (one + one_slope * (u - 1)) * mass[u - 1]
                + (two + two_slope * (u - 2)) * mass[u - 2]
            )
        moved[low - 2 : low] = 0.0
        mass, moved = moved, mass
        moved[low - 2 : high + 1] = 0.0
        while high >= low and stride * (high - 2) - d >= upper[d - 1]:
            total = stride * (high - 2) - d
            stops[d - 1, 0] += mass[high]
            stops[d - 1, 1] += mass[high]
            stops[d - 1, 2] += mass[high] * (intercept[d] + slope[d] * total)
            mass[high] = 0.0
            high -= 1
        while low <= high and stride * (low - 2) - d <= lower[d - 1]:
            stops[d - 1, 0] += mass[low]
            mass[low] = 0.0
            low += 1
        while low <= high and mass[low] < NEGLIGIBLE:
            mass[low] = 0.0
            low += 1
        while low <= high and mass[high] < NEGLIGIBLE:
            mass[high] = 0.0
            high -= 1
        if low > high:
            break
    return stops


@compiled
def walk_gaussian(
    lower: FloatArray,
    upper: FloatArray,
    steps: FloatArray,
    beliefs: FloatArray,
    sure: FloatArray,
    fates: IntArray,
    ranges: FloatArray,
    panels: IntArray,
    reach: float,
    nodes: FloatArray,
    weights: FloatArray,
    start: int,
    end: int,
    points: FloatArray,
    mass: FloatArray,
    stops: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """The stops of a policy whose samples are normal, by integration over the sum's density.

    Between looks the sum s goes to a normal law around scale * s + shift. Its density among the
    tasks that go on is kept on Gauss-Legendre panels that fill the band between the boundaries.
    Tasks whose fate is sure are taken off at once: what they are accepted for is the mean of the
    value given the sum, now as later.

    Args:
        lower: Its lower boundary, an entry per look.
        upper: Its upper boundary.
        steps: A row per look: scale, shift and standard deviation of the step that leads to it.
        beliefs: A row per look: intercept and slope of the mean value given the sum.
        sure: A row per look: the sums at or below which a task is sure to be rejected, and at or
            above which it is sure to be accepted …
        fates: … and the looks at which that happens.
        ranges: A row per look: the ends of the sums that have to be followed.
        panels: How many panels fill them, an entry per look.
        reach: How many standard deviations of a step count.
        nodes: The nodes of the rule for one panel, on [0, 1].
        weights: Its weights.
        start: The first look to walk to …
        end: … and the one to stop before: a long walk is made in parts, between which it can be
            interrupted.
        points: The sums at the look before, where the density is known.
        mass: The mass at each; its sum is that of the tasks that went on.
        stops: Filled with a row per look: the probability to stop then, to accept then, and the
            expected value accepted then.

    Returns:
        The sums and the masses at the last look; none if nobody goes on.
    """
    negligible = erfc(reach / sqrt(2.0))
    for look in range(start, end):
        scale, shift, sd = steps[look]
        intercept, slope = beliefs[look]
        centers = scale * points + shift
        for i in range(len(points)):
            accepted, value = accepted_above(upper[look], centers[i], sd, intercept, slope)
            rejected = 0.5 * erfc((centers[i] - lower[look]) / sd / sqrt(2.0))
            stops[look, 0] += mass[i] * (accepted + rejected)
            stops[look, 1] += mass[i] * accepted
            stops[look, 2] += mass[i] * value
            if fates[look, 1] > look:
                more, worth = accepted_above(sure[look, 1], centers[i], sd, intercept, slope)
                stops[fates[look, 1], 0] += mass[i] * (more - accepted)
                stops[fates[look, 1], 1] += mass[i] * (more - accepted)
                stops[fates[look, 1], 2] += mass[i] * (worth - value)
            if fates[look, 0] > look:
                more = 0.5 * erfc((centers[i] - sure[look, 0]) / sd / sqrt(2.0))
                stops[fates[look, 0], 0] += mass[i] * (more - rejected)
        low, high = ranges[look]
        if high <= low or mass.sum() < negligible:
            return points[:0], mass[:0]
        width = (high - low) / panels[look]
        new_points = np.empty(panels[look] * len(nodes))
        new_mass = np.empty(panels[look] * len(nodes))
        first = 0
        for j in range(len(new_points)):
            point = low + width * (j // len(nodes) + nodes[j % len(nodes)])
            while first < len(points) and centers[first] < point - reach * sd:
                first += 1
            density = 0.0
            for i in range(first, len(points)):
                z = (point - centers[i]) / sd
                if z < -reach:
                    break
                density += mass[i] * exp(-0.5 * z * z)
            new_points[j] = point
            new_mass[j] = density * width * weights[j % len(nodes)] / (sd * sqrt(2.0 * pi))
        points, mass = new_points, new_mass
    return points, mass
