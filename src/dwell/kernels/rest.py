"""What is left of a test after a policy has stopped."""

import numpy as np

from dwell.arrays import Decisions, Durations, FloatArray, IntArray, Samples
from dwell.kernels.compile import compiled


@compiled
def rest_means(
    samples: Samples,
    starts: IntArray,
    durations: Durations,
    decisions: Decisions,
    means: FloatArray,
) -> None:
    """The mean of all samples that follow each acceptance.

    Args:
        samples: The tests' samples, one test after another.
        starts: Where each test begins in `samples`; one more entry marks the end of the last.
        durations: When each policy stopped; before the end of the test, if it accepted.
        decisions: 1 where it accepted.
        means: Filled where a policy accepted, and 0 elsewhere.
    """
    longest = 0
    for test in range(len(starts) - 1):
        longest = max(longest, starts[test + 1] - starts[test])
    sums = np.zeros(longest + 1)
    for test in range(len(starts) - 1):
        start, length = starts[test], starts[test + 1] - starts[test]
        for i in range(length):
            sums[i + 1] = sums[i] + samples[start + i]
        for k in range(durations.shape[1]):
            means[test, k] = 0.0
            if decisions[test, k] == 1:
                stop = durations[test, k]
                means[test, k] = (sums[length] - sums[stop]) / (length - stop)
