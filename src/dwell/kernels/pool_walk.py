"""What limits do to ideas of each drift, by few walks without drift: see `pool_induction`."""

from math import ceil, erfc, exp, floor, inf, log2, sqrt

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.kernels.compile import compiled
from dwell.kernels.cut_lattice import AFTER, BEFORE, bell, cut_weight

# So many standard deviations hold all mass but 1e-13 of it.
REACH = 7.5
_NEGLIGIBLE = 1e-16
_SPACING = 0.35  # of the lattice, in standard deviations of a step: in tests ROIs are right to 1e-4
_FARTHEST_DRIFT = 16.0  # standard errors of the last look: beyond, likelihoods would overflow
_PERIOD = 32  # powers go on from point to point, but not for long: rounding would add up


@compiled
def spacings_for(looks: IntArray, drifts: FloatArray) -> FloatArray:
    """Of the lattice at each look: fine enough for the steps to it and from it, and for drifts.

    A drift that is likely at all at a look is a few standard errors from 0. Spacings differ by
    powers of 2, so that one lattice is part of the other.

    Args:
        looks: The numbers of samples after which the policy looks.
        drifts: The drifts.
    """
    last, farthest = len(looks) - 1, np.abs(drifts).max()
    spacings = np.empty(len(looks))
    for k in range(len(looks)):
        step = float(looks[k] - (looks[k - 1] if k else 0))
        after = float(looks[k + 1] - looks[k]) if k < last else inf
        steepest = max(min(farthest, 4.0 / sqrt(looks[k])), 1e-300)
        spacings[k] = min(_SPACING * sqrt(min(step, after)), 0.5 / steepest)
    least = spacings.min()
    for k in range(len(looks)):
        spacings[k] = least * 2.0 ** floor(log2(spacings[k] / least) + 1e-9)
    return spacings


@compiled
def walk_values(
    looks: IntArray,
    values: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    accept: FloatArray,
    samples: FloatArray,
) -> None:
    """What limits do to ideas of each value; those close to one another are followed together.

    Args:
        looks: The numbers of samples after which the policy looks; the last is its cap.
        values: The values, in standard deviations of a sample.
        lower: The lower limit on z, an entry per look; may be minus infinity.
        upper: The upper one; may be infinity.
        accept: Filled with how likely each value is accepted.
        samples: Filled with how many samples it takes in the mean.
    """
    roots = np.sqrt(looks.astype(np.float64))
    waiting = np.ones(len(values), dtype=np.bool_)
    while waiting.any():
        near = (values - values[waiting].min()) * roots[-1] <= 2.0 * _FARTHEST_DRIFT
        members = np.flatnonzero(waiting & near)
        waiting[members] = False
        center = 0.5 * (values[members].min() + values[members].max())
        drifts, shift = values[members] - center, center * roots
        found, taken = np.empty(len(drifts)), np.empty(len(drifts))
        low, high = (lower - shift) * roots, (upper - shift) * roots
        walk_pool(looks, spacings_for(looks, drifts), drifts, low, high, found, taken)
        # Rounding may leave what is sure a little beyond.
        accept[members], samples[members] = np.minimum(np.maximum(found, 0.0), 1.0), taken


