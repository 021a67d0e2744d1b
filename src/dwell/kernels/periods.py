"""Policies on tests that are known by sums over periods only."""

import numpy as np

from dwell.arrays import Decisions, FloatArray, IntArray
from dwell.kernels.compile import compiled


@compiled
def _due(looks: IntArray, drawn: int, made: int) -> int:
    """How many looks are due after so many samples; at least `made` are."""
    if drawn >= looks[-1]:
        return len(looks)
    if looks[drawn - 1 if drawn <= len(looks) else -1] == drawn:  # it looks at every sample
        return drawn
    low, high = made, len(looks)
    while low < high:
        middle = (low + high) // 2
        if looks[middle] <= drawn:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def look_at_ends(
    sums: FloatArray,
    counts: IntArray,
    starts: IntArray,
    looks: IntArray,
    lower: FloatArray,
    upper: FloatArray,
    seen: IntArray,
    stops: IntArray,
    decisions: Decisions,
    means: FloatArray,
) -> int:
    """Run one policy on tests, looking at ends of periods only.

    A look that is due within a period is made at its end; of several, the latest.

    Args:
        sums: The sum of each period's samples, one test after another.
        counts: How many samples it has.
        starts: Where each test's periods begin; one more entry marks the end of the last.
        looks: After how many samples the policy looks; the last is its cap.
        lower: Its lower boundary at each look …
        upper: … and its upper one; what does not reach the last of them is rejected there.
        seen: How many periods of each test the policy may look at.
        stops: Filled with the samples drawn in each test.
        decisions: Filled with 1 for accept, 0 for reject, -1 where the test ended before.
        means: Filled with the mean of the samples after an acceptance, NaN where none came after
            it, and 0 where there was no acceptance.

    Returns:
        The most samples that the policy may draw on tests with such periods.
    """
    cap: int = looks[-1]
    most = cap
    for test in range(len(starts) - 1):
        total, samples = 0.0, 0
        for period in range(starts[test], starts[test + 1]):
            total += sums[period]
            if samples < cap:
                samples += counts[period]
                if samples >= cap:
                    most = max(most, samples)
        drawn, decision, made = 0, -1, 0  # of the looks, so many are made or passed
        so_far = 0.0
        for period in range(starts[test], starts[test] + seen[test]):
            drawn += counts[period]
            so_far += sums[period]
            due = _due(looks, drawn, made)
            if due > made:
                if so_far >= upper[due - 1]:
                    decision = 1
                elif so_far <= lower[due - 1] or due == len(looks):
                    decision = 0
                made = due
            if decision >= 0:
                break
        stops[test], decisions[test], means[test] = drawn, decision, 0.0
        if decision == 1:
            left = 0
            for period in range(starts[test], starts[test + 1]):
                left += counts[period]
            means[test] = (total - so_far) / (left - drawn) if left > drawn else np.nan
    return most
