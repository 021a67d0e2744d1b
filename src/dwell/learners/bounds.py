"""Sums over explored tasks, and the Hoeffding bounds that follow from them.

Paper: eqs. (5) and (6), with e_n = sqrt(ln(4 K N_ex / delta) / (2 n)).
"""

from dataclasses import dataclass

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.estimate.bounds import Bounds


@dataclass(slots=True)
class Tally:
    """Sums over the explored tasks, an entry per policy.

    Attributes:
        explored: How many tasks were explored (n).
        samples: How many samples that took.
        duration_sums: The sum of each policy's durations.
        reward_sums: The sum of the unbiased estimates of its rewards.
    """

    explored: int
    samples: int
    duration_sums: FloatArray
    reward_sums: FloatArray

    @classmethod
    def empty(cls, policies: int) -> "Tally":
        """Nothing explored yet."""
        return cls(0, 0, np.zeros(policies), np.zeros(policies))


def hoeffding_bounds(
    tally: Tally,
    seen: IntArray,
    caps: IntArray,
    *,
    logarithm: float,
    bound: float,
    setup_cost: float,
) -> Bounds:
    """Bounds from sums over `seen` tasks each.

    A duration is at least 1, so no cost is bounded below by less than that and the set-up: until
    many tasks have been seen, the printed bound may be negative and no ratio defined.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(logarithm / (2.0 * seen))
        reward = np.where(seen > 0, tally.reward_sums / seen, 0.0)
        cost = setup_cost + np.where(seen > 0, tally.duration_sums / seen, 1.0)
        spread = np.where(caps > 1, (caps - 1) * error, 0.0)
    return Bounds(
        reward_low=reward - 2.0 * bound * error,
        reward_high=reward + 2.0 * bound * error,
        cost_low=np.maximum(cost - spread, 1.0 + setup_cost),
        cost_high=cost + spread,
    )


def chosen_by(bounds: Bounds, candidates: IntArray) -> int:
    """The candidate to run for good (eq. (7)): the one whose best case is best."""
    best_case = bounds.roi_high[candidates]
    # Where any candidate may earn something, those that surely lose have a negative best case.
    return int(candidates[np.argmax(best_case)])
