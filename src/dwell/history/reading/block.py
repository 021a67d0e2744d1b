"""What a block of whole tests answers, whatever it knows them by."""

from typing import NamedTuple, Protocol, Self

import numpy as np

from dwell.arrays import Decisions, Durations, FloatArray, IntArray
from dwell.history.reading.looking import Looked, Looking, seen_of
from dwell.history.reading.quality import Quality
from dwell.policies import Policies


class Spread(NamedTuple):
    """How far samples lie from the mean of their test (or period): an entry per test."""

    visible: IntArray  # how many samples policies may see: what comes last scores them
    squares: FloatArray
    degrees_of_freedom: IntArray
    fourths: FloatArray  # sums of fourth powers; as of a normal law where they are not known


class HeldOut(NamedTuple):
    """Policies (columns) on tests (rows), whose last samples no policy has seen.

    Of policies that differ only in their caps, one may have a column.
    """

    columns: IntArray  # which of them each policy has
    caps: IntArray  # the most samples that each policy may draw
    stops: IntArray | Durations
    decisions: Decisions  # -1 where no policy may look any further
    rest: FloatArray  # the mean of the samples that follow an acceptance, 0 elsewhere

    def by_policy(self, drawn: IntArray) -> "HeldOut":
        """The same with a column for each policy.

        Args:
            drawn: How many samples each test has.
        """
        count = len(self.columns)
        if self.stops.shape[1] == count and (self.columns == np.arange(count)).all():
            return self
        stops, decisions = self.stops[:, self.columns], self.decisions[:, self.columns]
        # A shorter policy stops at its own cap, and rejects there.
        visible = seen_of(drawn)[:, np.newaxis]
        at_cap = (stops > self.caps) | ((decisions < 0) & (visible >= self.caps))
        return HeldOut(
            np.arange(count),
            self.caps,
            np.minimum(stops, self.caps),
            np.where(at_cap, np.int8(0), decisions),
            np.where(at_cap, 0.0, self.rest[:, self.columns]),
        )


class LeaveOneOut(NamedTuple):
    """A rule on each test without one of its samples (or periods), which then scores it."""

    accepts: FloatArray  # how often it accepts, of the times that it is asked
    rewards: FloatArray


class Block(Protocol):
    """Whole tests, however much is known of them."""

    @property
    def names(self) -> tuple[str, ...]:
        """What each test is called."""

    @property
    def quality(self) -> Quality:
        """What was found in the rows that they were read from."""

    @property
    def drawn(self) -> IntArray:
        """How many samples each test has."""

    @property
    def in_periods(self) -> bool:
        """Whether policies look at ends of periods, in any of the tests."""

    def long_enough(self) -> Self:
        """The tests that can be decided on some samples and scored on others."""

    def spread(self) -> Spread:
        """How noisy samples are."""

    def held_out(self, policies: Policies) -> HeldOut:
        """Run policies; nobody looks at the last fifth of a test."""

    def looked(self, looking: Looking) -> Looked:
        """Run rules of two limits; nobody looks at the last fifth of a test."""

    def leave_one_out(self, z: float) -> LeaveOneOut:
        """Ship what is more than z standard errors ahead: without each sample or period in turn."""
