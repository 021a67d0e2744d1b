"""A run of Ladder through `simulate` against drawing and scanning the same samples, nothing more.

From a run of Ladder it is noted how many tasks were run by which policies, with how many samples
after an acceptance. The rival draws as many ideas, the samples of each in steps of the same widths,
and scans them with the same policies; it learns nothing, and no samples are averaged. The rival
that the figure is about puts all tasks that are run alike together, whenever in the run they came,
and takes them in blocks of the best size. A second one keeps to the batches of the run.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.duel import Asked, Duel
from dwell import Ladder, Policies, World, scan, simulate
from dwell.lab.suite import Instance, suite
from dwell.learners.design import Design
from dwell.records import Records

TASKS = 10**6
_FIRST_SAMPLES = 64
_TASKS_AT_A_TIME = 32_768  # the fastest of those tried


class Alike(NamedTuple):
    """How tasks are run: by these policies, with so many samples after an acceptance."""

    policies: Policies
    extras: int


class NotingLadder(Ladder):
    """Ladder that notes how its tasks were run, a block at a time."""

    def __init__(self, instance: Instance):
        super().__init__(instance.policies, setup_cost=instance.setup_cost)
        self.blocks: list[tuple[Alike, int]] = []

    def take(self, design: Design, records: Records) -> int:
        """Take in records, and note how the tasks were run."""
        taken = super().take(design, records)
        self.blocks.append((Alike(design.policies, design.extras), taken))
        return taken


def draw_and_scan(world: World, blocks: Iterable[tuple[Alike, int]], seed: int) -> int:
    """Draw and scan as many tasks as the blocks say; returns how many samples that took."""
    rng = np.random.default_rng(seed)
    return sum(
        _block(world, alike, min(_TASKS_AT_A_TIME, tasks - start), rng)
        for alike, tasks in blocks
        for start in range(0, tasks, _TASKS_AT_A_TIME)
    )


def _block(world: World, alike: Alike, tasks: int, rng: np.random.Generator) -> int:
    most = alike.policies.caps[-1] + alike.extras
    values = world.sample_values(tasks, rng)
    samples = world.law.sample(values, min(most, _FIRST_SAMPLES), rng)
    looked_at = 0
    while True:
        outcomes = scan(samples, alike.policies)
        # Of policies that differ only in their caps, the last one stops last.
        accepted = outcomes.decisions[:, -1] == 1
        needed = outcomes.durations[:, -1] + alike.extras * accepted
        going = (outcomes.decisions[:, -1] < 0) | (needed > samples.shape[1])
        looked_at += int(needed[~going].sum())
        if not going.any():
            return looked_at
        values, samples = values[going], samples[going]
        more = min(samples.shape[1], most - samples.shape[1])
        samples = np.hstack([samples, world.law.sample(values, more, rng)])


def merged(blocks: Iterable[tuple[Alike, int]]) -> list[tuple[Alike, int]]:
    """All tasks that were run alike, together."""
    tasks: Counter[Alike] = Counter()
    for alike, count in blocks:
        tasks[alike] += count
    return list(tasks.items())


def duels() -> Iterator[Duel]:
    instances = {str(instance): instance for instance in suite()}
    mostly_null = instances["mostly-null, set-up cost 20"]
    uniform = instances["uniform, set-up cost 0"]
    yield against_drawing("ladder/draw-and-scan", mostly_null)
    yield against_drawing("ladder/draw-and-scan/batches", mostly_null, merge=False)
    yield against_drawing("ladder/draw-and-scan/no-set-up", uniform)


def against_drawing(name: str, instance: Instance, *, merge: bool = True) -> Duel:
    noted = simulate(NotingLadder(instance), instance.world, TASKS, rng=1, sampled=True)
    assert isinstance(noted.learner, NotingLadder)
    assert sum(tasks for _, tasks in noted.learner.blocks) == TASKS
    blocks = merged(noted.learner.blocks) if merge else noted.learner.blocks
    # Their randomness differs, so only what does not hang on it can be compared.
    assert abs(draw_and_scan(instance.world, blocks, seed=1) / noted.samples - 1.0) < 0.01
    learner = Ladder(instance.policies, setup_cost=instance.setup_cost)
    return Duel(
        name=name,
        ours=lambda: simulate(learner, instance.world, TASKS, rng=1, sampled=True),
        rival=lambda: draw_and_scan(instance.world, blocks, seed=1),
        work=TASKS,
        unit="task",
        asked=Asked(3.0, of="time"),
    )
