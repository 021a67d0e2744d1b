"""When the pool has changed, by readings of the past: whether a change is shown, and its dates."""

from math import log

import numpy as np

from dwell.fitting.looks import first_since_last, last_before_next
from dwell.fitting.pool_change import FALSE_ALARM, PoolChange
from dwell.fitting.readings import Readings

# By how much tests must be likelier with changes than without for one to be shown: 1 / FALSE_ALARM
# would be enough if pools were of the shapes; as they are not, twice that.
_SHOWN = log(2.0 / FALSE_ALARM)
# How much of the chances of readings the range of the time of a change holds, and by which share it
# is longer than that: docs/drift.md has how often it holds the truth.
_WHEN, _LONGER = 0.98, 0.5
_DATED = 32  # at most so many tests, evenly spaced, are told apart by when they began as well


def shown(readings: Readings, factor: float = 1.0) -> PoolChange | None:
    """A change, if one is shown now, or that there was none: it is taken for certain then.

    Args:
        readings: The readings; the likeliest of them becomes the first.
        factor: How many samples of a test are worth an independent one. If more than one are, how
            likely tests are is known but roughly, and so much more evidence is asked for.
    """
    if not readings.looking or not readings.leading or readings.evidence < factor * _SHOWN:
        return None
    readings.settle()
    earliest, latest = when(readings, _WHEN)
    for span in readings.spans:
        span.doubtful = earliest <= span.start < latest
    # Readings know of changes at looks only: it may have come after the look before.
    earliest = first_since_last(earliest)
    latest = min(last_before_next(latest), readings.tests - 1)
    # As not all readings were kept, the range is longer, to the past.
    earliest = max(1, earliest - round(_LONGER * (latest - earliest)))
    earliest = max(each for each in turning_points(readings) if each <= earliest)
    return PoolChange(readings.since(0), earliest, latest, shown=readings.tests)


def turning_points(readings: Readings) -> set[int]:
    """By how many tests came before: the tests that a change may yet be told to begin with.

    Args:
        readings: The readings.
    """
    tests, starts = readings.tests, [span.start for span in readings.spans[1:]]
    near = {each for at in starts for each in (first_since_last(at), at, last_before_next(at))}
    evenly = range(0, tests, 1 << (tests // _DATED).bit_length())
    return {0, 1, readings.spans[-1].start + 1, tests - 1, *near, *evenly}


def when(readings: Readings, level: float) -> tuple[int, int]:
    """Between which numbers of tests the latest change is likely to have been.

    Args:
        readings: The readings.
        level: How likely.
    """
    rows = np.array([row for row in readings.by_restart if readings.since(row)])
    starts = np.array([readings.since(row) for row in rows.tolist()])
    order = np.argsort(starts, kind="stable")
    reached = np.cumsum(readings.likely[rows[order]])
    places = reached[-1] * np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    ends = np.searchsorted(reached, places)
    low, high = starts[order[np.minimum(ends, len(order) - 1)]].tolist()
    return low, high
