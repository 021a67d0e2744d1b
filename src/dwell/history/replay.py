"""Replay: when policies would have stopped on past tests, and what they would have earned.

A decision is scored on the samples that come after it: given the idea's value they are independent
of it, and their number was fixed when it was made, by the length of the test. So accepted or not
times their mean is unbiased for what the policy earns. Scored on the samples that it was made by,
a decision to accept looks better than it is.

This holds if the length of a test did not depend on its results. Where tests were ended because of
what they showed, their last samples are no fair sample, and scores are biased.

To have a sample left for every score, policies see all samples of a test but its last. One that
wants more is cut short there and rejects: what it would have earned by going on is not known. That
bias is against long policies, and `cut` says how often it occurs.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dwell.arrays import BoolArray, Decisions, Durations, FloatArray, IntArray
from dwell.errors import InvalidInput
from dwell.kernels.rest import rest_means
from dwell.outcomes import scan
from dwell.policies import AnyPolicy, Policies


@dataclass(frozen=True)
class Replay:
    """Tests as seen by policies; those that differ only in their caps are kept once.

    Attributes:
        policies: The policies.
        lengths: How many samples each test has.
        stops: When the longest policy of each chain stopped, a column per chain.
        decisions: 1 if it accepted then, 0 if it rejected, -1 if the test ended before.
        rest: The mean of the samples that follow an acceptance.
    """

    policies: Policies
    lengths: IntArray
    stops: Durations
    decisions: Decisions
    rest: FloatArray

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def _chain_of(self) -> IntArray:
        chain_of = np.empty(len(self.policies), dtype=np.int64)
        for number, chain in enumerate(self.policies.chains):
            chain_of[chain.members] = number
        return chain_of

    def durations(self, index: int) -> Durations:
        """How many samples a policy draws in each test."""
        return np.minimum(self.stops[:, self._chain_of[index]], self.policies.caps[index])

    def accepts(self, index: int) -> BoolArray:
        """Which tests it accepts."""
        chain = self._chain_of[index]
        in_time = self.stops[:, chain] <= self.policies.caps[index]
        accepts: BoolArray = in_time & (self.decisions[:, chain] == 1)
        return accepts

    def rewards(self, index: int) -> FloatArray:
        """Unbiased estimates of what it earns in each test."""
        return np.where(self.accepts(index), self.rest[:, self._chain_of[index]], 0.0)

    def cut(self, index: int) -> BoolArray:
        """Which tests end before it has stopped."""
        chain = self._chain_of[index]
        too_short = self.lengths - 1 < self.policies.caps[index]
        cut: BoolArray = too_short & (self.decisions[:, chain] < 0)
        return cut

    def joined(self, *others: "Replay") -> "Replay":
        """This replay and others of the same policies, one after another."""
        parts = (self, *others)
        return Replay(
            self.policies,
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("lengths", "stops", "decisions", "rest")
            ),
        )


def replay(
    samples: ArrayLike, lengths: ArrayLike, policies: AnyPolicy | Iterable[AnyPolicy]
) -> Replay:
    """Run policies on past tests.

    Args:
        samples: All tests' samples in one line, each test's in the order in which they came.
        lengths: How many samples each test has, at least 2.
        policies: One policy or many; none may be a Python function.

    Example:
        >>> from dwell import fixed
        >>> found = replay([1, 1, -1, 1, -1, -1], [4, 2], Policies([fixed(1, 1), fixed(2, 1)]))
        >>> found.durations(1).tolist(), found.rewards(1).tolist(), found.cut(1).tolist()
        ([2, 1], [0.0, 0.0], [False, True])
        >>> found.rewards(0).round(2).tolist()
        [0.33, 0.0]
    """
    policies = Policies.of(policies)
    if policies.rules:
        raise InvalidInput("a Rule cannot be replayed on a history; use a Policy")
    counts = np.asarray(lengths)
    if counts.ndim != 1 or counts.dtype.kind not in "iu" or counts.min(initial=2) < 2:
        raise InvalidInput(
            "lengths must be whole numbers of at least 2, one per test: the last sample of each "
            "test scores the others"
        )
    counts = counts.astype(np.int64)
    flat = np.asarray(samples)
    if flat.ndim != 1 or len(flat) != counts.sum():
        raise InvalidInput(
            f"samples must be one line of {counts.sum():,} numbers, as the lengths say, got shape "
            f"{flat.shape}"
        )
    ends = np.cumsum(counts)
    shown = np.ones(len(flat), dtype=np.bool_)
    shown[ends - 1] = False
    # In order of their caps, as a set of policies wants them.
    order = sorted(range(len(policies.chains)), key=lambda i: policies.chains[i].head.cap)
    heads = Policies(policies.chains[i].head for i in order)
    outcomes = scan(flat[shown], heads, counts - 1)
    shape = outcomes.durations.shape
    stops, decisions = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.int8)
    stops[:, order], decisions[:, order] = outcomes.durations, outcomes.decisions
    rest = np.empty(shape)
    starts = np.concatenate([np.zeros(1, dtype=np.int64), ends])
    numbers = flat if flat.dtype == np.int8 else flat.astype(np.float64)
    rest_means(numbers, starts, stops, decisions, rest)
    return Replay(policies, counts, stops, decisions, rest)
