"""Certainty: intervals for ROIs, and comparisons of policies on the same tests, four ways.

All of a call's answers hold at once, but for a probability alpha.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple, Protocol

import numpy as np

from dwell.arrays import BoolArray, FloatArray
from dwell.errors import InvalidInput
from dwell.estimate.ratio import ConfidenceSequence, roi

_RESAMPLES = 2000
_MOST_RESAMPLED = 100_000


class Seen(NamedTuple):
    """What tests say of one policy: an entry per test."""

    rewards: FloatArray
    durations: FloatArray
    cap: int
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
        influence: FloatArray = (self.rewards - self.ratio * self.costs) / self.costs.mean()
        return influence

    def of(self, tests: BoolArray) -> "Seen":
        """What some of the tests say."""
        return self._replace(rewards=self.rewards[tests], durations=self.durations[tests])


class Range(NamedTuple):
    """From where to where a number lies."""

    low: float
    high: float


class Certainty(Protocol):
    """A way to be sure."""

    def rois(self, seen: Sequence[Seen], alpha: float) -> list[Range]:
        """Where policies' ROIs lie."""

    def gains(
        self, seen: Sequence[Seen], other: Seen, other_roi: Range, alpha: float
    ) -> list[Range]:
        """Where the differences between their ROIs and another's lie."""

    def worse(self, seen: Sequence[Seen], best: Seen, best_roi: Range, alpha: float) -> list[bool]:
        """Which of them earn less per cost than the best there is, of which ours is a guess."""


@dataclass(frozen=True, slots=True)
class Sequential:
    """By intervals for means that need no more than that observations lie in [-bound, bound]."""

    sequence: ConfidenceSequence
    bound: float

    def rois(self, seen: Sequence[Seen], alpha: float) -> list[Range]:
        """Where policies' ROIs lie."""
        return [self._roi(one, alpha / len(seen)) for one in seen]

    def gains(
        self, seen: Sequence[Seen], other: Seen, other_roi: Range, alpha: float
    ) -> list[Range]:
        """Where the differences between their ROIs and another's lie."""
        return [self._gain(one, other, other_roi, alpha / len(seen)) for one in seen]

    def worse(self, seen: Sequence[Seen], best: Seen, best_roi: Range, alpha: float) -> list[bool]:
        """Which of them earn less per cost than the best there is.

        No policy j has reward_j - t cost_j > 0, where t is the best ROI. So one is worse than the
        best if its reward is less than that of another by more than t times what it saves. Both
        differences are bounded, and t is anywhere in its range; the set-up cost cancels.
        """

        def is_worse(one: Seen) -> bool:
            earned, paid = self._differences(one, best, alpha / len(seen))
            saved = -paid.low * (best_roi.high if paid.low < 0.0 else best_roi.low)
            return earned.high + saved < 0.0

        return [is_worse(one) for one in seen]

    def _roi(self, seen: Seen, alpha: float) -> Range:
        found = roi(
            seen.rewards,
            seen.durations,
            alpha=alpha,
            bound=self.bound,
            cap=seen.cap,
            setup_cost=seen.setup_cost,
            sequence=self.sequence,
        )
        return Range(float(found.low[-1]), float(found.high[-1]))

    def _gain(self, seen: Seen, other: Seen, other_roi: Range, alpha: float) -> Range:
        """With t the other's ROI, the gain is (R - R' - t (C - C')) / C, on the same tests.

        Each of three means gets a third of alpha, and t is anywhere in its range.
        """
        earned, paid = self._differences(seen, other, alpha / 3.0)
        cost = Range(1.0, 1.0)
        if seen.cap > 1:
            cost = self._mean(seen.durations, 1.0, seen.cap, alpha / 3.0)
        products = [ratio * saving for ratio in other_roi for saving in paid]
        leads = earned.low - max(products), earned.high - min(products)
        gains = [lead / (seen.setup_cost + end) for lead in leads for end in cost]
        return Range(min(gains), max(gains))

    def _differences(self, seen: Seen, other: Seen, alpha: float) -> tuple[Range, Range]:
        reach = 2.0 * self.bound
        earned = self._mean(seen.rewards - other.rewards, -reach, reach, alpha)
        least, most = 1.0 - other.cap, max(seen.cap - 1.0, 2.0 - other.cap)
        return earned, self._mean(seen.durations - other.durations, least, most, alpha)

    def _mean(self, numbers: FloatArray, low: float, high: float, alpha: float) -> Range:
        found = self.sequence(numbers, alpha=alpha, low=low, high=high)
        return Range(float(found.low[-1]), float(found.high[-1]))


