"""What every learner promises: one suite that all of them pass."""

import copy
import json
import pickle
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dwell import (
    Ladder,
    Policies,
    Rule,
    fixed,
    simulate,
)
from tests.contract.cases import (
    CASES,
    LEARNERS,
    THREE_VALUES,
    WIDTH,
    Case,
    Restore,
    after,
    drawn_rows,
    drive,
    moments,
    outcome,
    record,
)
from tests.refusals import refused
from tests.strategies import PROPERTY

# The cases are of use only if they go through all phases.


def test_the_cases_go_through_all_phases() -> None:
    """CAPE drops policies one after the other, ESC finds a K, and all that choose have chosen."""
    ends = {name: after(case, case.tasks).knowledge() for name, case in CASES.items()}
    assert [name for name in CASES if ends[name].chosen is None] == ["Esc"]
    for name in ("Cape", "CapeSharp", "Ladder"):
        assert len({at for at in ends[name].dropped_at if at > 0}) == 2
    assert len(ends["Esc"].candidates) > 1
    assert len(ends["EscCape"].dropped_at) == len(ends["Esc"].candidates) <= WIDTH // 2


# A learner is a pure state machine.


@LEARNERS
def test_asking_changes_nothing(case: Case) -> None:
    """A plan is the same when asked for twice; plan, knowledge and JSON leave the state alone."""
    for tasks in moments(case):
        learner = after(case, tasks)
        before = learner.to_json()
        assert learner.plan() == learner.plan()
        learner.knowledge()
        assert learner.to_json() == before


RESTORED: dict[str, Restore] = {
    "JSON": lambda learner: type(learner).from_json(learner.to_json()),
    "a pickle": lambda learner: pickle.loads(pickle.dumps(learner)),
    "a copy": copy.deepcopy,
}


@LEARNERS
@pytest.mark.parametrize("restore", RESTORED.values(), ids=RESTORED)
def test_a_restored_learner_goes_on_identically(case: Case, restore: Restore) -> None:
    """Restored at any moment, a learner has the same plan and learns the same from there on.

    What it was restored from does not change with it.
    """
    rows = drawn_rows(case.world, case.tasks)
    at_the_end = after(case, case.tasks).to_json()
    for tasks in moments(case):
        learner = after(case, tasks)
        before = learner.to_json()
        restored = restore(learner)
        assert type(restored) is type(learner)
        assert restored.to_json() == before
        assert restored.plan() == learner.plan()
        drive(restored, rows[tasks:])
        assert restored.to_json() == at_the_end
        assert learner.to_json() == before


@LEARNERS
def test_one_by_one_or_in_one_block_is_the_same(case: Case) -> None:
    """A block of records and the same records one by one give the same state, bit for bit."""
    rows = drawn_rows(case.world, case.tasks)
    together, single = case.make(), case.make()
    assert drive(together, rows) == drive(single, rows, sizes=[1])
    assert single.to_json() == together.to_json()


@LEARNERS
@given(sizes=st.lists(st.integers(1, 300), min_size=1, max_size=8))
@settings(PROPERTY, max_examples=12)
def test_however_records_are_split_the_state_is_the_same(case: Case, sizes: list[int]) -> None:
    """Blocks of any sizes give the state that one block gives, bit for bit."""
    learner = case.make()
    drive(learner, drawn_rows(case.world, case.tasks), sizes)
    assert learner.to_json() == after(case, case.tasks).to_json()


@LEARNERS
def test_no_records_teach_nothing(case: Case) -> None:
    """An empty block is taken in, and changes nothing, at any moment."""
    for tasks in moments(case):
        learner = after(case, tasks)
        if (plan := learner.plan()) is not None:
            before = learner.to_json()
            assert learner.learn(record(plan, drawn_rows(case.world, case.tasks)[:0])) == 0
            assert learner.to_json() == before


@LEARNERS
def test_no_more_records_are_taken_than_the_plan_stands_for(case: Case) -> None:
    """Handed more than it asked for, a learner takes what it asked for and leaves the rest."""
    rows = drawn_rows(case.world, case.tasks)
    learner, done = case.make(), 0
    while done < len(rows) and (plan := learner.plan()) is not None and plan.tasks is not None:
        taken = learner.learn(record(plan, rows[done:]))
        assert taken <= plan.tasks
        done += taken


def test_esc_cape_takes_no_more_tasks_than_there_are() -> None:
    """With 20 tasks left after the search, CAPE's part of the learner takes 20 and no more."""
    case = CASES["EscCape"]
    rows = drawn_rows(case.world, case.tasks)
    searched = after(CASES["Esc"], case.tasks).knowledge().explored
    learner = case.make(tasks=searched + 20)
    drive(learner, rows[:searched])
    plan = learner.plan()
    assert plan is not None
    assert plan.tasks == 20
    assert learner.learn(record(plan, rows[searched:])) == 20
    assert learner.plan() is None
    assert learner.knowledge().explored == searched + 20


