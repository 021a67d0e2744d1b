"""Pools of ideas under signs: what tests say about each value, and the best boundaries for a pool.

A pool is a list of weights on a fixed grid of values. The grid is as fine as tests can tell values
apart: two neighbours differ by 0.7 standard errors of a test that runs to the cap.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, pi, sqrt
from typing import Self

import numpy as np

from dwell.arrays import BoolArray, FloatArray, IntArray
from dwell.fitting.dependence import effective_samples
from dwell.kernels.pool_lattice import induct_pool, logarithms_of, walk_pool
from dwell.policy import Policy

_STEP = 0.7  # standard errors at the cap between neighbours, in the middle of the grid
_FEWEST, _MOST = 49, 401
_NEGLIGIBLE = 1e-12
_KINDS = 2**24  # more than a test has samples
_MOST_ROUNDS = 50
_SMALL_GAIN = 1e-6


@dataclass(frozen=True, slots=True)
class PoolBest:
    """Boundaries, and what they do to each value of a grid.

    Attributes:
        policy: The boundaries.
        values: The values.
        accepts: How often each is accepted.
        samples: How many samples it takes on average.
        roi: Reward per cost under the pool that they are best for.
    """

    policy: Policy
    values: FloatArray
    accepts: FloatArray
    samples: FloatArray
    roi: float

    def roi_under(self, weights: FloatArray, setup_cost: float, discount: float = 0.0) -> FloatArray:
        """Reward per cost under other pools: one, or a row each."""
        reward = weights @ (self.accepts * (self.values - discount))
        roi: FloatArray = reward / (setup_cost + weights @ self.samples)
        return roi


@dataclass(frozen=True)
class LatticePool:
    """What can be said of pools from tests whose samples are signs.

    Attributes:
        cap: The most samples of a test.
        every: A policy looks after so many samples each, and at the cap …
        first: … but not before it has drawn this many.
        finest: The grid is made for tests of this cap; for the same by default.

    Example:
        >>> pool = LatticePool(cap=16)
        >>> even = np.full(len(pool.values), 1 / len(pool.values))
        >>> round(pool.best(even, setup_cost=0.0).roi, 3)
        0.194
    """

    cap: int
    every: int = 1
    first: int = 1
    finest: int = 0

    @cached_property
    def values(self) -> FloatArray:
        """The grid: an odd number of values from -1 to 1, closer where signs are less noisy."""
        half = ceil(pi * sqrt(self.finest or self.cap) / _STEP / 2.0)
        half = min(max(half, _FEWEST // 2), _MOST // 2)
        grid: FloatArray = np.sin(pi / 2.0 * np.arange(-half, half + 1) / half)
        return grid

    @cached_property
    def looks(self) -> BoolArray:
        """After how many samples, 1, …, cap, a policy may stop."""
        d = np.arange(1, self.cap + 1)
        looked: BoolArray = ((d % self.every == 0) & (d >= self.first)) | (d == self.cap)
        return looked

    @property
    def error(self) -> float:
        """The standard error of the mean of a test that runs to the cap."""
        return 1.0 / sqrt(self.cap)

    def kinds(self, drawn: IntArray, sums: FloatArray) -> IntArray:
        """The kinds of tests, as numbers: tests of one kind say the same."""
        found: IntArray = drawn * _KINDS + (drawn + np.rint(sums).astype(np.int64)) // 2
        return found

    def log_likelihood(self, kinds: IntArray, factor: float = 1.0) -> FloatArray:
        """How likely kinds of tests are under each value: a row each, its greatest entry 0.

        Args:
            kinds: The kinds.
            factor: How many samples of a test are worth an independent one.
        """
        chances = logarithms_of(self.values)
        lengths, plus = np.divmod(kinds, _KINDS)
        worth = effective_samples(lengths.astype(np.float64), factor) / np.maximum(lengths, 1)
        found = plus[:, None] * chances[0] + (lengths - plus)[:, None] * chances[1]
        found -= found.max(axis=1, keepdims=True)
        found *= worth[:, None]
        return found

    def dependent(self, factor: float) -> "LatticePool":
        """The same for tests counted in independent samples, of which so many are worth one."""
        cap = max(1, int(effective_samples(float(self.cap), factor)))
        first = ceil(effective_samples(float(self.first), factor))
        return LatticePool(cap, max(1, round(self.every / factor)), min(first, cap), self.cap)

    def best(self, weights: FloatArray, setup_cost: float, discount: float = 0.0) -> PoolBest:
        """The boundaries with the highest ROI for a pool, by Dinkelbach's iteration."""
        kept = weights > _NEGLIGIBLE
        values, shares = self.values[kept], weights[kept] / weights[kept].sum()
        best: PoolBest | None = None
        price = 0.0
        # What shorter policies earn is a price to begin with: without one, nobody would ever stop.
        caps = [cap for cap in (4, 32) if cap < self.cap and self.first <= cap]
        for cap in caps + [self.cap] * _MOST_ROUNDS:
            looks = self.looks[:cap].copy()
            looks[-1] = True
            found = self._at(price, looks, values, shares, weights, setup_cost, discount)
            gain = found.roi - price
            if best is None or found.roi > best.roi:
                best = found
            if cap == self.cap and not gain > _SMALL_GAIN * price:
                break
            price = max(price, best.roi)
        assert best is not None
        return best

    def _at(
        self,
        price: float,
        looks: BoolArray,
        values: FloatArray,
        shares: FloatArray,
        weights: FloatArray,
        setup_cost: float,
        discount: float,
    ) -> PoolBest:
        lower, upper = np.empty(len(looks)), np.empty(len(looks))
        induct_pool(values, shares, looks, price, discount, lower, upper)
        return self.at(Policy(lower, upper), weights, setup_cost, discount)

    def at(
        self, policy: Policy, weights: FloatArray, setup_cost: float, discount: float = 0.0
    ) -> PoolBest:
        """What given boundaries do to each value, and their ROI under a pool."""
        accepts, samples = np.empty(len(self.values)), np.empty(len(self.values))
        walk_pool(policy.lower, policy.upper, self.values, accepts, samples)
        found = PoolBest(policy, self.values, accepts, samples, 0.0)
        roi = float(found.roi_under(weights, setup_cost, discount))
        return PoolBest(policy, self.values, accepts, samples, roi)


def stretched(policy: Policy, factor: float, cap: int) -> Policy:
    """Boundaries for independent samples, as boundaries for dependent ones.

    Args:
        policy: Boundaries on the sum of independent samples.
        factor: How many dependent samples are worth one of them.
        cap: The most dependent samples.

    Example:
        >>> stretched(Policy([-1, 0], [2, 1]), factor=2.0, cap=3)
        Policy(lower=[-1, -inf, 1.5], upper=[2, inf, 1.5])
    """
    if factor == 1.0:
        return policy
    counted = np.arange(1, policy.cap + 1)
    looks = np.minimum(np.ceil(factor * (counted - 1.0) + 1.0 - 1e-9), cap).astype(np.int64)
    lower, upper = np.full(looks[-1], -np.inf), np.full(looks[-1], np.inf)
    lower[looks - 1] = policy.lower * looks / counted
    upper[looks - 1] = policy.upper * looks / counted
    return Policy(lower, upper)
