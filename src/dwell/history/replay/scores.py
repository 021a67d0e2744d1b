"""Scores: what past tests say of each policy, test by test."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple, overload

import numpy as np
from scipy import special

from dwell.arrays import BoolArray, FloatArray
from dwell.history.replay.looked_replay import AnyReplay


class Scores(NamedTuple):
    """What tests say of one policy: an entry per test.

    Its cap is the most samples that it draws in any test; None if that is not known.
    """

    rewards: FloatArray
    durations: FloatArray
    cap: int | None
    setup_cost: float

    @property
    def costs(self) -> FloatArray:
        """What each test cost."""
        return self.setup_cost + self.durations

    @property
    def ratio(self) -> float:
        """Reward per cost."""
        return float(self.rewards.mean() / self.costs.mean())

    @property
    def influence(self) -> FloatArray:
        """How much each test weighs in the ratio of means: as a whole, nothing."""
        return self.weighed[1]

    @property
    def weighed(self) -> tuple[float, FloatArray]:
        """The ratio, and how much each test weighs in it: in one go, as it is asked for often."""
        costs = self.costs
        cost = costs.mean()
        ratio = float(self.rewards.mean() / cost)
        return ratio, (self.rewards - ratio * costs) / cost

    def of(self, tests: BoolArray) -> "Scores":
        """What some of the tests say."""
        return self._replace(rewards=self.rewards[tests], durations=self.durations[tests])


@dataclass(frozen=True, slots=True)
class AllScores(Sequence[Scores]):
    """What tests say of each policy, made when it is asked for: there may be many tests.

    Attributes:
        replay: The policies on the tests.
        setup_cost: What each test costs besides its samples.
        longest: No test has more samples; None if nobody knows.
        after: What tests say of others, to come after the policies.
    """

    replay: AnyReplay
    setup_cost: float
    longest: int | None = None
    after: tuple[Scores, ...] = ()

    def __len__(self) -> int:
        return len(self.replay.policies) + len(self.after)

    @overload
    def __getitem__(self, index: int) -> Scores: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Scores]: ...

    def __getitem__(self, index: int | slice) -> Scores | Sequence[Scores]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        replay, policies = self.replay, len(self.replay.policies)
        count = policies + len(self.after)
        if not -count <= index < count:
            raise IndexError(index)
        index %= count
        if index >= policies:
            return self.after[index - policies]
        drawn = replay.durations(index).astype(np.float64)
        return Scores(replay.rewards(index), drawn, self._cap(index), self.setup_cost)

    def _cap(self, index: int) -> int | None:
        """No policy draws more than the longest test has, if that is known."""
        if self.replay.in_periods:
            return self.longest
        cap = int(self.replay.caps[index])
        return cap if self.longest is None else min(cap, self.longest)


def error_of(numbers: FloatArray) -> float:
    """The standard error of their mean."""
    return float(numbers.std(ddof=1)) / sqrt(len(numbers))


def student_quantile(tail: float, tests: int) -> float:
    """How many standard errors a mean of so many tests is off at most, but for the tail.

    Example:
        >>> round(student_quantile(0.025, 30), 3), round(student_quantile(0.025, 10_000), 3)
        (2.045, 1.96)
    """
    return -float(special.stdtrit(tests - 1, tail))
