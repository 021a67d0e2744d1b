"""What every learner is: a plan, what was learned, and what is known."""

from dataclasses import dataclass
from typing import Protocol

from dwell.arrays import FloatArray
from dwell.estimate.bounds import Bounds
from dwell.families import Countable
from dwell.policies import Policies
from dwell.records import Records


@dataclass(frozen=True, slots=True)
class Plan:
    """How the next tasks are to be run.

    Attributes:
        policies: The policies that a record must cover.
        accepts: Whether the decision counts; if not, every task is rejected.
        oversamples: Whether to draw exactly twice the largest cap; if not, draw until all the
            policies have stopped.
        tasks: For how many tasks the plan stands, unless `learn` changes it; None for good.
        extras: How many samples to draw after each acceptance, to estimate the value from.
        decider: Which of the policies decides; the last by default.
    """

    policies: Policies
    accepts: bool
    oversamples: bool
    tasks: int | None
    extras: int = 0
    decider: int = -1

    @property
    def samples(self) -> int:
        """The most samples that one task can take."""
        return self.policies.caps[-1] * (2 if self.oversamples else 1) + self.extras


def for_good(policies: Policies, chosen: int | None) -> Plan:
    """The plan to run one of the policies from now on; or, if none, to reject everything.

    The cheapest way to reject is to run the shortest policy and not to heed its decision.
    """
    index = 0 if chosen is None else chosen
    alone = policies[index : index + 1]
    return Plan(alone, accepts=chosen is not None, oversamples=False, tasks=None)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a learner knows, for people to read; nothing in it is needed to go on.

    Attributes:
        candidates: The indices of the policies that may still be the best.
        dropped_at: Per policy, the task after which it was dropped; 0 for a candidate.
        bounds: Confidence bounds, valid for all policies at once; None if the learner has none.
        chosen: The policy that is run but for exploring; None while there is none.
        explored: How many tasks were explored.
        samples: How many samples exploring took.
        roi: Estimates of the policies' ROI; None if the learner has none.
        note: What a person should know besides; empty if nothing.
    """

    candidates: tuple[int, ...]
    dropped_at: tuple[int, ...]
    bounds: Bounds | None
    chosen: int | None
    explored: int
    samples: int
    roi: FloatArray | None = None
    note: str = ""

    @property
    def roi_low(self) -> FloatArray | None:
        """Lower ends of the policies' ROI intervals."""
        return None if self.bounds is None else self.bounds.roi_low

    @property
    def roi_high(self) -> FloatArray | None:
        """Upper ends of the policies' ROI intervals."""
        return None if self.bounds is None else self.bounds.roi_high


class Learner(Protocol):
    """A pure state machine over tasks."""

    @property
    def choices(self) -> Policies | Countable:
        """The policies among which it looks for the best."""

    @property
    def setup_cost(self) -> float:
        """What each task costs besides its samples."""

    def plan(self) -> Plan | None:
        """How the next tasks are to be run; None when there is nothing left to run."""

    def learn(self, records: Records) -> int:
        """Take in records made under the plan, in order, and return how many were taken.

        Where the plan changes in the middle of a block, the rest of the block is not taken: it has
        to be recorded again under the new plan.
        """

    def knowledge(self) -> Knowledge:
        """What is known so far."""
