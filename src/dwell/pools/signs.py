"""Pools of ideas under signs: what tests say about each value, and the best boundaries for a pool.

A pool is a list of weights on a fixed grid of values. The grid is as fine as tests can tell values
apart: two neighbours differ by 0.7 standard errors of a test that runs to the cap.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, pi, sqrt

import numpy as np

from dwell.arrays import BoolArray, FloatArray, IntArray
from dwell.fitting.dependence import effective_samples
from dwell.fitting.pool import Laws, Spreads, normal_laws
from dwell.fitting.shapes import shapes
from dwell.kernels.pool_lattice import even_signs, induct_signs, logarithms_of, walk_signs
from dwell.policy import Policy
from dwell.pools.best import PoolBest

_STEP = 0.7  # standard errors at the cap between neighbours, in the middle of the grid
_FEWEST, _MOST = 49, 401
_NEGLIGIBLE = 1e-12
_KINDS = 2**24  # more than a test has samples
_MOST_ROUNDS = 50
_SMALL_GAIN = 1e-3  # what is left to gain is about the square of the last gain
_ROUNDING = 1e-9


@dataclass(frozen=True)
class SignsPool:
    """What can be said of pools from tests whose samples are signs.

    Attributes:
        cap: The most samples of a test.
        every: A policy looks after so many samples each, and at the cap …
        first: … but not before it has drawn this many.

    Example:
        >>> pool = SignsPool(cap=16)
        >>> even = np.full(len(pool.values), 1 / len(pool.values))
        >>> round(pool.best(even, setup_cost=0.0).roi, 3)
        0.255
    """

    cap: int
    every: int = 1
    first: int = 1

    @cached_property
    def values(self) -> FloatArray:
        """The grid: an odd number of values from -1 to 1, closer where signs are less noisy."""
        half = ceil(pi * sqrt(self.cap) / _STEP / 2.0)
        half = min(max(half, _FEWEST // 2), _MOST // 2)
        grid: FloatArray = np.sin(pi / 2.0 * np.arange(-half, half + 1) / half)
        return grid

    @cached_property
    def looks(self) -> BoolArray:
        """After how many samples, 1, …, cap, a policy may stop."""
        d = np.arange(1, self.cap + 1)
        looked: BoolArray = ((d % self.every == 0) & (d >= self.first)) | (d == self.cap)
        return looked

    @cached_property
    def laws(self) -> Laws:
        """Laws of the pool to begin with."""
        return normal_laws(self.values, self._spreads)

    @cached_property
    def shapes(self) -> Laws:
        """Shapes that it may have."""
        return shapes(self.values, self._spreads)

    @property
    def _spreads(self) -> Spreads:
        first = np.flatnonzero(self.looks)[0] + 1.0
        return Spreads(narrowest=0.64 / sqrt(self.cap), usual=1.0 / sqrt(first), widest=1.5)

    @property
    def at_levels(self) -> tuple["SignsPool"]:
        """What can be said of tests of each level of noise: there is one."""
        return (self,)

    def kinds(self, drawn: IntArray, sums: FloatArray) -> IntArray:
        """The kinds of tests, as numbers: tests of one kind say the same."""
        found: IntArray = (
            drawn.astype(np.int64) * _KINDS + (drawn + np.rint(sums).astype(np.int64)) // 2
        )
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
        scaled: FloatArray = (found - found.max(axis=1, keepdims=True)) * worth[:, None]
        return scaled

    def even(self, weights: FloatArray, looks: IntArray, factor: float = 1.0) -> FloatArray:
        """From which sum on the mean of the value is above 0, an entry per look.

        Args:
            weights: Of the values.
            looks: Numbers of samples.
            factor: How many samples of a test are worth an independent one.
        """
        kept = weights > _NEGLIGIBLE
        counted = np.ceil(effective_samples(looks.astype(np.float64), factor)).astype(np.int64)
        return even_signs(self.values[kept], weights[kept], counted) * looks / counted

    def best(
        self,
        weights: FloatArray,
        setup_cost: float,
        *,
        factor: float = 1.0,
        discount: float = 0.0,
        start: float = 0.0,
    ) -> PoolBest:
        """The boundaries with the highest ROI for a pool, by Dinkelbach's iteration.

        Args:
            weights: Of the values.
            setup_cost: What each test costs besides its samples.
            factor: How many samples of a test are worth an independent one.
            discount: Accepting is worth the value less this.
            start: A guess at the ROI: it saves time.
        """
        if factor <= 1.0:
            return self._searched(self.looks, weights, setup_cost, discount, start)
        # By tests counted in independent samples. The first sample counts in full, the others
        # less: the difference is as good as set-up.
        looks = 1 + np.flatnonzero(self.looks)
        worth = np.floor(effective_samples(looks.astype(np.float64), factor) + _ROUNDING)
        counted, places = np.unique(worth.astype(np.int64), return_index=True)
        searched = np.isin(np.arange(1, counted[-1] + 1), counted)
        cost = (setup_cost + 1.0 - factor) / factor
        found = self._searched(searched, weights, cost, discount, factor * start)
        return replace(
            found,
            policy=_stretched(found.policy, counted, looks[places]),
            samples=factor * (found.samples - 1.0) + 1.0,
            roi=found.roi / factor,
        )

    def _searched(
        self,
        looks: BoolArray,
        weights: FloatArray,
        setup_cost: float,
        discount: float,
        start: float,
    ) -> PoolBest:
        """The best boundaries of those that look where they may."""
        kept = weights > _NEGLIGIBLE
        values, shares = self.values[kept], weights[kept] / weights[kept].sum()
        best: PoolBest | None = None
        price = max(0.0, start)
        # What shorter policies earn is a price to begin with: without one, nobody would ever stop.
        allowed = 1 + np.flatnonzero(looks)
        shorter = [int(cap) for cap in allowed[[0, min(15, len(allowed) - 1)]] if cap < len(looks)]
        for cap in [*(shorter if price == 0.0 else ()), *[len(looks)] * _MOST_ROUNDS]:
            lower, upper = np.empty(cap), np.empty(cap)
            induct_signs(values, shares, looks[:cap], price, discount, lower, upper)
            found = self._at(Policy(lower, upper), weights, setup_cost, discount)
            if best is None or found.roi > best.roi:
                best = found
            before, price = price, max(0.0, best.roi)
            if cap == len(looks) and abs(price - before) <= _SMALL_GAIN * before:
                break
        assert best is not None  # of the first round
        return best

    def _at(
        self, policy: Policy, weights: FloatArray, setup_cost: float, discount: float
    ) -> PoolBest:
        """What given boundaries do to each value, and their ROI under a pool."""
        accepts, samples = np.empty(len(self.values)), np.empty(len(self.values))
        walk_signs(policy.lower, policy.upper, self.values, accepts, samples)
        found = PoolBest(policy, self.values, accepts, samples, 0.0)
        return replace(found, roi=float(found.roi_under(weights, setup_cost, discount)))


def _stretched(policy: Policy, counted: IntArray, looks: IntArray) -> Policy:
    """Boundaries for independent samples, as boundaries for dependent ones.

    Args:
        policy: Boundaries on the sum of independent samples.
        counted: After how many of these they may look.
        looks: How many dependent samples these are.

    Example:
        >>> _stretched(Policy([-1, 0], [2, 1]), np.array([1, 2]), np.array([1, 3]))
        Policy(lower=[-1, -inf, 1.5], upper=[2, inf, 1.5])
    """
    within = counted <= policy.cap
    counted, looks = counted[within], looks[within]
    lower, upper = np.full(looks[-1], -np.inf), np.full(looks[-1], np.inf)
    lower[looks - 1] = policy.lower[counted - 1] * looks / counted
    upper[looks - 1] = policy.upper[counted - 1] * looks / counted
    return Policy(lower, upper)
