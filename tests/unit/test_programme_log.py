"""Programme: its log, opened again, shared, exported and verified."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dwell import (
    Batch,
    CannotWrite,
    Fixed,
    Log,
    Programme,
    evaluate,
    fixed,
)
from dwell.errors import Conflict
from dwell.programme.events import Finished
from dwell.programme.stores.memory import MemoryStore
from dwell.programme.stores.protocol import Entry, Snapshot
from tests.programmes import BANDS, deciding, replayed, small, snapshot
from tests.refusals import refused


def test_opened_again_it_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the log alone, and from a snapshot and what came after."""
    for every in (10**9, 3):
        monkeypatch.setattr("dwell.programme.journal.EVERY", every)
        store = MemoryStore()
        programme = small(store, policies=BANDS)
        draw = np.random.default_rng(0)
        for number in range(12):
            task = programme.begin(f"{number}")
            other = Programme.open(store, "checkout").task(f"{number}")
            for _ in range(20):
                advice = (task if draw.random() < 0.5 else other).tell(draw.choice([-1, 1], 1))
                if advice.done:
                    break
        assert (store.latest("checkout") is None) == (every > 3)
        assert snapshot(Programme.open(store, "checkout")) == snapshot(programme)
        assert snapshot(programme) == replayed(store)
        assert programme.verify().snapshot > 0 or every > 3


def test_a_snapshot_of_another_version_is_passed_over() -> None:
    """The log has all of it."""
    store = MemoryStore()
    programme = small(store)
    programme.begin("blue")
    for body in (
        '{"version": 99}',
        "damaged",
        snapshot(programme).replace('"version":1', '"version":2'),
    ):
        store._logs["checkout"].snapshot = Snapshot(2, body)
        assert snapshot(Programme.open(store, "checkout")) == snapshot(programme)


def test_threads_share_a_programme() -> None:
    """Whatever they do at once, nothing is lost and the log is in order."""
    store = MemoryStore()
    programmes = [small(store, policies=BANDS)]
    programmes.append(Programme.open(store, "checkout"))

    def work(thread: int) -> None:
        for number in range(8):
            task = programmes[thread % 2].begin(f"{thread} {number}")
            advice, told = task.advice, 0
            while not advice.done:
                advice = task.tell([1 if number % 2 else -1], key=f"{told}")
                told += 1

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(work, thread) for thread in range(4)]:
            done.result()
    assert programmes[0].counts == programmes[1].counts
    assert programmes[0].counts.finished == 32
    assert snapshot(programmes[0]) == replayed(store)
    programmes[1].verify()


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("form", ["values", "outcomes", "batches", "arm batches"])
def test_an_export_is_a_log_of_past_tests(form: str, ending: str, tmp_path: Path) -> None:
    """What was told comes back as `dwell.evaluate` reads it, corrections included."""
    programme = small(policies=None, learner=Fixed(fixed(8, 1), setup_cost=1))
    draw = np.random.default_rng(0)
    for number in range(12):
        task = programme.begin(f"test {number}")
        for day in range(4):
            signs, others = draw.integers(0, 2, 2).tolist(), draw.integers(0, 2, 2).tolist()
            told: dict[str, Any] = {
                "values": {"values": signs},
                "outcomes": {"control": signs, "treatment": others},
                "batches": {"values": Batch(2, sum(signs), sum(signs))},
                "arm batches": {
                    "control": Batch(2, sum(signs), sum(signs)),
                    "treatment": Batch(2, sum(others), sum(others)),
                },
            }[form]
            task.tell(**told, key=f"{day}")
        assert task.status == "finished"
    programme.begin("running").abandon()
    path = tmp_path / f"log{ending}"
    assert programme.export(path) == 12
    names = [name for block in Log(path).blocks() for name in block.names]
    assert names == [f"test {number}" for number in range(12)]
    assert len(evaluate(path, fixed(4, 1), setup_cost=1).table) >= 1


def test_what_cannot_be_exported_is_refused(tmp_path: Path) -> None:
    """No file is left behind."""
    programme = deciding(fixed(1, 1))
    with refused(".parquet", "log.txt"):
        programme.export(tmp_path / "log.txt")
    with refused("checkout", "nothing to write"):
        programme.export(tmp_path / "log.csv")
    programme.begin().tell([1])
    programme.begin().tell(Batch(1, 1))
    with refused("2 forms"):
        programme.export(tmp_path / "log.csv")
    assert list(tmp_path.iterdir()) == []


class Failing(MemoryStore):
    """Keeps nothing while its disk is full."""

    full = False

    def append(
        self, name: str, after: int, entries: Sequence[Entry], snapshot: str | None = None
    ) -> None:
        if self.full:
            raise CannotWrite("the disk is full; make room and try again")
        super().append(name, after, entries, snapshot)


