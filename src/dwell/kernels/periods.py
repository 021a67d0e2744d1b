"""Policies on tests that are known by sums over periods only."""

import numpy as np

from dwell.arrays import Decisions, Durations, FloatArray, IntArray
from dwell.kernels.compile import compiled


@compiled
def look_at_ends(
    sums: FloatArray,
    counts: IntArray,
    starts: IntArray,
    lower: FloatArray,
    upper: FloatArray,
    held_out: int,
    stops: Durations,
    decisions: Decisions,
    means: FloatArray,
) -> int:
    """Run one policy on tests, looking at ends of periods only.

    A look that is due within a period is made at its end; of several, the latest.

    Args:
        sums: The sum of each period's samples, one test after another.
        counts: How many samples it has.
        starts: Where each test's periods begin; one more entry marks the end of the last.
        lower: The policy's lower boundary …
        upper: … and its upper one; the last entries of the two are equal.
        held_out: How many periods at the end of each test the policy does not look at.
        stops: Filled with the samples drawn in each test.
        decisions: Filled with 1 for accept, 0 for reject, -1 where the test ended before.
        means: Filled with the mean of the samples after an acceptance, NaN where none came after
            it, and 0 where there was no acceptance.

    Returns:
        The most samples that the policy may draw on tests with such periods.
    """
    cap = len(upper)
    most = cap
    for test in range(len(starts) - 1):
        total, samples = 0.0, 0
        for period in range(starts[test], starts[test + 1]):
            total += sums[period]
            if samples < cap:
                samples += counts[period]
                if samples >= cap:
                    most = max(most, samples)
        drawn, decision = 0, -1
        seen = 0.0
        for period in range(starts[test], starts[test + 1] - held_out):
            before = drawn
            drawn += counts[period]
            seen += sums[period]
            look = min(drawn, cap)
            while look > before and np.isinf(lower[look - 1]) and np.isinf(upper[look - 1]):
                look -= 1
            if look > before:
                if seen >= upper[look - 1]:
                    decision = 1
                elif seen <= lower[look - 1] or look == cap:
                    decision = 0
            if decision >= 0:
                break
        stops[test], decisions[test], means[test] = drawn, decision, 0.0
        if decision == 1:
            left = 0
            for period in range(starts[test], starts[test + 1]):
                left += counts[period]
            means[test] = (total - seen) / (left - drawn) if left > drawn else np.nan
    return most
