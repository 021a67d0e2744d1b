"""`scan` against NumPy: cumulative sums, two comparisons, argmax.

The rival gets every help that a careful NumPy user would give it: boundaries rounded to whole
numbers, the smallest integer type that holds the sums, and blocks of rows that stay in the cache.
"""

from collections.abc import Iterator

import numpy as np

from benchmarks.duel import Asked, Duel
from benchmarks.work import scan_work
from dwell import Outcomes, Policies, Policy, scan
from dwell.arrays import Decisions, Durations, Samples

_ROWS = 1000


def numpy_scan(samples: Samples, policies: Policies) -> Outcomes:
    """The outcomes of policies that differ only in their caps."""
    longest = policies[-1]
    assert isinstance(longest, Policy)
    lower = np.floor(longest.lower).astype(np.int16)
    upper = np.ceil(longest.upper).astype(np.int16)
    lower[-1] = -longest.cap - 1  # what has not stopped before the cap is told apart below
    caps = np.array(policies.caps, dtype=np.int32)
    durations: Durations = np.empty((len(samples), len(policies)), dtype=np.int32)
    decisions: Decisions = np.empty((len(samples), len(policies)), dtype=np.int8)
    for start in range(0, len(samples), _ROWS):
        block = slice(start, start + _ROWS)
        sums = np.cumsum(samples[block], axis=1, dtype=np.int16)
        accepts = sums >= upper
        outside = accepts | (sums <= lower)
        first = outside.argmax(axis=1)
        rows = np.arange(len(first))
        stop = np.where(outside[rows, first], first + 1, longest.cap + 1)
        np.minimum(stop[:, None], caps, out=durations[block])
        decisions[block] = accepts[rows, first][:, None] & (stop[:, None] <= caps)
    return Outcomes(durations, decisions)


def duels() -> Iterator[Duel]:
    work = scan_work()
    ours, rivals = scan(work.samples, work.nested), numpy_scan(work.samples, work.nested)
    np.testing.assert_array_equal(ours.durations, rivals.durations)
    np.testing.assert_array_equal(ours.decisions, rivals.decisions)
    yield Duel(
        name="scan/numpy",
        ours=lambda: scan(work.samples, work.longest),
        rival=lambda: numpy_scan(work.samples, work.longest),
        work=len(work.samples),
        unit="task",
        asked=Asked(10.0),
    )
    yield Duel(
        name="scan/numpy/nine-policies",
        ours=lambda: scan(work.samples, work.nested),
        rival=lambda: numpy_scan(work.samples, work.nested),
        work=len(work.samples),
        unit="task",
    )
