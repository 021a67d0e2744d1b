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

from dwell import (
    VacuousGuarantee,
)
from dwell.records import Records
from tests.contract.cases import (
    CASES,
    LEARNERS,
    SHORT,
    TWO_VALUES,
    AnyLearner,
    Case,
    after,
    drawn_rows,
    record,
)
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


def test_the_finest_accuracy_can_be_worked_with_and_finer_ones_are_refused() -> None:
    """No accuracy that is let in makes the number of tasks overflow later."""
    assert CASES["Esc"].make(accuracy=1e-9).plan() is not None
    for accuracy in (9e-10, 1e-160, 1e-200):
        with refused("accuracy", accuracy):
            CASES["Esc"].make(accuracy=accuracy)


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
def test_records_without_estimates_are_refused_while_exploring(name: str) -> None:
    """An exploring learner needs estimates of the rewards; the refusal leaves it as it was."""
    learner, records = explored_part(CASES[name])
    before = learner.to_json()
    with refused("estimate"):
        learner.learn(replace(records, estimates=None))
    assert learner.to_json() == before


@EXPLORING
def test_records_of_other_policies_are_refused(name: str) -> None:
    """A record must have a column for each policy of the plan.

    The refusal leaves the learner as it was.
    """
    learner, records = explored_part(CASES[name])
    before = learner.to_json()
    for width in {1, 2, 3, 4} - {records.durations.shape[1]}:
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
        ("CapeSharp", "sums", {"array": [[0.0] * 3] * 7}),
        ("CapeSharp", "sums", {"array": [[0.0] * 2] * 8}),
        ("CapeSharp", "next_test", None),
        ("Ladder", "sums", {"array": [[0.0] * 3] * 9}),
        ("Ladder", "sums", {"array": [["much"] * 3] * 8}),
        ("Ladder", "dropped_at", {"array": [0.0] * 3}),
        ("Ladder", "credits", {"array": [0.0] * 3}),
        ("Ladder", "chosen", "the best"),
        ("Ladder", "batches", None),
        ("Ladder", "tasks", "some"),
    ],
)
def test_a_spoilt_entry_of_a_state_is_refused(name: str, entry: str, bad: Any) -> None:
    """A learner that could not go on is not restored: a kernel would write beyond its arrays."""
    fields = json.loads(CASES[name].make().to_json())
    fields["state"][entry] = bad
    with refused():
        CASES[name].kind.from_json(json.dumps(fields))
