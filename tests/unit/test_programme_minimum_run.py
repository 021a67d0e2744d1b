"""The minimum run: looks that are not allowed are made by no policy, and nothing else changes."""

from typing import Any

import numpy as np
import pytest

from dwell import Batch, EmpiricalBayes, Fixed, Gaussian, Ladder, Lift, Policy, Programme, fixed
from dwell.learners.learner import Learner
from dwell.periods import Periods
from dwell.programme.events import Decided, Finished
from dwell.programme.minimum_run import MinimumRun, by_parts
from dwell.programme.observations import ArmBatches, Observations, Outcomes, Range, Values
from dwell.programme.task import Task
from tests.programmes import BANDS, Clock, replayed, small, snapshot
from tests.refusals import refused

# Ships at 3 ahead, drops at 3 behind, and else at the cap.
BAND = Policy([-3.0] * 59 + [0.0], [3.0] * 59 + [1.0])


def patient(learner: Learner | None = None, **run: Any) -> Programme:
    """A programme with a minimum run."""
    return small(policies=None, learner=learner or Fixed(BAND), **run)


def day(task: Task, number: int, total: float, users: int = 2) -> str | None:
    """Tell a day, and return what is decided."""
    return task.tell(Batch(users, total), key=f"2026-03-{number:02}").decision


def test_nothing_is_decided_before_the_minimum_run() -> None:
    """What crossed a limit early and came back is not decided by that; the record agrees."""
    programme = patient(min_samples=6)
    task = programme.begin()
    assert day(task, 1, 4.0) is None
    assert task.advice.sentence == "Keep testing: it is looked at after at least 6 samples"
    assert day(task, 2, -2.0) is None
    assert day(task, 3, -1.0) is None  # 1 ahead: between the limits
    assert task.advice.sentence.startswith("Keep testing: between the limits after 6 samples")
    assert day(task, 4, 2.0) == "accept"
    [decided] = [event for _, event in programme.events() if isinstance(event, Decided)]
    assert (decided.samples, decided.total, decided.batches) == (8, 3.0, 4)
    [finished] = [event for _, event in programme.events() if isinstance(event, Finished)]
    assert finished.record["durations"] == [[8]]
    programme.verify()


def test_full_weeks_are_looked_at_when_they_are_over() -> None:
    """Seven days, fourteen days, not between; a day that nobody came on does not matter."""
    programme = patient(full_weeks=True)
    task, quiet = programme.begin("whole"), programme.begin("quiet sundays")
    for number in range(1, 7):
        assert day(task, number, 2.0) is None
        assert day(quiet, number, 2.0) is None
    assert day(task, 7, -12.0) is None  # back at 0
    assert day(quiet, 8, -2.0) == "accept"  # the week was over before: 12 ahead
    assert quiet.path().decided_after == 12
    for number in range(8, 14):
        assert day(task, number, 1.0) is None
    assert day(task, 14, 0.0) == "accept"
    assert task.path().decided_after == 28
    made = [look.samples for look in task.path().looks if look.upper is not None]
    assert made == [14, 28]
    assert len(task.path().looks) == 14
    programme.verify()


def test_days_are_counted_from_the_first_that_was_told() -> None:
    """By dates or by numbers, in the keys; other keys are refused."""
    task = patient(min_days=3).begin()
    assert task.tell(Batch(2, 2.0), key="5").decision is None
    assert task.tell(Batch(2, 2.0), key="6").decision is None
    with refused("no key"):
        task.tell(Batch(2, 2.0))
    with refused("'monday'"):
        task.tell(Batch(2, 2.0), key="monday")
    with refused("'2026-03-07'", "the same way each time"):
        task.tell(Batch(2, 2.0), key="2026-03-07")
    assert task.advice.sentence == "Keep testing: it is looked at after at least 3 days"
    assert task.tell(Batch(2, 2.0), key="7").decision == "accept"
    other = patient(min_days=3).begin()
    with refused("'2026-02-30'"):
        other.tell(Batch(2, 2.0), key="2026-02-30")
    assert other.tell([1, 1, 1], key="2026-02-26").decision is None  # in whatever form it is told
    assert other.tell([1], key="2026-03-01, late").decision == "accept"


