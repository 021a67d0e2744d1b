"""Blocks: whole tests, known sample by sample or by sums over periods.

Both kinds answer the same calls, so that nobody who runs policies on past tests has to know which
kind a log holds.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from dwell.arrays import BoolArray, FloatArray, IntArray, Samples, starts_of
from dwell.errors import InvalidInput
from dwell.history.reading.block import HeldOut, LeaveOneOut, Spread
from dwell.history.reading.looking import Looked, Looking, seen_of
from dwell.history.reading.quality import Quality
from dwell.kernels.leaving_out import without_a_period, without_a_sample
from dwell.kernels.looks import look_at_periods, look_at_samples
from dwell.kernels.rest import rest_means
from dwell.kernels.spread import squared_deviations
from dwell.outcomes import scan
from dwell.periods import Periods, scan_periods
from dwell.policies import Policies


@dataclass(frozen=True, slots=True)
class SampleBlock:
    """A block of tests whose samples are known one by one.

    Attributes:
        names: What each test is called.
        lengths: How many samples it has; 0 where no pair could be made of its rows.
        samples: All samples of the first test in their order, then those of the second, …
        quality: What was found in the rows that they were read from.

    Example:
        >>> import numpy as np
        >>> block = SampleBlock(("blue", "red"), np.array([2, 1]), np.array([0.5, 1.0, -2.0]))
        >>> block.starts.tolist(), block.long_enough().names
        ([0, 2, 3], ('blue',))
    """

    names: tuple[str, ...]
    lengths: IntArray
    samples: Samples
    quality: Quality = field(default_factory=Quality)
    in_periods: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if len(self.names) != len(self.lengths) or self.lengths.sum() != len(self.samples):
            raise InvalidInput(
                f"tests need a length each, and lengths that sum to the number of samples, "
                f"{len(self.samples)}, got {len(self.names)} names and {len(self.lengths)} lengths "
                f"that sum to {self.lengths.sum()}"
            )

    @property
    def starts(self) -> IntArray:
        """Where each test starts in `samples`, and where the last one ends."""
        return starts_of(self.lengths)

    @property
    def drawn(self) -> IntArray:
        """How many samples each test has."""
        return self.lengths

    def long_enough(self) -> "SampleBlock":
        """The tests of two samples or more."""
        return self.with_at_least(2)

    def with_at_least(self, length: int) -> "SampleBlock":
        """The tests of so many samples or more."""
        long = self.lengths >= length
        if long.all():
            return self
        kept = np.repeat(long, self.lengths)
        return SampleBlock(chosen(self.names, long), self.lengths[long], self.samples[kept])

    def spread(self) -> Spread:
        """Around each test's mean."""
        squares, fourths = np.empty(len(self.names)), np.empty(len(self.names))
        squared_deviations(self.samples, self.starts, squares, fourths)
        return Spread(seen_of(self.lengths), squares, self.lengths - 1, fourths)

    def looked(self, looking: Looking) -> Looked:
        """Rules at looks after so many samples."""
        found = np.zeros((len(self.names), len(looking.rules), 4))
        measured = np.empty((len(self.names), 2))
        look_at_samples(
            self.samples,
            self.starts,
            seen_of(self.lengths),
            looking.grid,
            *looking.noise,
            looking.sizes,
            looking.shapes,
            looking.limits,
            found,
            measured,
        )
        return _looked(found, measured, self.drawn)

    def held_out(self, policies: Policies) -> HeldOut:
        """Run policies on all samples of each test but the last fifth."""
        if policies.sparse:  # a sample is a period then
            ones = np.ones(len(self.samples), dtype=np.int64)
            alone = PeriodBlock(self.names, self.lengths, ones, self.samples, self.samples)
            return alone.held_out(policies)
        outcomes = scan(self.samples, policies.heads, self.lengths)
        # What stops later has seen what it may not see: it is taken as not having stopped.
        visible = seen_of(self.lengths)[:, np.newaxis].astype(outcomes.durations.dtype)
        late = outcomes.durations > visible
        stops = np.where(late, visible, outcomes.durations)
        decisions = np.where(late, np.int8(-1), outcomes.decisions)
        rest = np.empty(stops.shape)
        whole = self.samples.dtype == np.int8
        numbers = self.samples if whole else self.samples.astype(np.float64, copy=False)
        rest_means(numbers, self.starts, stops, decisions, rest)
        caps = np.array(policies.caps, dtype=np.int64)
        return HeldOut(policies.head_of, caps, stops, decisions, rest)

    def leave_one_out(self, z: float) -> LeaveOneOut:
        """Each sample in turn."""
        accepts, rewards = np.empty(len(self.names)), np.empty(len(self.names))
        without_a_sample(self.samples, self.starts, z, accepts, rewards)
        return LeaveOneOut(accepts, rewards)


