"""Rules that never learn, on a stream of tests: families of them, for the best in hindsight."""

from itertools import product

import numpy as np

from benchmarks.upworthy_stream import Stream
from dwell.arrays import BoolArray, FloatArray, IntArray

NORMAL_QUANTILE = 1.959964  # two-sided, 5 %
_LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 28, 34, 40)
# Of the limits before the first sample, in standard errors: as in `dwell.planning.band`.
_SHIP = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
_DROP = (-0.5, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0)

# What each test earned and how many pairs it took, by the name of the rule.
Runs = dict[str, tuple[FloatArray, IntArray]]


def plan_family(stream: Stream) -> Runs:
    """Limits in standard errors that shrink evenly to 0 at a length: what `dwell plan` offers."""
    runs: Runs = {}
    for length in _LENGTHS:
        left = 1.0 - np.arange(1, length + 1) / length
        for ship, drop in product(_SHIP, _DROP):
            if ship + drop > 0.0:
                name = f"{ship:g} up, {drop:g} down, {length} looks"
                runs[name] = _run(stream, -drop * left, ship * left)
    return runs


def fixed_sizes(stream: Stream) -> Runs:
    """Always the same number of looks, then ship what is ahead."""
    return {f"{length} looks": _fixed(stream, length, 0.0) for length in _LENGTHS}


def to_the_end(stream: Stream) -> Runs:
    """All that a test has, then ship what is ahead, or what is significantly so."""
    most = stream.samples.shape[1]
    return {
        "to the end": _fixed(stream, most, 0.0),
        "to the end, p < 0.05": _fixed(stream, most, NORMAL_QUANTILE),
    }


def _fixed(stream: Stream, length: int, threshold: float) -> tuple[FloatArray, IntArray]:
    never = np.full(length, np.inf)
    return _run(stream, -never, never, threshold)


def _run(
    stream: Stream, lower: FloatArray, upper: FloatArray, threshold: float = 0.0
) -> tuple[FloatArray, IntArray]:
    """Limits on z at each look; at the last one, or where a test ends, ship what is above it."""
    tests, looks = np.arange(len(stream)), min(len(upper), stream.samples.shape[1])
    samples = stream.samples[:, :looks]
    z = stream.totals[:, :looks] / (stream.noise[:, :looks] * np.sqrt(samples))
    ends: BoolArray = np.arange(looks) == np.minimum(stream.last, len(upper) - 1)[:, None]
    shipped = np.where(ends, z > threshold, z >= upper[:looks])
    stop = (shipped | ends | (z <= lower[:looks])).argmax(axis=1)
    return shipped[tests, stop] * stream.score, samples[tests, stop]
