"""Programme: what it advises, what it keeps, and what it refuses."""

from concurrent.futures import ThreadPoolExecutor
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dwell import (
    Batch,
    Cape,
    Fixed,
    Gaussian,
    Ladder,
    Learner,
    Lift,
    Log,
    Policies,
    Policy,
    Programme,
    Signs,
    evaluate,
    fixed,
)
from dwell.programme.events import Amended, Decided, Finished, Told
from dwell.programme.observations import Values
from dwell.programme.stores.memory import MemoryStore
from dwell.programme.stores.protocol import Snapshot
from tests.programmes import BANDS, DAY, SMALL, Clock, replayed, small, snapshot
from tests.refusals import refused


def deciding(policy: Policy, **given: Any) -> Programme:
    """A programme that always runs one policy."""
    return small(policies=None, learner=Fixed(policy), **given)


def test_a_decision_is_given_when_the_policy_stops_and_stays() -> None:
    """Between the limits it goes on; beyond, whatever is told does not change it."""
    task = deciding(Policy([-2, -3, 1], [2, 2, 1])).begin("blue")
    assert task.advice.wants == 1
    first = task.tell([1])
    assert (first.decision, first.done, first.wants) == (None, False, 1)
    assert first.sentence == "Keep testing: between the limits after 1 samples, at most 2 to go"
    second = task.tell([1, -1])
    assert (second.decision, second.done, second.wants) == ("accept", True, 0)
    assert second.sentence == "Ship: 1 per sample ahead after 2 samples; the limit is 1 ahead"
    assert task.advice == second
    assert task.status == "finished"


def test_extra_samples_are_asked_for_after_the_decision() -> None:
    """CAPE wants twice the cap: the decision is there, the record is not."""
    learner = Cape(Policies([fixed(3, 1)]), tasks=100, announce=False)
    programme = small(policies=None, learner=learner)
    task = programme.begin()
    assert task.advice.wants == 3
    decided = task.tell([1, 1, 1])
    assert (decided.decision, decided.done, decided.wants) == ("accept", False, 3)
    assert decided.sentence.endswith("; it runs on to learn, 3 samples to go")
    assert task.status == "decided"
    assert programme.learner().knowledge().explored == 0
    done = task.tell([-1, -1, -1])
    assert (done.decision, done.done) == ("accept", True)
    assert programme.learner().knowledge().explored == 1


def test_too_many_samples_are_kept_as_extra() -> None:
    """The decision is that of the first ones; all are in the log."""
    programme = deciding(fixed(2, 1))
    advice = programme.begin().tell([1, 1, -1, -1, -1, -1])
    assert (advice.decision, advice.done) == ("accept", True)
    told = [event for _, event in programme.events() if isinstance(event, Told)]
    assert told[0].observations == Values([1, 1, -1, -1, -1, -1])


def test_told_twice_changes_nothing() -> None:
    """Under the same key, while the task runs, waits, and is over; other content is refused."""
    programme = deciding(fixed(3, 1))
    first, second = programme.begin("first"), programme.begin("second")
    advice = second.tell([1, 1], key="a")
    before = snapshot(programme)
    assert second.tell([1, 1], key="a") == advice
    assert snapshot(programme) == before
    with refused("second", "something else", "'a'"):
        second.tell([1, -1], key="a")
    done = second.tell([1], key="b")  # it waits for the first
    assert second.tell([1, 1], key="a") == second.tell([1], key="b") == done
    first.tell([1, 1, 1])
    assert second.tell([1], key="b") == done  # it is over
    with refused("second", "something else", "'b'"):
        second.tell([-1], key="b")
    with refused("second", "is finished"):
        second.tell([1], key="c")
    with refused("first", "is finished"):
        first.tell([1])


def test_a_key_belongs_to_one_task() -> None:
    """Another task can use it too."""
    programme = deciding(fixed(3, 1))
    blue, red = programme.begin("blue"), programme.begin("red")
    blue.tell([1], key="a")
    red.tell([-1], key="a")
    assert programme.counts.begun == 2


def test_many_are_told_at_once_or_none() -> None:
    """One transaction, in order; a refusal of one leaves all as they were."""
    programme = deciding(fixed(3, 1))
    for name in ("blue", "red"):
        programme.begin(name)
    before = snapshot(programme)
    with refused("nan"):
        programme.tell([("blue", [1]), ("red", [nan])])
    with refused("green"):
        programme.tell([("blue", [1]), ("green", [1])])
    assert snapshot(programme) == before
    advice = programme.tell([("blue", [1]), ("red", [1, 1, 1]), ("blue", [1, -1])])
    assert [each.decision for each in advice] == ["accept"] * 3
    assert snapshot(programme) == replayed(programme._journal.store)


