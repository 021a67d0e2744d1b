"""Compiles kernels before the tests begin: `python -m tests.kernels`.

Otherwise each worker compiles on its own what it needs. What is compiled is kept on disk, where
every process finds it. A kernel that nothing here calls is compiled by the first test that does.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dwell import Atoms, Gaussian, Lift, Terms, World, estimate, plan, simulate
from tests.acceptance.commands import run
from tests.contract.cases import CASES


def compile_kernels(folder: Path) -> None:
    """Calls what calls them, on as little as will do."""
    for case in CASES.values():
        for sampled in (False, True):
            simulate(case.make(), case.world, tasks=min(case.tasks, 50), rng=0, sampled=sampled)
    lifts = World(Atoms([-0.2, 0.2], [0.6, 0.4]), Lift(0.3))
    plan(Terms(world=lifts, setup_cost=5, min_days=0, traffic_per_day=10, max_days=4))
    plan(Terms(world=World(Atoms([-0.002, 0.01], [0.9, 0.1]), Gaussian(0.16))))
    estimate.betting(np.linspace(0.0, 1.0, 50), alpha=0.05, low=0.0, high=1.0)
    for form in ("raw", "two-arm", "counts", "batches"):
        log = str(folder / f"{form}.parquet")
        called("history", "generate", log, "--form", form, "--tests", "30")
        called("evaluate", log, "--setup-cost", "100")
    called("plan", "--from", log, "--rules", "msprt")


def called(*command: str) -> None:
    """Runs a command, which must succeed."""
    done = run(*command)
    assert done.exit_code == 0, done.output


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        compile_kernels(Path(folder))
