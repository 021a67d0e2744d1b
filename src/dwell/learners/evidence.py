"""Evidence: what tasks have taught about policies that stand on one another like rungs.

Policies of one chain differ only in their caps. A longer one does what the next shorter one does,
and something more in the tasks that the shorter one leaves undecided at its cap. So we keep sums
of these differences, one rung per policy: a task that is run to any depth teaches all rungs below,
each rung has its own number of tasks, and the sums over a policy's rungs are unbiased for its
reward and its cost. Two policies of one chain differ by the rungs between them alone, which is
far less noise than either has: a comparison on the same tasks.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dwell.arrays import BoolArray, FloatArray, IntArray
from dwell.estimate.bounds import Bounds
from dwell.estimate.lines import radius
from dwell.kernels.climbing import (
    ACCEPTED,
    CENTRE,
    DURATIONS,
    ESTIMATED,
    REWARDS,
    SEEN,
    SPREAD,
    SQUARES,
    climb,
)
from dwell.policies import Policies
from dwell.records import Records

# What bounds are made of, of rewards and of durations.
_COUNTS = np.array([ESTIMATED, SEEN])
_SUMS = np.array([REWARDS, DURATIONS])
_SQUARES = np.array([SQUARES, SPREAD])
_LEAST = float(np.finfo(np.float64).tiny)


class Rungs:
    """How policies stand on one another."""

    def __init__(self, policies: Policies):
        self.policies = policies
        self.caps = np.array(policies.caps, dtype=np.int64)
        self.below = np.full(len(policies), -1, dtype=np.int64)
        for chain in policies.chains:
            self.below[chain.members[1:]] = chain.members[:-1]
        self.first = self.below < 0  # rungs that stand on none
        self.widths = self.caps - np.where(self.first, 0.0, self.caps[self.below])
        self._below: dict[tuple[int, ...], IntArray] = {}
        self._stopped_by: dict[int, IntArray] = {}
        # The cap of the next shorter policy; of a first rung, none.
        self.cap_below = np.where(self.first, np.inf, self.caps[self.below])

    def totals(self, increments: FloatArray) -> FloatArray:
        """Sums over the rungs of each policy, in every row."""
        if self.policies.one_chain:
            return increments.cumsum(axis=-1)
        totals = increments.copy()
        for chain in self.policies.chains:
            totals[..., chain.members] = np.cumsum(increments[..., chain.members], axis=-1)
        return totals

    def below_among(self, columns: tuple[int, ...]) -> IntArray:
        """Among some of the policies, the place of the next shorter one of each one's chain.

        Args:
            columns: Their indices, in order, with all the shorter ones of each one's chain.

        Returns:
            An entry each; -1 where there is none.
        """
        if columns not in self._below:
            below = self.below[list(columns)]
            self._below[columns] = np.where(below >= 0, np.searchsorted(columns, below), -1)
        return self._below[columns]

    def stopped_by(self, index: int) -> IntArray:
        """The policies that have stopped, whatever the samples, once policy `index` has.

        These are the ones with no larger cap and a band within its band: running it teaches all
        of them for nothing.
        """
        if index not in self._stopped_by:
            self._stopped_by[index] = self._within_band(index)
        return self._stopped_by[index]

    def _within_band(self, index: int) -> IntArray:
        if self.chain_of[index] < 0:
            return np.array([index], dtype=np.int64)
        inside = self._inside[self.chain_of, self.chain_of[index]]
        within = (self.caps <= self.caps[index]) & (self.caps <= inside) & (self.chain_of >= 0)
        return np.flatnonzero(within)

    def same_chain(self, index: int) -> IntArray:
        """The policies that differ from policy `index` only in their caps."""
        number = self.chain_of[index]
        return self.policies.chains[number].members if number >= 0 else np.array([index])

    @cached_property
    def chain_of(self) -> IntArray:
        """The chain of each policy; -1 for one made of Python functions."""
        chain_of = np.full(len(self.policies), -1, dtype=np.int64)
        for number, chain in enumerate(self.policies.chains):
            chain_of[chain.members] = number
        return chain_of

    @cached_property
    def _inside(self) -> IntArray:
        """Up to which cap truncations of one chain stay within the bands of another."""
        chains = self.policies.chains
        inside = np.empty((len(chains), len(chains)), dtype=np.int64)
        for i, inner in enumerate(chains):
            for j, outer in enumerate(chains):
                # At its cap a policy stops in any case: only what comes before is compared.
                shared = min(inner.head.cap, outer.head.cap) - 1
                sticks_out = (inner.head.upper[:shared] > outer.head.upper[:shared]) | (
                    inner.head.lower[:shared] < outer.head.lower[:shared]
                )
                inside[i, j] = (np.argmax(sticks_out) if sticks_out.any() else shared) + 1
        return inside


class Evidence:
    """Sums over tasks, rung by rung, and what follows from them.

    Args:
        rungs: How the policies stand on one another.
        sums: The sums, as the kernel `climb` keeps them; changed in place by `add`.
        setup_cost: What each task costs besides its samples.
        bound: Observations lie in [-bound, bound].
    """

    ROWS = SQUARES + 1

    def __init__(self, rungs: Rungs, sums: FloatArray, *, setup_cost: float, bound: float):
        self.rungs = rungs
        self.sums = sums
        self.setup_cost = setup_cost
        self.bound = bound

    def add(self, records: Records, columns: tuple[int, ...]) -> None:
        """Take in records of some policies, given by their indices."""
        estimates = records.estimates
        climb(
            records.durations,
            records.decisions,
            np.empty((len(records), 0)) if estimates is None else estimates,
            np.array(columns, dtype=np.int64),
            self.rungs.below_among(columns),
            self.sums,
        )

    def settle(self) -> None:
        """Guess the next durations: bounds are narrower around a guess that was made beforehand."""
        self.sums[CENTRE] = self.sums[DURATIONS] / np.maximum(self.sums[SEEN], 1.0)

    @property
    def reward(self) -> FloatArray:
        """Unbiased estimates of the policies' mean rewards; 0 before there are any."""
        return self.rungs.totals(self.sums[REWARDS] / np.maximum(self.sums[ESTIMATED], 1.0))

    @property
    def cost(self) -> FloatArray:
        """Estimates of their mean costs; a rung is long in one imagined task more.

        A task that gets to a rung goes on for about as long as it took to get there, whatever the
        cap; a first rung for as long as all tasks so far together. Before there are any, it is as
        long as it can be.
        """
        drawn, seen = self.sums[DURATIONS], self.sums[SEEN]
        so_far = np.where(self.rungs.first & (seen > 0.0), drawn, self.rungs.cap_below)
        imagined = np.minimum(self.rungs.widths, so_far)
        return self.setup_cost + self.rungs.totals((drawn + imagined) / (seen + 1.0))

    @property
    def accept_rate(self) -> FloatArray:
        """Estimates of how often they accept."""
        return self.rungs.totals(self.sums[ACCEPTED] / np.maximum(self.sums[SEEN], 1.0))

    @property
    def reward_variance(self) -> FloatArray:
        """Estimates of the variances of `reward`.

        Rungs have rewards in different tasks, so that they are all but uncorrelated. In one
        imagined task more, each rung accepts an idea with an ordinary estimate: a rung that has
        seen no acceptance is not known to have none.
        """
        estimated = self.sums[ESTIMATED] / np.maximum(self.sums[SEEN], 1.0)
        accepted = float(self.sums[ACCEPTED] @ estimated)
        ordinary = self.sums[SQUARES].sum() / max(accepted, 1.0) or max(
            self.bound * self.bound, _LEAST
        )
        tasks = self.sums[ESTIMATED] + 1.0
        return self.rungs.totals((self.sums[SQUARES] + ordinary) / tasks**2)

    def reach(self, delta: float) -> "Reach":
        """Bounds on all rungs that hold at once, at all n, with probability at least 1 - delta."""
        alpha = delta / (4.0 * len(self.rungs.policies))  # rewards and costs, above and below
        # Rewards in the first row, durations in the second.
        counts, sums, squares = self.sums[_COUNTS], self.sums[_SUMS], self.sums[_SQUARES]
        scales = np.array([np.full(counts.shape[1], self.bound), self.rungs.widths])
        floors = np.array([-scales[0], self.rungs.first])  # nobody stops before the first sample
        means = sums / np.maximum(counts, 1.0)
        errors = radius(counts, squares, scale=scales, alpha=alpha)
        low = self.rungs.totals(np.maximum(means - errors, floors))
        high = self.rungs.totals(np.minimum(means + errors, scales))
        return Reach(
            self.rungs,
            reward_low=low[0],
            reward_high=high[0],
            cost_low=self.setup_cost + low[1],
            cost_high=self.setup_cost + high[1],
            bound=self.bound,
        )


