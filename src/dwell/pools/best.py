"""Boundaries, and what they do to each value of a grid."""

from dataclasses import dataclass
from typing import Protocol

from dwell.arrays import FloatArray, IntArray
from dwell.fitting.pool import Laws
from dwell.policy import Policy


@dataclass(frozen=True, slots=True)
class PoolBest:
    """Boundaries, and what they do to each value of a grid.

    Attributes:
        policy: The boundaries; where tests differ in noise, those of the first level.
        values: The values.
        accepts: How often each is accepted.
        samples: How many samples it takes on average.
        roi: Reward per cost under the pool that they are best for.
        others: The boundaries of further levels of noise.
    """

    policy: Policy
    values: FloatArray
    accepts: FloatArray
    samples: FloatArray
    roi: float
    others: tuple[Policy, ...] = ()

    @property
    def policies(self) -> tuple[Policy, ...]:
        """The boundaries of each level of noise."""
        return (self.policy, *self.others)

    def roi_under(
        self, weights: FloatArray, setup_cost: float, discount: float = 0.0
    ) -> FloatArray:
        """Reward per cost under other pools: one, or a row each."""
        reward = weights @ (self.accepts * (self.values - discount))
        roi: FloatArray = reward / (setup_cost + weights @ self.samples)
        return roi


class Level(Protocol):
    """What can be said of tests of one level of noise."""

    def kinds(self, drawn: IntArray, sums: FloatArray) -> IntArray:
        """The kinds of tests, as numbers: tests of one kind say the same."""

    def even(self, weights: FloatArray, looks: IntArray, factor: float = 1.0) -> FloatArray:
        """From which sum on the mean of the value is above 0, an entry per look.

        Args:
            weights: Of the values.
            looks: Numbers of samples.
            factor: How many samples of a test are worth an independent one.
        """


class GridPool(Protocol):
    """What can be said of pools from tests whose samples follow a law."""

    @property
    def values(self) -> FloatArray:
        """The grid of values on which a pool has weights."""

    @property
    def laws(self) -> Laws:
        """Laws of the pool to begin with."""

    @property
    def shapes(self) -> Laws:
        """Shapes that it may have, to predict tests by."""

    @property
    def at_levels(self) -> tuple[Level, ...]:
        """What can be said of tests of each level of noise."""

    def log_likelihood(self, kinds: IntArray, factor: float = 1.0) -> FloatArray:
        """How likely kinds of tests are under each value: a row each, its greatest entry 0.

        Args:
            kinds: The kinds.
            factor: How many samples of a test are worth an independent one.
        """

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
