"""Recorded: what people did about a decision."""

from dwell import Fixed, fixed
from dwell.programme.events import Recorded
from dwell.programme.stores.memory import MemoryStore
from tests.programmes import BANDS, small, snapshot
from tests.refusals import refused


def test_what_people_did_is_recorded_once() -> None:
    """The same again changes nothing, something else is refused, and nothing is learned from it."""
    store = MemoryStore()
    programme = small(store, policies=None, learner=Fixed(fixed(1, 1)))
    task = programme.begin("blue")
    with refused("blue", "not decided"):
        task.record("shipped")
    task.tell([1])
    before = snapshot(programme)
    task.record("shipped", "on Monday")
    task.record("shipped")
    with refused("blue", "shipped already"):
        task.record("dropped")
    with refused("shipped or dropped", "praised"):
        task.record("praised")  # type: ignore[arg-type]  # that is the point
    *_, (position, event) = programme.events()
    assert isinstance(event, Recorded)
    assert (event.done, event.note, event.task) == ("shipped", "on Monday", 1)
    assert snapshot(programme) == before.replace(
        f'"position":{position - 1}', f'"position":{position}'
    )
    assert programme.verify().events == position
    other = programme.begin("red")
    other.abandon()
    with refused("red", "not decided"):
        other.record("dropped")


def test_a_decision_is_recorded_while_its_task_runs_on() -> None:
    """It is looked up in the state as well as in the log."""
    programme = small(policies=BANDS, learner="ladder")
    for number in range(60):
        task = programme.begin(f"t{number}")
        while (advice := task.tell([1, 1])).decision is None:
            pass
        if not advice.done:
            task.record("dropped", "nobody likes it")
            assert task.status == "decided"
            return
    raise AssertionError("no task ran on")  # pragma: no cover