def test_what_cannot_be_written_has_not_happened() -> None:
    """The programme stays as it was, and goes on once there is room."""
    store = Failing()
    programme = deciding(fixed(2, 1), store=store)
    task = programme.begin("blue")
    before = snapshot(programme)
    store.full = True
    with refused("the disk is full", kind=CannotWrite):
        task.tell([1, 1], key="a")
    with refused("the disk is full", kind=CannotWrite):
        programme.begin("red")
    assert snapshot(programme) == before
    store.full = False
    assert task.tell([1, 1], key="a").decision == "accept"
    assert snapshot(programme) == replayed(store)


def test_a_fold_that_is_interrupted_is_begun_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was appended is in the log; a state that was left half-way is dropped."""
    store = MemoryStore()
    programme = deciding(fixed(2, 1), store=store)
    task = programme.begin("blue")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Fixed, "learn", interrupted)
        with pytest.raises(KeyboardInterrupt):
            task.tell([1, 1], key="a")
    assert task.tell([1, 1], key="a").decision == "accept"
    assert programme.counts.finished == 1
    assert snapshot(programme) == replayed(store)


def test_whoever_never_gets_a_turn_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a while, in a sentence."""
    store = MemoryStore()
    programme = deciding(fixed(2, 1), store=store)

    def busy(*_: object) -> None:
        raise Conflict("it has grown")

    monkeypatch.setattr("dwell.programme.journal._SECONDS", 0.05)
    monkeypatch.setattr(store, "append", busy)
    with refused("checkout", "try again", kind=CannotWrite):
        programme.begin()


def test_verify_finds_what_does_not_follow() -> None:
    """A decision turned round, a record changed, an event lost, a snapshot that is another's."""
    for find, put in (
        ('"decision":"reject"', '"decision":"accept"'),
        ('"durations":[[3]]', '"durations":[[2]]'),
        ('"values":[-1,-1,-1]', '"values":[1,1,1]'),
        ('"name":"blue","design"', '"name":"blue","design_of"'),
        ('"task":1,"name"', '"task":2,"name"'),
    ):
        store = MemoryStore()
        programme = deciding(fixed(3, 1), store=store)
        programme.begin("blue").tell([-1, -1, -1])
        assert programme.verify().decisions == 1
        bodies = store._logs["checkout"].bodies
        assert any(find in body for body in bodies), find
        store._logs["checkout"].bodies = [body.replace(find, put) for body in bodies]
        with refused():
            Programme.open(store, "checkout").verify()


def test_a_task_runs_by_the_design_in_the_log_whatever_would_be_made_now() -> None:
    """So a programme can be opened by another version of dwell; `verify` counts such tasks."""
    store = MemoryStore()
    programme = deciding(fixed(3, 1), store=store)
    programme.begin("blue")
    programme.begin("red")
    log = store._logs["checkout"]
    [begun] = [body for body in log.bodies if '"name":"blue"' in body]
    log.bodies[log.bodies.index(begun)] = begun.replace('"least":0', '"least":5')
    reopened = Programme.open(store, "checkout")
    advice = [reopened.task(name).tell([1, 1, 1]) for name in ("blue", "red")]
    assert [(each.decision, each.wants) for each in advice] == [("accept", 2), ("accept", 0)]
    assert reopened.task("blue").tell([1, 1]).done
    assert reopened.verify().other_designs == 1


def test_a_task_that_was_told_in_another_process_is_known() -> None:
    """Whoever is out of date reads on before it refuses, or finds that a task is over."""
    store = MemoryStore()
    one = deciding(fixed(2, 1), store=store)
    two = Programme.open(store, "checkout")
    one.begin("blue")
    advice = two.task("blue").tell([1], key="a")
    assert advice.wants == 1
    done = one.task("blue").tell([1], key="b")
    assert two._journal._state is not None  # it has not read that the task is over
    assert two.task("blue").tell([1], key="b") == done
    task, stale = one.begin("red"), two.task("red")
    task.tell([1, 1], key="a")
    assert stale.tell([1, 1], key="a").done
    with refused("red", "is finished"):
        stale.tell([1], key="c")


def test_a_finished_record_is_in_the_log() -> None:
    """With its samples; and a repr says how things stand."""
    programme = deciding(fixed(1, 1))
    task = programme.begin("blue")
    task.tell([1, 1])
    [finished] = [event for _, event in programme.events(after=2) if isinstance(event, Finished)]
    assert finished.samples == 2
    assert repr(programme).startswith("checkout: 0 keep testing; 1 test begun so far: 1 to ship")
    assert repr(task).startswith("blue: Ship: ")
