"""Drawing: tasks that draw samples a piece at a time, until all is known that is asked for."""

from collections.abc import Callable

import numpy as np

from dwell.arrays import IntArray, Samples
from dwell.records import Records, unfinished

# Draws, for each of some tasks (by their places), so many samples more.
Draw = Callable[[IntArray, int], Samples]
# How many samples every task draws before those that go on draw more.
FIRST_SAMPLES = 64
_MOST_SAMPLES = 2**24


def in_pieces(
    tasks: int,
    draw: Draw,
    record: Callable[[Samples, IntArray], Records],
    *,
    first: int,
    most: int,
) -> Records:
    """Draw tasks until all is known that a record is to say.

    Few tasks come anywhere near a long cap. So all of them draw a few samples, those that have not
    stopped draw as many again, and so on.

    Args:
        tasks: How many.
        draw: What draws their samples.
        record: What makes records of rows of samples, which belong to tasks by their places.
        first: How many samples all tasks draw.
        most: The most samples that one task can take.
    """
    everyone = np.arange(tasks)
    samples = draw(everyone, min(first, most))
    records = record(samples, everyone)
    if samples.shape[1] == most:
        return records
    going = np.flatnonzero(unfinished(records, samples.shape[1]))
    samples = samples[going]
    while len(going):
        more = min(samples.shape[1], most - samples.shape[1])
        # Tasks that go on in great numbers for long are taken a part at a time.
        part = max(1, _MOST_SAMPLES // (samples.shape[1] + more))
        kept: list[Samples] = []
        left = []
        for start in range(0, len(going), part):
            rows = going[start : start + part]
            longer = np.hstack([samples[start : start + part], draw(rows, more)])
            renewed = record(longer, rows)
            records.replace(rows, renewed)
            wanting = unfinished(renewed, longer.shape[1])
            left.append(rows[wanting])
            kept.append(longer[wanting])
        going, samples = np.concatenate(left), np.concatenate(kept)
    return records
