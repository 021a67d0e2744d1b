"""A fitted pool of ideas: what a test under way says of its idea, and what lies ahead of it.

What a test says of its value follows from its samples and their sum, whatever looked at them (see
`fitting.pool`). And from where it is, its limits do what those of a shorter test do, with samples
and sums counted from there.
"""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from dwell.arrays import FloatArray
from dwell.fitting.dependence import effective_samples
from dwell.kernels.pool_lattice import logarithms_of, walk_signs
from dwell.kernels.pool_walk import walk_values
from dwell.laws import Law, Signs
from dwell.pools.under_law import noise_under
from dwell.sparse_policy import SparsePolicy

_NEGLIGIBLE = 1e-7  # chances that a value has, of all: what they add cannot be seen in a figure


class Ahead(NamedTuple):
    """What lies ahead of a test that is between its limits.

    Attributes:
        accepts: How likely it is accepted in the end.
        samples: How many samples more that takes on average, until it is accepted or rejected.
        earns: What it earns on average: its value if it is accepted, and else nothing.
    """

    accepts: float
    samples: float
    earns: float


@dataclass(frozen=True, slots=True)
class Posterior:
    """What an idea is worth, as far as its test and the pool say: weights of values on a grid.

    Attributes:
        values: The values.
        weights: How likely each is.
    """

    values: FloatArray
    weights: FloatArray

    @property
    def mean(self) -> float:
        """Its mean value."""
        return float(self.weights @ self.values)

    def at_least(self, least: float) -> float:
        """How likely it is worth at least so much, each value standing for those around it."""
        edges, below = self._steps()
        return 1.0 - float(np.interp(least, edges, below))

    def interval(self, share: float) -> tuple[float, float]:
        """Where the middle share of what it may be worth begins and ends."""
        edges, below = self._steps()
        # Where nothing lies between two edges, the outer one would be as good: keep the inner.
        kept = np.append(True, np.diff(below) > 0.0) | np.append(np.diff(below) > 0.0, True)
        tail = (1.0 - share) / 2.0
        low, high = np.interp([tail, 1.0 - tail], below[kept], edges[kept])
        return float(low), float(high)

    def _steps(self) -> tuple[FloatArray, FloatArray]:
        """Where each value's cell begins and ends, and how likely values below are."""
        middles = (self.values[1:] + self.values[:-1]) / 2.0
        edges = np.concatenate([self.values[:1], middles, self.values[-1:]])
        return edges, np.append(0.0, np.cumsum(self.weights) / self.weights.sum())


@dataclass(frozen=True, slots=True, eq=False)
class FittedPool:
    """A pool of ideas as it was fitted to tests.

    Attributes:
        law: The law of samples.
        values: The values that ideas can have.
        weights: How likely each is.
        factor: How many samples of a test are worth an independent one.
        tests: How many tests it was fitted to.

    Example:
        >>> from dwell import Gaussian
        >>> halves = np.array([0.5, 0.5])
        >>> pool = FittedPool(Gaussian(1.0), np.array([-1.0, 1.0]), halves, 1.0, 100)
        >>> pool.given(2, 0.0).mean, round(pool.given(2, 1.0).mean, 3)
        (0.0, 0.762)
        >>> once = SparsePolicy(np.array([4]), np.array([0.0]), np.array([0.0]))
        >>> [round(figure, 3) for figure in pool.ahead(once, 2, 1.0)]
        [0.894, 2.0, 0.837]
    """

    law: Law
    values: FloatArray
    weights: FloatArray
    factor: float
    tests: int

    def given(self, drawn: int, total: float) -> Posterior:
        """What an idea is worth, given its test so far.

        Args:
            drawn: How many samples it has.
            total: Their sum.
        """
        if isinstance(self.law, Signs):
            plus, minus = logarithms_of(self.values)
            likely = (drawn + total) / 2.0 * plus + (drawn - total) / 2.0 * minus
            likely *= effective_samples(float(drawn), self.factor) / max(drawn, 1)
        else:
            variance = self.factor * noise_under(self.law) ** 2
            likely = self.values * (total - 0.5 * drawn * self.values) / variance
        with np.errstate(divide="ignore"):  # what has no weight stays without
            likely = likely + np.log(self.weights)
        shares = np.exp(likely - likely.max())
        return Posterior(self.values, shares / shares.sum())

    def ahead(self, policy: SparsePolicy, drawn: int, total: float) -> Ahead:
        """What lies ahead of a test that has not stopped.

        Args:
            policy: What it is run by; it has not reached its cap.
            drawn: How many samples it has.
            total: Their sum.
        """
        shares = self.given(drawn, total).weights
        likely = shares > _NEGLIGIBLE
        shares, values = shares[likely] / shares[likely].sum(), self.values[likely]
        walk = self._signs_ahead if isinstance(self.law, Signs) else self._normal_ahead
        accepts, samples = walk(policy, drawn, total, values)
        earns = float(shares @ (accepts * values))
        return Ahead(float(shares @ accepts), float(shares @ samples), earns)

    def _normal_ahead(
        self, policy: SparsePolicy, drawn: int, total: float, values: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        coming = policy.looks > drawn
        looks = policy.looks[coming] - drawn
        noise = noise_under(self.law) * sqrt(self.factor)
        scale = noise * np.sqrt(looks)
        lower, upper = ((each[coming] - total) / scale for each in (policy.lower, policy.upper))
        accepts, samples = np.empty(len(values)), np.empty(len(values))
        walk_values(looks, values / noise, lower, upper, accepts, samples)
        return accepts, samples

    def _signs_ahead(
        self, policy: SparsePolicy, drawn: int, total: float, values: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """The same on the lattice; by independent samples if those of tests are worth less."""
        coming = policy.looks > drawn
        worth = effective_samples(policy.looks[coming].astype(np.float64), self.factor)
        before = effective_samples(float(drawn), self.factor) if drawn else 0.0
        looks = np.maximum(np.ceil(worth - before - 1e-9), 1.0).astype(np.int64)
        # Of looks that fall on one independent sample the last counts.
        last = np.append(np.diff(looks) > 0, True)
        cap = int(looks[-1])
        lower, upper = np.full(cap, -np.inf), np.full(cap, np.inf)
        ratios = worth / policy.looks[coming]
        so_far = total * before / max(drawn, 1)
        lower[looks[last] - 1] = (policy.lower[coming] * ratios - so_far)[last]
        upper[looks[last] - 1] = (policy.upper[coming] * ratios - so_far)[last]
        accepts, samples = np.empty(len(values)), np.empty(len(values))
        walk_signs(lower, upper, values, accepts, samples)
        return accepts, np.minimum(self.factor * samples, float(policy.cap - drawn))
