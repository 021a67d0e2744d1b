"""The best limits for a pool of ideas, from the last look back to the first.

Samples are normal with noise 1 and the value is one of a few drifts. Relative to a walk without
drift, the sum y after n samples is exp(drift y - n drift^2 / 2) times as likely. What an idea is
worth, times the likelihood of all drifts together, therefore obeys a recursion with one driftless
step per look, however many drifts there are; and so does, forwards, the density of the sum
(`pool_walk`). Both are kept on lattices of sums around 0: see `cut_lattice`.
"""

from math import ceil, erfc, exp, floor, inf, sqrt

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.kernels.compile import compiled
from dwell.kernels.cut_lattice import AFTER, BEFORE, bell, between, cut_weight, root
from dwell.kernels.pool_walk import REACH

# A sum from which a drift is so many standard deviations away does not come from this drift.
_EXCLUDED = 20.0
# Farther out the likelihood overflows, and nobody gets there.
_FARTHEST = 34.0
_CHUNK = 16
_PERIOD = 32


@compiled
def even_sums(
    looks: IntArray, drifts: FloatArray, masses: FloatArray, promises: FloatArray
) -> FloatArray:
    """The sum at which the mean of the value is 0, an entry per look.

    Args:
        looks: The numbers of samples after which a policy looks.
        drifts: The drifts; some promise more than 0 and some less.
        masses: The weights of the drifts.
        promises: Weight times value, an entry per drift.
    """
    even = np.empty(len(looks))
    guess = 0.0
    for look in range(len(looks)):
        n, farthest = float(looks[look]), _FARTHEST * sqrt(looks[look])
        width = 0.25 * sqrt(n)
        low, high = guess - width, guess + width
        at_low, at_high = _mean(low, n, drifts, masses, promises), 0.0
        while at_low > 0.0 and low > -farthest:
            width *= 2.0
            low, high = low - width, low
            at_low = _mean(low, n, drifts, masses, promises)
        at_high = _mean(high, n, drifts, masses, promises)
        while at_high <= 0.0 and high < farthest:
            width *= 2.0
            low, high, at_low = high, high + width, at_high
            at_high = _mean(high, n, drifts, masses, promises)
        # The rule of false position; an end that stays twice counts half (Illinois).
        side = 0
        while high - low > 1e-12 * sqrt(n) and at_low <= 0.0 < at_high:
            middle = (low * at_high - high * at_low) / (at_high - at_low)
            if not low < middle < high:
                middle = 0.5 * (low + high)
            found = _mean(middle, n, drifts, masses, promises)
            if abs(found) < 1e-13 * max(abs(at_low), abs(at_high)):
                low = high = middle
            elif found > 0.0:
                high, at_high = middle, found
                at_low *= 0.5 if side == 1 else 1.0
                side = 1
            else:
                low, at_low = middle, found
                at_high *= 0.5 if side == -1 else 1.0
                side = -1
        guess = max(-farthest, min(farthest, high))
        even[look] = guess
    return even


@compiled
def _mean(
    y: float, n: float, drifts: FloatArray, masses: FloatArray, promises: FloatArray
) -> float:
    """The mean of the value given the sum."""
    greatest = -inf
    for j in range(len(drifts)):
        if masses[j] > 0.0:
            greatest = max(greatest, drifts[j] * (y - 0.5 * n * drifts[j]))
    total, promised = 0.0, 0.0
    for j in range(len(drifts)):
        likelihood = exp(drifts[j] * (y - 0.5 * n * drifts[j]) - greatest)
        total += masses[j] * likelihood
        promised += promises[j] * likelihood
    return promised / total


@compiled
def induct_pool(
    looks: IntArray,
    spacings: FloatArray,
    drifts: FloatArray,
    masses: FloatArray,
    promises: FloatArray,
    even: FloatArray,
    price: float,
    lower: FloatArray,
    upper: FloatArray,
) -> None:
    """The limits that earn the most if a sample costs so much.

    Args:
        looks: The numbers of samples after which a policy looks; the last is its cap.
        spacings: Of the lattice, an entry per look: any two have a power of 2 as their ratio.
        drifts: The drifts.
        masses: Their weights.
        promises: Weight times value, an entry per drift.
        even: The sum at which the mean of the value is 0, an entry per look.
        price: What a sample costs, in units of value.
        lower: Filled with the lower limit on the sum, an entry per look.
        upper: Filled with the upper one.
    """
    last = len(looks) - 1
    # Lattice point i stands at place i + center of each line; what is not filled is never read.
    center = ceil((_FARTHEST * np.sqrt(looks) / spacings).max()) + 4 * _CHUNK
    size = 2 * center + 1
    onward, accepted, masses_there = np.empty(size), np.empty(size), np.empty(size)
    # What points at the look after are worth, times their weights, from `start` to before `end`.
    worth, start, end = np.empty(size), 0, 0
    pool = drifts, masses, promises
    for look in range(last, -1, -1):
        n, here = float(looks[look]), spacings[look]
        farthest = int(_FARTHEST * sqrt(n) / here)
        low = high = floor(even[look] / here)
        low_part = high_part = even[look] / here - low
        first, stop = low - BEFORE, low + AFTER + 1  # what is filled, the stop excluded
        if look < last:  # limits lie about as far apart as at the look after
            below, above = even[look + 1] - lower[look + 1], upper[look + 1] - even[look + 1]
            first = min(first, max(first - ceil(below / here), -farthest))
            stop = max(stop, min(stop + ceil(above / here), farthest))
        step = looks, spacings, look, price, upper
        lines = center, onward, accepted, masses_there, worth
        end = _fill(first, stop, start, end, step, pool, lines)
        band = look < last and between(onward, center + low, low_part) > 0.0
        if band:
            while onward[center + low] > 0.0 and low > -farthest:
                low -= 1
                if low - BEFORE < first:
                    end = _fill(first - _CHUNK, first, start, end, step, pool, lines)
                    first -= _CHUNK
            high += 1
            while onward[center + high] > accepted[center + high] and high < farthest:
                high += 1
                if high + AFTER > stop:
                    end = _fill(stop, stop + _CHUNK, start, end, step, pool, lines)
                    stop += _CHUNK
            high -= 1
            if high + AFTER >= stop:
                end = _fill(stop, stop + _CHUNK, start, end, step, pool, lines)
                stop += _CHUNK
            low_part = root(onward, onward, 0.0, center + low)
            high_part = root(onward, accepted, 1.0, center + high)
        lower[look], upper[look] = here * (low + low_part), here * (high + high_part)
        start, end = low - BEFORE, high + AFTER + 1
        worth[center + start : center + end] = 0.0
        if band:
            for point in range(start, end):
                worth[center + point] = onward[center + point] * (
                    cut_weight(point - low, low_part) - cut_weight(point - high, high_part)
                )
        if look > 0 and not _is_far(looks, look - 1):
            for point in range(high - BEFORE, end):
                share = cut_weight(point - high, high_part)
                worth[center + point] += share * accepted[center + point]


