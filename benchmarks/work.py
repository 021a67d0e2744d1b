"""The policies, worlds and samples that several benchmarks share."""

from dataclasses import dataclass

import numpy as np

from dwell import Atoms, Policies, Signs, World, hoeffding, scan
from dwell.arrays import IntArray, Samples

THREE_POINTS = World(Atoms([-1, 0, 1]), Signs())
MOSTLY_NULL = World(Atoms([-0.5, -0.1, 0, 0.1, 0.5], [0.1, 0.2, 0.4, 0.2, 0.1]), Signs())


@dataclass(frozen=True, slots=True)
class ScanWork:
    """Recorded samples and the policies to run on them.

    Attributes:
        samples: A row per task.
        nested: Policies that differ only in their caps.
        longest: The longest of them.
        stops: How many samples of each row the longest looks at.
    """

    samples: Samples
    nested: Policies
    longest: Policies
    stops: IntArray


def scan_work() -> ScanWork:
    nested = hoeffding(caps=[2**i for i in range(9)], c=0.35, tasks=10_000, delta=0.05)
    _, samples = MOSTLY_NULL.sample(100_000, 256, rng=1)
    stops = scan(samples, nested[-1:]).durations[:, 0].astype(np.int64)
    return ScanWork(samples, nested, nested[-1:], stops)
