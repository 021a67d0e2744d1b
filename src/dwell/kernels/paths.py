"""Paths of signs: how much samples agree with those before them, and how much that should be.

Given that a test of independent signs stopped after d samples with sum s, whatever the value of
the idea and whatever the law of values, all paths that the policy lets get there are equally
likely. So the mean and the variance of anything that a path shows follow by recursion over the
cells (d, u), where u of the first d samples are +1 and their sum is 2 u - d.

| symbol | word |
|---|---|
| lambda | decay |
| A_t = lambda A_(t-1) + x_t | echo: the sum of the samples so far, older ones fading |
| W = sum of x_t A_(t-1) | agreement: of samples with those before, for decay 0 with the last one |
"""

import numpy as np

from dwell.arrays import FloatArray, IntArray, Samples
from dwell.kernels.compile import compiled


@compiled
def agreement_by_stop(
    lower: FloatArray, upper: FloatArray, decays: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Mean and variance of the agreement given where a policy stopped, if samples are independent.

    Each sample widens what can be reached by one cell and each cell that stops narrows it by one:
    a policy with cap D stops in D + 1 cells or, where its last ones are out of reach, fewer.

    Args:
        lower: The policy's lower boundary, which meets the upper one at the cap.
        upper: Its upper boundary.
        decays: Of the echo, an entry per agreement.

    Returns:
        A row per number of samples d = 1, …, cap: the lowest position that can be reached, the
        lowest and the highest that go on, the highest that can be reached, and the number of cells
        that stopped before. And for each cell that stops, in order of d and u, and each decay: the
        mean and the variance.
    """
    cap, kinds = len(upper), len(decays)
    edges = np.zeros((cap, 5), dtype=np.int64)
    stops = np.zeros((cap + 1, kinds, 2))
    # Of the paths to each cell: means of echo and agreement, variance of the echo, covariance,
    # variance of the agreement.
    moments = np.zeros((cap + 2, kinds, 5))
    # How many paths lead to the cell below, for each that leads to this one: counts themselves
    # grow like 2^d.
    ratio = np.zeros(cap + 2)
    low, high, stopped = 0, 0, 0
    for d in range(1, cap + 1):
        # From above, so that each cell still finds those of the sample before.
        for u in range(high + 1, low - 1, -1):
            if u > high:
                from_below = 1.0
                ratio[u] = 1.0 + ratio[high]
            else:
                from_below = ratio[u] / (1.0 + ratio[u])
                below = ratio[u - 1] if u > low else 0.0
                ratio[u] *= (1.0 + below) / (1.0 + ratio[u])
            _arrive(moments, u, from_below, decays)
        high += 1
        edges[d - 1, 0], edges[d - 1, 3], edges[d - 1, 4] = low, high, stopped
        first, last = low, high
        while last >= first and 2 * last - d >= upper[d - 1]:
            last -= 1
        while first <= last and 2 * first - d <= lower[d - 1]:
            first += 1
        edges[d - 1, 1], edges[d - 1, 2] = first, last
        for u in range(low, high + 1):
            if u < first or u > last:
                for kind in range(kinds):  # slices take seconds to compile
                    stops[stopped, kind, 0] = moments[u, kind, 1]
                    stops[stopped, kind, 1] = max(moments[u, kind, 4], 0.0)
                stopped += 1
        low, high = first, last
        if low > high:
            for later in range(d, cap):  # nothing is reached any more
                edges[later, 0], edges[later, 1] = 1, 1
            break
        ratio[low] = 0.0
    return edges, stops[:stopped]


@compiled
def _arrive(moments: FloatArray, u: int, from_below: float, decays: FloatArray) -> None:
    """Moments of the paths to a cell: those that came by +1 from below, and the others by -1."""
    others = 1.0 - from_below
    for kind in range(len(decays)):
        decay = decays[kind]
        echo = agreement = spread = joint = agreement_spread = 0.0
        if others > 0.0:
            a, w, aa, aw, ww = moments[u, kind]
            echo, agreement = decay * a - 1.0, w - a
            spread, joint = decay * decay * aa, decay * (aw - aa)
            agreement_spread = ww - 2.0 * aw + aa
        if from_below > 0.0:
            a, w, aa, aw, ww = moments[u - 1, kind]
            echo_gap, gap = decay * a + 1.0 - echo, w + a - agreement
            between = from_below * others
            echo += from_below * echo_gap
            agreement += from_below * gap
            spread = (
                others * spread + from_below * decay * decay * aa + between * echo_gap * echo_gap
            )
            joint = others * joint + from_below * decay * (aw + aa) + between * echo_gap * gap
            agreement_spread = (
                others * agreement_spread + from_below * (ww + 2.0 * aw + aa) + between * gap * gap
            )
        moments[u, kind, 0] = echo
        moments[u, kind, 1] = agreement
        moments[u, kind, 2] = spread
        moments[u, kind, 3] = joint
        moments[u, kind, 4] = agreement_spread


@compiled
def agreement_of(
    samples: Samples,
    stops: IntArray,
    drawn: IntArray,
    decays: FloatArray,
    positions: IntArray,
    before: FloatArray,
    after: FloatArray,
) -> None:
    """How much the samples of each task agree with those before them.

    What comes after the stop is judged given all that came before it and the sum of what comes
    after: in whatever order, all are equally likely.

    Args:
        samples: A row of signs per task.
        stops: After how many of them each task stopped.
        drawn: How many were drawn.
        decays: Of the echo, an entry per agreement.
        positions: Filled with how many of the samples up to the stop, and of all that were drawn,
            are +1.
        before: Filled with the agreement up to the stop, a row per task, a column per decay.
        after: Filled with the same of the samples after it, its mean and its variance.
    """
    for task in range(len(stops)):
        stop, length = stops[task], drawn[task] - stops[task]
        for i in range(drawn[task]):
            if samples[task, i] > 0:
                positions[task, 1] += 1
                if i < stop:
                    positions[task, 0] += 1
        total = 2.0 * (positions[task, 1] - positions[task, 0]) - length
        for kind in range(len(decays)):
            echo = agreement = 0.0
            for i in range(stop):
                agreement += samples[task, i] * echo
                echo = decays[kind] * echo + samples[task, i]
            before[task, kind] = agreement
            mean, variance = agreement_in_any_order(length, total, decays[kind], echo)
            agreement = 0.0
            for i in range(stop, drawn[task]):
                agreement += samples[task, i] * echo
                echo = decays[kind] * echo + samples[task, i]
            after[task, kind, 0] = agreement
            after[task, kind, 1] = mean
            after[task, kind, 2] = variance


@compiled
def agreement_in_any_order(
    length: int, total: float, decay: float, echo: float
) -> tuple[float, float]:
    """Mean and variance of the agreement of signs with a known sum, in any order.

    With b_j and c_ij what a sample and a pair of them weigh, the agreement is
    sum b_j x_j + sum c_ij x_i x_j: its square has products of up to four different samples.

    Args:
        length: How many signs there are.
        total: Their sum.
        decay: Of the echo.
        echo: What came before them.
    """
    if length == 0:
        return 0.0, 0.0
    n, s = float(length), total
    one = s / n
    two = (s * s - n) / (n * (n - 1.0)) if length > 1 else 0.0
    three = s * (s * s - 3.0 * n + 2.0) / (n * (n - 1.0) * (n - 2.0)) if length > 2 else 0.0
    four = 0.0
    if length > 3:
        four = s * s * (s * s - 6.0 * n + 8.0) + 3.0 * n * n - 6.0 * n
        four /= n * (n - 1.0) * (n - 2.0) * (n - 3.0)
    # What the pairs of a sample with all earlier ones weigh; with all later ones: the same, turned.
    earlier = np.zeros(length)
    for j in range(1, length):
        earlier[j] = 1.0 + decay * earlier[j - 1]
    single = single_squares = pairs = pair_squares = touching = both = 0.0
    weight, squares = echo, 0.0
    for j in range(length):
        of_sample = earlier[j] + earlier[length - 1 - j]
        single += weight
        single_squares += weight * weight
        pairs += earlier[j]
        pair_squares += squares
        touching += of_sample * of_sample
        both += weight * of_sample
        weight *= decay
        squares = 1.0 + decay * decay * squares
    mean = single * one + pairs * two
    square = single_squares + (single * single - single_squares) * two
    square += 2.0 * (both * one + (single * pairs - both) * three)
    square += pair_squares + (touching - 2.0 * pair_squares) * two
    square += (pairs * pairs - touching + pair_squares) * four
    return mean, max(square - mean * mean, 0.0)
