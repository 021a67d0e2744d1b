"""Outlook: what to expect of a task, and what its idea is worth by what is known now.

It is computed when somebody asks, from what was known when it was made.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np
from scipy import special

from dwell.arrays import FloatArray, IntArray, Samples
from dwell.learners.empirical_bayes import EmpiricalBayes
from dwell.learners.learner import Learner
from dwell.periods import Periods
from dwell.pools.fitted import Ahead, FittedPool
from dwell.programme.minimum_run import Pace
from dwell.sparse_policy import SparsePolicy

SURE = 0.95  # of intervals


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What to expect of a task that goes on, under the pool of ideas as it was last fitted.

    Attributes:
        samples: How many samples more until it is decided, on average.
        ships: How likely it is accepted then.
        tests: To how many tests the pool was fitted; if they are few, it is hardly known.
    """

    samples: float
    ships: float
    tests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What an idea is worth by what is known now, with a 95 % interval.

    Attributes:
        mean: The mean of its value, given its samples and the pool of ideas; where no pool is
            fitted, the mean of its samples.
        low: Where the interval begins; None where nothing shows how noisy samples are …
        high: … and where it ends.
        helps: How likely its value is above 0; None where no pool is fitted.
        samples: From how many samples of it.
        tests: To how many tests the pool was fitted; None where none is.
    """

    mean: float
    low: float | None
    high: float | None
    helps: float | None
    samples: int
    tests: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Outlook:
    """Where a task is, and what is known of the pool that it comes from.

    Attributes:
        samples: Its samples so far, or sums over batches.
        pool: The pool; None if the learner fits none.
    """

    samples: Samples | Periods
    pool: FittedPool | None

    def forecast(
        self, policy: SparsePolicy, *, accepts: bool, pace: Pace | None = None
    ) -> Forecast | None:
        """What to expect of it if it goes on; None where no pool is fitted.

        Args:
            policy: What it is run by; it has not stopped.
            accepts: Whether the policy's acceptances count.
            pace: When it may be looked at, where that is not after each batch.
        """
        if self.pool is None:
            return None
        found = self.ahead(self.pool, policy, pace)
        ships = found.accepts if accepts else 0.0
        return Forecast(samples=found.samples, ships=ships, tests=self.pool.tests)

    def ahead(self, pool: FittedPool, policy: SparsePolicy, pace: Pace | None = None) -> Ahead:
        """What lies ahead of it under a pool, by a policy that has looks to make.

        Batches are supposed to be as large as those so far, on average.
        """
        counts, sums = _batches(self.samples)
        drawn = int(counts.sum())
        if pace is None and drawn and isinstance(self.samples, Periods):
            size = max(1, round(drawn / len(counts)))
            pace = Pace(drawn, size, size)
        if pace is not None:
            policy = at_ends(policy, drawn, pace)
        return pool.ahead(policy, drawn, float(sums.sum()))

    def worth(self) -> Worth | None:
        """What its idea is worth; None if nothing is known of it."""
        counts, sums = _batches(self.samples)
        drawn, total = int(counts.sum()), float(sums.sum())
        if self.pool is not None:
            given = self.pool.given(drawn, total)
            low, high = given.interval(SURE)
            return Worth(
                mean=given.mean,
                low=low,
                high=high,
                helps=given.at_least(0.0),
                samples=drawn,
                tests=self.pool.tests,
            )
        if not drawn:
            return None
        mean, half = total / drawn, _half_width(counts, sums)
        return Worth(
            mean=mean,
            low=None if half is None else mean - half,
            high=None if half is None else mean + half,
            helps=None,
            samples=drawn,
            tests=None,
        )


def fitted_by(learner: Learner) -> FittedPool | None:
    """The pool of ideas that a learner has fitted, if it does."""
    return learner.fitted if isinstance(learner, EmpiricalBayes) else None


@lru_cache(maxsize=1024)  # tests that began on one day by one rule have it in common
def at_ends(policy: SparsePolicy, drawn: int, pace: Pace) -> SparsePolicy:
    """What is left of a policy that looks at ends of batches only.

    A look that is due within a batch is made at its end; of several, the latest.

    Args:
        policy: The policy; it has looks to make.
        drawn: How many samples there are already.
        pace: When batches end.

    Example:
        >>> policy = SparsePolicy(np.array([1, 3, 4, 9]), np.zeros(4), np.arange(4.0))
        >>> left = at_ends(policy, 2, Pace(made=2, first=3, then=3))
        >>> left.looks.tolist(), left.upper.tolist()
        ([5, 11], [2.0, 3.0])
    """
    coming = policy.looks > pace.made
    next_end = drawn + pace.first
    ends = next_end + -(-np.maximum(policy.looks[coming] - next_end, 0) // pace.then) * pace.then
    last = np.append(np.diff(ends) > 0, True)
    return SparsePolicy(ends[last], policy.lower[coming][last], policy.upper[coming][last])


def _half_width(counts: IntArray, sums: FloatArray) -> float | None:
    """Of the interval for a mean, by Student's t from how much batches differ; None for one."""
    freedom = len(counts) - 1
    if not freedom:
        return None
    mean = sums.sum() / counts.sum()
    variance = float(((sums - counts * mean) ** 2 / counts).sum()) / freedom
    return float(special.stdtrit(freedom, (1.0 + SURE) / 2.0)) * sqrt(variance / counts.sum())


def _batches(samples: Samples | Periods) -> tuple[IntArray, FloatArray]:
    """How many samples there are in each batch, and their sums; a sample alone is a batch."""
    if isinstance(samples, Periods):
        return samples.counts, samples.sums
    return np.ones(len(samples), dtype=np.int64), samples.astype(np.float64)
