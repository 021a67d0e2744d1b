"""Tests that overlap: every record is read by the design that it was made under."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dwell import CapeSharp, Ladder, simulate
from dwell.learners.evidence import Evidence
from dwell.testing import recorded, side_by_side
from tests.contract.cases import CASES, LEARNERS, Case, after, begun, drawn_rows

OVERLAPS = [1, 5, 100]


@LEARNERS
@pytest.mark.parametrize("overlap", OVERLAPS)
def test_all_tasks_are_taken_however_many_are_open(case: Case, overlap: int) -> None:
    """400 tasks: none is refused, none is left, and all that should teach has taught."""
    learner = case.make()
    rows = drawn_rows(case.world, case.tasks)[:400]
    designs = side_by_side(learner, rows, overlap, np.random.default_rng(overlap))
    assert [design.number for design in designs] == list(range(1, len(designs) + 1))
    assert learner.queue.open == ()
    assert len(designs) == learner.queue.begun == len(rows)
    assert learner.queue.taken == sum(design.teaches for design in designs)
    assert learner.knowledge().explored <= learner.queue.taken


@pytest.mark.parametrize("name", ["Fixed", "ExploreThenCommit", "Cape", "Esc", "EscCape"])
def test_where_designs_are_the_same_so_is_the_state(name: str) -> None:
    """While nothing leads to another design, any number of open tasks gives the same state."""
    case = CASES[name]
    rows = drawn_rows(case.world, case.tasks)[:60]
    states, designs = set(), set()
    for overlap in OVERLAPS:
        learner = case.make()
        begun_so = side_by_side(learner, rows, overlap, np.random.default_rng(0))
        designs.add(tuple(replace(design, learned_from=0) for design in begun_so))
        states.add(json.dumps(learner.to_dict()["state"]))
    assert len(designs) == len(states) == 1


@pytest.mark.parametrize("name", ["CapeSharp", "Ladder"])
@pytest.mark.parametrize("overlap", OVERLAPS)
def test_sums_are_those_of_each_record_by_its_own_design(name: str, overlap: int) -> None:
    """Whatever the design of the day was when a record came back."""
    case = CASES[name]
    learner = case.make()
    assert isinstance(learner, CapeSharp | Ladder)
    rows = drawn_rows(case.world, case.tasks)[:200]
    designs = side_by_side(learner, rows, overlap, np.random.default_rng(overlap))
    plain = np.zeros_like(learner.state.sums)
    evidence = Evidence(learner.rungs, plain, setup_cost=0.0, bound=1.0)
    for design, row in zip(designs, rows, strict=True):
        if design.teaches:
            evidence.add(recorded(design, row[np.newaxis]), design.columns)
    # Rows 3 and 4 are taken around a guess of the durations that is renewed now and then.
    same = [0, 1, 2, 5, 6, 7]
    np.testing.assert_allclose(learner.state.sums[same], plain[same], rtol=1e-12)


def test_a_late_record_of_an_eliminated_policy_is_read_by_its_own_columns() -> None:
    """CAPE has eliminated its longest policy: a record made before counts for the others alone."""
    case = CASES["Cape"]
    rows = drawn_rows(case.world, case.tasks)
    learner = after(case, 400)
    early = [begun(learner) for _ in range(300)]
    assert {len(design.columns) for design in early} == {3}
    for design, row in zip(early, rows[400:700], strict=True):
        learner.learn(design, recorded(design, row[np.newaxis]))
    known = learner.knowledge()
    eliminated = known.eliminated_at[2]
    assert 400 < eliminated < 700 == known.explored
    # The policies always draw 1, 2 and 3 samples; the last counts until it was eliminated.
    assert learner.state.duration_sums.tolist() == [700, 2 * 700, 3 * eliminated]


@pytest.mark.parametrize("name", ["Cape", "CapeSharp", "ExploreThenCommit"])
def test_while_the_last_explored_tasks_are_out_others_teach_nothing(name: str) -> None:
    """No more tasks are explored than there are to be; the choice falls when all are back."""
    quiet = {"announce": False} if name == "Cape" else {}
    learner = CASES[name].make(exploration_cap=10, **quiet)
    rows = drawn_rows(CASES[name].world, CASES[name].tasks)
    designs = [begun(learner) for _ in range(15)]
    assert [design.teaches for design in designs] == [True] * 10 + [False] * 5
    for design, row in reversed(list(zip(designs, rows[:15], strict=True))):
        assert learner.knowledge().chosen is None
        learner.learn(design, recorded(design, row[np.newaxis]))
    assert learner.knowledge().explored == 10
    assert begun(learner).final


def test_more_tests_at_once_are_simulated_without_loss() -> None:
    """The lab's tasks end when they have drawn their samples: cost and tasks are all there."""
    case = CASES["Ladder"]
    for overlap in OVERLAPS:
        run = simulate(case.make(setup_cost=2.0), case.world, tasks=300, rng=3, overlap=overlap)
        assert run.tasks == 300
        assert run.cost == pytest.approx(run.samples + 600.0)
        assert run.learner.queue.open == ()
