"""Programme: what it refuses, in a sentence, with nothing changed."""

from math import inf, nan
from typing import Any

import pytest

from dwell import (
    Batch,
    Gaussian,
    Ladder,
    Lift,
    Programme,
    Signs,
    fixed,
)
from dwell.programme.stores.memory import MemoryStore
from tests.programmes import SMALL, deciding, small, snapshot
from tests.refusals import refused


@pytest.mark.parametrize(
    ("given", "told", "named"),
    [
        ({}, {"values": [nan]}, "nan"),
        ({}, {"values": [inf]}, "inf"),
        ({}, {"values": [1.5]}, "1.5"),
        ({}, {"values": "1"}, "values"),
        ({}, {"values": [[1]]}, "list of numbers"),
        ({}, {}, "values"),
        ({}, {"values": [1], "control": [1], "treatment": [1]}, "values"),
        ({}, {"control": [1]}, "both control and treatment"),
        ({}, {"control": [1], "treatment": Batch(1, 1)}, "neither"),
        ({}, {"control": [2], "treatment": [1]}, "control"),
        ({}, {"values": Batch(0, 0)}, "at least 1"),
        ({}, {"values": Batch(3, 4)}, "between -3 and 3"),
        ({}, {"values": Batch(3, 2, 1)}, "sum of squares"),
        ({}, {"control": Batch(3, 1), "treatment": Batch(3, -1)}, "treatment"),
        ({"law": Signs(), "cap": 4}, {"values": [0]}, "-1 or 1"),
        ({"law": Signs(), "cap": 4}, {"control": [0], "treatment": [1]}, "Signs"),
        ({"law": Signs(), "cap": 4}, {"control": Batch(1, 0), "treatment": Batch(1, 1)}, "Signs"),
        ({"law": Lift(0.1), "cap": 4}, {"values": [0.5]}, "-1, 0 or 1"),
        ({"law": Lift(0.1), "cap": 4}, {"control": [0.5], "treatment": [1]}, "0 or 1"),
        ({"law": Lift(0.1), "cap": 4}, {"control": Batch(1, 2), "treatment": Batch(1, 1)}, "2"),
        ({"law": Gaussian(1), "cap": 4}, {"values": [1e31]}, "1e+31"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    given: dict[str, Any], told: dict[str, Any], named: str
) -> None:
    """In one sentence with the value."""
    programme = small(**({"policies": None, **given} if given else {}))
    task = programme.begin("blue")
    before = snapshot(programme)
    with refused(named):
        task.tell(**told)
    assert snapshot(programme) == before


def test_other_refusals_change_nothing() -> None:
    """Unknown tasks, names that are taken, keys and forms that do not fit."""
    store = MemoryStore()
    programme = deciding(fixed(5, 1), store=store)
    task = programme.begin("blue")
    task.tell([-1], key="a")
    before = snapshot(programme)
    with refused("green"):
        programme.task("green")
    with refused("green"):
        programme.tell([("green", [1])])
    with refused("blue", "choose another name"):
        programme.begin("blue")
    for name in ("", "two\nlines", "x" * 201, 7):
        with refused("name of a task"):
            programme.begin(name)  # type: ignore[arg-type]  # no text
    with refused("a key", "#1"):
        task.tell([1], key="#1")
    with refused("a reason"):
        task.abandon("two\nlines")
    with refused("blue", "values", "batch"):
        task.tell(Batch(1, 1))
    with refused("'checkout'", "choose another name"):
        small(store)
    with refused("'payment'", "'checkout'"):
        Programme.open(store, "payment")
    assert snapshot(programme) == before


def test_the_name_of_a_task_that_is_over_stays_taken() -> None:
    """Also by what has left the state."""
    programme = deciding(fixed(1, 1))
    programme.begin("blue").tell([1])
    with refused("blue", "choose another name"):
        programme.begin("blue")
    assert programme.begin().name == "task-2"
    assert programme.task("blue").advice.decision == "accept"


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, "policies"),
        ({"law": Signs()}, "cap"),
        ({"learner": "laddr", "policies": SMALL}, "laddr"),
        ({"learner": "cape", "policies": SMALL}, "number of tasks"),
        ({"policies": SMALL, "cap": 5}, "cap"),
        ({"learner": Ladder(SMALL), "policies": SMALL}, "policies"),
        ({"policies": SMALL, "silence_days": 0}, "silence_days"),
        ({"policies": SMALL, "name": ""}, "name of a programme"),
    ],
)
def test_a_programme_that_cannot_be_is_refused(given: dict[str, Any], named: str) -> None:
    """Nothing is left in the store."""
    store = MemoryStore()
    with refused(named):
        Programme.create(store, **{"name": "checkout", **given})
    assert store.names() == []


def test_a_learner_that_nobody_could_open_again_is_refused() -> None:
    """One that is not in the table of learners."""

    class Own(Ladder):
        pass

    with refused("Own", "ladder"):
        Programme.create(MemoryStore(), "checkout", learner=Own(SMALL))


def test_a_log_of_a_newer_version_is_refused() -> None:
    """An event that this version does not know."""
    store = MemoryStore()
    small(store)
    store._logs["checkout"].bodies.append('{"event": "praised 3", "at": 1.0}')
    with refused("'praised 3'", "newer version", "upgrade dwell"):
        Programme.open(store, "checkout")
    store._logs["checkout"].bodies[-1] = '{"event": "told 1", "at": "late"}'
    with refused("damaged", "restore"):
        Programme.open(store, "checkout")


def test_nothing_left_to_test_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some learners end."""
    programme = small()
    monkeypatch.setattr(Ladder, "peek", lambda _: None)
    with refused("checkout", "nothing left to test"):
        programme.begin()
