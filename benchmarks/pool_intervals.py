"""How often intervals for the pool cover: `python -m benchmarks.pool_intervals [--runs 500]`.

Histories of tests are simulated in pools that are known, each stopped by one of three rules: a
fixed size; the best boundaries for the pool; and a look after every sample, until the sum is 1.5
standard errors from 0. The table has the share of histories in which the 95 % intervals of
`fitting.pool_intervals` hold the truth, and how wide they are in the median.
"""

import argparse
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dwell import Atoms, Beta, Gaussian, Normal, Policy, Signs, World, banded, fixed, oracle
from dwell.arrays import BoolArray, FloatArray
from dwell.fitting.pool_intervals import PoolIntervals, pool_intervals
from dwell.outcomes import scan
from dwell.pools.best import GridPool
from dwell.pools.normal import NormalPool
from dwell.pools.signs import SignsPool

CAP = 256
TESTS = (30, 100, 1000)
FIGURES = ("mean", "helpful", "helpful_mean", "gain")


class Truth(NamedTuple):
    """What the intervals should hold."""

    mean: float
    helpful: float
    helpful_mean: float
    gain: float


class Ideas(NamedTuple):
    """A pool that is known.

    Attributes:
        world: The pool and the law of samples.
        pool: What can be said of pools from such tests.
    """

    world: World
    pool: GridPool

    @property
    def truth(self) -> Truth:
        """Exact where there are atoms, else by many quantiles."""
        prior = self.world.prior
        if isinstance(prior, Atoms):
            values, weights = np.array(prior.values), np.array(prior.weights)
        else:
            values = prior.quantile((np.arange(100_000) + 0.5) / 100_000)
            weights = np.full(len(values), 1.0 / len(values))
        helps = values > 0.0
        share, gain = float(weights[helps].sum()), float(weights[helps] @ values[helps])
        return Truth(float(weights @ values), share, gain / share if share else 0.0, gain)

    def rules(self) -> dict[str, Policy]:
        """Why tests stop."""
        [peeking] = banded([CAP], z=1.5, sd=self.world.law.noise)
        assert isinstance(peeking, Policy)
        found = {"fixed size": fixed(64, 1.0), "peeking": peeking}
        if self.truth.helpful > 0.0:
            found["oracle"] = oracle(self.world, cap=CAP, setup_cost=20.0).policy
        return found

    def found(
        self,
        rule: Policy,
        tests: int,
        rng: np.random.Generator,
        told: Callable[[FloatArray], BoolArray] = np.isfinite,
    ) -> PoolIntervals:
        """The intervals for a history of tests that were stopped by a rule.

        Args:
            rule: The rule.
            tests: How many.
            rng: What they are drawn with.
            told: Which are told of, by their sums; all by default, as the intervals need it.
        """
        _, samples = self.world.sample(tests, rule.cap, rng)
        drawn = scan(samples, rule).durations[:, 0].astype(np.int64)
        sums = np.cumsum(samples, axis=1, dtype=np.float64)[np.arange(tests), drawn - 1]
        known = told(sums)
        kinds, counts = np.unique(
            self.pool.at_levels[0].kinds(drawn[known], sums[known]), return_counts=True
        )
        logs = self.pool.log_likelihood(kinds)
        return pool_intervals(logs, counts.astype(np.float64), self.pool.values)


POOLS = {
    "Beta(45,55)": Ideas(World(Beta(45, 55), Signs()), SignsPool(CAP)),
    "mostly-null": Ideas(
        World(Atoms([-0.2, 0.0, 0.3], [0.15, 0.75, 0.1]), Signs()), SignsPool(CAP)
    ),
    "Normal(-0.05, 0.1)": Ideas(
        World(Normal(-0.05, 0.1), Gaussian(1.0)), NormalPool(noise=1.0, cap=CAP)
    ),
}
# Nothing was chosen on these.
HELD_OUT = {
    "Beta(2,2)": Ideas(World(Beta(2, 2), Signs()), SignsPool(CAP)),
    "rare-win": Ideas(World(Atoms([-0.1, 0.0, 0.8], [0.5, 0.45, 0.05]), Signs()), SignsPool(CAP)),
    "nothing": Ideas(World(Atoms([-0.1, 0.0], [0.5, 0.5]), Signs()), SignsPool(CAP)),
    "Atoms, normal noise": Ideas(
        World(Atoms([-0.3, 0.0, 0.2], [0.3, 0.4, 0.3]), Gaussian(1.0)),
        NormalPool(noise=1.0, cap=CAP),
    ),
}


class Coverage(NamedTuple):
    """Over histories, an entry per figure.

    Attributes:
        covered: The share in which the interval holds the truth.
        width: The median of its width.
    """

    covered: FloatArray
    width: FloatArray


def coverage(ideas: Ideas, rule: Policy, tests: int, runs: int, seed: int) -> Coverage:
    """How often intervals cover."""
    truth = np.array(ideas.truth)
    ends = np.empty((runs, 2, len(FIGURES)))
    for run, rng in enumerate(np.random.default_rng(seed).spawn(runs)):
        found = ideas.found(rule, tests, rng)
        ends[run] = np.array([getattr(found, figure) for figure in FIGURES]).T
    slack = 1e-9 * np.abs(truth)
    within = (ends[:, 0] <= truth + slack) & (truth - slack <= ends[:, 1])
    return Coverage(within.mean(axis=0), np.median(ends[:, 1] - ends[:, 0], axis=0))


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--only", default="", help="pools whose name has this in it")
    chosen = parser.parse_args(arguments)
    names = ("mean", "share that helps", "mean of those", "gain")
    print("| pool | rule | tests | " + " | ".join(names) + " |")
    print("|---" * (3 + len(names)) + "|")
    pools = HELD_OUT if chosen.held_out else POOLS
    for pool, ideas in ((name, pools[name]) for name in pools if chosen.only in name):
        for rule, policy in ideas.rules().items():
            for tests in TESTS:
                found = coverage(ideas, policy, tests, chosen.runs, seed=tests)
                cells = [
                    f"{100.0 * covered:.1f} % ({width:.2g})"
                    for covered, width in zip(*found, strict=True)
                ]
                print(f"| {pool} | {rule} | {tests:,} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
