"""What a process remembers of each test while its samples are drawn in several pieces."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dwell.arrays import BoolArray, IntArray


class Clock:
    """How many samples each task has drawn."""

    def __init__(self, tasks: int):
        self._drawn = np.zeros(tasks, dtype=np.int64)

    def next(self, tasks: IntArray, samples: int) -> IntArray:
        """The places of the next samples in their tests, counted from 0, a row per task."""
        places: IntArray = self._drawn[tasks][:, np.newaxis] + np.arange(samples)
        self._drawn[tasks] += samples
        return places


class Held:
    """What stays as it is until it is renewed, task by task."""

    def __init__(self, tasks: int):
        self._tasks = tasks
        self._last: NDArray[Any] | None = None

    def next(
        self, tasks: IntArray, renewed: BoolArray, fresh: Callable[[int], NDArray[Any]]
    ) -> NDArray[Any]:
        """What it is at the next places, a row per task.

        Args:
            tasks: Which tasks go on.
            renewed: Where it is drawn anew; the first place of a task is one of these.
            fresh: Draws so many new ones of each task.
        """
        which = np.cumsum(renewed, axis=1, dtype=np.int64)
        drawn = fresh(max(1, int(which[:, -1].max(initial=0))))
        if self._last is None:
            self._last = np.zeros(self._tasks, dtype=drawn.dtype)
        known = np.hstack([self._last[tasks][:, np.newaxis], drawn])
        held = np.take_along_axis(known, which, axis=1)
        self._last[tasks] = held[:, -1]
        return held
