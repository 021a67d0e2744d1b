"""Periods: what each policy would have done on tasks that are known by sums over periods only."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dwell import checks
from dwell.arrays import Decisions, FloatArray, IntArray, starts_of
from dwell.columns import numbers
from dwell.errors import InvalidInput
from dwell.kernels.periods import look_at_ends
from dwell.policies import AnyPolicy, Policies
from dwell.sparse_policy import MOST_SAMPLES


@dataclass(frozen=True, slots=True)
class Periods:
    """Tasks that are known by the number and the sum of samples in each period, such as a day.

    Attributes:
        lengths: How many periods each task has.
        counts: How many samples each period has, at least 1: all periods of the first task, then …
        sums: Their sum.

    Example:
        >>> days = Periods(np.array([2, 1]), np.array([9, 1, 4]), np.array([3.0, 1.0, -2.0]))
        >>> len(days), days.samples.tolist()
        (2, [10, 4])
    """

    lengths: IntArray
    counts: IntArray
    sums: FloatArray

    def __post_init__(self) -> None:
        lengths, counts, sums = self.lengths, self.counts, self.sums
        if lengths.dtype.kind not in "iu" or lengths.min(initial=0) < 0:
            raise InvalidInput("lengths must be whole numbers of periods >= 0, one per task")
        if not len(counts) == len(sums) == lengths.sum():
            raise InvalidInput(
                f"periods need a count and a sum each, got {len(counts)} and {len(sums)} for "
                f"{lengths.sum()} periods"
            )
        if counts.dtype.kind not in "iu" or counts.min(initial=1) < 1:
            raise InvalidInput(
                f"counts must be whole numbers >= 1, got {counts.min(initial=1)}: leave periods "
                "without samples out"
            )
        # As floats: what is too much does not wrap around.
        totals = np.bincount(np.repeat(np.arange(len(lengths)), lengths), counts, len(lengths))
        if totals.max(initial=0.0) > MOST_SAMPLES:
            raise InvalidInput(
                f"a task must have at most 2^53 samples in all its periods, got {totals.max():g}"
            )
        if not np.isfinite(sums).all():
            at = int(np.flatnonzero(~np.isfinite(sums))[0])
            raise InvalidInput(
                f"sums must be finite, got {sums[at]} in period {at + 1}: give samples in larger "
                "units"
            )

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def starts(self) -> IntArray:
        """Where the periods of each task start, and where those of the last one end."""
        return starts_of(self.lengths)

    @property
    def samples(self) -> IntArray:
        """How many samples each task has."""
        return np.diff(starts_of(self.counts)[self.starts])

    def in_units_of(self, noise: ArrayLike) -> "Periods":
        """The same tasks in units of their own noise, as it is known at the end of each period.

        So tests of different noise can be run by one policy and learned from together: their
        effects then count in proportion to their noise.

        Args:
            noise: The standard deviation of a sample, from all samples of the task so far; an
                entry per period.

        Example:
            >>> days = Periods(np.array([2]), np.array([5, 5]), np.array([3.0, 1.0]))
            >>> days.in_units_of([0.5, 0.4]).sums.tolist()
            [6.0, 4.0]
        """
        scale = numbers("noise", noise)
        if scale.shape != self.sums.shape or not (np.isfinite(scale) & (scale > 0.0)).all():
            raise InvalidInput(
                f"noise must be a number above 0 for each of {len(self.sums)} periods, got "
                f"{checks.shown(noise)}"
            )
        task = np.repeat(np.arange(len(self)), self.lengths)
        before = np.append(0.0, np.cumsum(self.sums))
        so_far = (before[1:] - before[self.starts[:-1]][task]) / scale
        first = np.append(True, np.diff(task) > 0)[: len(task)]
        earlier = np.where(first, 0.0, np.append(0.0, so_far)[: len(task)])
        return Periods(self.lengths, self.counts, so_far - earlier)


@dataclass(frozen=True, slots=True)
class PeriodOutcomes:
    """What each policy (a column) did on each task (a row), looking at ends of periods.

    Attributes:
        durations: How many samples it drew: whole periods.
        decisions: 1 for accept, 0 for reject, -1 where the periods ended before it stopped.
        rest: The mean of the samples that follow an acceptance: NaN where none do, 0 where there
            was no acceptance.
        caps: The most samples that each policy may draw on such periods: its cap, or more by less
            than a period.
    """

    durations: IntArray
    decisions: Decisions
    rest: FloatArray
    caps: IntArray


def scan_periods(
    periods: Periods,
    policies: AnyPolicy | Iterable[AnyPolicy],
    *,
    seen: IntArray | None = None,
) -> PeriodOutcomes:
    """Run policies on tasks, looking at ends of periods only.

    A look that is due within a period is made at its end; of several, the latest. So a policy may
    draw more than its cap, by less than a period.

    Args:
        periods: The tasks.
        policies: One policy or many; none may be a Python function.
        seen: How many periods of each task policies may look at, so that some samples are left to
            score every acceptance with; None for all: what is recorded live is looked at to its
            end.

    Example:
        >>> from dwell import fixed
        >>> days = Periods(np.array([3]), np.array([2, 2, 1]), np.array([1.0, -3.0, 0.5]))
        >>> found = scan_periods(days, [fixed(1), fixed(5, 2), fixed(6)])
        >>> found.durations.tolist(), found.decisions.tolist(), found.rest.round(2).tolist()
        ([[2, 5, 5]], [[1, 0, -1]], [[-0.83, 0.0, 0.0]])
        >>> scan_periods(days, fixed(5, 2), seen=np.array([2])).decisions.tolist()
        [[-1]]
    """
    policies = Policies.of(policies)
    if policies.rules:
        raise InvalidInput("a Rule looks at every sample and cannot run on periods; use a Policy")
    shape = (len(policies), len(periods))
    # A policy's column lies in one piece: columns are filled, and asked for, one by one.
    durations, decisions = np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.int8)
    rest, caps = np.empty(shape), np.empty(len(policies), dtype=np.int64)
    sums, counts = periods.sums.astype(np.float64), periods.counts.astype(np.int64)
    starts = periods.starts
    seen = periods.lengths.astype(np.int64) if seen is None else seen
    for k, looks in enumerate(policies.by_looks):
        caps[k] = look_at_ends(
            sums,
            counts,
            starts,
            looks.looks,
            looks.lower,
            looks.upper,
            seen,
            durations[k],
            decisions[k],
            rest[k],
        )
    return PeriodOutcomes(durations.T, decisions.T, rest.T, caps)
