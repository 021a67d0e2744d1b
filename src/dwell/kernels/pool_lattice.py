"""The best boundaries for a pool of ideas under signs, and what boundaries do to each value.

The pool is a list of values with weights. After d samples of which u were +1, a value v with
p = (1 + v) / 2 has the likelihood p^u (1 - p)^(d - u), however the test came there: so the mean of
the value needs no table, and what any boundaries do follows from the number of paths that lead to
each place where they stop.
"""

from math import exp, log

import numpy as np

from dwell.arrays import BoolArray, FloatArray, IntArray
from dwell.kernels.compile import compiled

_FARTHEST = -700.0  # below, an exponential is 0
_NEGLIGIBLE = -50.0
_NEVER = 1e-12  # what a value of -1 or 1 leaves to the other sign, so that logarithms are finite


@compiled
def logarithms_of(values: FloatArray) -> FloatArray:
    """The logarithms of the probabilities of +1 and of -1: two rows."""
    found = np.empty((2, len(values)))
    for j in range(len(values)):
        plus = min(max((1.0 + values[j]) / 2.0, _NEVER), 1.0 - _NEVER)
        found[0, j], found[1, j] = log(plus), log(1.0 - plus)
    return found


@compiled
def induct_signs(
    values: FloatArray,
    weights: FloatArray,
    looks: BoolArray,
    price: float,
    discount: float,
    lower: FloatArray,
    upper: FloatArray,
) -> None:
    """The boundaries that are best for a pool if every sample costs the same.

    Beyond the positions between the boundaries the best is known: what a task is worth there is
    what deciding is worth, less the samples up to the next look.

    Args:
        values: The values that ideas can have.
        weights: How likely each is, above 0.
        looks: After how many samples, 1, …, cap, a policy may stop.
        price: What a sample costs, in units of value.
        discount: Accepting is worth the mean of the value less this.
        lower: Filled with the lower boundary, for d = 1, …, cap.
        upper: Filled with the upper one.
    """
    cap, count = len(looks), len(values)
    chances = logarithms_of(values)
    shares = np.log(weights)
    odds = np.exp(chances[0] - chances[1])
    likelihood = np.empty(count)
    worth, onward = np.zeros(cap + 3), np.zeros(cap + 3)
    # At the cap all is decided: those from position low on are accepted.
    low, high = 0, cap + 1
    while low < high:
        middle = (low + high) // 2
        if _mean(values, shares, chances, cap, middle) > discount:
            high = middle
        else:
            low = middle + 1
    high = low - 1
    lower[cap - 1], upper[cap - 1] = 2.0 * (low - 1) - cap, 2.0 * low - cap
    waiting = 0  # samples until the next look, seen from d + 1
    for d in range(cap - 1, 0, -1):
        for u in (low - 1, high + 1):
            if 0 <= u <= d + 1:
                mean = _mean(values, shares, chances, d + 1, u)
                worth[u] = max(0.0, mean - discount) - price * waiting
        first, last, accept_from = -1, -2, high + 1
        start, end = max(low - 1, 0), min(high, d)
        if start <= end:
            _likelihoods(shares, chances, d, start, (start + end) / 2.0, likelihood)
        for u in range(start, end + 1):
            total, weighted = 0.0, 0.0
            for j in range(count):
                total += likelihood[j]
                weighted += likelihood[j] * values[j]
                likelihood[j] *= odds[j]
            mean = weighted / total if total > 0.0 else _mean(values, shares, chances, d, u)
            plus = (1.0 + mean) / 2.0
            onward[u] = plus * worth[u + 1] + (1.0 - plus) * worth[u] - price
            now = max(0.0, mean - discount)
            if not looks[d - 1] or onward[u] > now:
                first = u if first < 0 else first
                last = u
            else:
                onward[u] = now
                if mean > discount and first < 0:
                    accept_from = min(accept_from, u)
        for u in range(start, end + 1):  # slices take seconds to compile
            worth[u] = onward[u]
        if first >= 0:
            low, high = first, last
        else:
            low, high = accept_from, accept_from - 1
        if looks[d - 1]:
            waiting = 0
            lower[d - 1], upper[d - 1] = 2.0 * (low - 1) - d, 2.0 * (high + 1) - d
        else:
            waiting += 1
            lower[d - 1], upper[d - 1] = -np.inf, np.inf


