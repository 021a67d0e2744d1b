"""The memory that a run of EmpiricalBayes needs: `python -m benchmarks.empirical_bayes_memory`.

Each run has a process of its own, which says how much it held once all was imported, once the
learner was made, and at its fullest after 10,000 tests, its libraries included. Kernels come from
the cache, where a first process has put them: compiling them needs more.
"""

import resource
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from dwell.laws import Gaussian, Law, Signs
from dwell.priors import Atoms, Normal, Prior

_TASKS, _SETUP_COST, _ASKED = 10_000, 20.0, 200  # MiB
_POOLS: dict[Law, Prior] = {
    Signs(): Atoms([-0.5, -0.1, 0, 0.1, 0.5], [0.1, 0.2, 0.4, 0.2, 0.1]),
    Gaussian(1.0): Normal(0.0, 0.2),
}


def held(law: Law, cap: int) -> tuple[float, float, float]:
    """MiB after the import, with a learner, and at most in a run."""
    from dwell import EmpiricalBayes, World, simulate

    imported = _resident()
    learner = EmpiricalBayes(law, cap, setup_cost=_SETUP_COST, guard=True)
    made = _resident()
    simulate(learner, World(_POOLS[law], law), _TASKS, rng=0)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # Linux counts in KiB
    return imported, made, most


def _resident() -> float:
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    [resident] = (line.split()[1] for line in lines if line.startswith("VmRSS:"))
    return int(resident) / 1024


def main() -> None:
    print(f"{'law':<12} {'cap':>5} {'imported':>9} {'made':>6} {'peak':>6}  asked <= {_ASKED}")
    for law in _POOLS:
        for cap in (256, 4096):
            for _ in range(2):  # what the first one compiles the second one loads
                with ProcessPoolExecutor(1, get_context("spawn")) as processes:
                    imported, made, most = processes.submit(held, law, cap).result()
            met = "yes" if most <= _ASKED else "NO"
            print(f"{law!s:<12} {cap:>5} {imported:>9.0f} {made:>6.0f} {most:>6.0f}  {met}")


if __name__ == "__main__":
    main()
