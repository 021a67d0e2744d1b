"""Backward induction where samples are normal: see `lattice_induction` for the idea."""

from math import exp, pi, sqrt

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.kernels.compile import compiled
from dwell.kernels.tails import accepted_above

MOST_PANELS = 2**17


@compiled
def induct_gaussian(
    looks: IntArray,
    noise: float,
    intercept: FloatArray,
    slope: FloatArray,
    variance: FloatArray,
    evidence: FloatArray,
    even: FloatArray,
    spans: FloatArray,
    price: float,
    reach: float,
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
        even: The sum at which the mean of the value is 0, an entry per look.
        spans: A row per look: the sums within which to look for the boundaries.
        price: What a sample costs, in units of value.
        reach: How many standard deviations of a step count.
        nodes: The nodes of the rule for one panel, on [0, 1].
        weights: Its weights.
        panel: The width of a panel in standard deviations of the next step.
        lower: Filled with the lower boundary, an entry per look.
        upper: Filled with the upper one.
    """
    last = len(looks) - 1
    points, worth, logs = np.zeros(0), np.zeros(0), np.zeros(0)
    for look in range(last, -1, -1):
        lower[look] = upper[look] = even[look]
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
            reach,
            upper[look + 1],
            points,
            worth,
            logs,
        )
        if _onward(even[look], *step) > 0.0:
            low, high = min(spans[look, 0], even[look]), even[look]
            while high - low > 1e-13 * (abs(low) + abs(high) + noise):
                middle = 0.5 * (low + high)
                if _onward(middle, *step) > 0.0:
                    high = middle
                else:
                    low = middle
            lower[look] = low
            low, high = even[look], max(spans[look, 1], even[look])
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
        if upper[look] - lower[look] > MOST_PANELS * width:
            # Beside values so large the noise is lost in rounding: one sample tells all there is.
            lower[look] = upper[look] = even[look]
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
def break_even(
    intercept: FloatArray, slope: FloatArray, evidence: FloatArray, spans: FloatArray
) -> FloatArray:
    """The sum at which the mean of the value is 0, an entry per look; all as above.

    Where the mean is above 0 in the whole span, its lower end; where it never is, a sum beyond all
    that counts.
    """
    even = np.empty(len(spans))
    for look in range(len(spans)):
        low, high = spans[look]
        for _ in range(60):
            if _mean_and_evidence(high, intercept[look], slope[look], evidence[look])[0] > 0.0:
                break
            low, high = high, high + 2.0 * (high - low)
        for _ in range(200):
            middle = 0.5 * (low + high)
            if _mean_and_evidence(middle, intercept[look], slope[look], evidence[look])[0] > 0.0:
                high = middle
            else:
                low = middle
        even[look] = high
    return even


@compiled
def rewards_of_one_look(
    looks: IntArray,
    noise: float,
    weights: FloatArray,
    means: FloatArray,
    variances: FloatArray,
    intercept: FloatArray,
    slope: FloatArray,
    even: FloatArray,
) -> FloatArray:
    """What is earned by a single look each, where all is accepted that has a mean above 0.

    Args:
        looks: As above.
        noise: As above.
        weights: Of the beliefs, an entry each.
        means: Of the value before any sample.
        variances: The same.
        intercept: As above.
        slope: As above.
        even: As above.
    """
    rewards = np.zeros(len(looks))
    for look in range(len(looks)):
        d = looks[look]
        for c in range(len(weights)):
            spread = sqrt(d * noise * noise + d * d * variances[c])
            _, earned = accepted_above(
                even[look], d * means[c], spread, intercept[look, c], slope[look, c]
            )
            rewards[look] += weights[c] * earned
    return rewards


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
    reach: float,
    accept_from: float,
    points: FloatArray,
    worth: FloatArray,
    logs: FloatArray,
) -> float:
    """What it is worth to go on to the next look."""
    _, log_here = _mean_and_evidence(at, intercept[look], slope[look], evidence[look])
    sd = noise * sqrt(samples)
    value = -price * samples
    lowest, highest = np.inf, -np.inf
    for c in range(intercept.shape[1]):
        log = evidence[look, c, 0] + at * (evidence[look, c, 1] + at * evidence[look, c, 2])
        likelihood = exp(log - log_here)
        center = at + samples * (intercept[look, c] + slope[look, c] * at)
        spread = sqrt(sd * sd + samples * samples * variance[look, c])
        lowest = min(lowest, center - reach * spread)
        highest = max(highest, center + reach * spread)
        _, earned = accepted_above(
            accept_from, center, spread, intercept[look + 1, c], slope[look + 1, c]
        )
        value += likelihood * earned
    going_on = 0.0
    for j in range(np.searchsorted(points, lowest), len(points)):
        if points[j] > highest:
            break
        z = (points[j] - at) / sd
        going_on += worth[j] * exp(-0.5 * z * z + logs[j] - log_here)
    return value + going_on / (sd * sqrt(2.0 * pi))
