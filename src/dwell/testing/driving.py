"""Driving: a learner run on tasks that were drawn beforehand, in a row or side by side."""

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle

import numpy as np

from dwell.arrays import Samples
from dwell.learners.design import Design
from dwell.learners.learner import Learner
from dwell.records import Records
from dwell.world import World


@dataclass(frozen=True)
class Subject:
    """A learner to be checked.

    Attributes:
        make: Makes a new one, the same each time.
        world: A world in which it goes through all its phases …
        tasks: … within this many tasks.
        width: How many samples are drawn for each task beforehand.
        seed: What they are drawn from.
    """

    make: Callable[[], Learner]
    world: World
    tasks: int = 300
    width: int = 1024
    seed: int = 0

    @cached_property
    def rows(self) -> Samples:
        """The samples that the tasks would yield."""
        return self.world.sample(self.tasks, self.width, self.seed)[1]

    @property
    def moments(self) -> list[int]:
        """Numbers of tasks after which the learner is looked at."""
        return sorted({0, 1, *(self.tasks * share // 7 for share in range(1, 8))})

    def after(self, tasks: int) -> Learner:
        """A new learner after so many of the tasks."""
        if tasks not in self._after:
            learner = self.make()
            in_a_row(learner, self.rows[:tasks])
            self._after[tasks] = learner
        return copy.deepcopy(self._after[tasks])

    @cached_property
    def _after(self) -> dict[int, Learner]:
        return {}


def in_a_row(learner: Learner, rows: Samples, sizes: Iterable[int] = (10**9,)) -> int:
    """Let a learner run tasks one after another, in blocks of at most these sizes, over and over.

    Returns:
        From how many of the tasks it took records; fewer than there are if it had enough.
    """
    blocks = cycle(sizes)
    done = 0
    while done < len(rows):
        design = learner.begin(min(next(blocks), len(rows) - done))
        if design is None:
            break
        assert 1 <= design.tasks <= len(rows) - done, "a design stands for no more than was asked"
        taken = learner.learn(design, recorded(design, rows[done : done + design.tasks]))
        assert 1 <= taken <= design.tasks, "of tasks in a row at least the first is taken"
        done += taken
    return done


def side_by_side(
    learner: Learner, rows: Samples, overlap: int, order: np.random.Generator | None = None
) -> list[Design]:
    """Let a learner run tasks so many at a time; each lot comes back in some order.

    Args:
        learner: The learner.
        rows: The tasks' samples.
        overlap: How many tasks are begun before the first of them comes back.
        order: What shuffles a lot; None for the order in which they were begun.

    Returns:
        The designs, in the order in which they were begun.
    """
    begun: list[Design] = []
    for start in range(0, len(rows), overlap):
        lot = []
        for row in rows[start : start + overlap]:
            design = learner.begin()
            if design is not None:
                lot.append((design, recorded(design, row[np.newaxis])))
        begun += (design for design, _ in lot)
        for place in range(len(lot)) if order is None else order.permutation(len(lot)):
            assert learner.learn(*lot[place]) == 1, "a task that was begun alone is taken"
    return begun


def recorded(design: Design, rows: Samples) -> Records:
    """The record of tasks that were drawn beforehand."""
    assert design.samples <= rows.shape[1], (
        f"a task may take {design.samples} samples, and only {rows.shape[1]} were drawn: check "
        "with a larger width"
    )
    return design.record(np.ascontiguousarray(rows[:, : design.samples]))
