"""What changes nothing is seen at once: the same is found as by looking at all that was told."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dwell import Lift, Policies, Policy, Programme, Signs, fixed, hoeffding
from dwell.errors import Conflict, InvalidInput
from dwell.learners.design import Design
from dwell.programme.events import Settings
from dwell.programme.journal import _BYTES, EVERY
from dwell.programme.observations import (
    ArmBatches,
    Batch,
    Observations,
    Outcomes,
    Range,
    Values,
    observed,
)
from dwell.programme.running import Running
from dwell.programme.state import State
from dwell.programme.stores.sqlite import SqliteStore
from dwell.programme.telling import Telling
from tests.programmes import deciding

CHAIN = hoeffding(caps=[2, 8, 40], c=0.7, tasks=100, delta=0.05)
SETS = (
    CHAIN,
    Policies([fixed(3, 1), fixed(30, 4)]),
    Policies([Policy([-2.5, -np.inf, -3.5, 1], [2.5, np.inf, 3.5, 1]), fixed(12), CHAIN[2]]),
)
EIGHTHS = st.integers(-8, 8).map(lambda number: number / 8)


def of_form(form: str) -> st.SearchStrategy[Observations]:
    """What a task is told, in one form."""
    counts = st.integers(0, 6)
    batch = st.builds(lambda n, part: Batch(n, n * part), counts, EIGHTHS)
    outcomes = st.lists(st.integers(0, 1).map(float), max_size=4)
    forms: dict[str, st.SearchStrategy[Observations]] = {
        "signs": st.builds(Values, st.lists(st.sampled_from([-1, 1]), max_size=4)),
        "values": st.builds(Values, st.lists(EIGHTHS, max_size=4)),
        "many": st.builds(Values, st.lists(EIGHTHS, min_size=60, max_size=70)),
        "batches": batch.filter(lambda found: found.n > 0),
        "arms": st.builds(ArmBatches, batch, batch),
        "outcomes": st.builds(Outcomes, outcomes, outcomes),
    }
    return forms[form]


@st.composite
def designs(draw: st.DrawFn) -> Design:
    policies = draw(st.sampled_from(SETS))
    return Design(
        policies=policies,
        columns=tuple(range(len(policies))),
        number=1,
        decider=draw(st.integers(0, len(policies) - 1)),
        oversamples=draw(st.booleans()),
        extras=draw(st.integers(0, 5)),
        least=draw(st.sampled_from([0, 0, 20])),
    )


def running(design: Design, form: str, parts: dict[str, Observations] | None = None) -> Running:
    known = Range(Signs() if form == "signs" else Lift(0.1) if form == "outcomes" else None)
    return Running("blue", design, known, 0.0, 0.0, parts or {})


def shown(task: Running) -> tuple[Any, ...]:
    """How far a task has come, and its record."""
    samples, stopped, accepts, wants, record = task.progress()
    kept = None if record is None else (record.drawn.tolist(), record.decisions.tolist())
    return samples, stopped, accepts, wants, kept


@given(data=st.data(), design=designs())
@settings(deadline=None, max_examples=60)
@pytest.mark.parametrize("form", ["signs", "values", "many", "batches", "arms", "outcomes"])
def test_telling_by_telling_is_as_all_at_once(
    form: str, data: st.DataObject, design: Design
) -> None:
    """Whatever the form, after each telling: in a fork, in its task, and in one without forks."""
    task, alone = running(design, form), running(design, form)
    for number, told in enumerate(data.draw(st.lists(of_form(form), max_size=12))):
        fork = task.fork()
        fork.tell(f"{number}", told, 1.0)
        before = shown(running(design, form, dict(task.parts)))
        whole = shown(running(design, form, {**task.parts, f"{number}": told}))
        assert shown(fork) == whole
        assert shown(task) == before
        for each in (task, alone):
            each.tell(f"{number}", told, 1.0)
            assert shown(each) == whole
        if task.progress().record is not None:
            return


def test_only_what_the_last_fork_was_told_is_taken_over_from_it() -> None:
    """Not if the task is then told something else, or was corrected meanwhile."""
    design = Design(policies=Policies([fixed(3, 1)]), columns=(0,), number=1)
    wins, losses = Values([1]), Values([-1, -1, -1])
    for corrected in (False, True):
        task = running(design, "values")
        task.tell("first", Values([1]), 1.0)
        task.fork().tell("next", wins, 2.0)
        if corrected:
            task.correct("first", losses)
        task.tell("next", wins if corrected else losses, 2.0)
        assert shown(task) == shown(running(design, "values", dict(task.parts)))
        assert task.progress().stopped == 3


def test_what_a_fork_found_is_not_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many values are gone through once, when what follows is decided; the advice needs it too."""
    looked: list[int] = []
    found = Running._found
    monkeypatch.setattr(Running, "_found", lambda task: looked.append(1) or found(task))  # type: ignore[func-returns-value]  # it counts
    assert deciding(fixed(100)).begin().tell([1] * 70).wants == 30
    assert len(looked) == 1


