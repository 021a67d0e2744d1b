"""Pools of ideas whose tests differ in noise: effects may grow with it, by a power that is learned.

With r the noise of a test by that of a usual one, an idea that is worth x there is worth r^k x
here, and k is an exponent: 0 if effects do not depend on the noise, 1 if they are in proportion to
it. An atom of the pool is a value and an exponent, so that the fit says which exponents explain the
tests; where all have the same noise, they cannot be told apart and do not matter. Samples are in
units of each test's own noise, and what is earned in the units of the levels.

All levels pay from one purse: the best boundaries of each follow from one price of a sample
(`pools.limits`). They are taken to be equally frequent.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import asinh, ceil, sqrt

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.errors import NothingWorthTesting
from dwell.fitting.pool import Laws, Spreads, normal_laws
from dwell.fitting.shapes import shapes
from dwell.policy import Policy
from dwell.pools.best import PoolBest
from dwell.pools.classes import Limits, Pool, fates
from dwell.pools.limits import best_limits
from dwell.pools.normal import (
    FARTHEST,
    GROWTH,
    NEGLIGIBLE,
    STEP,
    NormalPool,
    even_boundary,
    looks_for,
    read_kinds,
)

EXPONENTS = (0.0, 0.5, 1.0)
_CHANCES = (0.1, 0.2, 0.7)  # before there is any test: rates and means have noise of their own size
_LEVELS = 2**48  # more than there are kinds of tests of one level


@dataclass(frozen=True)
class LeveledPool:
    """What can be said of pools from normal tests of several levels of noise.

    Attributes:
        levels: The standard deviations of a sample, in increasing order.
        cap: The most samples of a test.
        every: A policy looks after so many samples each, and at the cap; None for when it pays …
        first: … but not before it has drawn this many.

    Example:
        >>> pool = LeveledPool((1.0, 4.0), cap=100)
        >>> best = pool.best(pool.laws.weights[20], setup_cost=20.0)
        >>> [policy.cap for policy in best.policies]
        [100, 100]
    """

    levels: tuple[float, ...]
    cap: int
    every: int | None = None
    first: int = 1

    @cached_property
    def looks(self) -> IntArray:
        """After how many samples a policy may stop."""
        return looks_for(self.cap, self.every, self.first)

    @cached_property
    def usual(self) -> float:
        """The noise of a usual test: the geometric mean of the levels."""
        return float(np.exp(np.log(self.levels).mean()))

    @cached_property
    def _by_usual(self) -> FloatArray:
        return np.array(self.levels)[:, np.newaxis] / self.usual

    @cached_property
    def _grid(self) -> FloatArray:
        """Values in a usual test, in units of its noise; as fine as the least noise shows them."""
        error = float(self._by_usual.min()) / sqrt(self.cap)
        farthest = FARTHEST * float(self._by_usual.max()) / sqrt(self.looks[0]) / error
        half = ceil(asinh(farthest * GROWTH / STEP) / GROWTH)
        grid: FloatArray = error * STEP / GROWTH * np.sinh(GROWTH * np.arange(-half, half + 1))
        return grid

    @cached_property
    def values(self) -> FloatArray:
        """What atoms are worth in a usual test: the grid, once for every exponent."""
        return self.usual * np.tile(self._grid, len(EXPONENTS))

    @cached_property
    def worths(self) -> FloatArray:
        """What atoms are worth, a row per level."""
        powers = np.repeat(EXPONENTS, len(self._grid))
        found: FloatArray = self.values * self._by_usual**powers
        return found

    @cached_property
    def drifts(self) -> FloatArray:
        """The same in units of the noise of each level."""
        found: FloatArray = self.worths / np.array(self.levels)[:, np.newaxis]
        return found

    @cached_property
    def laws(self) -> Laws:
        """Laws of the pool to begin with: normal laws with each exponent."""
        return _with_exponents(normal_laws(self._grid, self._spreads))

    @cached_property
    def shapes(self) -> Laws:
        """Shapes that it may have, with each exponent."""
        return _with_exponents(shapes(self._grid, self._spreads))

    @property
    def _spreads(self) -> Spreads:
        first = 1.0 / sqrt(self.looks[0])
        least, most = float(self._by_usual.min()), float(self._by_usual.max())
        return Spreads(
            narrowest=0.64 * least / sqrt(self.cap), usual=first, widest=1.5 * most * first
        )

    @property
    def at_levels(self) -> tuple["_AtLevel", ...]:
        """What can be said of tests of each level."""
        return tuple(_AtLevel(self, level) for level in range(len(self.levels)))

    def log_likelihood(self, kinds: IntArray, factor: float = 1.0) -> FloatArray:
        """How likely kinds of tests are under each atom: a row each, its greatest entry 0.

        Args:
            kinds: The kinds.
            factor: How many samples of a test are worth an independent one.
        """
        levels, plain = np.divmod(kinds, _LEVELS)
        samples, z = read_kinds(plain)
        found = z[:, np.newaxis] - self.drifts[levels] * np.sqrt(samples)[:, np.newaxis]
        found = -0.5 / factor * found**2
        found -= found.max(axis=1, keepdims=True)
        return found

    def best(
        self,
        weights: FloatArray,
        setup_cost: float,
        *,
        factor: float = 1.0,
        discount: float = 0.0,
        start: float = 0.0,
    ) -> PoolBest:
        """The boundaries with the highest ROI for a pool, one policy per level.

        Args:
            weights: Of the atoms.
            setup_cost: What each test costs besides its samples.
            factor: How many samples of a test are worth an independent one.
            discount: Accepting is worth the value less this.
            start: A guess at the ROI: it saves time.
        """
        noise = np.array(self.levels) * sqrt(factor)
        kept = weights > NEGLIGIBLE
        rows = np.broadcast_to(weights[kept] / weights[kept].sum(), (len(noise), kept.sum()))
        pool = Pool.of(self.worths[:, kept], rows, noise)
        try:
            limits = best_limits(
                pool, self.looks, setup_cost, discount=discount, start=start
            ).limits
        except NothingWorthTesting:
            never = np.full((len(noise), len(self.looks)), 1e9)
            limits = Limits(self.looks, never, never)
        found = fates(self.worths, noise, limits)
        roots = sqrt(factor) * np.sqrt(self.looks)
        policies = []
        for low, high in zip(limits.lower, limits.upper, strict=True):
            lower, upper = np.full(self.cap, -np.inf), np.full(self.cap, np.inf)
            lower[self.looks - 1], upper[self.looks - 1] = low * roots, high * roots
            policies.append(Policy(lower, upper))
        accepts = found.accept.mean(axis=0)
        rewards = (found.accept * self.worths).mean(axis=0)
        # Levels are one purse: an atom is worth what it is where it is accepted.
        worth = np.divide(rewards, accepts, out=self.values.copy(), where=accepts > 0.0)
        samples = found.samples.mean(axis=0)
        best = PoolBest(policies[0], worth, accepts, samples, 0.0, tuple(policies[1:]))
        return replace(best, roi=float(best.roi_under(weights, setup_cost, discount)))

    def nearest(self, noise: float) -> int:
        """The level that is nearest to a noise, by its logarithm.

        Args:
            noise: The standard deviation of a sample.

        Example:
            >>> LeveledPool((1.0, 4.0), cap=100).nearest(2.1)
            1
        """
        return int(np.argmin(np.abs(np.log(np.array(self.levels) / noise))))

    def exponent(self, weights: FloatArray) -> "Exponent":
        """The likeliest exponent.

        Args:
            weights: Of the atoms, by the laws that explain the tests.
        """
        chances = weights.reshape(len(EXPONENTS), -1).sum(axis=1)
        likeliest = int(np.argmax(chances))
        return Exponent(EXPONENTS[likeliest], float(chances[likeliest]))


def _with_exponents(plain: Laws) -> Laws:
    """Laws of values in a usual test, once for every exponent; atoms of others stay possible."""
    weights = np.maximum(np.kron(np.eye(len(EXPONENTS)), plain.weights), plain.weights.min())
    weights /= weights.sum(axis=1, keepdims=True)
    chances = np.outer(_CHANCES, plain.chances).ravel()
    return Laws(weights, chances, groups=len(EXPONENTS))


@dataclass(frozen=True, slots=True)
class Exponent:
    """With which power of the noise effects grow.

    Attributes:
        power: The likeliest of 0, 0.5 and 1.
        chance: How likely it is.
    """

    power: float
    chance: float

    @property
    def sentence(self) -> str:
        """The same for people.

        Example:
            >>> Exponent(1.0, 0.93).sentence
            'effects grow in proportion to the noise of tests (93 % likely)'
        """
        how = {
            0.0: "do not grow with the noise of tests",
            0.5: "grow with the root of the noise of tests",
            1.0: "grow in proportion to the noise of tests",
        }[self.power]
        return f"effects {how} ({100.0 * self.chance:.0f} % likely)"


@dataclass(frozen=True, slots=True)
class _AtLevel:
    """What can be said of tests of one level, in units of its noise."""

    pool: LeveledPool
    level: int

    def kinds(self, drawn: IntArray, sums: FloatArray) -> IntArray:
        """The kinds of tests, as numbers: those of other levels are others."""
        plain = NormalPool(1.0, self.pool.cap).kinds(drawn, sums)
        found: IntArray = plain + self.level * _LEVELS
        return found

    def even(self, weights: FloatArray, looks: IntArray, factor: float = 1.0) -> FloatArray:
        """From which sum on the mean of the value is above 0, an entry per look."""
        return even_boundary(self.pool.drifts[self.level], weights, looks, sqrt(factor))
