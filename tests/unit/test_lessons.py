"""Lessons: the list for audit says all that the state was made of, and is no part of it."""

import json

import numpy as np
import pytest

from dwell import Atoms, EmpiricalBayes, Gaussian, Ladder, Normal, Programme, Signs, World, fixed
from dwell.lab.run import simulate
from dwell.learners.lessons import Lesson
from dwell.testing import in_a_row
from tests.programmes import Clock
from tests.refusals import refused

SIGNS = World(Atoms([-0.1, 0.4], [0.6, 0.4]), Signs())
NORMAL = World(Normal(-0.1, 0.5), Gaussian(2.0))
RNG_SEED = 3


def taught(world: World, tests: int = 60, **settings: float) -> tuple[list[Lesson], EmpiricalBayes]:
    """What so many tests taught, and the learner."""
    rows: list[Lesson] = []
    learner = EmpiricalBayes(world.law, 64, setup_cost=20, **settings)  # type: ignore[arg-type]  # numbers that fit
    learner.audit = rows.append
    found = simulate(learner, world, tasks=tests, rng=RNG_SEED).learner
    assert isinstance(found, EmpiricalBayes)
    return rows, found


@pytest.mark.parametrize("world", [SIGNS, NORMAL], ids=["signs", "normal"])
def test_the_list_has_all_that_the_state_was_made_of(world: World) -> None:
    """Tests in the order of beginning; counted by their kinds they are the state's counts."""
    rows, learner = taught(world)
    assert [row.number for row in rows] == list(range(1, 61))
    drawn, sums = np.array([row.samples for row in rows]), np.array([row.sum for row in rows])
    kinds, counts = np.unique(
        learner._chooser.pool.at_levels[0].kinds(drawn, sums), return_counts=True
    )
    readings = learner.state.readings
    counted = readings.counted_by(np.ones(len(readings.spans)))
    assert kinds.tolist() == counted[0].tolist()
    assert counts.tolist() == counted[1].tolist()
    assert drawn.sum() == learner.state.samples
    noise = learner._chooser.noise
    for row in rows:
        assert row.effect == row.sum / row.samples
        assert row.standard_error == pytest.approx(noise / np.sqrt(row.samples * row.samples_worth))
        assert row.rule.startswith("look ")


def test_a_refit_follows_where_the_state_says_so() -> None:
    """After 4 tests, then after one more each, later after a fourth of all before."""
    rows, learner = taught(SIGNS, drift=False)
    refits = {row.number: row.refit for row in rows if row.refit is not None}
    due, at = [], 4
    while at <= 60:
        due.append(at)
        at += max(1, at // 4)
    assert refits == {number: place for place, number in enumerate(due, start=1)}
    assert learner.state.rounds[-1].number == len(due)
    assert [row.round for row in rows] == [
        sum(number < row.number for number in due) for row in rows
    ]


def test_tests_in_a_row_teach_what_they_teach_one_by_one() -> None:
    """The list does not depend on how many tests a design stood for."""
    rows = SIGNS.sample(40, 200, np.random.default_rng(RNG_SEED))[1]
    found = []
    for most in (1, 40):
        said: list[Lesson] = []
        learner = EmpiricalBayes(Signs(), 64, setup_cost=20)
        learner.audit = said.append
        in_a_row(learner, rows, (most,))
        found.append(said)
    assert found[0] == found[1]
    assert {row.verified is None for row in found[0]} == {True, False}
    assert all(row.decision == "accept" for row in found[0] if row.verified is not None)


def test_a_learner_that_is_audited_is_the_same_learner() -> None:
    """The list is no part of its JSON, which says nothing of single tests."""
    learner = EmpiricalBayes(Signs(), 64, setup_cost=20)
    plain = simulate(learner, SIGNS, tasks=60, rng=RNG_SEED).learner
    assert taught(SIGNS)[1].to_json() == plain.to_json()
    assert "audit" not in json.loads(plain.to_json())["settings"]


def test_the_log_of_a_programme_is_the_list() -> None:
    """Tests that end in any order, one of them given up: as the learner was taught."""
    programme = Programme.create(
        "memory:", "checkout", learner=EmpiricalBayes(Signs(), 16, setup_cost=5), clock=Clock()
    )
    assert list(programme.audit()) == []
    rng = np.random.default_rng(RNG_SEED)
    rows = rng.choice(np.array([-1, 1]), (12, 64), p=[0.3, 0.7]).tolist()
    tasks = [programme.begin(f"idea {number}") for number in range(1, 13)]
    tasks[4].abandon("called off")
    for task, row in list(zip(tasks, rows, strict=True))[::-1]:
        if task.status != "abandoned":
            task.tell(row)
    found = list(programme.audit())
    assert [name for name, _ in found] == [task.name for task in tasks if task is not tasks[4]]
    assert [lesson.number for _, lesson in found] == [1, 2, 3, 4, *range(6, 13)]
    learner = programme.learner()
    assert isinstance(learner, EmpiricalBayes)
    assert sum(lesson.samples for _, lesson in found) == learner.state.samples
    assert [lesson.refit for _, lesson in found if lesson.refit] == list(
        range(1, learner.state.rounds[-1].number + 1)
    )


def test_only_what_fits_the_pool_says_what_each_test_taught() -> None:
    """Others are refused in a sentence."""
    programme = Programme.create("memory:", "bands", learner=Ladder(fixed(2, 1)), clock=Clock())
    with refused("'bands'", "Ladder", "events"):
        next(programme.audit())
