"""How far the samples of each test are spread."""

from dwell.arrays import FloatArray, IntArray, Samples
from dwell.kernels.compile import compiled


@compiled
def squared_deviations(
    samples: Samples, starts: IntArray, sums: FloatArray, fourths: FloatArray
) -> None:
    """Sums of squared deviations from each test's mean, and of their squares.

    Args:
        samples: The tests' samples, one test after another.
        starts: Where each test begins in `samples`; one more entry marks the end of the last.
        sums: Filled with an entry per test …
        fourths: … and so is this, with fourth powers.
    """
    for test in range(len(starts) - 1):
        start, end = starts[test], starts[test + 1]
        total = 0.0
        for i in range(start, end):
            total += samples[i]
        mean = total / max(end - start, 1)
        squares, powers = 0.0, 0.0
        for i in range(start, end):
            square = (samples[i] - mean) ** 2
            squares += square
            powers += square * square
        sums[test], fourths[test] = squares, powers