@dataclass(frozen=True, slots=True)
class Reach:
    """Bounds on each policy by sums of bounds on its rungs."""

    rungs: Rungs
    reward_low: FloatArray
    reward_high: FloatArray
    cost_low: FloatArray
    cost_high: FloatArray
    bound: float

    @property
    def bounds(self) -> Bounds:
        """The same, but no reward beyond the range of observations."""
        return Bounds(
            np.maximum(self.reward_low, -self.bound),
            np.minimum(self.reward_high, self.bound),
            self.cost_low,
            self.cost_high,
        )

    def hopeless(self, candidates: BoolArray) -> BoolArray:
        """Which policies earn less per cost than the best of all, rejecting everything included.

        Let theta >= 0 be the best ROI there is. No policy j has reward_j - theta cost_j > 0, so k
        is not the best if reward_k - theta cost_k is below 0, or below that of any j. Between two
        policies of one chain the difference is one of the rungs between them. It grows with theta
        where j is the longer one, so that an upper bound on theta serves; and falls where j is
        the shorter one, so that a lower bound does.
        """
        bounds = self.bounds
        best_low = max(0.0, bounds.roi_low.max())
        best_high = max(best_low, bounds.roi_high[candidates].max(initial=0.0))
        worth = self.reward_high - best_low * self.cost_low
        hopeless: BoolArray = worth < 0.0
        surely_worth = self.reward_low - best_high * self.cost_high
        for chain in self.rungs.policies.chains:
            at_most, at_least = worth[chain.members], surely_worth[chain.members]
            hopeless[chain.members] |= at_most < np.maximum.accumulate(at_most)
            hopeless[chain.members] |= at_least < np.maximum.accumulate(at_least[::-1])[::-1]
        return hopeless
