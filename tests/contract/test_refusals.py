"""What every learner refuses, in one sentence: arguments, records and states."""

import copy
import json
import warnings
from collections.abc import Callable
from dataclasses import replace
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from dwell import Signs, VacuousGuarantee
from dwell.learners.design import Design
from dwell.learners.learner import Learner
from dwell.records import Records
from tests.contract.cases import CASES, CHOOSERS, LEARNERS, SHORT, Case, after, begun, drawn_rows
from tests.refusals import refused

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
    "CapeSharp": [
        *(*BAD_POLICIES, *BAD_TASKS, *BAD_DELTAS, *BAD_SETUPS, *BAD_BOUNDS, *BAD_CAPS),
    ],
    "Ladder": [*BAD_POLICIES, *BAD_DELTAS, *BAD_SETUPS, *BAD_BOUNDS],
    "EmpiricalBayes": [
        *(("law", bad) for bad in (None, 3, "Signs", Signs)),
        *(("cap", bad) for bad in (0, -1, 2.5, inf, nan, "long", None, 1e19)),
        *(("looks", bad) for bad in (0, -1, 2.5, nan, "often", 17)),
        *(("min_samples", bad) for bad in (0, 17, 1.5, nan, "some", None)),
        *(("caution", bad) for bad in (0, 1, 1.5, -0.1, nan, "much", None)),
        *(("guard", bad) for bad in ("yes", 1, 0.5)),
        *(("budget", bad) for bad in (-1, 0, nan, inf, "much")),
        *(("seed", bad) for bad in (-1, 0.5, nan, "lucky", None)),
        *BAD_SETUPS,
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


@pytest.mark.parametrize("name", [name for name in CHOOSERS if name != "Fixed"])
def test_a_delta_however_small_can_be_worked_with(name: str) -> None:
    """1 / delta may be beyond floating point; its logarithm is not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VacuousGuarantee)
        learner = CASES[name].make(delta=1e-310)
    assert learner.begin() is not None
    learner.knowledge()


def test_the_finest_accuracy_can_be_worked_with_and_finer_ones_are_refused() -> None:
    """No accuracy that is let in makes the number of tasks overflow later."""
    assert CASES["Esc"].make(accuracy=1e-9).begin() is not None
    for accuracy in (9e-10, 1e-160, 1e-200):
        with refused("accuracy", accuracy):
            CASES["Esc"].make(accuracy=accuracy)


def explored_part(case: Case) -> tuple[Learner, Design, Records]:
    """A learner that is exploring, and records that it could take in."""
    learner = after(case, 1)
    design = begun(learner, 5)
    return learner, design, design.record(drawn_rows(case.world, case.tasks)[1 : 1 + design.tasks])


def test_records_that_contradict_themselves_are_refused() -> None:
    """Durations and estimates of different numbers of policies or tasks are no records."""
    learner, design, records = explored_part(CASES["Cape"])
    assert records.rewards is not None
    before = learner.to_json()
    for estimates in (records.rewards[:, :2].copy(), records.rewards[:3].copy()):
        with refused("estimate"):
            learner.learn(design, replace(records, estimates=estimates))
        assert learner.to_json() == before


def test_an_estimate_per_policy_counts_like_one_for_all() -> None:
    """Where they are the same numbers, so are the sums."""
    learner, design, records = explored_part(CASES["Cape"])
    assert records.estimates is not None
    each = np.repeat(records.estimates, records.durations.shape[1], axis=1)
    other = copy.deepcopy(learner)
    assert learner.learn(design, records) == other.learn(design, replace(records, estimates=each))
    assert learner.to_json() == other.to_json()


@LEARNERS
def test_a_task_that_goes_on_cannot_be_recorded_or_learned_from(case: Case) -> None:
    """Too few samples are refused by the design, and decisions still open by the learner."""
    learner = case.make()
    design = begun(learner)
    rows = drawn_rows(case.world, case.tasks)
    with refused("goes on", design.samples):
        design.record(rows[:1, :0])
    records = design.record(rows[:1])
    before = learner.to_json()
    with refused("goes on"):
        learner.learn(design, replace(records, decisions=np.full_like(records.decisions, -1)))
    assert learner.to_json() == before


def test_tasks_in_a_row_come_one_after_another() -> None:
    """While a design of several tasks is open nothing else is begun; else a design is of one."""
    learner = CASES["Cape"].make()
    several = begun(learner, 10)
    assert several.tasks == 10
    with refused("10 tasks in a row"):
        learner.begin()
    learner.forget(several)
    assert begun(learner).tasks == 1
    assert begun(learner, 10).tasks == 1


@LEARNERS
def test_what_is_no_design_is_refused(case: Case) -> None:
    """And so is a number of tasks that is none."""
    learner = case.make()
    design = begun(learner)
    records = design.record(drawn_rows(case.world, case.tasks)[:1])
    with refused("Design"):
        learner.learn(records, design)  # type: ignore[arg-type]  # the wrong way round
    with refused("Design"):
        learner.forget(7)  # type: ignore[arg-type]  # what is refused
    for bad in (0, -1, 1.5, "two"):
        with refused("tasks", bad):
            learner.begin(bad)  # type: ignore[arg-type]  # what is refused


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
        if other.kind is not case.kind:
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
        lambda fields: fields["settings"].update(setup_cost={"policies": {}}),
        lambda fields: fields.pop("queue"),
        lambda fields: fields["queue"].update(begun="many"),
        lambda fields: fields["queue"].update(open=[{"design": {}, "records": None}]),
        lambda fields: fields["queue"]["open"][0]["design"].update(columns=[-1]),
        lambda fields: fields["queue"]["open"][0]["design"].update(decider=7),
        lambda fields: fields["queue"]["open"][0]["design"].update(number=999),
        lambda fields: fields["queue"]["open"][0].update(records={"durations": []}),
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
        "policies that are none",
        "no queue",
        "a queue without a number",
        "a design of nothing",
        "a design of unknown policies",
        "a design that nobody decides",
        "a design of the future",
        "records of nothing",
    ],
)
def test_a_spoilt_state_is_refused(case: Case, spoil: Callable[[dict[str, Any]], Any]) -> None:
    """What is not exactly what to_json wrote is refused in a sentence."""
    learner = after(case, 1)
    learner.begin()
    fields = json.loads(learner.to_json())
    spoil(fields)
    with refused():
        case.kind.from_json(json.dumps(fields))


_BAD_ENTRIES: dict[str, tuple[Any, ...]] = {
    "readings": (None, {}, {"spans": []}, 3),
    "changes": (None, [{}], [7]),
    "weights": ([], [1.0], [nan], None),
    "rounds": ([], None, [{}], [3]),
    "noise": (None, {}, {"dependence": {}}),
    "ledger": (None, {}, {"phase": "first"}),
    "gap": (nan, inf, "wide", None),
    "gap_weight": (nan, -1.0, None),
    "deepened": (0.5, -1, None),
    "refit_at": ("soon", None),
    "explored": (-1, 0.5, None),
    "samples": (-1, 0.5, None),
}


@pytest.mark.parametrize(
    ("name", "entry", "bad"),
    [
        ("Cape", "duration_sums", None),
        ("Cape", "duration_sums", [0.0]),
        ("Cape", "reward_sums", ["much"] * 3),
        ("Cape", "explored", "some"),
        ("Cape", "eliminated_at", None),
        ("Cape", "eliminated_at", [0]),
        ("Cape", "eliminated_at", ["never"] * 3),
        ("Cape", "eliminated_at", [[1], [1, 2]]),
        ("ExploreThenCommit", "samples", None),
        ("ExploreThenCommit", "duration_sums", [0.0]),
        ("Esc", "level", "deep"),
        ("Esc", "explored", None),
        ("EscCape", "esc", None),
        ("EscCape", "esc", {"level": "deep"}),
        ("EscCape", "cape", {"explored": 0}),
        ("CapeSharp", "sums", [[0.0] * 3] * 7),
        ("CapeSharp", "sums", [[0.0] * 2] * 8),
        ("CapeSharp", "next_test", None),
        ("Ladder", "sums", [[0.0] * 3] * 9),
        ("Ladder", "sums", [["much"] * 3] * 8),
        ("Ladder", "eliminated_at", [0.5] * 3),
        ("Ladder", "credits", [0.0] * 3),
        ("Ladder", "chosen", "the best"),
        ("Ladder", "batches", None),
        ("Ladder", "batches", []),
        ("Ladder", "explored", "some"),
        *(
            ("EmpiricalBayes", entry, bad)
            for entry, several in _BAD_ENTRIES.items()
            for bad in several
        ),
    ],
)
def test_a_spoilt_entry_of_a_state_is_refused(name: str, entry: str, bad: Any) -> None:
    """A learner that could not go on is not restored: a kernel would write beyond its arrays."""
    fields = json.loads(CASES[name].make().to_json())
    fields["state"][entry] = bad
    with refused():
        CASES[name].kind.from_json(json.dumps(fields))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda state: state.pop("gap"),
        lambda state: state.update(surprise=1),
        lambda state: state["readings"]["spans"][0]["counts"].__setitem__(0, -1.0),
        lambda state: state["readings"]["spans"][0]["counts"].pop(),
        lambda state: state["readings"]["spans"][0]["kinds"].__setitem__(0, -5),
        lambda state: state["readings"]["spans"][0]["evidence"].append(0.0),
        lambda state: state["readings"]["spans"][0].update(start=1),
        lambda state: state["readings"]["spans"][0].update(tests=-1),
        lambda state: state["readings"]["spans"].clear(),
        lambda state: state["readings"]["chances"].append(0.0),
        lambda state: state["readings"]["shares"].__setitem__(0, [0.0]),
        lambda state: state["readings"].update(evidence=nan),
        lambda state: state["weights"].__setitem__(3, -1e-9),
        lambda state: state["weights"].__setitem__(3, nan),
        lambda state: state["ledger"].pop("verified"),
        lambda state: state["ledger"].update(spread=[0.0]),
        lambda state: state["ledger"].update(verified=nan),
        lambda state: state["noise"]["dependence"].update(excess=[0.0]),
        lambda state: state["rounds"].pop(),
        lambda state: state["rounds"][-1]["boundaries"][0]["lower"].pop(),
        lambda state: state["rounds"][-1]["boundaries"][0]["lower"].__setitem__(0, 99.0),
        lambda state: state["rounds"][-1]["boundaries"][0].update(looks=[]),
        lambda state: state["rounds"][-1]["boundaries"][0].update(looks=[10**9]),
        lambda state: state["rounds"][-1].update(number=77),
    ],
    ids=[
        "an entry is missing",
        "an entry too many",
        "a negative count",
        "a count too few",
        "a kind that is none",
        "evidence of other shapes",
        "tests before the first",
        "fewer tests than none",
        "no span of tests",
        "a chance of no reading",
        "a reading of no test",
        "evidence that is no number",
        "a negative weight",
        "a weight that is no number",
        "a ledger that forgot",
        "a ledger of other rates",
        "a ledger of no numbers",
        "dependence of other decays",
        "the round of an open test is gone",
        "a boundary too short",
        "boundaries that cross",
        "a round without looks",
        "a look beyond the cap",
        "a round of another number",
    ],
)
def test_a_spoilt_state_of_empirical_bayes_is_refused(spoil: Callable[[Any], Any]) -> None:
    """What the guard has seen cannot be lost by leaving it out."""
    learner = after(CASES["EmpiricalBayes"], 20)
    learner.begin()
    fields = json.loads(learner.to_json())
    assert CASES["EmpiricalBayes"].kind.from_json(json.dumps(fields)).to_json() == learner.to_json()
    spoil(fields["state"])
    with refused():
        CASES["EmpiricalBayes"].kind.from_json(json.dumps(fields))
