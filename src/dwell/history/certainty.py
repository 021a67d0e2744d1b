"""Certainty: intervals for ROIs and comparisons of policies on the same tests, four ways."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple, Protocol

import numpy as np

from dwell.arrays import FloatArray
from dwell.estimate.ratio import ConfidenceSequence, roi


class Seen(NamedTuple):
    """What tests say of one policy: an entry per test."""

    rewards: FloatArray
    durations: FloatArray
    cap: int


class Range(NamedTuple):
    """From where to where a number lies."""

    low: float
    high: float


class Certainty(Protocol):
    """A way to be sure, each time but for a probability alpha."""

    def roi(self, seen: Seen, setup_cost: float) -> Range:
        """Where a policy's ROI lies."""

    def worse(self, seen: Seen, best: Seen, setup_cost: float, best_roi: Range) -> bool:
        """Whether a policy earns less per cost than the best there is."""


@dataclass(frozen=True, slots=True)
class Sequential:
    """By intervals for means that need no more than that observations lie in [-bound, bound]."""

    sequence: ConfidenceSequence
    alpha: float
    bound: float

    def roi(self, seen: Seen, setup_cost: float) -> Range:
        """Where a policy's ROI lies."""
        found = roi(
            seen.rewards,
            seen.durations,
            alpha=self.alpha,
            bound=self.bound,
            cap=seen.cap,
            setup_cost=setup_cost,
            sequence=self.sequence,
        )
        return Range(float(found.low[-1]), float(found.high[-1]))

    def worse(self, seen: Seen, best: Seen, setup_cost: float, best_roi: Range) -> bool:
        """Whether a policy earns less per cost than the best there is.

        No policy j has reward_j - t cost_j > 0, where t is the best ROI. So this one is worse than
        the best if its reward is less than that of another by more than t times what it saves.
        Both differences are bounded, and t is anywhere in its range; the set-up cost cancels.
        """
        del setup_cost
        earned = seen.rewards - best.rewards
        reward = self.sequence(
            earned, alpha=self.alpha, low=-2.0 * self.bound, high=2.0 * self.bound
        )
        paid = seen.durations - best.durations
        cost = self.sequence(
            paid, alpha=self.alpha, low=1.0 - best.cap, high=max(seen.cap - 1.0, 2.0 - best.cap)
        )
        least = float(cost.low[-1])
        saved = -least * (best_roi.high if least < 0.0 else best_roi.low)
        return bool(reward.high[-1] + saved < 0.0)


@dataclass(frozen=True, slots=True)
class Approximate:
    """By the normal law of means of many tests."""

    alpha: float

    def roi(self, seen: Seen, setup_cost: float) -> Range:
        """Where a policy's ROI lies, roughly."""
        costs = setup_cost + seen.durations
        ratio = float(seen.rewards.mean() / costs.mean())
        error = _error(seen.rewards - ratio * costs) / float(costs.mean())
        reach = -NormalDist().inv_cdf(self.alpha / 2.0) * error
        return Range(ratio - reach, ratio + reach)

    def worse(self, seen: Seen, best: Seen, setup_cost: float, best_roi: Range) -> bool:
        """Whether it earns less per cost than another, roughly: at the other's own ROI."""
        del best_roi
        ratio = float(best.rewards.mean() / (setup_cost + best.durations.mean()))
        lead = (seen.rewards - best.rewards) - ratio * (seen.durations - best.durations)
        return bool(lead.mean() - NormalDist().inv_cdf(self.alpha) * _error(lead) < 0.0)


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """By what the same figures are on tests drawn again from these, a row of counts each time."""

    alpha: float
    counts: FloatArray

    def roi(self, seen: Seen, setup_cost: float) -> Range:
        """Where a policy's ROI lies, roughly."""
        low, high = np.quantile(self._again(seen, setup_cost), [self.alpha / 2, 1 - self.alpha / 2])
        return Range(float(low), float(high))

    def worse(self, seen: Seen, best: Seen, setup_cost: float, best_roi: Range) -> bool:
        """Whether it earns less per cost than another, nearly each time."""
        del best_roi
        lead = self._again(seen, setup_cost) - self._again(best, setup_cost)
        return bool(np.quantile(lead, 1.0 - self.alpha) < 0.0)

    def _again(self, seen: Seen, setup_cost: float) -> FloatArray:
        again: FloatArray = (self.counts @ seen.rewards) / (
            self.counts @ (setup_cost + seen.durations)
        )
        return again


def _error(numbers: FloatArray) -> float:
    return float(numbers.std(ddof=1)) / sqrt(len(numbers))
