"""The scan: when each task's running sum first leaves the band, and on which side."""

import numpy as np

from dwell.arrays import Decisions, Durations, FloatArray, IntArray, Samples
from dwell.kernels.compile import compiled


@compiled
def scan_chain(
    samples: Samples,
    starts: IntArray,
    lower: FloatArray | IntArray,
    upper: FloatArray | IntArray,
    members: IntArray,
    caps: IntArray,
    durations: Durations,
    decisions: Decisions,
) -> None:
    """Run all policies of one chain on all tasks, in one pass over the samples.

    Args:
        samples: The tasks' samples, one task after another.
        starts: Where each task begins in `samples`; one more entry marks the end of the last.
        lower: The longest policy's lower boundary, of the type in which sums are kept.
        upper: Its upper boundary.
        members: The columns of the results that belong to the chain's policies.
        caps: The caps of those policies.
        durations: Filled with how many samples each policy draws on each task.
        decisions: Filled with 1 (accept), 0 (reject) or -1 (the samples ended before it stopped).
    """
    zero = np.zeros(1, dtype=upper.dtype)[0]
    for task in range(len(starts) - 1):
        row = samples[starts[task] : starts[task + 1]]
        length = min(len(row), len(upper))
        total = zero
        d = 0
        # Eight samples at a time without a branch in between: only the rare block in which the
        # sum leaves the band is gone through again, one by one.
        while d + 8 <= length:
            ahead = total
            outside = False
            for i in range(d, d + 8):
                ahead += row[i]
                outside |= (ahead >= upper[i]) | (ahead <= lower[i])
            if outside:
                break
            total = ahead
            d += 8
        side = -1
        while d < length and side < 0:
            total += row[d]
            if total >= upper[d]:
                side = 1
            elif total <= lower[d]:
                side = 0
            d += 1
        for k in range(len(caps)):
            if side >= 0 and d <= caps[k]:
                durations[task, members[k]] = d
                decisions[task, members[k]] = side
            elif caps[k] <= length:
                durations[task, members[k]] = caps[k]
                decisions[task, members[k]] = 0
            else:
                durations[task, members[k]] = length
                decisions[task, members[k]] = -1


@compiled
def tail_means(samples: Samples, start: int, stop: int) -> FloatArray:
    """The mean of columns `start` to `stop` of each row."""
    means = np.empty(len(samples))
    for task in range(len(samples)):
        total = 0.0 * samples[task, start]
        for i in range(start, stop):
            total += samples[task, i]
        means[task] = total / (stop - start)
    return means