@compiled
def _fill(
    first: int,
    stop: int,
    start: int,
    end: int,
    step: tuple[IntArray, FloatArray, int, float, FloatArray],
    pool: tuple[FloatArray, FloatArray, FloatArray],
    lines: tuple[int, FloatArray, FloatArray, FloatArray, FloatArray],
) -> int:
    """What it is worth to go on from points and to accept at them, times their likelihood.

    Args:
        first: The first point to fill.
        stop: The point before which to stop.
        start: The first point at the look after that is worth anything.
        end: The point before which what is worth something has been filled.
        step: Looks, spacings, the look; the price of a sample; upper limits, known from the look
            after on.
        pool: Drifts, masses, promises.
        lines: The place of point 0; what is filled: worth of going on, of accepting; what it is
            worth to be at points of the look after, filled on as needed.

    Returns:
        The new `end`.
    """
    looks, spacings, look, price, upper = step
    drifts, _, promises = pool
    center, onward, accepted, masses_there, worth = lines
    n, here = float(looks[look]), spacings[look]
    _likelihoods(first, stop, center, here, n, pool, onward, accepted)
    if look == len(looks) - 1:
        return end
    later, there = float(looks[look + 1]), spacings[look + 1]
    samples = later - n
    sd, far = sqrt(samples), _is_far(looks, look)
    reach = REACH * sd
    if not far:
        reach += min(max(drifts.max(), 0.0), _EXCLUDED / sqrt(n)) * samples
        needed = int(
            min(floor(((stop - 1) * here + reach) / there) + 1, _FARTHEST * sqrt(later) / there)
        )
        if needed >= end:
            _likelihoods(end, needed + 1, center, there, later, pool, masses_there, worth)
            end = needed + 1
    fine = min(here, there)
    density = bell(ceil(reach / fine) + 2, samples, fine)
    stride_here, stride_there = round(here / fine), round(there / fine)
    for point in range(first, stop):
        at = point * stride_here
        begin = max(start, -((len(density) - 1 - at) // stride_there))
        beyond = min(end, (at + len(density) - 1) // stride_there + 1)
        total = 0.0
        for to in range(begin, beyond):
            total += density[abs(to * stride_there - at)] * worth[center + to]
        total *= there
        if far:
            y = point * here
            for j in range(len(drifts)):
                z = (upper[look + 1] - y - samples * drifts[j]) / sd
                likelihood = exp(drifts[j] * (y - 0.5 * n * drifts[j]))
                total += promises[j] * likelihood * 0.5 * erfc(z / sqrt(2.0))
        onward[center + point] = total - price * samples * onward[center + point]
    return end


@compiled
def _likelihoods(
    first: int,
    stop: int,
    center: int,
    spacing: float,
    n: float,
    pool: tuple[FloatArray, FloatArray, FloatArray],
    mass: FloatArray,
    promise: FloatArray,
) -> None:
    """Fill in how likely points are under all drifts together, and what they then promise."""
    drifts, masses, promises = pool
    ratios = np.exp(drifts * spacing)
    powers = np.empty(len(drifts))
    # Powers go on from point to point, but not for long: what was too small may grow.
    period = _PERIOD if np.abs(drifts).max() * spacing < 1.0 else 1
    for point in range(first, stop):
        if (point - first) % period == 0:
            y = point * spacing
            for j in range(len(drifts)):
                powers[j] = exp(drifts[j] * (y - 0.5 * n * drifts[j]))
        total, promised = 0.0, 0.0
        for j in range(len(drifts)):
            total += masses[j] * powers[j]
            promised += promises[j] * powers[j]
        for j in range(len(drifts)):
            powers[j] *= ratios[j]
        mass[center + point], promise[center + point] = total, promised


@compiled
def _is_far(looks: IntArray, look: int) -> bool:
    """Whether the step to the next look is so long that likelihoods may overflow there."""
    return bool(looks[look + 1] > 4 * looks[look])
