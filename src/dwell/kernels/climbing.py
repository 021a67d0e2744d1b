"""What tasks teach about policies: means after the stops, and sums rung by rung."""

import numpy as np

from dwell.arrays import Decisions, Durations, FloatArray, IntArray, Samples
from dwell.kernels.compile import compiled

# The rows of the sums that `climb` brings up to date, an entry per rung in each.
SEEN, ACCEPTED, DURATIONS, CENTRE, SPREAD, ESTIMATED, REWARDS, SQUARES = range(8)


@compiled
def means_after(
    samples: Samples,
    durations: Durations,
    decisions: Decisions,
    extras: IntArray,
    means: FloatArray,
    drawn: IntArray,
) -> None:
    """The mean of the samples that follow each acceptance, and how many samples that takes.

    Args:
        samples: A row per task.
        durations: When each policy stopped.
        decisions: Whether it accepted.
        extras: How many samples after an acceptance to average, in each task.
        means: Filled where a policy accepted, and of no use where its row is too short; a column
            per policy, or one for policies that all accept at the same moment if at all.
        drawn: Filled with how many samples each task takes until all is known.
    """
    last = means.shape[1] - 1
    zero = np.zeros(1, dtype=samples.dtype)[0]  # whole numbers are added as such
    for task in range(len(samples)):
        needed = 0
        summed = -1
        mean = 0.0
        more = extras[task]
        for k in range(durations.shape[1]):
            stop = durations[task, k]
            if more > 0 and decisions[task, k] == 1:
                if stop != summed:
                    summed = stop
                    total = zero
                    for i in range(stop, min(stop + more, samples.shape[1])):
                        total += samples[task, i]
                    mean = total / more
                means[task, min(k, last)] = mean
                stop += more
            needed = max(needed, stop)
        drawn[task] = needed


@compiled
def sums_of_first(samples: Samples, drawn: IntArray) -> FloatArray:
    """The sum of the first samples of each row; of a row that is too short, of all it has."""
    sums = np.zeros(len(samples))
    zero = np.zeros(1, dtype=samples.dtype)[0]  # whole numbers are added as such
    for task in range(len(samples)):
        total = zero
        for i in range(min(drawn[task], samples.shape[1])):
            total += samples[task, i]
        sums[task] = total
    return sums


@compiled
def climb(
    durations: Durations,
    decisions: Decisions,
    estimates: FloatArray,
    columns: IntArray,
    below: IntArray,
    sums: FloatArray,
) -> None:
    """Add up what each policy does beyond the next shorter one of its chain.

    Args:
        durations: A row per task, a column per recorded policy.
        decisions: Whether it would have accepted.
        estimates: Unbiased estimates of the value, one per policy or one for all; no columns if
            there are none.
        columns: Which policy each column is.
        below: The column of the next shorter policy of its chain, -1 if there is none.
        sums: Brought up to date; its rows are named above.
    """
    estimated = estimates.shape[1] > 0
    last = estimates.shape[1] - 1
    for j in range(len(columns)):
        rung, shorter = columns[j], below[j]
        sums[SEEN, rung] += len(durations)
        if estimated:
            sums[ESTIMATED, rung] += len(durations)
        centre, spread = sums[CENTRE, rung], sums[SPREAD, rung]
        acceptances, total = sums[ACCEPTED, rung], sums[DURATIONS, rung]
        for task in range(len(durations)):
            duration = durations[task, j]
            accepted = decisions[task, j]
            if shorter >= 0:
                duration -= durations[task, shorter]
                accepted -= decisions[task, shorter]
            deviation = duration - centre
            acceptances += accepted
            total += duration
            spread += deviation * deviation
            if estimated and accepted != 0:
                reward = accepted * estimates[task, min(j, last)]
                sums[REWARDS, rung] += reward
                sums[SQUARES, rung] += reward * reward
        sums[ACCEPTED, rung], sums[DURATIONS, rung] = acceptances, total
        sums[SPREAD, rung] = spread