def test_what_is_between_the_limits_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that a task was told is gone through once it stops, and no sooner."""
    looked: list[int] = []
    found = Running._found
    monkeypatch.setattr(Running, "_found", lambda task: looked.append(1) or found(task))  # type: ignore[func-returns-value]  # it counts
    task = deciding(fixed(100, 1)).begin()
    for _ in range(99):
        task.tell([1])
    assert looked == []
    assert task.tell([1]).done
    assert len(looked) == 1


@given(st.lists(st.integers(-2, 2), max_size=70))
@settings(deadline=None)
def test_a_few_whole_numbers_are_checked_as_many_are(values: list[int]) -> None:
    """The same is kept, and the same is refused in the same words."""
    for known in (Range(Signs()), Range(Lift(0.5)), Range(bound=1.0), Range()):
        found: list[object] = []
        for each in (values, np.array(values, dtype=np.int64)):
            try:
                found.append(observed(each, known=known))
            except InvalidInput as error:
                found.append(str(error))
        assert found[0] == found[1]


def test_whoever_lost_once_waits_for_its_turn(tmp_path: Any) -> None:
    """Two that write in turns lose once each, and then no more; alone again, nobody waits."""
    lost: list[str] = []

    class Counting(SqliteStore):
        def append(self, name: str, *given: Any) -> None:
            try:
                super().append(name, *given)
            except Conflict:
                lost.append(name)
                raise

    path = tmp_path / "tests.db"
    one = deciding(fixed(2, 1), store=Counting(path))
    two = Programme.open(Counting(path), "checkout")
    for number in range(10):
        for programme in (one, two):
            programme.begin(f"{number} {programme is one}")
    assert len(lost) == 2
    one.begin("a")
    assert one._journal._crowded
    one.begin("b")
    assert not one._journal._crowded
    assert one.verify().tasks == two.verify().tasks == 22


def test_a_snapshot_is_the_rarer_the_longer_it_is() -> None:
    """It is written again when the new events are about as long."""
    programme = deciding(fixed(2))
    with programme._journal.state() as state:
        kept = State("", Settings(), state.learner)
    for length, due in ((0, [1, 2, 3, 4, 5]), (EVERY * _BYTES, [2, 4]), (3 * EVERY * _BYTES, [4])):
        kept.name = "n" * length
        found = []
        for multiple in range(1, 6):
            kept.position = multiple * EVERY - 1
            made = programme._journal._snapshot(kept, kept.position + 1)
            found += [multiple] * (made == kept.to_json())
            assert programme._journal._snapshot(kept, kept.position) is None
        assert found == due


def test_no_snapshot_is_made_where_none_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """To make one takes as long as to carry out a hundred commands; its length is remembered."""
    programme, made = deciding(fixed(2)), list[int]()
    with programme._journal.state() as state:
        kept = State("n" * (3 * EVERY * _BYTES), Settings(), state.learner)
    to_json = State.to_json

    def counted(state: State) -> str:
        made.append(state.position)
        return to_json(state)

    monkeypatch.setattr(State, "to_json", counted)
    for multiple in range(1, 9):
        kept.position = multiple * EVERY - 1
        programme._journal._snapshot(kept, multiple * EVERY)
    assert made == [EVERY - 1, 4 * EVERY - 1, 8 * EVERY - 1]


def test_many_tellings_of_one_task_come_in_order() -> None:
    """In one call, with keys and without; the advice is that after all of them."""
    programme = deciding(fixed(5, 1))
    programme.begin("blue")
    advice = programme.tell(
        [
            ("blue", [1]),
            Telling("blue", [-1], key="a"),
            ("blue", [1]),
            Telling("blue", [-1], key="a"),
        ]
    )
    assert [each.wants for each in advice] == [2, 2, 2, 2]
    with programme._journal.state() as state:
        assert list(state.tasks[1].parts) == ["#1", "a", "#3"]
