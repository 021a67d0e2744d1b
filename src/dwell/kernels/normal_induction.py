"""Backward induction where samples are normal: see `lattice_induction` for the idea."""

from math import erfc, exp, pi, sqrt

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.kernels.compile import compiled


@compiled
def induct_gaussian(
    looks: IntArray,
    noise: float,
    intercept: FloatArray,
    slope: FloatArray,
    variance: FloatArray,
    evidence: FloatArray,
    spans: FloatArray,
    price: float,
    nodes: FloatArray,
    weights: FloatArray,
    panel: float,
    lower: FloatArray,
    upper: FloatArray,
) -> None:
    """The best boundaries for normal samples, looked at now and then.

    The prior is a mixture of beliefs, each with a mean that is affine in the sum. What an idea is
    worth among those that go on is kept on Gauss-Legendre panels that fill the band between the
    boundaries: there it is smooth; beyond, it is known. Under the mixture the sum goes from s to
    t as normal noise would, times Z(t) / Z(s), where Z is the likelihood of a sum relative to that
    if the value were 0.

    Args:
        looks: The numbers of samples after which the policy looks; the last is its cap.
        noise: The standard deviation of a sample.
        intercept: A row per look, a column per belief: the mean of the value given the sum s is
            intercept + slope * s …
        slope: … and
        variance: its variance is this.
        evidence: A block per look: ln of weight * Z of each belief is e0 + e1 s + e2 s^2.
        spans: A row per look: the sums within which to look for the boundaries.
        price: What a sample costs, in units of value.
        nodes: The nodes of the rule for one panel, on [0, 1].
        weights: Its weights.
        panel: The width of a panel in standard deviations of the next step.
        lower: Filled with the lower boundary, an entry per look.
        upper: Filled with the upper one.
    """
    last = len(looks) - 1
    points, worth, logs = np.zeros(0), np.zeros(0), np.zeros(0)
    for look in range(last, -1, -1):
        even = _break_even(intercept[look], slope[look], evidence[look], spans[look])
        lower[look] = upper[look] = even
        if look == last:
            continue
        samples = looks[look + 1] - looks[look]
        step = (
            look,
            samples,
            noise,
            intercept,
            slope,
            variance,
            evidence,
            price,
            upper[look + 1],
            points,
            worth,
            logs,
        )
        if _onward(even, *step) > 0.0:
            low, high = spans[look, 0], even
            while high - low > 1e-13 * (abs(low) + abs(high) + noise):
                middle = 0.5 * (low + high)
                if _onward(middle, *step) > 0.0:
                    high = middle
                else:
                    low = middle
            lower[look] = low
            low, high = even, spans[look, 1]
            while high - low > 1e-13 * (abs(low) + abs(high) + noise):
                middle = 0.5 * (low + high)
                mean, _ = _mean_and_evidence(middle, intercept[look], slope[look], evidence[look])
                if _onward(middle, *step) > mean:
                    low = middle
                else:
                    high = middle
            upper[look] = high
        before = looks[look] - (looks[look - 1] if look > 0 else 0)
        width = panel * noise * sqrt(min(before, samples))
        panels = int(np.ceil((upper[look] - lower[look]) / width))
        width = (upper[look] - lower[look]) / max(panels, 1)
        new_points = np.empty(panels * len(nodes))
        new_worth, new_logs = np.empty(len(new_points)), np.empty(len(new_points))
        for j in range(len(new_points)):
            at = lower[look] + width * (j // len(nodes) + nodes[j % len(nodes)])
            new_points[j] = at
            new_worth[j] = width * weights[j % len(nodes)] * _onward(at, *step)
            new_logs[j] = _mean_and_evidence(at, intercept[look], slope[look], evidence[look])[1]
        points, worth, logs = new_points, new_worth, new_logs


@compiled
def _mean_and_evidence(
    at: float, intercept: FloatArray, slope: FloatArray, evidence: FloatArray
) -> tuple[float, float]:
    """The mean of the value given the sum, and ln Z."""
    greatest = -np.inf
    for c in range(len(intercept)):
        log = evidence[c, 0] + at * (evidence[c, 1] + at * evidence[c, 2])
        greatest = max(greatest, log)
    total, earned = 0.0, 0.0
    for c in range(len(intercept)):
        log = evidence[c, 0] + at * (evidence[c, 1] + at * evidence[c, 2])
        likelihood = exp(log - greatest)
        total += likelihood
        earned += likelihood * (intercept[c] + slope[c] * at)
    return earned / total, greatest + np.log(total)


@compiled
def _break_even(
    intercept: FloatArray, slope: FloatArray, evidence: FloatArray, span: FloatArray
) -> float:
    """The sum at which the mean of the value is 0."""
    low, high = span[0], span[1]
    for _ in range(200):
        middle = 0.5 * (low + high)
        if _mean_and_evidence(middle, intercept, slope, evidence)[0] > 0.0:
            high = middle
        else:
            low = middle
    return float(high)


@compiled
def _onward(
    at: float,
    look: int,
    samples: int,
    noise: float,
    intercept: FloatArray,
    slope: FloatArray,
    variance: FloatArray,
    evidence: FloatArray,
    price: float,
    accept_from: float,
    points: FloatArray,
    worth: FloatArray,
    logs: FloatArray,
) -> float:
    """What it is worth to go on to the next look."""
    _, log_here = _mean_and_evidence(at, intercept[look], slope[look], evidence[look])
    sd = noise * sqrt(samples)
    going_on = 0.0
    for j in range(len(points)):
        z = (points[j] - at) / sd
        if abs(z) < 40.0:
            going_on += worth[j] * exp(-0.5 * z * z + logs[j] - log_here)
    value = going_on / (sd * sqrt(2.0 * pi)) - price * samples
    for c in range(intercept.shape[1]):
        log = evidence[look, c, 0] + at * (evidence[look, c, 1] + at * evidence[look, c, 2])
        likelihood = exp(log - log_here)
        center = at + samples * (intercept[look, c] + slope[look, c] * at)
        spread = sqrt(sd * sd + samples * samples * variance[look, c])
        above = (center - accept_from) / spread
        accepted = 0.5 * erfc(-above / sqrt(2.0))
        total = center * accepted + spread * exp(-0.5 * above * above) / sqrt(2.0 * pi)
        value += likelihood * (intercept[look + 1, c] * accepted + slope[look + 1, c] * total)
    return value
