"""End: what teams do today: run each test to its end, and ship it if it is far enough ahead.

All samples of a test decide, and none is left to score the decision on. So each sample is left out
in turn: the others decide, and it scores. Given the idea's value all samples are alike, so the mean
over all of them is unbiased for what the rule earns with one sample less.
"""

from dataclasses import dataclass

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray, IntArray
from dwell.history.batches import Batches
from dwell.history.tests import Tests
from dwell.kernels.leaving_out import without_a_period, without_a_sample


@dataclass(frozen=True, slots=True)
class AtEnd:
    """Run each test to its end; ship it if it is more than z standard errors ahead.

    Attributes:
        z: How many; 0 to ship whatever is ahead, 1.96 for what is significant at 5 %.

    Example:
        >>> import numpy as np
        >>> played = AtEnd().played(Tests(("blue",), np.array([3]), np.array([2.0, 1.0, -2.0])))
        >>> played.accepts.round(2).tolist(), played.rewards.round(2).tolist()
        ([0.33], [-0.67])
    """

    z: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "z", checks.not_negative("z", self.z))

    @property
    def name(self) -> str:
        """What to call the rule."""
        if not self.z:
            return "to the end, ship if ahead"
        return f"to the end, ship if {self.z:.3g} standard errors ahead"

    def played(self, block: Tests | Batches) -> "Played":
        """The rule on a block of tests."""
        shares, rewards = np.empty(len(block)), np.empty(len(block))
        if isinstance(block, Batches):
            drawn = np.add.reduceat(block.counts, block.starts[:-1])
            without_a_period(
                block.sums, block.counts, block.variances, block.starts, self.z, shares, rewards
            )
        else:
            drawn = block.lengths
            without_a_sample(block.samples, block.starts, self.z, shares, rewards)
        return Played(drawn, shares, rewards, int(drawn.max(initial=1)))


@dataclass(frozen=True, slots=True)
class Played:
    """A rule on past tests.

    Attributes:
        durations: How many samples it drew in each.
        accepts: Whether it accepted, or how often of the times that it was asked.
        rewards: Unbiased estimates of what it earned.
        cap: The most samples that it draws in such tests.
    """

    durations: IntArray
    accepts: FloatArray
    rewards: FloatArray
    cap: int

    def joined(self, *others: "Played") -> "Played":
        """These tests and others, one after another."""
        parts = (self, *others)
        return Played(
            np.concatenate([part.durations for part in parts]),
            np.concatenate([part.accepts for part in parts]),
            np.concatenate([part.rewards for part in parts]),
            max(part.cap for part in parts),
        )
