"""When "nothing here earns" is said: `python -m benchmarks.nothing_earns [--runs 100]`.

`EmpiricalBayes` runs in worlds in which no idea helps, and in worlds in which some do. The table
has the share of runs in which, after so many tests, a pool in which no idea helps explains them
nearly as well as any other.
"""

import argparse
import sys

import numpy as np

from dwell import Atoms, Beta, Signs, World, simulate
from dwell.fitting.pool_intervals import SURE, pool_intervals
from dwell.learners.empirical_bayes import EmpiricalBayes
from dwell.pools.signs import SignsPool

CAP = 256
TESTS = (10, 30, 100, 300, 1000)
WORLDS = {
    "all at 0": (World(Atoms([0.0]), Signs()), "none helps"),
    "0 and -0.1": (World(Atoms([-0.1, 0.0]), Signs()), "none helps"),
    "0 and -0.5": (World(Atoms([-0.5, 0.0]), Signs()), "none helps"),
    "three-point": (World(Atoms([-1.0, 0.0, 1.0]), Signs()), "a third, by 1"),
    "mostly-null": (World(Atoms([-0.2, 0.0, 0.3], [0.15, 0.75, 0.1]), Signs()), "10 %, by 0.3"),
    "rare-win": (World(Atoms([-0.05, 0.6], [0.9, 0.1]), Signs()), "10 %, by 0.6"),
    "Beta(8,12)": (World(Beta(8, 12), Signs()), "18 %, by 0.17"),
    "Beta(45,55)": (World(Beta(45, 55), Signs()), "16 %, by 0.06"),
}


def says_so(world: World, tests: int, setup_cost: float, seed: int) -> bool:
    """Whether it is said after a run."""
    learner = EmpiricalBayes(Signs(), cap=CAP, setup_cost=setup_cost, seed=seed)
    simulate(learner, world, tasks=tests, rng=seed)
    state, pool = learner.state, SignsPool(CAP)
    logs = pool.log_likelihood(state.kinds)
    return pool_intervals(logs, np.asarray(state.counts), pool.values).evidence <= SURE


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--setup-cost", type=float, default=20.0)
    chosen = parser.parse_args(arguments)
    print("| world | ideas that help | " + " | ".join(f"{tests:,} tests" for tests in TESTS) + " |")
    print("|---" * (2 + len(TESTS)) + "|")
    for name, (world, helps) in WORLDS.items():
        shares = [
            np.mean([says_so(world, tests, chosen.setup_cost, run) for run in range(chosen.runs)])
            for tests in TESTS
        ]
        cells = " | ".join(f"{100.0 * share:.0f} %" for share in shares)
        print(f"| {name} | {helps} | {cells} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
