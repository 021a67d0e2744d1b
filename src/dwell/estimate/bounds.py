"""Bounds on rewards and costs, and the ROI intervals that follow from them."""

from dataclasses import dataclass

import numpy as np

from dwell.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Bounds:
    """Confidence bounds on reward and cost, an entry per policy or per number of tasks.

    The paper prints reward_low / cost_high as the lower end of the ROI interval whenever
    reward_high >= 0. With reward_low < 0 that is no lower bound; reward_low / cost_low is. The
    ends here are the valid ones.

    Example:
        >>> from numpy import array
        >>> bounds = Bounds(array([-0.1]), array([0.2]), array([2.0]), array([4.0]))
        >>> bounds.roi_low.tolist(), bounds.roi_high.tolist()
        ([-0.05], [0.1])
    """

    reward_low: FloatArray
    reward_high: FloatArray
    cost_low: FloatArray
    cost_high: FloatArray

    @property
    def roi_low(self) -> FloatArray:
        """The lower ends of the ROI intervals."""
        cost = np.where(self.reward_low >= 0.0, self.cost_high, self.cost_low)
        return self.reward_low / cost

    @property
    def roi_high(self) -> FloatArray:
        """The upper ends of the ROI intervals."""
        cost = np.where(self.reward_high >= 0.0, self.cost_low, self.cost_high)
        return self.reward_high / cost
