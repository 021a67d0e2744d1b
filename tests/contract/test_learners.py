"""What every learner promises: one suite that all of them pass."""

import json
import pickle
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dwell import Policies, Rule, fixed, simulate
from dwell.testing import CHECKS, in_a_row
from tests.contract.cases import (
    CASES,
    CHOOSERS,
    LEARNERS,
    THREE_VALUES,
    WIDTH,
    Case,
    after,
    begun,
    drawn_rows,
    outcome,
)
from tests.refusals import refused
from tests.strategies import PROPERTY

# The cases are of use only if they go through all phases.


def test_the_cases_go_through_all_phases() -> None:
    """CAPE eliminates policies one by one, ESC finds a K, and all that choose have chosen.

    EmpiricalBayes has fitted the pool many times, and its guard has closed, or waits.
    """
    ends = {name: after(case, case.tasks).knowledge() for name, case in CHOOSERS.items()}
    assert [name for name in CHOOSERS if ends[name].chosen is None] == ["Esc"]
    for name in ("Cape", "CapeSharp", "Ladder"):
        assert len({at for at in ends[name].eliminated_at if at > 0}) == 2
    assert len(ends["Esc"].candidates) > 1
    assert len(ends["EscCape"].eliminated_at) == len(ends["Esc"].candidates) <= WIDTH // 2
    learned = after(CASES["EmpiricalBayes"], 150).state
    assert learned.ledger.phase > 0 or learned.ledger.closed
    assert learned.rounds[-1].number >= 10
    waiting = after(CASES["EmpiricalBayes, free set-up"], 80)
    assert (begun(waiting).accepts, waiting.state.ledger.closed) == (False, False)
    assert waiting.state.ledger.spread.any()
    assert after(CASES["EmpiricalBayes, normal"], 40).state.rounds[-1].number >= 10


@LEARNERS
@pytest.mark.parametrize("check", CHECKS)
def test_every_learner_keeps_the_published_promises(case: Case, check: str) -> None:
    """All checks that dwell.testing publishes, on all learners."""
    CHECKS[check](case.subject)


