"""Records: what tasks teach about each policy.

For each candidate policy a record says how long it would have run, whether it would have accepted,
and an unbiased estimate of what it would have earned. The estimate uses only samples drawn after
the longest candidate's cap: they are independent of every decision, and nothing else is (Lemma
imposs of the paper).
"""

from dataclasses import dataclass

import numpy as np

from dwell.arrays import Decisions, Durations, FloatArray, IntArray, Samples
from dwell.errors import InvalidInput
from dwell.kernels.crossing import tail_means
from dwell.outcomes import scan
from dwell.policies import Policies


@dataclass(frozen=True, slots=True)
class Records:
    """A block of tasks (rows) as seen by policies (columns).

    Attributes:
        durations: How many samples each policy would have drawn.
        decisions: Whether it would have accepted.
        rewards: Unbiased estimates of what it would have earned; None where no samples were drawn
            beyond its decision.
        drawn: How many samples were drawn in each task.
    """

    durations: Durations
    decisions: Decisions
    rewards: FloatArray | None
    drawn: IntArray

    def __post_init__(self) -> None:
        shape = self.durations.shape
        if self.decisions.shape != shape or (len(self.drawn),) != shape[:1]:
            raise InvalidInput(f"records need a decision per duration, got {shape} durations")
        if self.rewards is not None and self.rewards.shape != shape:
            raise InvalidInput(
                f"records need a reward per duration, got {shape} durations and "
                f"{self.rewards.shape} rewards"
            )

    def __len__(self) -> int:
        return len(self.drawn)

    def first(self, count: int) -> "Records":
        """The records of the first tasks."""
        return Records(
            self.durations[:count],
            self.decisions[:count],
            None if self.rewards is None else self.rewards[:count],
            self.drawn[:count],
        )


def oversampled(samples: Samples, policies: Policies) -> Records:
    """Records of tasks in which twice the longest cap was drawn (Algorithm 1, line 2).

    Args:
        samples: A row per task with 2 D samples, D the cap of the last policy.
        policies: The policies to record.
    """
    outcomes = scan(samples, policies)
    cap = policies.caps[-1]
    means = tail_means(samples, cap, 2 * cap)
    return Records(
        durations=outcomes.durations,
        decisions=outcomes.decisions,
        rewards=outcomes.decisions * means[:, None],
        drawn=np.full(len(samples), 2 * cap, dtype=np.int64),
    )