@dataclass(frozen=True, slots=True)
class Approximate:
    """By the normal law of means of many tests."""

    def rois(self, seen: Sequence[Seen], alpha: float) -> list[Range]:
        """Where policies' ROIs lie, roughly."""
        reach = _normal_quantile(alpha / (2.0 * len(seen)))
        return [_around(one.ratio, reach * error_of(one.influence)) for one in seen]

    def gains(
        self, seen: Sequence[Seen], other: Seen, other_roi: Range, alpha: float
    ) -> list[Range]:
        """Where the differences between their ROIs and another's lie, roughly."""
        del other_roi
        reach = _normal_quantile(alpha / (2.0 * len(seen)))
        theirs = other.influence
        return [
            _around(one.ratio - other.ratio, reach * error_of(one.influence - theirs))
            for one in seen
        ]

    def worse(self, seen: Sequence[Seen], best: Seen, best_roi: Range, alpha: float) -> list[bool]:
        """Which of them earn less per cost than another, roughly: at the other's own ROI."""
        del best_roi
        reach = _normal_quantile(alpha / len(seen))
        leads = (
            (one.rewards - best.rewards) - best.ratio * (one.durations - best.durations)
            for one in seen
        )
        return [bool(lead.mean() + reach * error_of(lead) < 0.0) for lead in leads]


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """By what the same figures are on tests drawn again from these.

    Intervals are as wide, in standard errors of each figure, as the one that is farthest off.

    Attributes:
        seed: What draws the tests.
    """

    seed: int = 0

    def rois(self, seen: Sequence[Seen], alpha: float) -> list[Range]:
        """Where policies' ROIs lie, roughly."""
        return _jointly(np.array([one.ratio for one in seen]), self._again(seen), alpha)

    def gains(
        self, seen: Sequence[Seen], other: Seen, other_roi: Range, alpha: float
    ) -> list[Range]:
        """Where the differences between their ROIs and another's lie, roughly."""
        del other_roi
        again = self._again([*seen, other])
        gains = np.array([one.ratio - other.ratio for one in seen])
        return _jointly(gains, again[:, :-1] - again[:, -1:], alpha)

    def worse(self, seen: Sequence[Seen], best: Seen, best_roi: Range, alpha: float) -> list[bool]:
        """Which of them earn less per cost than another."""
        # One side of an interval for both.
        gains = self.gains(seen, best, best_roi, 2.0 * alpha)
        return [gain.high < 0.0 for gain in gains]

    def _again(self, seen: Sequence[Seen]) -> FloatArray:
        """ROIs, a column per policy, on tests drawn again, a row each time."""
        tests = len(seen[0].rewards)
        if tests > _MOST_RESAMPLED:
            raise InvalidInput(
                f"the bootstrap takes at most {_MOST_RESAMPLED:,} tests, got {tests:,}: for so "
                "many, normal intervals are as good"
            )
        rng = np.random.default_rng(self.seed)
        rewards = np.stack([one.rewards for one in seen], axis=1)
        costs = np.stack([one.costs for one in seen], axis=1)
        again = np.empty((_RESAMPLES, len(seen)))
        for each in again:
            counts = np.bincount(rng.integers(tests, size=tests), minlength=tests)
            each[:] = (counts @ rewards) / (counts @ costs)
        return again


def _jointly(middle: FloatArray, again: FloatArray, alpha: float) -> list[Range]:
    errors = again.std(axis=0)
    # What does not vary, such as a policy's lead over itself, is no farther off than others.
    distances = np.abs(again - middle) / np.where(errors > 0.0, errors, np.inf)
    reach = float(np.quantile(distances.max(axis=1), 1.0 - alpha))
    return [_around(float(m), reach * float(e)) for m, e in zip(middle, errors, strict=True)]


def _normal_quantile(tail: float) -> float:
    return -NormalDist().inv_cdf(tail)


def _around(middle: float, reach: float) -> Range:
    return Range(middle - reach, middle + reach)


def error_of(numbers: FloatArray) -> float:
    """The standard error of their mean."""
    return float(numbers.std(ddof=1)) / sqrt(len(numbers))