@LEARNERS
def test_tasks_and_samples_are_counted(case: Case) -> None:
    """What was explored is what was taken in before the choice; samples are those drawn for it."""
    rows = drawn_rows(case.world, case.tasks)
    learner, done, samples = case.make(), 0, 0
    while done < len(rows) and (plan := learner.plan()) is not None and plan.tasks is not None:
        records = record(plan, rows[done : done + min(100, plan.tasks)])
        taken = learner.learn(records)
        done += taken
        samples += int(records.drawn[:taken].sum())
        known = learner.knowledge()
        assert (known.explored, known.samples) == (done, samples)
    drive(learner, rows[done:])
    assert (learner.knowledge().explored, learner.knowledge().samples) == (done, samples)


# What it knows.


@LEARNERS
def test_what_is_run_for_good_is_the_choice(case: Case) -> None:
    """A plan for good is to run the chosen policy alone; without one, to reject with the shortest.

    The learners that explore first and then choose have no choice before.
    """
    for tasks in moments(case):
        learner = after(case, tasks)
        plan, known = learner.plan(), learner.knowledge()
        assert known.chosen is None or known.chosen in known.candidates
        if plan is None or plan.tasks is not None:
            assert known.chosen is None or case.kind is Ladder
            continue
        assert plan.accepts == (known.chosen is not None)
        assert (plan.oversamples, plan.extras) == (False, 0)
        index = known.chosen or 0
        choices = learner.choices
        by_index = choices if isinstance(choices, Policies) else choices.first(index + 1)
        assert list(plan.policies) == [by_index[index]]


@LEARNERS
@pytest.mark.parametrize("setup_cost", [0.0, 20.0])
def test_intervals_follow_from_the_bounds(case: Case, setup_cost: float) -> None:
    """Every ROI interval holds all ratios of a reward and a cost within their bounds.

    No cost is below one sample and the set-up.
    """
    for tasks in moments(case):
        known = after(case, tasks, setup_cost=setup_cost).knowledge()
        if known.bounds is None:
            assert known.roi_low is None
            assert known.roi_high is None
            continue
        bounds, low, high = known.bounds, known.roi_low, known.roi_high
        assert low is not None
        assert high is not None
        assert (low <= high).all()
        assert (bounds.reward_low <= bounds.reward_high).all()
        assert (bounds.cost_low <= bounds.cost_high).all()
        assert (bounds.cost_low >= 1.0 + setup_cost).all()
        for reward in (bounds.reward_low, bounds.reward_high):
            for cost in (bounds.cost_low, bounds.cost_high):
                known_ratio = np.isfinite(reward) & np.isfinite(cost)
                ratio = (reward / np.where(known_ratio, cost, 1.0))[known_ratio]
                assert (low[known_ratio] <= ratio).all()
                assert (ratio <= high[known_ratio]).all()


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


@LEARNERS
def test_dropped_policies_are_no_candidates(case: Case) -> None:
    """Per policy there is the task at which it was dropped, in time; 0 for those that remain."""
    for tasks in moments(case):
        known = after(case, tasks).knowledge()
        assert all(0 <= at <= known.explored for at in known.dropped_at)
        assert all(known.dropped_at[k] == 0 for k in known.candidates)
        assert list(known.candidates) == sorted(set(known.candidates))


def test_esc_says_that_it_ran_out_of_tasks() -> None:
    """With too few tasks ESC and ESC-CAPE end with a note, nothing chosen and ROI 0."""
    for name in ("Esc", "EscCape"):
        case = CASES[name]
        run = simulate(case.make(tasks=300), case.world, tasks=300, rng=0)
        assert "ran out of tasks" in run.known.note
        assert (run.chosen, run.roi, run.explored) == (None, 0.0, 300)


# In the lab.


@LEARNERS
def test_simulating_leaves_the_learner_alone(case: Case) -> None:
    """The learner that is given is copied, at any moment."""
    for tasks in moments(case)[::3]:
        learner = after(case, tasks)
        before = learner.to_json()
        simulate(learner, case.world, tasks=200, rng=0, sampled=True)
        assert learner.to_json() == before


@LEARNERS
def test_the_same_seed_gives_the_same_run(case: Case) -> None:
    """Reward, cost and final state are the same twice, and from a restored learner.

    With another seed they are not.
    """
    learner = case.make()
    for options in ({}, {"sampled": True}, {"tasks": None, "samples": 5000}):
        assert outcome(learner, case, **options) == outcome(learner, case, **options)
        restored = type(learner).from_json(learner.to_json())
        assert outcome(restored, case, **options) == outcome(learner, case, **options)
    assert outcome(learner, case, sampled=True) != outcome(learner, case, sampled=True, rng=18)


@LEARNERS
def test_a_set_up_cost_is_charged_per_task(case: Case) -> None:
    """Total cost is that of the samples and of so many set-ups; JSON keeps the set-up cost."""
    learner = case.make(setup_cost=20.0)
    assert learner.setup_cost == 20.0
    assert type(learner).from_json(learner.to_json()).setup_cost == 20.0
    run = simulate(learner, case.world, tasks=2000, rng=1)
    assert run.tasks <= 2000
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


@pytest.mark.parametrize("name", [name for name in CASES if name != "Fixed"])
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
    assert drive(learner, drawn_rows(THREE_VALUES, 1600)[:30]) == 30
    with refused("Rule", "JSON"):
        learner.to_json()
