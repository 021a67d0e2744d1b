"""A programme that is fed by a simulated world does what the lab does, decision by decision."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dwell import (
    Atoms,
    Cape,
    EmpiricalBayes,
    Gaussian,
    Ladder,
    Learner,
    Normal,
    Policies,
    Programme,
    Signs,
    World,
    fixed,
    hoeffding,
    simulate,
)
from dwell.arrays import FloatArray, IntArray, Samples
from dwell.lab.stage import Stage
from dwell.learners.design import Design
from dwell.records import Records
from tests.programmes import Clock

BANDS = hoeffding(caps=[1, 4, 16, 64], c=0.35, tasks=10_000, delta=0.05)
IDEAS = World(Atoms([-0.05, 0.6], [0.7, 0.3]), Signs())
LEARNERS: dict[str, tuple[Callable[[], Learner], World]] = {
    "ladder": (lambda: Ladder(BANDS, setup_cost=5), IDEAS),
    "empirical-bayes": (lambda: EmpiricalBayes(Signs(), cap=64, setup_cost=5), IDEAS),
    "empirical-bayes-normal": (
        lambda: EmpiricalBayes(Gaussian(2), cap=64, setup_cost=5),
        World(Normal(-0.1, 0.5), Gaussian(2)),
    ),
    "cape": (
        lambda: Cape(Policies([fixed(1, 1), fixed(4, 1)]), tasks=200, announce=False),
        IDEAS,
    ),
}
TASKS = 60


class Followed:
    """The tasks of a run in the lab as they came back: their samples, and whether accepted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps: list[tuple[int, Samples, bool]] = []
        self._drawn: dict[int, list[list[float]]] = {}
        run, learn = Stage._run, Stage._learn

        def followed_run(stage: Stage, design: Design, values: FloatArray) -> Records:
            rows: list[list[float]] = [[] for _ in values]
            tests = type(stage.source).tests

            def followed_tests(source: Any, values: FloatArray) -> Any:
                draw = tests(source, values)

                def drawing(tasks: IntArray, samples: int) -> Samples:
                    drawn = draw(tasks, samples)
                    for task, row in zip(tasks.tolist(), drawn.tolist(), strict=True):
                        rows[task] += row
                    return drawn

                return drawing

            with monkeypatch.context() as patched:
                patched.setattr(type(stage.source), "tests", followed_tests)
                records = run(stage, design, values)
            self._drawn[design.number] = rows
            return records

        def followed_learn(
            stage: Stage, place: int, design: Design, records: Records, values: FloatArray
        ) -> int:
            taken = learn(stage, place, design, records, values)
            rows = self._drawn.pop(design.number)
            for place in range(taken):
                samples = np.array(rows[place][: int(records.drawn[place])])
                accepted = bool(design.accepted(records)[place])
                self.steps.append((design.number + place, samples, accepted))
            return taken

        monkeypatch.setattr(Stage, "_run", followed_run)
        monkeypatch.setattr(Stage, "_learn", followed_learn)


@pytest.mark.parametrize("overlap", [1, 7])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_programme_decides_as_the_lab_does(
    name: str, overlap: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And its learner ends up the same, bit by bit."""
    make, world = LEARNERS[name]
    if name == "cape" and overlap == 1:
        overlap = 2  # alone, the lab draws its tasks in blocks that overlap one another
    followed = Followed(monkeypatch)
    run = simulate(make(), world, tasks=TASKS, rng=3, sampled=True, overlap=overlap)
    programme = Programme.create("memory:", "lab", learner=make(), clock=Clock())
    begun, given, accepted = 0, [], []
    for number, samples, decision in followed.steps:
        # As in the lab: so many are open at a time, and the next begins when one has come back.
        while begun < TASKS and len(programme.tasks()) < overlap:
            programme.begin()
            begun += 1
        task = programme.task(f"task-{number}")
        pieces = np.array_split(samples, 1 + number % 3)
        advice = [task.tell(piece) for piece in pieces if len(piece)][-1]
        assert advice.done, "the lab draws no more than is wanted"
        given.append(advice.decision)
        accepted.append("accept" if decision else "reject")
    assert given == accepted
    assert set(accepted) == {"accept", "reject"}
    assert programme.learner().to_json() == run.learner.to_json()
    assert programme.counts.samples == run.samples