@dataclass(frozen=True, slots=True)
class PeriodBlock:
    """A block of tests that are known by sums over periods; policies may look at their ends only.

    Of a period with two arms, n is half of their users, the mean is the treatment's minus the
    control's, and the variance is such that variance / n is that of the mean: all outcomes count,
    and a period of equal arms is what pairs of outcomes would give.

    Attributes:
        names: What each test is called.
        lengths: How many periods it has.
        counts: How many samples each period has: all periods of the first test, then …
        sums: Their sum.
        variances: The variance of one of them.
        quality: What was found in the rows that they were read from.

    Example:
        >>> import numpy as np
        >>> counts, sums, variances = np.array([9, 1]), np.array([3.0, 1.0]), np.array([1.0, 0.5])
        >>> days = PeriodBlock(("blue",), np.array([2]), counts, sums, variances)
        >>> days.drawn.tolist(), days.spread().visible.tolist()
        ([10], [9])
    """

    names: tuple[str, ...]
    lengths: IntArray
    counts: IntArray
    sums: FloatArray
    variances: FloatArray
    quality: Quality = field(default_factory=Quality)
    in_periods: ClassVar[bool] = True

    def __post_init__(self) -> None:
        periods = {len(self.counts), len(self.sums), len(self.variances), int(self.lengths.sum())}
        if len(self.names) != len(self.lengths) or len(periods) != 1:
            raise InvalidInput(
                f"batches need a count, a sum and a variance per period, got {len(self.counts)}, "
                f"{len(self.sums)} and {len(self.variances)} for {self.lengths.sum()} periods of "
                f"{len(self.names)} tests"
            )

    @property
    def starts(self) -> IntArray:
        """Where the periods of each test start, and where those of the last one end."""
        return starts_of(self.lengths)

    @property
    def drawn(self) -> IntArray:
        """How many samples each test has."""
        return self._periods.samples

    @property
    def _periods(self) -> Periods:
        return Periods(self.lengths, self.counts, self.sums)

    def long_enough(self) -> "PeriodBlock":
        """The tests of two periods or more."""
        return self.with_at_least(2)

    def with_at_least(self, length: int) -> "PeriodBlock":
        """The tests of so many periods or more."""
        long = self.lengths >= length
        if long.all():
            return self
        kept = np.repeat(long, self.lengths)
        columns = (self.counts[kept], self.sums[kept], self.variances[kept])
        return PeriodBlock(chosen(self.names, long), self.lengths[long], *columns)

    def spread(self) -> Spread:
        """Around each period's mean."""
        with np.errstate(over="ignore"):  # who takes the root asks whether it is finite
            squares = np.add.reduceat(self.counts * self.variances, self.starts[:-1])
            drawn = self.drawn
            fourths = 3.0 * squares * (squares / np.maximum(drawn, 1))
        ends = starts_of(self.counts)
        visible = ends[self.starts[:-1] + seen_of(self.lengths)] - ends[self.starts[:-1]]
        return Spread(visible, squares, drawn, fourths)

    def looked(self, looking: Looking) -> Looked:
        """Rules at ends of periods in which looks are due."""
        found = np.zeros((len(self.names), len(looking.rules), 4))
        measured = np.empty((len(self.names), 2))
        look_at_periods(
            self.sums,
            self.counts,
            self.variances,
            self.starts,
            seen_of(self.lengths),
            looking.grid,
            *looking.noise,
            looking.sizes,
            looking.shapes,
            looking.limits,
            found,
            measured,
        )
        return _looked(found, measured, self.drawn)

    def held_out(self, policies: Policies) -> HeldOut:
        """Run policies at ends of all periods of each test but the last fifth."""
        found = scan_periods(self._periods, policies, seen=seen_of(self.lengths))
        columns = np.arange(len(policies))
        return HeldOut(columns, found.caps, found.durations, found.decisions, found.rest)

    def leave_one_out(self, z: float) -> LeaveOneOut:
        """Each period in turn."""
        accepts, rewards = np.empty(len(self.names)), np.empty(len(self.names))
        without_a_period(self.sums, self.counts, self.variances, self.starts, z, accepts, rewards)
        return LeaveOneOut(accepts, rewards)


def _looked(found: FloatArray, measured: FloatArray, drawn: IntArray) -> Looked:
    effects, variances = measured.T
    return Looked.of(found, effects, np.sqrt(variances / drawn), np.sqrt(variances))


def chosen(names: tuple[str, ...], which: BoolArray) -> tuple[str, ...]:
    """Some of the names."""
    return tuple(name for name, chosen in zip(names, which.tolist(), strict=True) if chosen)
