"""What every learner promises: one suite that all of them pass."""

import copy
import json
import pickle
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import cycle
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dwell import (
    Atoms,
    Cape,
    Countable,
    Esc,
    EscCape,
    ExploreThenCommit,
    Fixed,
    Policies,
    Rule,
    Signs,
    VacuousGuarantee,
    World,
    fixed,
    hoeffding,
    scan,
    simulate,
)
from dwell.arrays import Samples
from dwell.learners.learner import Learner, Plan
from dwell.records import Records, oversampled
from tests.refusals import refused
from tests.strategies import PROPERTY

AnyLearner = Fixed | ExploreThenCommit | Cape | Esc | EscCape
Restore = Callable[[AnyLearner], AnyLearner]

SHORT = Policies([fixed(1, 1), fixed(2, 1), fixed(3, 1)])
FAMILY = Countable(c=0.5, tasks=100, delta=0.5)
THREE_VALUES = World(Atoms([-1, 0, 1], [0.3, 0.3, 0.4]), Signs())
TWO_VALUES = World(Atoms([0, 1]), Signs())
WIDTH = 256


@dataclass(frozen=True)
class Case:
    """A learner with a world in which it goes through all its phases within `tasks` tasks."""

    kind: type[AnyLearner]
    arguments: dict[str, Any]
    world: World
    tasks: int

    def make(self, **other: Any) -> AnyLearner:
        return self.kind(**{**self.arguments, **other})


CASES = {
    "Fixed": Case(Fixed, {"policies": SHORT, "index": 1}, THREE_VALUES, 100),
    "ExploreThenCommit": Case(
        ExploreThenCommit,
        {"policies": SHORT, "tasks": 1000, "exploration_cap": 250},
        THREE_VALUES,
        400,
    ),
    # Drops the longest policy within some 600 tasks, and the next within some 1,300.
    "Cape": Case(
        Cape,
        {"policies": SHORT, "tasks": 10**6, "exploration_cap": 3000, "delta": 0.5},
        THREE_VALUES,
        1600,
    ),
    # Find within some 1,200 tasks that 128 policies are enough.
    "Esc": Case(
        Esc, {"family": FAMILY, "tasks": 5000, "accuracy": 0.1, "delta": 0.5}, TWO_VALUES, 1400
    ),
    "EscCape": Case(
        EscCape,
        {
            "family": FAMILY,
            "tasks": 5000,
            "accuracy": 0.1,
            "exploration_cap": 60,
            "delta": 0.5,
        },
        TWO_VALUES,
        1400,
    ),
}
LEARNERS = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@lru_cache(maxsize=8)
def drawn_rows(world: World, tasks: int) -> Samples:
    """The samples that the tasks would yield, drawn beforehand; seeded."""
    return world.sample(tasks, WIDTH, rng=3)[1]


def record(plan: Plan, rows: Samples) -> Records:
    """What the tasks teach when they are run as the plan says."""
    samples = np.ascontiguousarray(rows[:, : plan.samples])
    if plan.oversamples:
        return oversampled(samples, plan.policies)
    outcomes = scan(samples, plan.policies)
    drawn = outcomes.durations[:, -1].astype(np.int64)
    return Records(outcomes.durations, outcomes.decisions, None, drawn)


def part(records: Records, start: int, stop: int) -> Records:
    estimates = None if records.estimates is None else records.estimates[start:stop]
    return Records(
        records.durations[start:stop],
        records.decisions[start:stop],
        estimates,
        records.drawn[start:stop],
    )


def drive(learner: Learner, rows: Samples, sizes: Iterable[int] = (10**9,)) -> int:
    """Let a learner learn from rows in blocks of these sizes, over and over; say how many it took.

    Where the plan changes in a block, the rest is recorded again under the new plan.
    """
    blocks: Iterator[int] = cycle(sizes)
    done = 0
    while done < len(rows) and (plan := learner.plan()) is not None:
        standing = replace(plan, tasks=None)
        recorded = record(plan, rows[done:])
        start = 0
        while start < len(recorded):
            now = learner.plan()
            if now is None or replace(now, tasks=None) != standing:
                break
            most = len(recorded) if now.tasks is None else now.tasks
            block = part(recorded, start, start + min(next(blocks), most))
            taken = learner.learn(block)
            assert 1 <= taken <= len(block)
            start += taken
        done += start
    return done


def after(case: Case, tasks: int, **other: Any) -> AnyLearner:
    """The learner after so many tasks of its world."""
    learner = case.make(**other)
    drive(learner, drawn_rows(case.world, case.tasks)[:tasks])
    return learner


