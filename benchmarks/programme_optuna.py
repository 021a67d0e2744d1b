"""Beginning a task and telling it its samples, against Optuna's ask and tell.

Both keep what happens in an SQLite file, one trial or task after another. Optuna draws at random,
which is the least that it can do; it is skipped where it is not installed.
"""

import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from benchmarks.duel import Asked, Duel
from dwell import Programme, hoeffding

_TASKS = 20


def duels() -> Iterator[Duel]:
    if find_spec("optuna") is None:
        print("programme/optuna is skipped: pip install optuna", file=sys.stderr)
        return
    optuna = import_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with TemporaryDirectory() as folder:
        study = optuna.create_study(
            storage=f"sqlite:///{Path(folder, 'optuna.db')}",
            sampler=optuna.samplers.RandomSampler(seed=0),
        )
        policies = hoeffding(caps=[1, 4, 16], c=0.35, tasks=10_000, delta=0.05)
        programme = Programme.create(f"sqlite:///{folder}/ours.db", "checkout", policies=policies)
        numbers = count()

        def ours() -> None:
            for _ in range(_TASKS):
                programme.begin(f"task {next(numbers)}").tell([-1] * 48, key="all")

        def rival() -> None:
            for _ in range(_TASKS):
                trial = study.ask()
                study.tell(trial, trial.suggest_float("value", 0.0, 1.0))

        yield Duel(
            name="programme/optuna",
            ours=ours,
            rival=rival,
            work=_TASKS,
            unit="task",
            asked=Asked(5.0),
            clock=perf_counter,
            typical=np.median,
        )
