"""A CAPE run through `simulate` against the same algorithm in NumPy, a block of tasks at a time.

The rival draws, finds all stops, adds up and tests whole blocks at once, and forms cumulative sums
over tasks only where there are tests. The one that the figure is about is plain: 10,000 tasks at a
time, in arrays of the types that NumPy chooses. A second one is tuned, as by somebody who has
profiled the first: samples and sums in the smallest integers that hold them, and the size of block
that was the fastest of those tried.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmarks.cape_setting import (
    EXPLORATION_CAP,
    TASKS,
    CapeSetting,
    mostly_null,
    three_points,
)
from benchmarks.duel import Asked, Duel
from dwell import simulate
from dwell.arrays import BoolArray, FloatArray, IntArray, Samples


class NumpyCape:
    """Algorithm 1 in NumPy, with samples and their sums kept in the given types."""

    def __init__(
        self,
        setting: CapeSetting,
        seed: int,
        tasks_at_a_time: int = 10_000,
        sample_type: type[np.signedinteger] = np.int64,
        sum_type: type[np.signedinteger] = np.int64,
    ):
        self.setting = setting
        self.tasks_at_a_time = tasks_at_a_time
        self.sample_type, self.sum_type = sample_type, sum_type
        self.caps = np.array(setting.caps, dtype=sum_type)
        self.upper = setting.upper.astype(sum_type)
        self.atoms, self.weights = np.array(setting.atoms), np.array(setting.weights)
        self.rng = np.random.default_rng(seed)
        self.explored, self.reward, self.samples = 0, 0.0, 0
        self.alive: BoolArray = np.ones(len(self.caps), dtype=np.bool_)
        self.duration_sums, self.reward_sums = np.zeros(len(self.caps)), np.zeros(len(self.caps))

    @property
    def exploring(self) -> bool:
        """Whether tasks are still explored."""
        return self.explored < EXPLORATION_CAP and self.alive.sum() > 1

    @property
    def longest(self) -> int:
        """The longest candidate."""
        return int(np.flatnonzero(self.alive)[-1])

    def run(self) -> int:
        """Explore, and return the policy that is chosen."""
        while self.exploring:
            drawn = 2 * int(self.caps[self.longest])
            tasks = min(EXPLORATION_CAP - self.explored, self.tasks_at_a_time)
            values = self.rng.choice(self.atoms, size=tasks, p=self.weights)
            plus = self.rng.random((tasks, drawn)) < ((1.0 + values) / 2.0)[:, None]
            samples = 2 * plus.astype(self.sample_type) - 1
            while len(samples) and self.exploring:
                samples = samples[:, : 2 * self.caps[self.longest]]
                durations, decisions, rewards = self.records(samples)
                taken = self.take(durations, rewards)
                self.reward += float(values[:taken][decisions[:taken, -1]].sum())
                self.samples += taken * samples.shape[1]
                values, samples = values[taken:], samples[taken:]
        reward_high, _, cost_low, cost_high = self.bounds(
            np.array([self.explored]), self.duration_sums[None], self.reward_sums[None]
        )
        best_case = np.where(reward_high >= 0.0, reward_high / cost_low, reward_high / cost_high)
        return int(np.where(self.alive, best_case[0], -np.inf).argmax())

    def records(self, samples: Samples) -> tuple[IntArray, BoolArray, FloatArray]:
        """Durations, decisions and rewards of all policies up to the longest candidate."""
        caps = self.caps[: self.longest + 1]
        cap = int(caps[-1])
        sums = np.cumsum(samples[:, :cap], axis=1, dtype=self.sum_type)
        outside = np.abs(sums) >= self.upper[:cap]
        first = outside.argmax(axis=1)
        rows = np.arange(len(first))
        stop = np.where(outside[rows, first], first + 1, cap + 1).astype(self.sum_type)
        decisions = (stop[:, None] <= caps) & (sums[rows, first] > 0)[:, None]
        after = samples[:, cap:].sum(axis=1, dtype=self.sum_type) / cap
        return np.minimum(stop[:, None], caps), decisions, decisions * after[:, None]

    def take(self, durations: IntArray, rewards: FloatArray) -> int:
        """Take in records up to the first that drops a policy; say how many that were."""
        tasks, width = len(durations), self.longest + 1
        untested = min(max(0, self.setting.first_test - 1 - self.explored), tasks)
        self.duration_sums[:width] += durations[:untested].sum(axis=0)
        self.reward_sums[:width] += rewards[:untested].sum(axis=0)
        self.explored += untested
        if untested == tasks:
            return tasks
        duration_sums = self.duration_sums[:width] + np.cumsum(durations[untested:], axis=0)
        reward_sums = self.reward_sums[:width] + np.cumsum(rewards[untested:], axis=0)
        seen: IntArray = self.explored + np.arange(1, tasks - untested + 1)
        hopeless = self.hopeless(seen, duration_sums, reward_sums)
        drops = hopeless.any(axis=1)
        last = int(drops.argmax()) if drops.any() else len(seen) - 1
        self.duration_sums[:width] = duration_sums[last]
        self.reward_sums[:width] = reward_sums[last]
        self.alive[:width] &= ~hopeless[last]
        self.explored += last + 1
        return untested + last + 1

    def hopeless(
        self, seen: IntArray, duration_sums: FloatArray, reward_sums: FloatArray
    ) -> BoolArray:
        """After each number of tasks, the candidates that line 5 would drop."""
        alive = self.alive[: self.longest + 1]
        reward_high, reward_low, cost_low, cost_high = self.bounds(seen, duration_sums, reward_sums)
        earning = np.where(alive, reward_low / cost_high, -np.inf).max(axis=1, keepdims=True)
        losing = np.where(alive, reward_low / cost_low, -np.inf).max(axis=1, keepdims=True)
        beaten: BoolArray = np.where(
            reward_high >= 0.0,
            reward_high / cost_low < earning,
            reward_high / cost_high < losing,
        )
        return beaten & alive

    def bounds(
        self, seen: IntArray, duration_sums: FloatArray, reward_sums: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """r+, r-, c- and c+ after each number of tasks."""
        error = np.sqrt(self.setting.logarithm / (2.0 * seen))[:, None]
        reward, cost = reward_sums / seen[:, None], duration_sums / seen[:, None]
        spread = (self.caps[: cost.shape[1]] - 1) * error
        cost_low = np.maximum(cost - spread, 1.0)
        return reward + 2.0 * error, reward - 2.0 * error, cost_low, cost + spread


def duels() -> Iterator[Duel]:
    plain = partial(NumpyCape, seed=1)
    tuned = partial(plain, tasks_at_a_time=2_500, sample_type=np.int8, sum_type=np.int16)
    yield against_numpy("cape/numpy-block", plain, three_points(), Asked(5.0))
    yield against_numpy("cape/numpy-block/tuned", tuned, three_points())
    yield against_numpy("cape/numpy-block/no-eliminations", plain, mostly_null())


def against_numpy(
    name: str,
    make_rival: Callable[[CapeSetting], NumpyCape],
    setting: CapeSetting,
    asked: Asked | None = None,
) -> Duel:
    learner = setting.learner()
    rival = make_rival(setting)
    chosen = rival.run()
    run = simulate(learner, setting.world, tasks=TASKS, rng=1)
    # Their randomness differs, so only what does not hang on it can be compared.
    assert (run.chosen, len(run.known.candidates)) == (chosen, rival.alive.sum())
    assert run.explored == rival.explored == EXPLORATION_CAP
    return Duel(
        name=name,
        ours=lambda: simulate(learner, setting.world, tasks=TASKS, rng=1),
        rival=lambda: make_rival(setting).run(),
        work=EXPLORATION_CAP,
        unit="task",
        asked=asked,
    )
