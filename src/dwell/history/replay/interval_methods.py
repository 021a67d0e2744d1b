"""Interval methods: intervals for ROIs, and comparisons of policies on the same tests.

All of a call's answers hold at once with probability 1 - alpha: with confidence sequences for any
number of tests, with normal and bootstrap intervals approximately, for many tests.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import NamedTuple, Protocol

import numpy as np

from dwell.arrays import FloatArray
from dwell.errors import InvalidInput
from dwell.estimate.bounds import Bounds
from dwell.estimate.ratio import ConfidenceSequence
from dwell.history.replay.scores import Scores, error_of, student_quantile

_RESAMPLES = 2000
_MOST_RESAMPLED = 100_000


class Range(NamedTuple):
    """From where to where a number lies."""

    low: float
    high: float


UNKNOWN = Range(nan, nan)


class IntervalMethod(Protocol):
    """A way to make intervals and comparisons."""

    def rois(self, scores: Sequence[Scores], alpha: float) -> list[Range]:
        """Where policies' ROIs lie."""

    def gains(
        self, scores: Sequence[Scores], other: Scores, other_roi: Range, alpha: float
    ) -> list[Range]:
        """Where the differences between their ROIs and another's lie."""

    def worse(
        self, scores: Sequence[Scores], best: Scores, best_roi: Range, alpha: float
    ) -> list[bool]:
        """Which of them earn less per cost than the best there is; `best` is our guess of it."""


@dataclass(frozen=True, slots=True)
class SequenceIntervals:
    """By confidence sequences: guaranteed if observations lie in [-bound, bound].

    And if it is known how many samples are drawn at most: no number of tests shows that none will
    ever be longer. So where a cap is not known nothing is.
    """

    sequence: ConfidenceSequence
    bound: float

    def rois(self, scores: Sequence[Scores], alpha: float) -> list[Range]:
        """Where policies' ROIs lie."""
        return [self._roi(one, alpha / len(scores)) for one in scores]

    def gains(
        self, scores: Sequence[Scores], other: Scores, other_roi: Range, alpha: float
    ) -> list[Range]:
        """Where the differences between their ROIs and another's lie."""
        return [self._gain(one, other, other_roi, alpha / len(scores)) for one in scores]

    def worse(
        self, scores: Sequence[Scores], best: Scores, best_roi: Range, alpha: float
    ) -> list[bool]:
        """Which of them earn less per cost than the best there is.

        No policy j has reward_j - t cost_j > 0, where t is the best ROI. So one is worse than the
        best if its reward is less than that of another by more than t times what it saves. Both
        differences are bounded, and t is anywhere in its range; the set-up cost cancels.
        """

        def is_worse(one: Scores) -> bool:
            earned, paid = self._differences(one, best, alpha / len(scores))
            saved = -paid.low * (best_roi.high if paid.low < 0.0 else best_roi.low)
            return earned.high + saved < 0.0

        return [is_worse(one) for one in scores]

    def _roi(self, scores: Scores, alpha: float) -> Range:
        """Reward and cost each get half of alpha."""
        if scores.cap is None:
            return UNKNOWN
        earned = self._mean(scores.rewards, -self.bound, self.bound, alpha / 2.0)
        cost = self._cost(scores, scores.cap, alpha / 2.0)
        ends = Bounds(*(np.array([end]) for end in (*earned, *cost)))
        return Range(float(ends.roi_low[0]), float(ends.roi_high[0]))

    def _gain(self, scores: Scores, other: Scores, other_roi: Range, alpha: float) -> Range:
        """With t the other's ROI, the gain is (R - R' - t (C - C')) / C, on the same tests.

        Each of three means gets a third of alpha, and t is anywhere in its range.
        """
        if scores.cap is None or other.cap is None:
            return UNKNOWN
        earned, paid = self._differences(scores, other, alpha / 3.0)
        cost = self._cost(scores, scores.cap, alpha / 3.0)
        products = [ratio * saving for ratio in other_roi for saving in paid]
        leads = earned.low - max(products), earned.high - min(products)
        gains = [lead / end for lead in leads for end in cost]
        return Range(min(gains), max(gains))

    def _differences(self, scores: Scores, other: Scores, alpha: float) -> tuple[Range, Range]:
        assert scores.cap is not None  # nothing is compared without
        assert other.cap is not None
        reach = 2.0 * self.bound
        earned = self._mean(scores.rewards - other.rewards, -reach, reach, alpha)
        least, most = 1.0 - other.cap, max(scores.cap - 1.0, 2.0 - other.cap)
        return earned, self._mean(scores.durations - other.durations, least, most, alpha)

    def _cost(self, scores: Scores, cap: int, alpha: float) -> Range:
        drawn = Range(1.0, 1.0)
        if cap > 1:
            drawn = self._mean(scores.durations, 1.0, cap, alpha)
        return Range(scores.setup_cost + drawn.low, scores.setup_cost + drawn.high)

    def _mean(self, numbers: FloatArray, low: float, high: float, alpha: float) -> Range:
        found = self.sequence(numbers, alpha=alpha, low=low, high=high)
        return Range(float(found.low[-1]), float(found.high[-1]))


