"""How far the samples of each test are spread."""

from dwell.arrays import FloatArray, IntArray, Samples
from dwell.kernels.compile import compiled


@compiled
def squared_deviations(samples: Samples, starts: IntArray, sums: FloatArray) -> None:
    """Sums of squared deviations from each test's mean.

    Args:
        samples: The tests' samples, one test after another.
        starts: Where each test begins in `samples`; one more entry marks the end of the last.
        sums: Filled with an entry per test.
    """
    for test in range(len(starts) - 1):
        start, end = starts[test], starts[test + 1]
        total = 0.0
        for i in range(start, end):
            total += samples[i]
        mean = total / max(end - start, 1)
        squares = 0.0
        for i in range(start, end):
            squares += (samples[i] - mean) ** 2
        sums[test] = squares
