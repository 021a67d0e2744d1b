"""Pools of ideas under normal samples: what tests say about each value, and the best boundaries.

Nothing here has a scale of its own: the grid of values is in units of the standard error of a test
that runs to the cap. It is even near 0, as fine as such tests can tell values apart, and geometric
farther out, up to values that the first look settles.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import asinh, ceil, sqrt

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.errors import NothingWorthTesting
from dwell.fitting.pool import Laws, Spreads, normal_laws
from dwell.fitting.shapes import shapes
from dwell.kernels.pool_induction import even_sums
from dwell.policy import Policy
from dwell.pools.best import PoolBest
from dwell.pools.classes import Limits, Pool, fates
from dwell.pools.limits import best_limits

STEP, GROWTH = 0.7, 0.1  # standard errors at the cap between neighbours near 0; their growth
FARTHEST = 16.0  # standard errors of the first look
_LENGTHS, _BINS = 32.0, 16.0  # lengths differ by 1/32 of themselves, means by 1/16 of an error
_CENTRE, _KINDS = 2**31, 2**32
_MOST_LOOKS = 64
NEGLIGIBLE = 1e-12


def looks_for(cap: int, every: int | None, first: int) -> IntArray:
    """After how many samples to look: at all that are allowed, or at ever fewer of many.

    Example:
        >>> looks_for(1000, 100, 150).tolist()
        [200, 300, 400, 500, 600, 700, 800, 900, 1000]
        >>> len(looks_for(10**6, None, 1))
        61
    """
    step = every or 1
    before = -(-first // step) - 1  # multiples that come too early
    allowed = max(0, -(-cap // step) - before)
    kept = np.arange(allowed, dtype=np.int64)
    if allowed > _MOST_LOOKS:
        kept = np.unique(np.geomspace(1, allowed, _MOST_LOOKS).round().astype(np.int64) - 1)
    return np.minimum((before + 1 + kept) * step, cap)


def read_kinds(kinds: IntArray) -> tuple[FloatArray, FloatArray]:
    """How many samples tests of these kinds have, and how many errors their means are from 0."""
    lengths, means = np.divmod(kinds, _KINDS)
    return np.exp(lengths / _LENGTHS), (means - _CENTRE) / _BINS


def even_boundary(
    values: FloatArray, weights: FloatArray, looks: IntArray, noise: float
) -> FloatArray:
    """From which sum on the mean of the value is above 0, an entry per look.

    Args:
        values: The values.
        weights: How likely they are.
        looks: Numbers of samples.
        noise: The standard deviation of a sample.
    """
    kept = weights > NEGLIGIBLE
    drifts, masses = values[kept] / noise, weights[kept]
    found: FloatArray = noise * even_sums(looks, drifts, masses, masses * drifts)
    return found


@dataclass(frozen=True)
class NormalPool:
    """What can be said of pools from tests whose samples have a normal law.

    Attributes:
        noise: The standard deviation of a sample.
        cap: The most samples of a test.
        every: A policy looks after so many samples each, and at the cap; None for when it pays …
        first: … but not before it has drawn this many.

    Example:
        >>> pool = NormalPool(noise=8.0, cap=100)
        >>> normal = pool.laws.weights[20]
        >>> round(pool.best(normal, setup_cost=20.0).roi, 4)
        0.035
    """

    noise: float
    cap: int
    every: int | None = None
    first: int = 1

    @cached_property
    def looks(self) -> IntArray:
        """After how many samples a policy may stop."""
        return looks_for(self.cap, self.every, self.first)

    @cached_property
    def _error(self) -> float:
        return self.noise / sqrt(self.cap)

    @cached_property
    def values(self) -> FloatArray:
        """The grid."""
        farthest = FARTHEST * sqrt(self.cap / self.looks[0])
        half = ceil(asinh(farthest * GROWTH / STEP) / GROWTH)
        steps = np.arange(-half, half + 1)
        grid: FloatArray = self._error * STEP / GROWTH * np.sinh(GROWTH * steps)
        return grid

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
        usual = self.noise / sqrt(self.looks[0])
        return Spreads(narrowest=0.64 * self._error, usual=usual, widest=1.5 * usual)

    @property
    def at_levels(self) -> tuple["NormalPool"]:
        """What can be said of tests of each level of noise: there is one."""
        return (self,)

    def kinds(self, drawn: IntArray, sums: FloatArray) -> IntArray:
        """The kinds of tests, as numbers: tests of one kind say nearly the same."""
        lengths = np.rint(_LENGTHS * np.log(drawn)).astype(np.int64)
        errors = self.noise / np.sqrt(np.exp(lengths / _LENGTHS))
        farthest = float(_CENTRE - 1)
        with np.errstate(over="ignore"):  # what overflows is cut off as well
            means = np.clip(np.rint(_BINS * (sums / drawn / errors)), -farthest, farthest)
        found: IntArray = lengths * _KINDS + means.astype(np.int64) + _CENTRE
        return found

    def log_likelihood(self, kinds: IntArray, factor: float = 1.0) -> FloatArray:
        """How likely kinds of tests are under each value: a row each, its greatest entry 0.

        Args:
            kinds: The kinds.
            factor: How many samples of a test are worth an independent one.
        """
        samples, means = read_kinds(kinds)
        errors = self.noise / np.sqrt(samples)
        z = means[:, None] - self.values / errors[:, None]
        found = -0.5 / factor * z**2
        found -= found.max(axis=1, keepdims=True)
        return found

    def even(self, weights: FloatArray, looks: IntArray, factor: float = 1.0) -> FloatArray:
        """From which sum on the mean of the value is above 0, an entry per look.

        Args:
            weights: Of the values.
            looks: Numbers of samples.
            factor: How many samples of a test are worth an independent one.
        """
        return even_boundary(self.values, weights, looks, self.noise * sqrt(factor))

    def best(
        self,
        weights: FloatArray,
        setup_cost: float,
        *,
        factor: float = 1.0,
        discount: float = 0.0,
        start: float = 0.0,
    ) -> PoolBest:
        """The boundaries with the highest ROI for a pool.

        Args:
            weights: Of the values.
            setup_cost: What each test costs besides its samples.
            factor: How many samples of a test are worth an independent one.
            discount: Accepting is worth the value less this.
            start: A guess at the ROI: it saves time.
        """
        noise = self.noise * sqrt(factor)
        kept = weights > NEGLIGIBLE
        pool = Pool.of(self.values[kept], weights[kept] / weights[kept].sum(), noise)
        try:
            limits = best_limits(
                pool, self.looks, setup_cost, discount=discount, start=start
            ).limits
        except NothingWorthTesting:
            limits = _nothing(self.looks)
        found = fates(self.values[None, :], np.array([noise]), limits)
        roots = noise * np.sqrt(self.looks)
        lower, upper = np.full(self.cap, -np.inf), np.full(self.cap, np.inf)
        lower[self.looks - 1] = limits.lower[0] * roots
        upper[self.looks - 1] = limits.upper[0] * roots
        best = PoolBest(
            Policy(lower, upper), self.values, found.accept[0], found.samples[0], roi=0.0
        )
        return replace(best, roi=float(best.roi_under(weights, setup_cost, discount)))


def _nothing(looks: IntArray) -> Limits:
    """Drop everything at the first look."""
    limits = np.full((1, len(looks)), 1e9)
    return Limits(looks, limits, limits)
