"""Stage: a learner at work in a known world, task after task or side by side."""

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from dwell.arrays import FloatArray, Samples
from dwell.lab.changing import Tally
from dwell.lab.source import Source
from dwell.learners.design import Design
from dwell.learners.drawing import FIRST_SAMPLES
from dwell.learners.learner import Learner
from dwell.objectives import within_budget
from dwell.records import Records
from dwell.table import exact
from dwell.world import World

# Tasks are drawn a block at a time: enough to keep the kernels busy, little enough for the cache.
_BLOCK_SAMPLES = 2**20


@dataclass(slots=True)
class Budget:
    """What may still be spent, and what was earned so far."""

    tasks: int | None
    samples: int | None
    reward: float = 0.0
    begun: float = 0
    drawn: float = 0

    @property
    def used_up(self) -> bool:
        """Whether there is nothing left to spend."""
        return self.tasks == 0 or self.samples == 0

    @property
    def most_tasks(self) -> int:
        """Every task takes a sample at least, so a budget of samples is one of tasks too."""
        return min(limit for limit in (self.tasks, self.samples) if limit is not None)

    def spend(self, tasks: float, samples: float, reward: float) -> None:
        """Take off what was spent, and note what was earned."""
        self.begun += tasks
        self.drawn += samples
        self.reward += reward
        if self.tasks is not None:
            self.tasks -= round(tasks)
        if self.samples is not None:
            self.samples -= round(samples)


class _Drawn(NamedTuple):
    """Tasks that were drawn: their values and their samples."""

    values: FloatArray
    samples: Samples


class _Open(NamedTuple):
    """A task that is open, in the order in which such tasks end."""

    end: int
    place: int
    design: Design
    records: Records
    value: FloatArray


@dataclass(slots=True)
class Stage:
    """A learner at work in a world.

    Attributes:
        learner: The learner.
        world: The world, for what enters by its expectation.
        source: What draws from it.
        budget: What may be spent.
        sampled: Whether all tasks are drawn, also those whose expectation is known.
        advance: Told, now and then, how many tasks are over.
        tally: Counts what happens in each pool of a world that changes.
    """

    learner: Learner
    world: World
    source: Source
    budget: Budget
    sampled: bool
    advance: Callable[[float], None] | None = None
    tally: Tally | None = None

    def in_a_row(self) -> None:
        """Run tasks one after another, in blocks of those with one design."""
        left: _Drawn | None = None
        while not self.budget.used_up:
            design = self.learner.begin(self.budget.most_tasks)
            if design is None:
                return
            if design.final and not self.sampled:
                self._expect(design, self.budget.tasks)
            elif design.oversamples:
                left = self._oversample(design, left)
            else:
                block = min(design.tasks, max(1, _BLOCK_SAMPLES // _at_first(design)))
                place = int(self.budget.begun)
                values = self.source.values(place, block)
                self._learn(place, design, self._run(design, values), values)

    def side_by_side(self, overlap: int) -> None:
        """Keep so many tasks open; a task ends as many units of time later as it draws samples."""
        running: list[_Open] = []
        now, to_begin = 0, self.budget.most_tasks
        all_tasks = to_begin
        while to_begin or running:
            while to_begin and len(running) < overlap:
                design = self.learner.begin()
                if design is None:
                    to_begin = 0
                elif design.final and not self.sampled:
                    self._expect(design, to_begin)
                    to_begin = 0
                else:
                    place = all_tasks - to_begin
                    value = self.source.values(place, 1)
                    records = self._run(design, value)
                    end = now + int(records.drawn[0])
                    heappush(running, _Open(end, place, design, records, value))
                    to_begin -= 1
            if running:
                now, place, design, records, value = heappop(running)
                self._learn(place, design, records, value)

    def _expect(self, design: Design, tasks: int | None) -> None:
        """Spend so many tasks, or all samples, by the exact expectation of the design's policy."""
        self.learner.forget(design)
        table = exact(design.policies, self.world)
        if tasks is not None:
            reward = float(table.reward[-1]) if design.accepts else 0.0
            self.budget.spend(tasks, tasks * float(table.cost[-1]), tasks * reward)
        elif self.budget.samples is not None:
            totals = within_budget(table.profile(-1), self.budget.samples)
            reward = totals.reward if design.accepts else 0.0
            self.budget.spend(totals.tasks, self.budget.samples, reward)

    def _run(self, design: Design, values: FloatArray) -> Records:
        records = design.run(len(values), self.source.tests(values))
        self.source.verify(design, records, values)
        return records

    def _oversample(self, design: Design, left: _Drawn | None) -> _Drawn | None:
        """Draw a block of tasks, or go on with what is left of one; returns what is left then.

        Where the longest candidate was eliminated in the middle of a block, what was drawn beyond
        serves on, as the shorter tasks that the new design wants.
        """
        place = int(self.budget.begun)
        if left is None:
            block = min(design.tasks, max(1, _BLOCK_SAMPLES // design.samples))
            values = self.source.values(place, block)
            samples = self.source.tests(values)(np.arange(block), design.samples)
        else:
            values, samples = left.values, left.samples[:, : design.samples].copy()
        records = design.record(samples)
        self.source.verify(design, records, values)
        taken = self._learn(place, design, records, values)
        return None if taken == len(values) else _Drawn(values[taken:], samples[taken:])

    def _learn(self, place: int, design: Design, records: Records, values: FloatArray) -> int:
        """Let the learner take in what it can and the budget allows; say how many tasks.

        Before the first of them come `place` tasks of the run.
        """
        within = len(records)
        if self.budget.samples is not None:
            budget = self.budget.samples
            within = int(np.searchsorted(np.cumsum(records.drawn), budget, side="left"))
        if within:
            taken = self.learner.learn(design, records.first(within))
        else:
            taken = 0
            self.learner.forget(design)
        accepted = design.accepted(records)[:taken]
        drawn = int(records.drawn[:taken].sum())
        self.budget.spend(taken, drawn, float(values[:taken].compress(accepted).sum()))
        if self.tally is not None and taken:
            decider = design.policies[design.decider] if design.accepts else None
            self.tally.decided_by(place, decider)
            self.tally.add(place, records.drawn[:taken], values[:taken], accepted)
        if taken == within < len(records):
            # The next task is interrupted as it reaches the budget of samples, and rejected.
            self.budget.spend(1, self.budget.samples or 0, 0.0)
        if self.advance is not None:
            self.advance(self.budget.begun)
        return taken


def _at_first(design: Design) -> int:
    """How many samples a task of the design draws at once."""
    return min(design.samples, FIRST_SAMPLES)