@LEARNERS
def test_a_pickle_is_the_learner(case: Case) -> None:
    """Worker processes get what was sent to them, open tasks included."""
    learner = after(case, case.tasks // 2)
    learner.begin()
    assert pickle.loads(pickle.dumps(learner)).to_json() == learner.to_json()


@LEARNERS
@given(sizes=st.lists(st.integers(1, 300), min_size=1, max_size=8))
@settings(PROPERTY, max_examples=5)
def test_however_records_are_split_the_state_is_the_same(case: Case, sizes: list[int]) -> None:
    """Blocks of any sizes give the state that one block gives, bit for bit."""
    learner = case.make()
    in_a_row(learner, drawn_rows(case.world, case.tasks), sizes)
    assert learner.to_json() == case.subject.after(case.tasks).to_json()


@LEARNERS
def test_no_records_teach_nothing(case: Case) -> None:
    """An empty block closes a design and changes nothing, at any moment."""
    for tasks in case.subject.moments:
        learner = after(case, tasks)
        before = learner.to_json()
        if (design := learner.begin(50)) is not None:
            records = design.record(drawn_rows(case.world, case.tasks)[:0])
            assert learner.learn(design, records) == 0
            assert json.loads(learner.to_json())["state"] == json.loads(before)["state"]


def test_esc_cape_takes_no_more_tasks_than_there_are() -> None:
    """With 20 tasks left after the search, CAPE's part of the learner takes 20 and no more."""
    case = CASES["EscCape"]
    rows = drawn_rows(case.world, case.tasks)
    searched = after(CASES["Esc"], case.tasks).knowledge().explored
    learner = case.make(tasks=searched + 20)
    in_a_row(learner, rows[:searched])
    design = begun(learner, 1000)
    assert design.tasks == 20
    assert learner.learn(design, design.record(rows[searched : searched + 20])) == 20
    assert learner.begin() is None
    assert learner.knowledge().explored == searched + 20


# What it knows.


@pytest.mark.parametrize("name", ["ExploreThenCommit", "Cape"])
def test_before_the_first_task_nothing_is_known(name: str) -> None:
    """All intervals are the whole line, and all policies are candidates."""
    known = CASES[name].make().knowledge()
    assert known.roi_low is not None
    assert known.roi_high is not None
    assert known.roi_low.tolist() == [-inf] * 3
    assert known.roi_high.tolist() == [inf] * 3
    assert known.candidates == (0, 1, 2)
    assert (known.explored, known.samples, known.chosen) == (0, 0, None)


def test_when_the_search_ends_nothing_is_known_of_what_it_found() -> None:
    """ESC-CAPE begins with all intervals the whole line, on the policies that ESC left."""
    case = CASES["EscCape"]
    searched = after(CASES["Esc"], case.tasks).knowledge()
    known = after(case, searched.explored).knowledge()
    assert known.roi_low is not None
    assert known.roi_high is not None
    assert known.candidates == searched.candidates
    assert set(known.roi_low.tolist()) == {-inf}
    assert set(known.roi_high.tolist()) == {inf}


def test_esc_says_that_it_ran_out_of_tasks() -> None:
    """With too few tasks ESC and ESC-CAPE end with a note, nothing chosen and ROI 0."""
    for name in ("Esc", "EscCape"):
        case = CASES[name]
        run = simulate(case.make(tasks=300), case.world, tasks=300, rng=0)
        assert "ran out of tasks" in run.known.note
        assert (run.chosen, run.roi, run.explored) == (None, 0.0, 300)


# In the lab.


@LEARNERS
def test_the_same_seed_gives_the_same_run(case: Case) -> None:
    """Reward, cost and final state are the same twice, and from a restored learner.

    With another seed they are not.
    """
    learner = case.make()
    for options in ({}, {"sampled": True}, {"tasks": None, "samples": 3 * case.tasks}):
        first = outcome(learner, case, **options)
        assert outcome(learner, case, **options) == first
        restored = type(learner).from_json(learner.to_json())
        assert outcome(restored, case, **options) == first
        if "sampled" in options:
            assert outcome(learner, case, **options, rng=18) != first


@LEARNERS
def test_a_set_up_cost_is_charged_per_task(case: Case) -> None:
    """Total cost is that of the samples and of so many set-ups; JSON keeps the set-up cost."""
    learner = case.make(setup_cost=20.0)
    assert learner.setup_cost == 20.0
    assert type(learner).from_json(learner.to_json()).setup_cost == 20.0
    run = simulate(learner, case.world, tasks=2 * case.tasks, rng=1)
    assert run.tasks <= 2 * case.tasks
    assert run.cost == pytest.approx(run.samples + 20.0 * run.tasks)


@pytest.mark.parametrize("name", ["ExploreThenCommit", "Cape"])
def test_wider_observations_widen_the_bounds_on_rewards(name: str) -> None:
    """With observations in [-b, b] the bounds on rewards are b times as far apart.

    Those on costs are as far apart as before.
    """
    case = CASES[name]
    plain = after(case, 200).knowledge().bounds
    wide = after(case, 200, bound=2.5).knowledge().bounds
    assert plain is not None
    assert wide is not None
    ratio = (wide.reward_high - wide.reward_low) / (plain.reward_high - plain.reward_low)
    assert ratio.tolist() == pytest.approx([2.5] * 3)
    assert wide.cost_low.tolist() == plain.cost_low.tolist()
    assert wide.cost_high.tolist() == plain.cost_high.tolist()


@pytest.mark.parametrize("name", [name for name in CHOOSERS if name != "Fixed"])
def test_the_bound_is_kept(name: str) -> None:
    """JSON keeps the bound on observations, and a run with one goes through."""
    case = CASES[name]
    learner = case.make(bound=2.5)
    assert json.loads(learner.to_json())["settings"]["bound"] == 2.5
    assert outcome(learner, case) == outcome(type(learner).from_json(learner.to_json()), case)


def test_a_rule_can_be_learned_about_but_not_written() -> None:
    """CAPE takes any policy; one made of Python functions has no JSON, and it says so."""
    rule = Rule(lambda _: 2, lambda d, x: bool(x[d - 1] > 0), cap=2)
    learner = CASES["Cape"].make(policies=Policies([fixed(1, 1), rule, fixed(3, 1)]))
    assert in_a_row(learner, drawn_rows(THREE_VALUES, 1600)[:30]) == 30
    with refused("Rule", "JSON"):
        learner.to_json()
