"""`scan` against the least that any scan must do, compiled alike.

The bare loop keeps the running sum and compares it with one constant. It reads the same rows in
the same memory, and is told where each ends: at the sample at which our policy stops. So both look
at the same samples, and both leave their loop as often. Ours also compares with two boundaries
that move, finds the stop by itself and records a duration.
"""

from collections.abc import Iterator

import numpy as np

from benchmarks.duel import Asked, Duel
from benchmarks.work import scan_work
from dwell import Policies, Policy, scan
from dwell.arrays import Decisions, IntArray, Samples
from dwell.kernels.compile import compiled


@compiled
def bare_loop(samples: Samples, stops: IntArray, constant: float, reached: Decisions) -> None:
    # Without a branch on the comparison, which turned out to be the fastest way to write it.
    for task in range(len(samples)):
        row = samples[task, : stops[task]]
        total = constant - constant
        above = False
        for i in range(len(row)):
            total += row[i]
            above |= total >= constant
        reached[task] = above


def duels() -> Iterator[Duel]:
    work = scan_work()
    tasks, length = work.samples.shape
    reached = np.empty(tasks, dtype=np.int8)
    beyond = length + 1  # no sum of that many signs gets here
    looked_at = int(work.stops.sum())
    yield Duel(
        name="scan/bare-loop",
        ours=lambda: scan(work.samples, work.longest),
        rival=lambda: bare_loop(work.samples, work.stops, beyond, reached),
        work=looked_at,
        unit="sample",
        asked=Asked(0.7),
    )
    yield Duel(
        name="scan/bare-loop/nine-policies",
        ours=lambda: scan(work.samples, work.nested),
        rival=lambda: bare_loop(work.samples, work.stops, beyond, reached),
        work=looked_at,
        unit="sample",
    )
    to_the_end = np.full(tasks, length)
    never = Policies.of(Policy(np.full(length, -beyond), np.full(length, beyond)))
    yield Duel(
        name="scan/bare-loop/whole-rows",
        ours=lambda: scan(work.samples, never),
        rival=lambda: bare_loop(work.samples, to_the_end, beyond, reached),
        work=tasks * length,
        unit="sample",
    )
    floats = work.samples.astype(np.float64)
    yield Duel(
        name="scan/bare-loop/float64",
        ours=lambda: scan(floats, work.longest),
        rival=lambda: bare_loop(floats, work.stops, float(beyond), reached),
        work=looked_at,
        unit="sample",
    )
