"""Looking: rules of two limits on blocks of tests, at common looks and in each test's own noise."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.two_limits import TwoLimits

# The share of each test, its last, that no rule sees: it is kept for scoring.
_PARTS = 5


class Noise(NamedTuple):
    """How noisy one sample is: in all tests, and how much that says of one of them.

    Attributes:
        variance: The variance of a sample in all tests.
        weight: It counts as much as so many samples of the test itself.
    """

    variance: float
    weight: float


@dataclass(frozen=True, slots=True)
class Looking:
    """Rules, and how they look at tests.

    Attributes:
        rules: The rules.
        grid: After how many samples there are looks.
        noise: What is known of the noise before a test.
        orders: Over how many orders of their outcomes tests are averaged that are known by counts.
        leading: The rules that this is done for, by number, where others have no say: they have
            few orders. None for all of them.
    """

    rules: tuple[TwoLimits, ...]
    grid: IntArray
    noise: Noise
    orders: int = 1
    leading: frozenset[int] | None = None

    @property
    def sizes(self) -> IntArray:
        """Of rules, a row each: the first look, the cap, and the row among the shapes."""
        row = {shape: place for place, shape in enumerate(self._steps)}
        rows = [(rule.first, rule.cap, row[rule.steps]) for rule in self.rules]
        return np.array(rows, dtype=np.int64)

    @property
    def shapes(self) -> IntArray:
        """How limits change, a row for each way."""
        return np.array(self._steps, dtype=np.int64)

    @property
    def _steps(self) -> list[tuple[int, int, int]]:
        return sorted({rule.steps for rule in self.rules})

    @property
    def limits(self) -> FloatArray:
        """Limits of rules, a row each."""
        return np.array([rule.limits for rule in self.rules])


class Looked(NamedTuple):
    """What rules (columns) did on tests (rows), and what the tests measured.

    Attributes:
        accepts: The share of orders in which a rule ships.
        drawn: How many samples it draws.
        rewards: What it earns, by what comes after its decision: 0 where it does not ship.
        ended: The share of orders in which the part of the test that rules see ends first.
        effects: The mean of all samples of each test …
        errors: … its standard error …
        sds: … and the standard deviation of one sample.
        moves: By rule, over all tests: how far the sums of rewards and of samples vary with the
            orders that were drawn (their variances, and the covariance).
    """

    accepts: FloatArray
    drawn: FloatArray
    rewards: FloatArray
    ended: FloatArray
    effects: FloatArray
    errors: FloatArray
    sds: FloatArray
    moves: FloatArray

    @classmethod
    def of(
        cls,
        found: FloatArray,
        effects: FloatArray,
        errors: FloatArray,
        sds: FloatArray,
        moves: FloatArray | None = None,
    ) -> "Looked":
        """What kernels fill in: figures by test, rule and kind."""
        accepts, drawn, rewards, ended = (found[:, :, figure] for figure in range(4))
        still = np.zeros((found.shape[1], 3)) if moves is None else moves
        return cls(accepts, drawn, rewards, ended, effects, errors, sds, still)


def seen_of(lengths: IntArray) -> IntArray:
    """How many samples (or periods) of each test may be seen: all but the last fifth.

    Example:
        >>> seen_of(np.array([2, 5, 6, 100])).tolist()
        [1, 4, 4, 80]
    """
    seen: IntArray = lengths - -(-lengths // _PARTS)
    return seen
