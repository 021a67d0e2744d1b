"""What every learner is: a plan, what was learned, and what is known."""

from dataclasses import dataclass
from typing import Protocol

from dwell.arrays import FloatArray
from dwell.families import Countable
from dwell.learners.bounds import Bounds
from dwell.policies import Policies
from dwell.records import Records


@dataclass(frozen=True, slots=True)
class Plan:
    """How the next tasks are to be run.

    Attributes:
        policies: The policies that a record must cover; the last one decides.
        accepts: Whether the decision counts; if not, every task is rejected.
        oversamples: Whether to draw exactly twice the last policy's cap; if not, draw as many
            samples as that policy wants.
        tasks: For how many tasks the plan stands, unless `learn` changes it; None for good.
    """

    policies: Policies
    accepts: bool
    oversamples: bool
    tasks: int | None

    @property
    def samples(self) -> int:
        """The most samples that one task can take."""
        return self.policies.caps[-1] * (2 if self.oversamples else 1)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a learner knows, for people to read; nothing in it is needed to go on.

    Attributes:
        candidates: The indices of the policies that may still be the best.
        dropped_at: Per policy, the task after which it was dropped; 0 for a candidate.
        bounds: Confidence bounds, valid for all policies at once; None if the learner has none.
        chosen: The policy that is run from now on; None while exploring.
        explored: How many tasks were explored.
        samples: How many samples exploring took.
        note: What a person should know besides; empty if nothing.
    """

    candidates: tuple[int, ...]
    dropped_at: tuple[int, ...]
    bounds: Bounds | None
    chosen: int | None
    explored: int
    samples: int
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
