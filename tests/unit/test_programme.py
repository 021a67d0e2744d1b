"""Programme: what it advises and what it keeps."""

from math import nan

import pytest

from dwell import (
    Batch,
    Cape,
    Fixed,
    Gaussian,
    Ladder,
    Lift,
    Policies,
    Policy,
    Programme,
    Signs,
    fixed,
    scales,
)
from dwell.laws import Law
from dwell.programme.events import Amended, Decided, Told
from dwell.programme.observations import Values
from tests.programmes import BANDS, DAY, Clock, deciding, replayed, small, snapshot
from tests.refusals import refused


def test_a_decision_is_given_when_the_policy_stops_and_stays() -> None:
    """Between the limits it goes on; beyond, whatever is told does not change it."""
    task = deciding(Policy([-2, -3, 1], [2, 2, 1])).begin("blue")
    assert task.advice.wants == 1
    first = task.tell([1])
    assert (first.decision, first.done, first.wants) == (None, False, 1)
    assert first.sentence == "Keep testing: between the limits after 1 sample, at most 2 to go"
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


def test_defaults_follow_from_what_is_known() -> None:
    """With a law, boundaries are computed; without, Ladder chooses among the policies."""
    assert type(small().learner()) is Ladder
    computed = Programme.create("memory:", "x", law=Signs(), cap=8, setup_cost=2)
    assert type(computed.learner()).__name__ == "EmpiricalBayes"
    assert [standing.cap for standing in computed.policies()] == [8]
    assert [standing.cap for standing in small().policies()] == [1, 3]


@pytest.mark.parametrize(("law", "bound"), [(Lift(0.1), 1.0), (Gaussian(2.0), 6.0)], ids=str)
def test_ladder_has_its_usual_class_where_the_law_is_given(law: Law, bound: float) -> None:
    """In the noise of the law, up to the cap; and the bound that samples hardly ever exceed."""
    learner = small(policies=None, learner="ladder", law=law, cap=400).learner()
    assert isinstance(learner, Ladder)
    assert learner.policies == scales([1, 6, 25, 100, 400], sd=law.deviation)
    assert learner.bound == bound


def test_policies_beside_a_law_are_refused() -> None:
    """Only one of them can say which class it is."""
    with refused("law means nothing to the learner ladder"):
        small(learner="ladder", law=Signs(), cap=400)
    with refused("law must be Signs, Lift or Gaussian", "'Signs'"):
        small(policies=None, learner="ladder", law="Signs", cap=400)