@compiled
def even_signs(values: FloatArray, weights: FloatArray, looks: IntArray) -> FloatArray:
    """From which sum on the mean of the value is above 0, an entry per look, in order of looks."""
    chances, shares = logarithms_of(values), np.log(weights)
    even = np.empty(len(looks))
    low, before = 0, -1
    for i in range(len(looks)):
        # The mean lies between what it would be after one more sample of each sign. So of the
        # samples since the last look at least none, and at most all, have to be +1.
        high = low + looks[i] - before
        before = looks[i]
        while low < high:
            middle = (low + high) // 2
            if _mean(values, shares, chances, looks[i], middle) > 0.0:
                high = middle
            else:
                low = middle + 1
        even[i] = 2.0 * low - looks[i]
    return even


@compiled
def _mean(values: FloatArray, shares: FloatArray, chances: FloatArray, d: int, u: int) -> float:
    """The mean of the value after d samples of which u were +1."""
    likelihood = np.empty(len(values))
    _likelihoods(shares, chances, d, u, float(u), likelihood)
    return float((likelihood @ values) / likelihood.sum())


@compiled
def _likelihoods(
    shares: FloatArray, chances: FloatArray, d: int, u: int, scale_at: float, found: FloatArray
) -> None:
    """Weight times likelihood of each value, in units of the greatest one at a position."""
    most = -np.inf
    for j in range(len(shares)):
        most = max(most, shares[j] + scale_at * chances[0, j] + (d - scale_at) * chances[1, j])
    for j in range(len(shares)):
        exponent = shares[j] + u * chances[0, j] + (d - u) * chances[1, j] - most
        found[j] = exp(exponent) if exponent > _FARTHEST else 0.0


@compiled
def walk_signs(
    lower: FloatArray,
    upper: FloatArray,
    values: FloatArray,
    accepts: FloatArray,
    samples: FloatArray,
) -> None:
    """How often boundaries accept each value, and how many samples they take.

    Args:
        lower: The lower boundary, for d = 1, …, cap.
        upper: The upper one.
        values: The values.
        accepts: Filled with the probability to accept, an entry per value.
        samples: Filled with the mean number of samples.
    """
    cap = len(upper)
    chances = logarithms_of(values)
    accepts[:] = 0.0
    samples[:] = 0.0
    # The share of all paths of d signs that lead to a position without stopping before.
    paths, moved = np.zeros(cap + 3), np.zeros(cap + 3)
    paths[1] = 1.0  # an empty cell below position 0
    low, high = 0, 0
    for d in range(1, cap + 1):
        for u in range(low, high + 2):
            moved[u + 1] = 0.5 * (paths[u] + paths[u + 1])
        high += 1
        first, last = -1, -2
        for u in range(low, high + 1):
            total = 2.0 * u - d
            accepted = total >= upper[d - 1]
            if not (accepted or total <= lower[d - 1] or d == cap):
                first = u if first < 0 else first
                last = u
                continue
            if moved[u + 1] > 0.0:
                share = log(moved[u + 1]) + d * log(2.0)
                for j in range(len(values)):
                    exponent = share + u * chances[0, j] + (d - u) * chances[1, j]
                    if exponent > _NEGLIGIBLE:
                        stopped = exp(exponent)
                        samples[j] += d * stopped
                        if accepted:
                            accepts[j] += stopped
            moved[u + 1] = 0.0
        if first < 0:
            break
        for u in range(low, high + 2):
            paths[u + 1] = moved[u + 1] if first <= u <= last else 0.0
        low, high = first, last
