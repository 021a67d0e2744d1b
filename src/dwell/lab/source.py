"""Source: what draws the values and samples of a run, in a world of any kind."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dwell.arrays import FloatArray, IntArray, Samples
from dwell.errors import InvalidInput
from dwell.lab.changing import ChangingWorld
from dwell.lab.hostile import AnyWorld, HostileWorld
from dwell.laws import Law
from dwell.learners.design import Design
from dwell.learners.drawing import Draw
from dwell.records import Records
from dwell.world import World


class Source(Protocol):
    """What draws the values and samples of a run."""

    def values(self, begun: int, tasks: int) -> FloatArray:
        """The values of the next tasks, after so many were begun."""
        ...

    def tests(self, values: FloatArray) -> Draw:
        """What draws the samples of tasks with these values."""
        ...

    def verify(self, design: Design, records: Records, values: FloatArray) -> None:
        """Renew estimates of the values, if the samples for them come from a later day."""
        ...


def source_of(world: AnyWorld, tasks: int | None, rng: np.random.Generator) -> Source:
    """What draws a run of so many tasks in a world."""
    if isinstance(world, World):
        return _Honest(world, rng)
    if tasks is None:
        raise InvalidInput(f"a run in {world} needs a number of tasks, not a budget of samples")
    if isinstance(world, ChangingWorld):
        return _Changing(world, tasks, rng)
    return _Hostile(world, tasks, rng)


@dataclass(frozen=True, slots=True)
class _Honest:
    world: World
    rng: np.random.Generator

    def values(self, begun: int, tasks: int) -> FloatArray:
        del begun
        return self.world.sample_values(tasks, self.rng)

    def tests(self, values: FloatArray) -> Draw:
        return _independent(self.world.law, values, self.rng)

    def verify(self, design: Design, records: Records, values: FloatArray) -> None:
        """Samples are independent already."""


@dataclass(frozen=True, slots=True)
class _Changing:
    world: ChangingWorld
    tasks: int
    rng: np.random.Generator

    def values(self, begun: int, tasks: int) -> FloatArray:
        return self.world.sample_values(np.arange(begun, begun + tasks), self.tasks, self.rng)

    def tests(self, values: FloatArray) -> Draw:
        return _independent(self.world.law, values, self.rng)

    def verify(self, design: Design, records: Records, values: FloatArray) -> None:
        """Samples are independent already."""


def _independent(law: Law, values: FloatArray, rng: np.random.Generator) -> Draw:
    """What draws samples that depend on nothing but the value."""

    def draw(tasks: IntArray, samples: int) -> Samples:
        drawn = values if len(tasks) == len(values) else values[tasks]
        return law.sample(drawn, samples, rng)

    return draw


@dataclass(frozen=True, slots=True)
class _Hostile:
    world: HostileWorld
    tasks: int
    rng: np.random.Generator

    def values(self, begun: int, tasks: int) -> FloatArray:
        place = np.arange(begun, begun + tasks) / self.tasks
        return self.world.breach.values(self.world.stated, place, self.rng)

    def tests(self, values: FloatArray) -> Draw:
        return self.world.breach.tests(self.world.stated.law, values, self.rng)

    def verify(self, design: Design, records: Records, values: FloatArray) -> None:
        if records.estimates is None or not self.world.later_day:
            return
        samples = design.policies.caps[-1] if design.oversamples else design.extras
        later = self.world.breach.later(self.world.stated.law, values, samples, self.rng)
        means = later.mean(axis=1)[:, np.newaxis]
        if records.sums is not None:
            gained = samples * (means - records.estimates)[:, 0]
            verified = design.extras_in(np.arange(len(records))) > 0
            verified &= records.decisions[:, 0] == 1
            records.sums[:] += np.where(verified, gained, 0.0)
        records.estimates[:] = means
