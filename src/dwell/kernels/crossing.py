"""The scan: when each task's running sum first leaves the band, and on which side."""

import numpy as np

from dwell.arrays import Decisions, Durations, FloatArray, IntArray, Samples
from dwell.kernels.compile import compiled


@compiled
def scan_chain(
    samples: Samples,
    starts: IntArray,
    lower: FloatArray | Durations,
    upper: FloatArray | Durations,
    caps: Durations,
    durations: Durations,
    decisions: Decisions,
) -> None:
    """Run all policies of one chain on all tasks, in one pass over the samples.

    Args:
        samples: The tasks' samples, one task after another.
        starts: Where each task begins in `samples`; one more entry marks the end of the last.
        lower: The longest policy's lower boundary, of the type in which sums are kept.
        upper: Its upper boundary.
        caps: The caps of the chain's policies.
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
        if side >= 0:
            for k in range(len(caps)):
                durations[task, k] = min(d, caps[k])
                decisions[task, k] = side if d <= caps[k] else 0
        else:
            for k in range(len(caps)):
                durations[task, k] = min(length, caps[k])
                decisions[task, k] = 0 if caps[k] <= length else -1


@compiled
def tail_means(samples: Samples, start: int, stop: int) -> FloatArray:
    """The mean of columns `start` to `stop` of each row."""
    means = np.empty(len(samples))
    zero = np.zeros(1, dtype=samples.dtype)[0]  # whole numbers are added as such, and fast
    for task in range(len(samples)):
        row = samples[task, start:stop]
        total = zero
        for i in range(len(row)):
            total += row[i]
        means[task] = total / len(row)
    return means
