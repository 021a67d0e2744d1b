"""A block in which some tests are known sample by sample, and others by sums over periods."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dwell.arrays import BoolArray, IntArray
from dwell.errors import InvalidInput
from dwell.history.reading.block import Block, HeldOut, LeaveOneOut, Spread
from dwell.history.reading.blocks import PeriodBlock, SampleBlock
from dwell.history.reading.looking import Looked, Looking
from dwell.history.reading.quality import Quality
from dwell.policies import Policies


@dataclass(frozen=True, slots=True)
class MixedBlock:
    """Tests of both kinds, in their order.

    Attributes:
        by_period: Which tests are known by sums over periods.
        samples: The others.
        periods: Those.
        quality: What was found in the rows that all of them were read from.

    Example:
        >>> one, half = np.array([1]), np.array([0.5])
        >>> days = PeriodBlock(("red",), np.array([1]), np.array([9]), half, half)
        >>> block = MixedBlock(np.array([True, False]), SampleBlock(("blue",), one, half), days)
        >>> block.names, block.drawn.tolist()
        (('red', 'blue'), [9, 1])
    """

    by_period: BoolArray
    samples: SampleBlock
    periods: PeriodBlock
    quality: Quality = field(default_factory=Quality)
    in_periods: ClassVar[bool] = True

    def __post_init__(self) -> None:
        kinds = int(self.by_period.sum()), int((~self.by_period).sum())
        if kinds != (len(self.periods.names), len(self.samples.names)):
            raise InvalidInput(
                f"a block needs a test per mark, got {len(self.periods.names)} and "
                f"{len(self.samples.names)} tests for {kinds[0]} and {kinds[1]} marks"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """What each test is called."""
        periods, samples = iter(self.periods.names), iter(self.samples.names)
        return tuple(next(periods if each else samples) for each in self.by_period.tolist())

    @property
    def drawn(self) -> IntArray:
        """How many samples each test has."""
        return self._placed(self.samples.drawn, self.periods.drawn)

    def long_enough(self) -> "MixedBlock":
        """The tests of two samples or periods or more."""
        long = self._placed(self.samples.lengths, self.periods.lengths) >= 2
        return MixedBlock(
            self.by_period[long], self.samples.long_enough(), self.periods.long_enough()
        )

    def spread(self) -> Spread:
        """Around each test's mean, or each period's."""
        pairs = zip(self.samples.spread(), self.periods.spread(), strict=True)
        return Spread(*(self._placed(of_samples, of_periods) for of_samples, of_periods in pairs))

    def looked(self, looking: Looking) -> Looked:
        """Rules at looks after so many samples, or at ends of periods."""
        # Neither varies with an order that was drawn.
        one, other = self.samples.looked(looking), self.periods.looked(looking)
        placed = (self._placed(*both) for both in zip(one[:-1], other[:-1], strict=True))
        return Looked._make([*placed, one.moves])

    def held_out(self, policies: Policies) -> HeldOut:
        """Run policies; nobody looks at the last fifth of a test."""
        one = self.samples.held_out(policies).by_policy(self.samples.drawn)
        other = self.periods.held_out(policies)
        return HeldOut(
            one.columns,
            np.maximum(one.caps, other.caps),
            self._placed(one.stops, other.stops),
            self._placed(one.decisions, other.decisions),
            self._placed(one.rest, other.rest),
        )

    def leave_one_out(self, z: float) -> LeaveOneOut:
        """Each sample in turn, or each period."""
        pairs = zip(self.samples.leave_one_out(z), self.periods.leave_one_out(z), strict=True)
        accepts, rewards = (self._placed(one, other) for one, other in pairs)
        return LeaveOneOut(accepts, rewards)

    def _placed(self, of_samples: NDArray[Any], of_periods: NDArray[Any]) -> NDArray[Any]:
        """Entries (rows) of both kinds of tests, in the order of all tests."""
        kind = np.result_type(of_samples, of_periods)
        placed = np.empty((len(self.by_period), *of_samples.shape[1:]), dtype=kind)
        placed[~self.by_period], placed[self.by_period] = of_samples, of_periods
        return placed


def block_of(
    by_period: BoolArray, samples: SampleBlock, periods: PeriodBlock, quality: Quality
) -> Block:
    """A block of one kind where all tests are of one kind.

    Args:
        by_period: Which tests are known by sums over periods.
        samples: The others.
        periods: Those.
        quality: What was found in the rows.
    """
    if not by_period.any():
        return replace(samples, quality=quality)
    if by_period.all():
        return replace(periods, quality=quality)
    return MixedBlock(by_period, samples, periods, quality)
