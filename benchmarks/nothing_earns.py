"""When "nothing here earns" is said: `python -m benchmarks.nothing_earns [--runs 100] [--seed 0]`.

`EmpiricalBayes` runs in worlds in which no idea helps, and in worlds in which some do. The table
has the share of runs in which, after so many tests, a pool in which no idea helps explains the
tests nearly as well as any other; and at the end that in which it did after each of them.
"""

import argparse
import sys

import numpy as np

from dwell import Atoms, Beta, Signs, World, simulate
from dwell.fitting.pool_intervals import SURE, pool_intervals
from dwell.learners.empirical_bayes import EmpiricalBayes
from dwell.learners.learner import Learner
from dwell.pools.signs import SignsPool
from dwell.priors import Prior

CAP = 256
TESTS = (10, 30, 100, 300, 1000)
# In the first three no idea helps; the others are of `dwell bench learners`.
POOLS: dict[str, Prior] = {
    "all at 0": Atoms([0.0]),
    "0 and -0.1": Atoms([-0.1, 0.0]),
    "0 and -0.5": Atoms([-0.5, 0.0]),
    "three-point": Atoms([-1, 0, 1]),
    "mostly-null": Atoms([-0.5, -0.1, 0, 0.1, 0.5], [0.1, 0.2, 0.4, 0.2, 0.1]),
    "rare-win": Atoms([-0.05, 0.6], [0.9, 0.1]),
    "Beta(8,12)": Beta(8, 12),
    "Beta(45,55)": Beta(45, 55),
}


def said(world: World, setup_cost: float, seed: int) -> list[bool]:
    """Whether it is said after each number of tests of a run."""
    learner: Learner = EmpiricalBayes(Signs(), cap=CAP, setup_cost=setup_cost, seed=seed)
    pool = SignsPool(CAP)
    found = []
    rng = np.random.default_rng(seed)
    for more in np.diff(TESTS, prepend=0):
        learner = simulate(learner, world, tasks=int(more), rng=rng).learner
        logs = pool.log_likelihood(learner.state.kinds)
        counts = np.asarray(learner.state.counts, dtype=np.float64)
        found.append(pool_intervals(logs, counts, pool.values).evidence <= SURE)
    return found


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first run")
    parser.add_argument("--setup-cost", type=float, default=20.0)
    parser.add_argument("--pools", nargs="+", choices=POOLS, default=list(POOLS), metavar="POOL")
    chosen = parser.parse_args(arguments)
    print("| pool | " + " | ".join(f"{tests:,} tests" for tests in TESTS) + " | at all |")
    print("|---" * (2 + len(TESTS)) + "|")
    for name in chosen.pools:
        world = World(POOLS[name], Signs())
        seeds = range(chosen.seed, chosen.seed + chosen.runs)
        runs = np.array([said(world, chosen.setup_cost, seed) for seed in seeds])
        shares = [*runs.mean(axis=0), runs.all(axis=1).mean()]
        print(f"| {name} | " + " | ".join(f"{100.0 * s:.0f} %" for s in shares) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