def test_a_running_task_keeps_its_own() -> None:
    """Settings are for tasks that begin later; the others run as they were begun, when reopened."""
    programme = patient(min_samples=6)
    early = programme.begin()
    programme.change(min_samples=1)
    assert programme.settings.silence_days == 4.0
    late = programme.begin()
    assert day(late, 1, 4.0) == "accept"
    assert day(early, 1, 4.0) is None
    programme.change(full_weeks=True, min_days=10)
    assert programme.settings.minimum_run == MinimumRun(1, 10, full_weeks=True)
    last = programme.begin()
    assert last.advice.sentence == (
        "Keep testing: it is looked at after at least 10 days, and only when whole weeks are over"
    )
    reopened = Programme.open(programme._journal.store, "checkout", clock=Clock())
    assert day(reopened.task(early.name), 2, 0.0) is None
    assert day(reopened.task(early.name), 3, 0.0) == "accept"
    assert snapshot(reopened) == replayed(programme._journal.store)
    programme.verify()


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ({"min_samples": 0}, "min_samples"),
        ({"min_days": -1}, "min_days"),
        ({"full_weeks": 1}, "full_weeks"),
        ({"silence_days": 0}, "silence_days"),
    ],
)
def test_bad_settings_are_refused(run: dict[str, Any], words: str) -> None:
    """When a programme is created, and when they are changed."""
    with refused(words):
        patient(**run)
    with refused(words):
        patient().change(**run)


@pytest.mark.parametrize("name", ["ladder", "empirical-bayes"])
def test_what_is_learned_is_the_rule_that_was_run(name: str) -> None:
    """The learner gets the record that the weeks' sums give, as if nothing else had been told."""
    learner: Learner = Ladder(BANDS) if name == "ladder" else EmpiricalBayes(Gaussian(1.0), cap=60)
    twin = type(learner).from_json(learner.to_json())
    programme = patient(learner, full_weeks=True)
    rng = np.random.default_rng(5)
    for _ in range(6):
        task, weeks = programme.begin(), []
        design = twin.begin()
        assert design is not None
        number = 0
        while not task.advice.done:
            sums = rng.integers(-1, 2, 7).astype(float)
            for each in sums:
                number += 1
                task.tell(Batch(1, each), key=str(number))
            weeks.append(sums.sum())
        counts = np.full(len(weeks), 7)
        twin.learn(design, design.record(Periods(np.array([len(weeks)]), counts, np.array(weeks))))
    assert programme.learner().to_json() == twin.to_json()


def test_a_learner_that_computes_its_limits_is_told_of_the_minimum() -> None:
    """Its boundaries are then the best of those that may be run."""
    programme = Programme.create(
        "memory:", "checkout", law=Lift(0.1), cap=2_000, setup_cost=200, min_samples=500
    )
    assert programme.learner().min_samples == 500  # type: ignore[attr-defined]
    assert programme.begin().path().looks[0].samples >= 500
    with refused("min_samples", 2_000, 2_001):
        Programme.create("memory:", "other", law=Lift(0.1), cap=2_000, min_samples=2_001)


def test_parts_of_every_form_are_batches() -> None:
    """As many samples, with the same sums, as the programme counts without a minimum."""
    forms: list[tuple[list[Observations], list[int], list[float]]] = [
        ([Values([1, 2]), Values([]), Values([3])], [2, 1], [3.0, 3.0]),
        ([Outcomes([1], []), Outcomes([0, 0], [1, 1, 1])], [3], [2.0]),
        ([Batch(4, 2.0), Batch(1, 1.0)], [4, 1], [2.0, 1.0]),
        (
            [
                ArmBatches(Batch(3, 0.0), Batch(4, 4.0)),
                ArmBatches(Batch(1, 0.0), Batch(0, 0.0)),
                ArmBatches(Batch(2, 0.0), Batch(2, 2.0)),
            ],
            [3, 2],
            [3.0, 2.0],
        ),
    ]
    for parts, counts, sums in forms:
        found = by_parts({str(at): part for at, part in enumerate(parts)}, Range())
        assert (found.counts.tolist(), found.sums.tolist()) == (counts, sums)


def test_a_forecast_looks_when_it_is_allowed() -> None:
    """With weeks of 70 samples, the next look is at the end of this one; a cap may be passed."""
    parts: dict[str, Observations] = {str(number): Batch(10, 0.0) for number in range(1, 10)}
    assert MinimumRun(full_weeks=True).pace(parts) == (70, 50, 70)
    assert MinimumRun(days=30).pace(parts) == (0, 210, 10)
    assert MinimumRun(samples=200).pace(parts) == (0, 110, 10)
    assert MinimumRun(samples=200, full_weeks=True).pace(parts) == (0, 120, 70)
    learner = EmpiricalBayes(Gaussian(5.0), cap=60, setup_cost=50)
    task = patient(learner, full_weeks=True).begin()
    for number in range(1, 6):
        advice = task.tell(Batch(20, 0.1), key=str(number))
    assert advice.decision is None  # it is beyond its cap, and the week is not over
    assert advice.forecast is not None
    assert advice.forecast.samples == pytest.approx(40.0)
    assert advice.wants == 1


def test_a_policy_that_is_shorter_than_the_minimum_is_decided_by_it() -> None:
    """At the first look that is allowed, by its last limit."""
    task = patient(Fixed(fixed(2, 1)), min_samples=5).begin()
    assert task.tell(Batch(4, -4.0), key="a").decision is None
    assert task.tell(Batch(1, 1.0), key="b").decision == "reject"