def moments(case: Case) -> list[int]:
    """Numbers of tasks at which a learner is looked at: in every phase."""
    return [0, 1, *(case.tasks * share // 7 for share in range(1, 8))]


def outcome(learner: Learner, case: Case, **options: Any) -> tuple[object, ...]:
    run = simulate(learner, case.world, **{"tasks": 3000, "rng": 17, **options})
    assert isinstance(run.learner, AnyLearner)
    return run.reward, run.cost, run.tasks, run.samples, run.chosen, run.learner.to_json()


# The cases are of use only if they go through all phases.


def test_the_cases_go_through_all_phases() -> None:
    """CAPE drops policies one after the other, ESC finds a K, and all that choose have chosen."""
    ends = {name: after(case, case.tasks).knowledge() for name, case in CASES.items()}
    assert [ends[name].chosen is not None for name in CASES] == [True, True, True, False, True]
    assert len({at for at in ends["Cape"].dropped_at if at > 0}) == 2
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
def test_nothing_is_chosen_while_exploring(case: Case) -> None:
    """There is a choice exactly when the plan is for good, and the plan is to run it."""
    for tasks in moments(case):
        learner = after(case, tasks)
        plan, known = learner.plan(), learner.knowledge()
        if plan is None or plan.tasks is not None:
            assert known.chosen is None
            continue
        assert known.chosen is not None
        assert known.chosen in known.candidates
        assert (plan.accepts, plan.oversamples) == (True, False)
        choices = learner.choices
        by_index = choices if isinstance(choices, Policies) else choices.first(known.chosen + 1)
        assert list(plan.policies) == [by_index[known.chosen]]


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


# Bad input.

BAD_POLICIES: list[tuple[str, Any]] = [("policies", []), ("policies", [3])]
BAD_FAMILIES: list[tuple[str, Any]] = [("family", None), ("family", SHORT), ("family", 3)]
BAD_TASKS = [("tasks", bad) for bad in (0, -1, 1.5, inf, nan, "many", None, 1e19)]
BAD_DELTAS = [("delta", bad) for bad in (0, 1, -0.1, 1.5, nan, "small", None)]
BAD_SETUPS = [("setup_cost", bad) for bad in (-1, -1e-9, inf, nan, "dear", None)]
BAD_BOUNDS = [("bound", bad) for bad in (0, -1, inf, nan, "wide", None)]
BAD_CAPS = [("exploration_cap", bad) for bad in (0, -1, 1.5, 10**7, nan, "far")]
BAD_ACCURACIES = [("accuracy", bad) for bad in (0, -0.1, 1.5, inf, nan, "fine")]
BAD_INDICES = [("index", bad) for bad in (3, -4, 0.5, nan, "last", None)]
BAD: dict[str, list[tuple[str, Any]]] = {
    "Fixed": [*BAD_POLICIES, *BAD_INDICES, *BAD_SETUPS],
    "ExploreThenCommit": [
        *(*BAD_POLICIES, *BAD_TASKS, *BAD_DELTAS, *BAD_SETUPS, *BAD_BOUNDS, *BAD_CAPS),
    ],
    "Cape": [
        *(*BAD_POLICIES, *BAD_TASKS, *BAD_DELTAS, *BAD_SETUPS, *BAD_BOUNDS, *BAD_CAPS),
    ],
    "Esc": [
        *(*BAD_FAMILIES, *BAD_TASKS, *BAD_DELTAS, *BAD_SETUPS, *BAD_BOUNDS, *BAD_ACCURACIES),
    ],
    "EscCape": [
        *(*BAD_FAMILIES, *BAD_TASKS, *BAD_DELTAS, *BAD_SETUPS, *BAD_BOUNDS, *BAD_ACCURACIES),
        *BAD_CAPS,
    ],
}
NAMES = {"setup_cost": "set-up cost", "policies": "polic", "tasks": "tasks", "family": "family"}


@pytest.mark.parametrize(
    ("name", "argument", "bad"),
    [(name, argument, bad) for name, cases in BAD.items() for argument, bad in cases],
)
def test_bad_arguments_are_refused(name: str, argument: str, bad: Any) -> None:
    """The argument and the value that cannot be worked with are named."""
    shown = "none" if bad == [] else bad[0] if bad == [3] else f"{bad:g}" if bad == 1e19 else bad
    with refused(NAMES.get(argument, argument), shown):
        CASES[name].make(**{argument: bad})


@pytest.mark.parametrize("name", [name for name in CASES if name != "Fixed"])
def test_a_delta_however_small_can_be_worked_with(name: str) -> None:
    """1 / delta may be beyond floating point; its logarithm is not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VacuousGuarantee)
        learner = CASES[name].make(delta=1e-310)
    assert learner.plan() is not None
    learner.knowledge()


@pytest.mark.parametrize("accuracy", [1e-9, 1e-160, 1e-200])
def test_an_accuracy_however_fine_can_be_worked_with_or_is_refused(accuracy: float) -> None:
    """No accuracy that is let in makes the number of tasks overflow later."""
    try:
        learner = CASES["Esc"].make(accuracy=accuracy)
    except ValueError as error:
        assert "accuracy" in str(error)  # noqa: PT017  # either is fine
    else:
        assert learner.plan() is not None


def with_width(records: Records, width: int) -> Records:
    """The same records of another number of policies."""

    def widened(column: Any) -> Any:
        return np.ascontiguousarray(np.repeat(column[:, :1], width, axis=1))

    return Records(
        widened(records.durations), widened(records.decisions), records.estimates, records.drawn
    )


def explored_part(case: Case) -> tuple[AnyLearner, Records]:
    """A learner that is exploring, and five records that it could take in."""
    learner = after(case, 1)
    plan = learner.plan()
    assert plan is not None
    return learner, record(plan, drawn_rows(case.world, case.tasks)[1:6])


EXPLORING = pytest.mark.parametrize("name", [name for name in CASES if name != "Fixed"])


@EXPLORING
def test_records_without_rewards_are_refused_while_exploring(name: str) -> None:
    """An exploring learner needs estimates of the rewards; the refusal leaves it as it was."""
    learner, records = explored_part(CASES[name])
    before = learner.to_json()
    with refused("reward" if name in ("ExploreThenCommit", "Cape") else "oversampled"):
        learner.learn(replace(records, estimates=None))
    assert learner.to_json() == before


@EXPLORING
@pytest.mark.parametrize("width", [2, 4])
def test_records_of_other_policies_are_refused(name: str, width: int) -> None:
    """A record must have a column for each policy of the plan.

    The refusal leaves the learner as it was.
    """
    learner, records = explored_part(CASES[name])
    before = learner.to_json()
    with refused("record"):
        learner.learn(with_width(records, width))
    assert learner.to_json() == before


def test_records_of_more_than_one_policy_are_refused_in_escs_second_phase() -> None:
    """Once ESC knows a policy that earns it still wants records of one policy."""
    learner = after(CASES["Esc"], 500)
    plan = learner.plan()
    assert plan is not None
    assert not plan.oversamples
    records = record(plan, drawn_rows(TWO_VALUES, 1400)[500:505])
    with refused("record"):
        learner.learn(with_width(records, 2))


def test_records_that_contradict_themselves_are_refused() -> None:
    """Durations and estimates of different numbers of policies or tasks are no records."""
    learner, records = explored_part(CASES["Cape"])
    assert records.rewards is not None
    before = learner.to_json()
    for estimates in (records.rewards[:, :2].copy(), records.rewards[:3].copy()):
        with refused("estimate"):
            learner.learn(replace(records, estimates=estimates))
        assert learner.to_json() == before


def test_an_estimate_per_policy_counts_like_one_for_all() -> None:
    """Where they are the same numbers, so are the sums."""
    learner, records = explored_part(CASES["Cape"])
    assert records.estimates is not None
    each = np.repeat(records.estimates, records.durations.shape[1], axis=1)
    other = copy.deepcopy(learner)
    assert learner.learn(records) == other.learn(replace(records, estimates=each))
    assert learner.to_json() == other.to_json()


@LEARNERS
@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "{",
        "null",
        "[]",
        "7",
        '"learner"',
        "{}",
        '{"learner": "Cape"}',
        '{"learner": null}',
        '{\n"learner": 1\n}',
    ],
)
def test_text_that_is_no_learner_is_refused(case: Case, text: str) -> None:
    """The refusal says what was expected."""
    with refused(case.kind.__name__):
        case.kind.from_json(text)


@LEARNERS
def test_the_state_of_another_learner_is_refused(case: Case) -> None:
    """Both are named."""
    for other in CASES.values():
        if other is not case:
            with refused(case.kind.__name__, other.kind.__name__):
                case.kind.from_json(other.make().to_json())


@LEARNERS
@pytest.mark.parametrize(
    "spoil",
    [
        lambda fields: fields.pop("learner"),
        lambda fields: fields.pop("settings"),
        lambda fields: fields.pop("state"),
        lambda fields: fields.update(settings=[]),
        lambda fields: fields.update(settings=None),
        lambda fields: fields.update(settings={}),
        lambda fields: fields["settings"].update(surprise=1),
        lambda fields: fields["settings"].update(setup_cost=-1),
        lambda fields: fields["settings"].update(setup_cost={"nested": {"learner": "Nobody"}}),
        lambda fields: fields["settings"].update(setup_cost={"array": [[1], [1, 2]]}),
    ],
    ids=[
        "no kind",
        "no settings",
        "no state",
        "settings in a list",
        "settings null",
        "settings empty",
        "an unknown setting",
        "a bad setting",
        "an unknown kind inside",
        "a bad array inside",
    ],
)
def test_a_spoilt_state_is_refused(case: Case, spoil: Callable[[dict[str, Any]], Any]) -> None:
    """What is not exactly what to_json wrote is refused in a sentence."""
    fields = json.loads(after(case, 1).to_json())
    spoil(fields)
    if "state" not in fields and not case.kind.STATE:
        return  # a learner without a state can do without
    with refused():
        case.kind.from_json(json.dumps(fields))


TALLY = {"explored": 0, "samples": 0, "duration_sums": [0.0] * 3, "reward_sums": [0.0] * 3}


@pytest.mark.parametrize(
    ("name", "entry", "bad"),
    [
        ("Cape", "tally", None),
        ("Cape", "tally", {"tally": {}}),
        ("Cape", "tally", {"tally": {**TALLY, "duration_sums": [0.0]}}),
        ("Cape", "tally", {"tally": {**TALLY, "reward_sums": ["much"] * 3}}),
        ("Cape", "tally", {"tally": {**TALLY, "explored": "some"}}),
        ("Cape", "dropped_at", None),
        ("Cape", "dropped_at", {"array": [0]}),
        ("Cape", "dropped_at", {"array": ["never"] * 3}),
        ("ExploreThenCommit", "tally", None),
        ("ExploreThenCommit", "tally", {"tally": {**TALLY, "duration_sums": [0.0]}}),
        ("Esc", "level", "deep"),
        ("Esc", "used", None),
        ("EscCape", "esc", None),
        ("EscCape", "esc", {"nested": {"learner": "Nobody"}}),
    ],
)
def test_a_spoilt_entry_of_a_state_is_refused(name: str, entry: str, bad: Any) -> None:
    """A learner that could not go on is not restored: a kernel would write beyond its arrays."""
    fields = json.loads(CASES[name].make().to_json())
    fields["state"][entry] = bad
    with refused():
        CASES[name].kind.from_json(json.dumps(fields))


# CAPE's warning.

WARNED = [
    (Policies([fixed(1)]), 0.05),
    (SHORT, 0.05),
    (SHORT, 0.9),
    (SHORT, 1e-9),
    (hoeffding([2, 8], c=0.35, tasks=10**6, delta=0.05), 0.05),
    (hoeffding(range(1, 51), c=0.35, tasks=10**6, delta=0.05), 0.05),
    (hoeffding([256], c=0.35, tasks=10**6, delta=0.05), 0.1),
]


def named_in(warned: pytest.WarningsRecorder) -> tuple[int, int]:
    """The number of tasks, and the exploration cap, that a warning says would be needed."""
    [warning] = warned.list
    found = re.search(r"need ([\d,]+) tasks .*cap of ([\d,]+)", str(warning.message))
    assert found is not None
    tasks, cap = (int(number.replace(",", "")) for number in found.groups())
    return tasks, cap


@pytest.mark.parametrize(("policies", "delta"), WARNED)
def test_cape_warns_with_the_least_number_of_tasks_that_it_needs(
    policies: Policies, delta: float
) -> None:
    """With the number of tasks that is named there is no warning; with one less there is."""
    with pytest.warns(VacuousGuarantee) as warned:
        Cape(policies, tasks=2, delta=delta)
    tasks, _ = named_in(warned)
    assert not Cape(policies, tasks=tasks, delta=delta).guarantee.vacuous
    with pytest.warns(VacuousGuarantee) as warned:
        Cape(policies, tasks=tasks - 1, delta=delta)
    assert named_in(warned)[0] == tasks


@pytest.mark.parametrize(("policies", "delta"), WARNED)
def test_cape_warns_with_the_least_exploration_cap_that_it_needs(
    policies: Policies, delta: float
) -> None:
    """With the exploration cap that is named there is no warning; with one less there is."""
    with pytest.warns(VacuousGuarantee) as warned:
        Cape(policies, tasks=10**18, delta=delta, exploration_cap=1)
    _, cap = named_in(warned)
    assert not Cape(policies, tasks=10**18, delta=delta, exploration_cap=cap).guarantee.vacuous
    with pytest.warns(VacuousGuarantee) as warned:
        Cape(policies, tasks=10**18, delta=delta, exploration_cap=cap - 1)
    assert named_in(warned)[1] == cap


def test_cape_warns_where_it_was_made_and_only_then() -> None:
    """The warning points at the caller's line; restored and copied learners stay silent.

    So does a run. The note stays.
    """
    with pytest.warns(VacuousGuarantee) as warned:
        learner = Cape(SHORT, tasks=100)
    assert warned.list[0].filename == __file__
    restored = Cape.from_json(learner.to_json())
    for silent in (restored, copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
        simulate(silent, THREE_VALUES, tasks=100, rng=0)
        assert silent.knowledge().note == str(warned.list[0].message)


def test_cape_can_be_told_not_to_warn() -> None:
    """Whoever has read the warning can switch it off."""
    assert Cape(SHORT, tasks=100, announce=False).guarantee.vacuous
