"""ROI of one policy, and the comparison of two on the same tasks, at all n at once."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from dwell import checks
from dwell.arrays import BoolArray, FloatArray
from dwell.errors import InvalidInput
from dwell.estimate.bounds import Bounds
from dwell.estimate.intervals import Intervals
from dwell.estimate.observations import within
from dwell.estimate.sequences import empirical_bernstein


class ConfidenceSequence(Protocol):
    """Any function of `dwell.estimate.sequences`; each side errs with at most alpha / 2."""

    def __call__(
        self, observations: ArrayLike, *, alpha: float, low: float, high: float
    ) -> Intervals:
        """Intervals for the mean of observations in [low, high]."""
        ...


def roi(
    rewards: ArrayLike,
    durations: ArrayLike,
    *,
    alpha: float,
    bound: float,
    cap: int,
    setup_cost: float = 0.0,
    sequence: ConfidenceSequence = empirical_bernstein,
) -> Intervals:
    """Intervals for a policy's ROI, E[reward] / (set-up cost + E[duration]).

    Mean reward and mean duration each get alpha / 2; where both intervals hold, the ratio lies
    between the least and the greatest ratio that they allow. Nothing is assumed about how rewards
    and durations depend on one another.

    Args:
        rewards: Unbiased estimates of what the policy earned on each task, in [-bound, bound].
        durations: How many samples it drew on the same tasks, 1 to cap.
        alpha: The probability that some interval may miss the ROI.
        bound: Observations lie in [-bound, bound].
        cap: The most samples that the policy may draw.
        setup_cost: What each task costs besides its samples.
        sequence: Which intervals to use for the two means.

    Example:
        >>> found = roi([1, 0, 0, 1] * 250, [3, 1, 1, 3] * 250, alpha=0.05, bound=1, cap=3)
        >>> round(float(found.low[-1]), 3), round(float(found.high[-1]), 3)
        (0.206, 0.301)
    """
    alpha = checks.probability("alpha", alpha)
    setup_cost = checks.not_negative("set-up cost", setup_cost)
    bound, cap = checks.positive("bound", bound), checks.count("cap", cap)
    earned = within("rewards", rewards, -bound, bound)
    drawn = within("durations", durations, 1, cap)
    _require_same_tasks(earned, drawn)
    reward = sequence(earned, alpha=alpha / 2.0, low=-bound, high=bound)
    if cap == 1:  # every duration is 1
        cost = Intervals(drawn, drawn)
    else:
        cost = sequence(drawn, alpha=alpha / 2.0, low=1, high=cap)
    bounds = Bounds(reward.low, reward.high, setup_cost + cost.low, setup_cost + cost.high)
    return Intervals(bounds.roi_low, bounds.roi_high, reward.approximate)


@dataclass(frozen=True, slots=True)
class Comparison(Intervals):
    """Intervals for how much better one policy is than another, at the best ROI of the class."""

    @property
    def worse(self) -> BoolArray:
        """After which tasks the policy is guaranteed not to be the best of the class."""
        return self.high < 0.0

    @property
    def other_worse(self) -> BoolArray:
        """After which tasks the other policy is guaranteed not to be."""
        return self.low > 0.0


def difference(
    rewards: ArrayLike,
    durations: ArrayLike,
    other_rewards: ArrayLike,
    other_durations: ArrayLike,
    *,
    roi_low: float,
    roi_high: float,
    alpha: float,
    bound: float,
    cap: int,
    other_cap: int,
    sequence: ConfidenceSequence = empirical_bernstein,
) -> Comparison:
    """Compare two policies k and j of a class on the same tasks; set-up costs cancel.

    Let t be the best ROI of the class and D(t) = E[(R_k - R_j) - t (C_k - C_j)]. As no policy has
    E[R] - t E[C] > 0, D(t) < 0 means that k has less than 0 and is not the best; D(t) > 0, that j
    is not. D is a line, so D(t) lies between D(roi_low) and D(roi_high). The interval reaches from
    the lower of the two lower ends to the higher of the two upper ends. To miss D(t) above, it must
    miss the greater of the two numbers above; to miss it below, the lesser one below. Which is
    which does not depend on the data, and each sequence errs with at most alpha / 2 on either side:
    so alpha need not be shared between the two.

    For that, roi_low and roi_high must be fixed before the tasks are seen. Where the same tasks
    narrow the ROI down, compare on the cells of a fixed grid of ROIs, each at alpha: a policy is
    worse if all cells say so in which the best ROI may still lie. Unless it was
    excluded by mistake, one of them is the cell in which it lies, and that one errs with at most
    alpha.

    Args:
        rewards: Unbiased estimates of what policy k earned on each task, in [-bound, bound].
        durations: How many samples it drew, 1 to cap.
        other_rewards: The same of policy j.
        other_durations: The same of policy j, 1 to other_cap.
        roi_low: The best ROI of the class is at least this.
        roi_high: And at most this.
        alpha: The probability that some interval may miss D(t).
        bound: Observations lie in [-bound, bound].
        cap: The most samples that policy k may draw.
        other_cap: The most that policy j may draw.
        sequence: Which intervals to use.

    Example:
        >>> earned, drawn = [1, 0, 0, 1] * 99, [3, 3, 3, 3] * 99
        >>> found = difference(
        ...     earned, drawn, earned, [1, 1, 1, 1] * 99, roi_low=0.25, roi_high=0.5, alpha=0.05,
        ...     bound=1, cap=3, other_cap=1)
        >>> found.worse[[9, -1]].tolist()
        [False, True]
    """
    roi_low, roi_high = checks.finite("roi_low", roi_low), checks.finite("roi_high", roi_high)
    if roi_low > roi_high:
        raise InvalidInput(f"roi_low must not exceed roi_high, got {roi_low} and {roi_high}")
    bound = checks.positive("bound", bound)
    cap, other_cap = checks.count("cap", cap), checks.count("other_cap", other_cap)
    earned = within("rewards", rewards, -bound, bound)
    drawn = within("durations", durations, 1, cap)
    other_earned = within("other_rewards", other_rewards, -bound, bound)
    other_drawn = within("other_durations", other_durations, 1, other_cap)
    _require_same_tasks(earned, drawn, other_earned, other_drawn)
    ends = []
    for best in (roi_low, roi_high):
        paid = best * np.array([1.0 - other_cap, cap - 1.0])
        ends.append(
            sequence(
                (earned - other_earned) - best * (drawn - other_drawn),
                alpha=alpha,
                low=-2.0 * bound - float(paid.max()),
                high=2.0 * bound - float(paid.min()),
            )
        )
    return Comparison(
        np.minimum(ends[0].low, ends[1].low),
        np.maximum(ends[0].high, ends[1].high),
        ends[0].approximate,
    )


def _require_same_tasks(*series: FloatArray) -> None:
    lengths = [len(numbers) for numbers in series]
    if len(set(lengths)) > 1:
        counts = ", ".join(map(str, lengths))
        raise InvalidInput(f"rewards and durations must be of the same tasks, got {counts} of them")