@compiled
def walk_pool(
    looks: IntArray,
    spacings: FloatArray,
    drifts: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    accept: FloatArray,
    samples: FloatArray,
) -> None:
    """What limits do to ideas of each drift; no drift is far from 0 in units of the last look.

    Args:
        looks: The numbers of samples after which the policy looks; the last is its cap.
        spacings: Of the lattice, an entry per look: any two have a power of 2 as their ratio.
        drifts: The drifts.
        lower: The lower limit on the sum, an entry per look; may be minus infinity.
        upper: The upper one; may be infinity.
        accept: Filled with how likely each drift is accepted.
        samples: Filled with how many samples it takes in the mean.
    """
    last, farthest_drift = len(looks) - 1, np.abs(drifts).max()
    n = float(looks[0])
    for j in range(len(drifts)):
        accept[j] = 0.5 * erfc((upper[0] - n * drifts[j]) / sqrt(2.0 * n))
        samples[j] = n
    # Who goes on from the look before: the first point of its lattice, and the mass at each.
    first, mass, spacing, before = 0, np.ones(1), spacings[0], 0.0
    for look in range(last):
        n, here = float(looks[look]), spacings[look]
        reach = _reach(n - before, farthest_drift)
        bottom = first * spacing - reach
        top = (first + len(mass) - 1) * spacing + reach
        high = max(min(upper[look], top), bottom)
        low = min(max(lower[look], bottom), high)
        low_point, high_point = floor(low / here), floor(high / here)
        start = low_point - BEFORE
        density = _arrivals(
            first, mass, spacing, start, high_point + AFTER + 1, here, n - before, reach
        )
        for i in range(len(density)):
            point = start + i
            density[i] *= cut_weight(point - low_point, low / here - low_point) - cut_weight(
                point - high_point, high / here - high_point
            )
        goes_on = np.zeros(len(drifts))
        _add_likely(density, start, here, n, drifts, goes_on)
        if not (low < high and goes_on.max() > _NEGLIGIBLE):
            break
        first, mass, spacing, before = start, density, here, n
        step = float(looks[look + 1]) - n
        samples += step * goes_on
        # Those who are accepted at the look that follows.
        there = spacings[look + 1]
        reach = _reach(step, farthest_drift)
        bottom = first * here - reach
        top = (first + len(mass) - 1) * here + reach
        edge = max(upper[look + 1], bottom)
        if edge < top:
            edge_point = floor(edge / there)
            start = edge_point - BEFORE
            stop = max(edge_point + AFTER, ceil(top / there)) + 1
            density = _arrivals(first, mass, here, start, stop, there, step, reach)
            for i in range(min(len(density), BEFORE + AFTER + 1)):
                density[i] *= cut_weight(i - BEFORE, edge / there - edge_point)
            _add_likely(density, start, there, n + step, drifts, accept)


@compiled
def _reach(samples: float, farthest_drift: float) -> float:
    """How far sums get in so many samples, whichever drift they have."""
    return REACH * sqrt(samples) + farthest_drift * samples


@compiled
def _arrivals(
    first: int,
    mass: FloatArray,
    spacing: float,
    start: int,
    stop: int,
    spacing_there: float,
    samples: float,
    reach: float,
) -> FloatArray:
    """The mass that arrives at points from `start` to before `stop`, if there is no drift."""
    fine = min(spacing, spacing_there)
    density = bell(ceil(reach / fine) + 2, samples, fine)
    stride, stride_there = round(spacing / fine), round(spacing_there / fine)
    arrived = np.zeros(stop - start)
    for i in range(len(arrived)):
        at = (start + i) * stride_there
        begin = max(0, -((len(density) - 1 - at) // stride) - first)
        end = min(len(mass), (at + len(density) - 1) // stride + 1 - first)
        total = 0.0
        for j in range(begin, end):
            total += mass[j] * density[abs((first + j) * stride - at)]
        arrived[i] = total * spacing_there
    return arrived


@compiled
def _add_likely(
    mass: FloatArray, start: int, spacing: float, n: float, drifts: FloatArray, total: FloatArray
) -> None:
    """Add to each drift's total what the driftless mass at points comes to under this drift."""
    ratios = np.exp(drifts * spacing)
    powers = np.empty(len(drifts))
    for i in range(len(mass)):
        if i % _PERIOD == 0:
            for j in range(len(drifts)):
                powers[j] = exp(drifts[j] * ((start + i) * spacing - 0.5 * n * drifts[j]))
        for j in range(len(drifts)):
            total[j] += mass[i] * powers[j]
            powers[j] *= ratios[j]