def test_records_reach_the_learner_in_the_order_of_beginning() -> None:
    """However they come back, the learner is what it would be had they come in order."""
    ends = []
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        programme = small(policies=BANDS)
        tasks = [programme.begin(f"{number}") for number in range(3)]
        for place in order:
            advice = tasks[place].advice
            while not advice.done:
                advice = tasks[place].tell([1 if place else -1] * advice.wants)
        ends.append(programme.learner().to_json())
    assert ends[0] == ends[1] == ends[2]


def test_an_abandoned_task_is_counted_and_holds_up_nothing() -> None:
    """Nothing is learned from it; to abandon it again is the same."""
    programme = small()
    first, second = programme.begin("first"), programme.begin("second")
    second.tell([-1, -1, -1])
    assert programme.learner().knowledge().explored == 0
    first.abandon("the button broke")
    first.abandon()
    assert programme.learner().knowledge().explored == 1
    assert (programme.counts.abandoned, programme.counts.finished) == (1, 1)
    assert first.status == "abandoned"
    assert first.advice.sentence == "Abandoned (the button broke): nothing is learned from it"
    with refused("second", "finished"):
        second.abandon()
    with refused("first", "is finished"):
        first.tell([1])


def test_a_silent_task_is_stalled_until_it_is_told_something() -> None:
    """Advice is withheld; the setting can be changed."""
    clock = Clock()
    programme = deciding(fixed(3, 1), clock=clock)
    task = programme.begin("blue")
    clock.now += 5 * DAY
    assert task.advice.sentence == (
        "Hold: no data for 5 days; if it has ended, abandon it: it holds up learning"
    )
    found = [task.status]
    programme.change(silence_days=7)
    found.append(task.status)
    programme.change(silence_days=1)
    found.append(task.status)
    task.tell([1])
    found.append(task.status)
    assert found == ["stalled", "running", "stalled", "running"]
    with refused("silence_days", 0):
        programme.change(silence_days=0)


def test_unequal_arms_are_held_until_somebody_clears_them() -> None:
    """No decision is given and nothing learned before."""
    programme = small(policies=None, learner=Fixed(fixed(50, 1)))
    task = programme.begin("blue")
    task.tell(control=[0] * 40, treatment=[1] * 40, key="a")
    held = task.tell(control=[], treatment=[1] * 60, key="b")
    assert (held.decision, held.done, held.held) == (None, False, True)
    assert held.sentence == (
        "Hold: the arms are of unequal size (p < 0.001); no advice until that is explained"
    )
    assert task.tell(control=[0] * 60, treatment=[], key="c").held
    assert task.status == "held"
    assert programme.counts.finished == 0
    cleared = task.clear("a bot was taken out")
    assert (cleared.decision, cleared.done) == ("accept", True)
    other = programme.begin("red")
    with refused("red", "not held"):
        other.clear()


def test_batches_are_looked_at_at_their_ends() -> None:
    """A policy that would have stopped within a batch stops at its end."""
    task = deciding(Policy([-1, -2, -3, 1], [2, 3, 3, 1])).begin()
    assert task.tell(Batch(2, 1), key="monday").decision is None
    advice = task.tell(Batch(3, 2), key="tuesday")
    assert (advice.decision, advice.done) == ("accept", True)
    assert "after 2 batches" in advice.sentence


def test_batches_of_arms_are_differences_of_means() -> None:
    """Two users are a sample: of 100 and 100 users there are 100."""
    programme = small(policies=None, learner=Fixed(fixed(150, 5)))
    task = programme.begin()
    assert task.tell(control=Batch(100, 10), treatment=Batch(100, 12)).decision is None
    advice = task.tell(control=Batch(100, 10), treatment=Batch(100, 14))
    assert (advice.decision, advice.done) == ("accept", True)
    [decided] = [event for _, event in programme.events() if isinstance(event, Decided)]
    assert (decided.samples, round(decided.total, 9), decided.batches) == (200, 6.0, 2)


