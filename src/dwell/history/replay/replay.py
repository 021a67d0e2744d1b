"""Replay: when policies would have stopped on past tests, and what they would have earned.

A decision is scored on the samples that come after it: given the idea's value they are independent
of it, and their number was fixed when it was made, by the length of the test. So accepted or not
times their mean is unbiased for what the policy earns. Scored on the samples that it was made by,
a decision to accept looks better than it is.

This holds if the length of a test did not depend on its results. Where tests were ended because of
what they showed, their last samples are no fair sample, and scores are biased.

To have samples left for every score, the last fifth of each test is seen by no policy. One that
wants more is truncated there. A policy that was given rejects then: what it would have earned by
going on is not known; `truncated` says how often it occurs. See `looked_replay` for rules of two
limits, which ship what is ahead there.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dwell.arrays import BoolArray, Decisions, Durations, FloatArray, IntArray
from dwell.errors import InvalidInput
from dwell.history.reading.block import Block, HeldOut
from dwell.history.reading.blocks import SampleBlock
from dwell.history.reading.looking import seen_of
from dwell.policies import AnyPolicy, Policies


@dataclass(frozen=True, slots=True)
class Replay:
    """Tests as seen by policies; of those that differ only in their caps, one has a column.

    Attributes:
        policies: The policies.
        columns: Each policy's column in what follows.
        caps: The most samples that each policy may draw.
        lengths: How many samples each test has.
        stops: When the longest policy of each column stopped.
        decisions: 1 if it accepted then, 0 if it rejected, -1 if the test ended before.
        rest: The mean of the samples that follow an acceptance.
        in_periods: Whether they look at ends of periods only. Then caps are those of these tests:
            in others, with a larger period, they may draw more.
    """

    policies: Policies
    columns: IntArray
    caps: IntArray
    lengths: IntArray
    stops: IntArray | Durations
    decisions: Decisions
    rest: FloatArray
    in_periods: bool = False

    def __len__(self) -> int:
        return len(self.lengths)

    def durations(self, index: int) -> IntArray:
        """How many samples a policy draws in each test."""
        drawn: IntArray = np.minimum(self.stops[:, self.columns[index]], self.caps[index])
        return drawn

    def accepts(self, index: int) -> BoolArray:
        """Which tests it accepts."""
        column = self.columns[index]
        in_time = self.stops[:, column] <= self.caps[index]
        accepts: BoolArray = in_time & (self.decisions[:, column] == 1)
        return accepts

    def rewards(self, index: int) -> FloatArray:
        """Unbiased estimates of what it earns in each test."""
        return np.where(self.accepts(index), self.rest[:, self.columns[index]], 0.0)

    def truncated(self, index: int) -> BoolArray:
        """Which tests end before it has stopped."""
        undecided: BoolArray = self.decisions[:, self.columns[index]] < 0
        if self.in_periods:  # there is a column for each policy
            return undecided
        truncated: BoolArray = undecided & (seen_of(self.lengths) < self.caps[index])
        return truncated

    @property
    def largest(self) -> float:
        """The size of the largest reward."""
        return float(np.abs(self.rest).max(initial=0.0))

    def by_policy(self) -> "Replay":
        """The same with a column for each policy."""
        held = HeldOut(self.columns, self.caps, self.stops, self.decisions, self.rest)
        columns, caps, stops, decisions, rest = held.by_policy(self.lengths)
        return replace(
            self, columns=columns, caps=caps, stops=stops, decisions=decisions, rest=rest
        )

    def joined(self, *others: "Replay") -> "Replay":
        """This replay and others of the same policies, one after another."""
        parts = (self, *others)
        if any(not np.array_equal(part.columns, self.columns) for part in others):
            parts = tuple(part.by_policy() for part in parts)
        stops, decisions, rest = (
            _stacked([getattr(part, name) for part in parts])
            for name in ("stops", "decisions", "rest")
        )
        return Replay(
            self.policies,
            parts[0].columns,
            np.max([part.caps for part in parts], axis=0),
            np.concatenate([part.lengths for part in parts]),
            stops,
            decisions,
            rest,
            any(part.in_periods for part in parts),
        )


def _stacked(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Rows of all parts; each column lies in one piece, for columns are what is asked for."""
    rows = sum(len(part) for part in parts)
    whole = np.empty((rows, parts[0].shape[1]), dtype=parts[0].dtype, order="F")
    return np.concatenate(parts, out=whole)


def replay(
    samples: ArrayLike, policies: AnyPolicy | Iterable[AnyPolicy], lengths: ArrayLike
) -> Replay:
    """Run policies on past tests.

    Args:
        samples: All tests' samples in one line, each test's in the order in which they came.
        policies: One policy or many; none may be a Python function.
        lengths: How many samples each test has, at least 2.

    Example:
        >>> from dwell import fixed
        >>> found = replay([1, 1, -1, 1, -1, -1], Policies([fixed(1, 1), fixed(2, 1)]), [4, 2])
        >>> found.durations(1).tolist(), found.rewards(1).tolist(), found.truncated(1).tolist()
        ([2, 1], [0.0, 0.0], [False, True])
        >>> found.rewards(0).round(2).tolist()
        [0.33, 0.0]
    """
    counts = np.asarray(lengths)
    if counts.ndim != 1 or counts.dtype.kind not in "iu" or counts.min(initial=2) < 2:
        raise InvalidInput(
            "lengths must be whole numbers of at least 2, one per test: the last samples of each "
            "test score the others"
        )
    flat = np.asarray(samples)
    if flat.ndim != 1 or len(flat) != counts.sum():
        raise InvalidInput(
            f"samples must be one line of {counts.sum():,} numbers, as the lengths say, got shape "
            f"{flat.shape}"
        )
    names = tuple(map(str, range(1, len(counts) + 1)))
    return replay_block(SampleBlock(names, counts.astype(np.int64), flat), policies)


def replay_block(block: Block, policies: AnyPolicy | Iterable[AnyPolicy]) -> Replay:
    """Run policies on a block of past tests.

    Of tests that are known by sums over periods, policies look at ends of periods only: a look that
    is due within a period is made at its end, and of several the latest. So a policy may draw more
    than its cap, by less than a period.

    Args:
        block: The tests, each of two samples (or periods) or more: the last ones score the others.
        policies: One policy or many; none may be a Python function.

    Example:
        >>> from dwell import fixed
        >>> from dwell.history.reading.blocks import PeriodBlock
        >>> counts, sums = np.array([2, 2, 1]), np.array([1.0, -3.0, 0.5])
        >>> days = PeriodBlock(("blue",), np.array([3]), counts, sums, np.ones(3))
        >>> found = replay_block(days, [fixed(1), fixed(3)])
        >>> found.stops.tolist(), found.rewards(0).round(2).tolist()
        ([[2, 4]], [-0.83])
    """
    policies = Policies.of(policies)
    if policies.rules:
        raise InvalidInput("a Rule cannot be replayed on a history; use a Policy")
    if len(block.long_enough().names) < len(block.names):
        raise InvalidInput(
            "tests must have two samples (of batches: two periods) or more: the last ones score "
            "the others"
        )
    columns, caps, stops, decisions, rest = block.held_out(policies)
    return Replay(policies, columns, caps, block.drawn, stops, decisions, rest, block.in_periods)
