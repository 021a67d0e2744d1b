"""Start: what a learner knows before the first task, and that the log says so."""

from pathlib import Path

import numpy as np
import pytest

from dwell import (
    Atoms,
    Beta,
    EmpiricalBayes,
    Gaussian,
    Ladder,
    Lift,
    Normal,
    PastSums,
    Policy,
    Programme,
    Signs,
    World,
    exact,
    fixed,
    oracle,
)
from dwell.learners.warming import warm
from dwell.periods import Periods
from dwell.priors import Prior
from dwell.programme.events import Created, Start
from dwell.report.programme import choice_sentence
from tests.programmes import BANDS, Clock, replayed, snapshot
from tests.refusals import refused

PAST = PastSums.of_counts([5_000] * 9, [500] * 9, [5_000] * 9, range(480, 570, 10), Lift(0.1))


def test_a_programme_starts_from_past_tests_and_its_log_says_so() -> None:
    """Its pool is fitted to them before the first task; it goes on from there when reopened."""
    programme = Programme.create(
        "memory:", "checkout", law=Lift(0.1), cap=5_000, setup_cost=500, past=PAST, clock=Clock()
    )
    cold = Programme.create("memory:", "cold", law=Lift(0.1), cap=5_000, setup_cost=500)
    task, other = programme.begin(), cold.begin()
    assert task.path() != other.path()
    first = task.advice.forecast
    assert first is not None
    assert first.tests == 9
    [created] = [event for _, event in programme.events() if isinstance(event, Created)]
    assert created.start == programme.start == Start(tests=9)
    assert cold.start is None
    assert choice_sentence(programme).endswith("It starts from 9 past tests.")
    assert "samples under Lift(0.1): its learner fits" in choice_sentence(programme)
    assert "starts from nothing" in choice_sentence(cold)
    store = programme._journal.store
    assert snapshot(programme) == replayed(store)
    assert Programme.open(store, "checkout").start == Start(tests=9)
    programme.verify()


def test_past_tests_mean_nothing_to_a_learner_that_fits_no_pool() -> None:
    """It is refused, as whatever else a learner has no use for."""
    with refused("past means nothing to the learner ladder"):
        Programme.create("memory:", "checkout", policies=fixed(3), past=PAST)


@pytest.mark.parametrize(
    "prior", [Normal(-0.05, 0.2), Beta(3, 7), Atoms([-0.05, 0.6], [0.9, 0.1])], ids=str
)
def test_limits_from_a_prior_are_nearly_the_best_for_it(prior: Prior) -> None:
    """As 20 past tests it gives more than 0.92 of what the best of all policies earns there."""
    past = PastSums.of_prior(prior, 20, 256, Signs())
    learner = EmpiricalBayes(Signs(), cap=256, setup_cost=20, past=past)
    world = World(prior, Signs())
    [policy] = learner.begin().policies
    assert isinstance(policy, Policy)
    assert exact(policy, world, 20).roi[0] > 0.92 * oracle(world, 256, 20).roi
    fitted = learner.fitted
    values = world.sample_values(20_000, 0)
    assert fitted.weights @ fitted.values == pytest.approx(values.mean(), abs=0.03)


def test_a_prior_is_tests_whose_values_are_spread_like_it() -> None:
    """Signs have sums that signs can have; lifts stay where they can be."""
    signs = PastSums.of_prior(Normal(0.0, 0.3), 7, 65, Signs())
    signs.require_law(Signs())
    assert ((signs.drawn + signs.sums) % 2 == 0).all()
    lifts = PastSums.of_prior(Normal(0.0, 0.3), 9, 100, Lift(0.1))
    assert (lifts.sums / lifts.drawn).min() == -0.1
    atoms = PastSums.of_prior(Atoms([1.0, -1.0], [0.75, 0.25]), 4, 10, Gaussian(1.0))
    assert atoms.sums.tolist() == [-40.0, 40.0, 40.0, 40.0]
    with refused("tests", 0):
        PastSums.of_prior(Normal(0, 1), 0, 10, Gaussian(1.0))


def test_a_learner_is_taught_past_tests_as_if_it_had_run_them() -> None:
    """Task by task, the same as by hand; what is too short is left out and counted."""
    rng = np.random.default_rng(2)
    rows = [rng.choice([-1.0, 1.0], 40) for _ in range(30)]
    taught, by_hand = Ladder(BANDS, setup_cost=5), Ladder(BANDS, setup_cost=5)
    assert warm(taught, rows) == (30, 0)
    for row in rows:
        design = by_hand.begin()
        assert design is not None
        by_hand.learn(design, design.record(row))
    assert taught.to_json() == by_hand.to_json()
    assert warm(taught, [np.array([])]) == (0, 1)
    weeks = Periods(np.array([8]), np.full(8, 7), np.zeros(8))
    assert warm(taught, [weeks]) == (1, 0)
    with refused("between -1 and 1", "test 2"):
        warm(taught, [weeks, np.array([3.0] * 40)])


def test_a_learner_that_was_taught_runs_a_programme(tmp_path: Path) -> None:
    """Its tasks are counted on from those that it knows, and its log is replayed from there."""
    learner = Ladder(BANDS, setup_cost=5)
    warm(learner, [np.ones(40)] * 12 + [np.ones(2)])
    store = f"sqlite:///{tmp_path / 'tests.db'}"
    start = Start(tests=12, source="tests.csv", left_out=1)
    programme = Programme.create(store, "checkout", learner=learner, start=start, clock=Clock())
    assert choice_sentence(programme).endswith(
        "It starts from 12 past tests of tests.csv; 1 more was too short to learn from."
    )
    task = programme.begin()
    assert task.name == "task-14"
    task.tell([1] * 40)
    assert task.status == "finished"
    assert programme.learner().knowledge().explored == 13
    assert programme.verify().tasks == 1