def test_arms_without_users_are_no_samples() -> None:
    """A batch in which one arm is empty says nothing yet, but is counted for the split."""
    task = small(policies=None, learner=Fixed(fixed(10, 1))).begin()
    assert task.tell(control=Batch(3, 1), treatment=Batch(0, 0)).decision is None
    advice = task.tell(control=Batch(9, 1), treatment=Batch(12, 9))
    assert advice.decision == "accept"


def test_a_correction_changes_what_is_learned_and_no_decision() -> None:
    """While it runs, while it waits; once it was learned from, the log alone keeps it."""
    policies = Policies([fixed(1, 1), fixed(4, 1)])
    programme = small(policies=None, learner=Cape(policies, tasks=100, announce=False))
    first, second = programme.begin("first"), programme.begin("second")
    design = second.advice.wants
    second.tell([1] * design, key="a")
    decision = second.advice.decision
    if not second.advice.done:
        second.tell([1] * 20, key="b")
    assert second.advice.done
    waiting = programme.learner().to_json()
    advice = second.correct("a", [-1] * design)
    assert advice.decision == second.advice.decision
    assert decision in (None, advice.decision)
    assert programme.learner().to_json() != waiting, "what waits to be learned has changed"
    assert any(isinstance(event, Amended) for _, event in programme.events())
    first.tell([1] * 20)
    learned = programme.learner().to_json()
    assert second.correct("a", [1] * design).decision == advice.decision
    assert programme.learner().to_json() == learned, "what was learned stays"
    programme.verify()
    assert snapshot(programme) == replayed(programme._journal.store)


def test_a_correction_before_the_decision_counts() -> None:
    """The decision is by what is right now."""
    task = deciding(fixed(3, 1)).begin()
    task.tell([1, 1], key="a")
    assert task.correct("a", [-1, -1]).decision is None
    assert task.correct("a", [-1, -1]).decision is None  # again: nothing changes
    assert task.tell([1]).decision == "reject"
    with refused("nothing under the key 'z'"):
        task.correct("z", [1])


def test_a_decided_task_that_a_correction_undoes_keeps_its_decision() -> None:
    """It runs on until its record is whole."""
    programme = small(
        learner=Cape(Policies([fixed(2, 1)]), tasks=100, announce=False), policies=None
    )
    task = programme.begin()
    assert task.tell([1, 1], key="a").decision == "accept"
    corrected = task.correct("a", [-1])
    assert (corrected.decision, corrected.done) == ("accept", False)
    done = task.tell([-1, -1, -1])
    assert (done.decision, done.done) == ("accept", True)


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


def test_defaults_follow_from_what_is_known() -> None:
    """With a law, boundaries are computed; without, Ladder chooses among the policies."""
    assert type(small().learner()) is Ladder
    computed = Programme.create("memory:", "x", law=Signs(), cap=8, setup_cost=2)
    assert type(computed.learner()).__name__ == "EmpiricalBayes"
    assert [standing.cap for standing in computed.policies()] == [8]
    assert [standing.cap for standing in small().policies()] == [1, 3]


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


def test_verify_finds_what_does_not_follow() -> None:
    """A decision turned round, a record changed, an event lost, a snapshot that is another's."""
    for find, put in (
        ('"decision":"reject"', '"decision":"accept"'),
        ('"durations":[[3]]', '"durations":[[2]]'),
        ('"values":[-1,-1,-1]', '"values":[1,1,1]'),
        ('"name":"blue","design"', '"name":"blue","design_of"'),
        ('"learned_from":0', '"learned_from":1'),
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


def test_nothing_left_to_test_is_said() -> None:
    """Some learners end."""
    from dwell import Countable, Esc

    learner: Learner = Esc(Countable(0.35, 100, 0.05), tasks=100, delta=0.05, accuracy=0.9)
    programme = small(policies=None, learner=learner)
    design = programme.learner().begin()
    while design is not None:
        programme.begin().tell([-1] * design.samples)
        design = programme.learner().begin()
    with refused("checkout", "nothing left to test"):
        programme.begin()


def test_a_finished_record_is_in_the_log() -> None:
    """With its samples; and a repr is short."""
    programme = deciding(fixed(1, 1))
    task = programme.begin("blue")
    task.tell([1, 1])
    [finished] = [event for _, event in programme.events(after=2) if isinstance(event, Finished)]
    assert finished.samples == 2
    assert (repr(programme), repr(task)) == ("Programme('checkout')", "Task('blue')")