@dataclass(frozen=True, slots=True)
class NormalIntervals:
    """By the normal law of means of many tests, with quantiles of Student's t for few."""

    def rois(self, scores: Sequence[Scores], alpha: float) -> list[Range]:
        """Where policies' ROIs lie, approximately."""
        reach = _reach(scores, alpha / 2.0)
        weighed = (one.weighed for one in scores)
        return [_around(ratio, reach * error_of(influence)) for ratio, influence in weighed]

    def gains(
        self, scores: Sequence[Scores], other: Scores, other_roi: Range, alpha: float
    ) -> list[Range]:
        """Where the differences between their ROIs and another's lie, approximately."""
        del other_roi
        reach = _reach(scores, alpha / 2.0)
        their_ratio, theirs = other.weighed
        weighed = (one.weighed for one in scores)
        return [
            _around(ratio - their_ratio, reach * error_of(influence - theirs))
            for ratio, influence in weighed
        ]

    def worse(
        self, scores: Sequence[Scores], best: Scores, best_roi: Range, alpha: float
    ) -> list[bool]:
        """Which of them earn less per cost than another, approximately: at the other's own ROI."""
        del best_roi
        reach = _reach(scores, alpha)
        best_ratio = best.ratio
        leads = (
            (one.rewards - best.rewards) - best_ratio * (one.durations - best.durations)
            for one in scores
        )
        return [bool(lead.mean() + reach * error_of(lead) < 0.0) for lead in leads]


@dataclass(frozen=True, slots=True)
class BootstrapIntervals:
    """By what the same figures are on tests drawn again from these.

    Intervals are as wide, in standard errors of each figure, as the one that is farthest off.

    Attributes:
        seed: What draws the tests.
    """

    seed: int = 0

    def rois(self, scores: Sequence[Scores], alpha: float) -> list[Range]:
        """Where policies' ROIs lie, approximately."""
        return _jointly(np.array([one.ratio for one in scores]), self._again(scores), alpha)

    def gains(
        self, scores: Sequence[Scores], other: Scores, other_roi: Range, alpha: float
    ) -> list[Range]:
        """Where the differences between their ROIs and another's lie, approximately."""
        del other_roi
        again = self._again([*scores, other])
        gains = np.array([one.ratio - other.ratio for one in scores])
        return _jointly(gains, again[:, :-1] - again[:, -1:], alpha)

    def worse(
        self, scores: Sequence[Scores], best: Scores, best_roi: Range, alpha: float
    ) -> list[bool]:
        """Which of them earn less per cost than another."""
        # One side of an interval for both.
        gains = self.gains(scores, best, best_roi, 2.0 * alpha)
        return [gain.high < 0.0 for gain in gains]

    def _again(self, scores: Sequence[Scores]) -> FloatArray:
        """ROIs, a column per policy, on tests drawn again, a row each time."""
        tests = len(scores[0].rewards)
        if tests > _MOST_RESAMPLED:
            raise InvalidInput(
                f"the bootstrap takes at most {_MOST_RESAMPLED:,} tests, got {tests:,}: for so "
                "many, normal intervals are as good"
            )
        rng = np.random.default_rng(self.seed)
        rewards = np.stack([one.rewards for one in scores], axis=1)
        costs = np.stack([one.costs for one in scores], axis=1)
        again = np.empty((_RESAMPLES, len(scores)))
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


def _reach(scores: Sequence[Scores], tail: float) -> float:
    """Standard errors, such that all intervals hold at once: each has its part of the tail."""
    return student_quantile(tail / len(scores), len(scores[0].rewards))


def _around(middle: float, reach: float) -> Range:
    return Range(middle - reach, middle + reach)
