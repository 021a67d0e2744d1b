"""A programme tells that the pool of ideas has changed, and since when."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dwell import Gaussian, Ladder, PastSums, Programme, Signs, fixed
from dwell.errors import InvalidInput
from dwell.fitting.figure import Figure
from dwell.fitting.pool_change import Changed, ChangeDates, DatedChange, day
from dwell.programme.events import Begun
from dwell.programme.stores.memory import MemoryStore
from dwell.programme.task import Task
from dwell.report.programme import taken_back
from tests.programmes import (
    BAD,
    GOOD,
    Days,
    feed,
    forgetting,
    ideas,
    replayed,
    signs,
    small,
    snapshot,
)

CHANGE = ideas(GOOD, BAD)


def _learned(programme: Programme) -> list[tuple[str, float]]:
    """The plain twin: tests in the order in which they were learned from, and when each began."""
    begun = {event.name: event.at for _, event in programme.events() if isinstance(event, Begun)}
    return [(name, begun[name]) for name, _ in programme.audit()]


def _dated(programme: Programme) -> DatedChange:
    [change] = programme.pool_changes()
    return change


def test_a_change_is_told_by_dates_in_a_sentence() -> None:
    """The first test after it, and between which dates that is."""
    programme = forgetting()
    feed(programme, CHANGE)
    change, learned = _dated(programme), _learned(programme)
    name, at = learned[change.since]
    assert (change.dates.test, change.dates.since) == (name, at)
    assert change.dates.earliest == learned[change.earliest][1]
    assert change.dates.latest == learned[change.latest][1]
    assert learned[change.shown - 1][1] < (change.dates.shown or 0.0) < learned[change.shown][1]
    assert 30 <= change.since <= 50, "the pool changed after 40 tests"
    known = programme.pool_knowledge()
    assert known is not None
    assert known.changed is not None
    sentence = known.changed.sentence
    assert sentence in known.sentences
    assert f"The pool of ideas has changed since {day(at)}, when {name} began (between " in sentence
    assert known.changed.shipped_now.estimate < known.changed.shipped_before.estimate


def test_nothing_is_told_where_nothing_changes() -> None:
    """Nor where the learner does not reckon with it."""
    still = forgetting()
    feed(still, ideas(GOOD, GOOD))
    trusting = forgetting(drift=False)
    feed(trusting, CHANGE)
    for programme in (still, trusting):
        known = programme.pool_knowledge()
        assert known is not None
        assert known.changed is None
        assert programme.pool_changes() == ()
        assert not any("changed" in sentence for sentence in known.sentences)
    assert small().pool_knowledge() is None
    with trusting.state() as state:
        assert not state.calendar.begun, "so that snapshots of earlier versions are as ours"


def _go_on(task: Task, value: float, rng: np.random.Generator, *, doubtful: bool) -> None:
    """Tell a test what it wants; or else what is doubtful, put right and cleared at once."""
    treated = rng.normal(2.0 * value, 1.0, task.advice.wants).tolist()
    untreated = [0.0] * len(treated)
    if not doubtful:
        task.tell(control=untreated, treatment=treated)
        return
    assert task.tell(control=untreated, treatment=[*treated, *[0.0] * 300], key="monday").held
    task.correct("monday", control=untreated, treatment=treated)
    task.clear("the split is sound")


def test_dates_are_of_the_tests_that_were_learned_from() -> None:
    """Whatever overlaps, is given up, is held and cleared, or restated before."""
    programme, rng = forgetting(law=Gaussian(1.0)), np.random.default_rng(5)
    running: list[int] = []
    begun, doubted = 0, set()
    while begun < len(CHANGE) or running:
        while begun < len(CHANGE) and len(running) < 6:
            programme.begin(f"idea {begun}")
            running.append(begun)
            begun += 1
        number = running[rng.integers(len(running))]
        task = programme.task(f"idea {number}")
        if number % 9 == 4:
            task.abandon("called off")
        else:
            doubtful = number % 9 == 7 and number not in doubted
            _go_on(task, CHANGE[number], rng, doubtful=doubtful)
            doubted.add(number)
        if task.status in ("finished", "abandoned"):
            running.remove(number)
    change, learned = _dated(programme), _learned(programme)
    assert len(learned) == len(CHANGE) - programme.counts.abandoned == 71
    with programme.state() as state:
        kept = {number: (each.test, each.at) for number, each in state.calendar.begun.items()}
    assert kept == {number: learned[number] for number in kept}
    assert {change.since, change.earliest, change.latest} <= kept.keys()
    assert change.dates.test == learned[change.since][0]
    assert change.dates.test != f"idea {change.since}", "others were given up before it"
    assert programme.verify().tasks == len(CHANGE)


def test_reopened_or_replayed_it_tells_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dates are part of the state: a snapshot holds them, and the log comes to them."""
    monkeypatch.setattr("dwell.programme.journal.EVERY", 50)
    monkeypatch.setattr("dwell.programme.journal._BYTES", 10_000)
    store = MemoryStore()
    programme = forgetting(store)
    feed(programme, CHANGE)
    again = Programme.open(store, "checkout")
    assert programme.verify().snapshot > 0
    assert again.pool_changes() == programme.pool_changes() != ()
    assert again.pool_knowledge() == programme.pool_knowledge()
    assert snapshot(again) == snapshot(programme) == replayed(store)


def test_what_is_kept_of_dates_does_not_grow() -> None:
    """Tests that no reading tells apart any more are let go of."""
    programme = forgetting(cap=4)
    feed(programme, ideas(GOOD, GOOD, GOOD, BAD, each=60))
    with programme.state() as state:
        assert set(state.calendar.begun) <= state.learner.state.turning_points
        assert len(state.calendar.begun) < 80


def _in_order(drawn: list[int], sums: list[float]) -> PastSums:
    return PastSums(np.array(drawn), np.array(sums), in_order=True)


def _past(values: list[float]) -> PastSums:
    rng = np.random.default_rng(2)
    return _in_order([40] * len(values), [sum(signs(each, 40, rng)) for each in values])


def test_a_change_among_past_tests_is_told_by_their_dates() -> None:
    """If these are known; else by their numbers."""
    past = _past(CHANGE)
    dates = np.datetime64("2025-01-31") + np.arange(len(CHANGE))
    began = dates.astype("datetime64[s]").astype(float).tolist()
    programme = forgetting(past=past, past_began=dates)
    change = _dated(programme)
    assert change.dates.since == began[change.since]
    assert change.when.startswith(f"since {day(began[change.since])} (between ")
    assert programme.start is not None
    assert len(programme.start.began) < 50, "of few tests it must be known"
    undated = _dated(forgetting(past=past))
    assert undated.when == (
        f"since past test {change.since + 1} (between past test {change.earliest + 1} and past "
        f"test {change.latest + 1})"
    )


def test_a_change_after_past_tests_is_told_by_the_dates_of_tests() -> None:
    """Past ones count first."""
    half = len(CHANGE) // 2
    programme = forgetting(past=_past(CHANGE[:half]))
    feed(programme, CHANGE[half:])
    change, learned = _dated(programme), _learned(programme)
    after = [("", None)] * half + learned
    assert (change.dates.test, change.dates.since) == after[change.since]
    assert change.dates.latest == after[change.latest][1] is not None


def test_ends_of_a_range_may_be_known_by_date_or_by_number() -> None:
    """A year is said once, and a range that is one day not at all."""
    dates = ChangeDates(since=1.77e9, latest=1.773e9, past=50)
    assert DatedChange(since=60, earliest=40, latest=70, shown=80, dates=dates).when == (
        "since 2 February 2026 (between past test 41 and 8 March 2026)"
    )
    later = ChangeDates(since=1.77e9, earliest=1.76e9, latest=1.773e9)
    assert DatedChange(since=60, earliest=40, latest=70, shown=80, dates=later).when == (
        "since 2 February 2026 (between 9 October 2025 and 8 March 2026)"
    )
    same = ChangeDates(since=1.77e9, earliest=1.77e9, latest=1.77e9 + 60.0, test="blue")
    assert DatedChange(since=60, earliest=40, latest=70, shown=80, dates=same).when == (
        "since 2 February 2026, when blue began"
    )
    assert DatedChange(since=60, earliest=60, latest=60, shown=80).when == "since test 61"


def test_digits_that_say_nothing_are_left_out() -> None:
    """And where the rule ships nothing in any case, that is said."""
    none, some = Figure(1e-9, 1e-12, 4e-4), Figure(0.16, 0.12, 0.21)
    changed = Changed(
        since=40,
        earliest=35,
        latest=50,
        shown=65,
        shipped_before=some,
        shipped_now=none,
        earned_before=Figure(0.0123, -0.001, 0.0234),
        earned_now=Figure(-1e-9, -2e-8, 0.001),
    )
    assert changed.sentence == (
        "The pool of ideas has changed since test 41 (between test 36 and test 51): the rule in "
        "force ships 0 % of ideas (0 to 0 %) where it would have shipped 16 % (12 to 21 %) before, "
        "and a test earns 0 (0 to 0.001) where it would have earned 0.012 (-0.001 to 0.023). "
        "False alarms: at most 5 %."
    )
    nothing = replace(changed, shipped_before=none).sentence
    assert "; the rule in force ships nothing, and would have shipped nothing. " in nothing


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"learner": "ladder"}, "drift means nothing to the learner ladder, which fits no pool"),
        ({"drift": "yes"}, "drift must be True or False, got 'yes'"),
        (
            {"past_began": ["2026-03-31"]},
            "past_began needs past tests in the order in which they began",
        ),
        (
            {"past": PastSums(np.array([4]), np.array([2.0])), "past_began": ["2026-03-31"]},
            "needs past tests in the order",
        ),
        ({"past": _in_order([4, 4], [2.0, 0.0]), "past_began": ["2026-03-31"]}, "2 dates"),
        ({"past": _in_order([4], [2.0]), "past_began": ["noon"]}, "dates such as 2026-03-31"),
        (
            {"past": _in_order([4, 4], [2.0, 0.0]), "past_began": ["2026-03-31", "2026-03-30"]},
            "past_began must be 2 dates in order, one for each past test, got",
        ),
    ],
    ids=["no-pool", "no-bool", "no-past", "no-order", "too-few", "no-date", "backwards"],
)
def test_what_means_nothing_is_refused(given: dict[str, Any], said: str) -> None:
    """In a sentence that says what to do."""
    with pytest.raises(InvalidInput, match=said):
        forgetting(**given)


def test_a_learner_that_was_made_has_its_own_setting() -> None:
    """It is not set beside it."""
    with pytest.raises(InvalidInput, match="drift belongs to the learner that was given"):
        Programme.create("memory:", "checkout", learner=Ladder(fixed(3)), drift=True, clock=Days())
    assert forgetting(law=Signs()).learner().to_dict()["settings"]["drift"] is True


def test_a_change_that_was_none_is_taken_back() -> None:
    """Six bad ideas in a row look like another pool, until good ones go on."""
    rng = np.random.default_rng(1)
    drawn = [rng.choice(GOOD.values, 60), rng.choice(BAD.values, 6, p=BAD.weights)]
    values = np.concatenate([*drawn, rng.choice(GOOD.values, 150)])
    sums = np.array([sum(signs(value, 64, rng)) for value in values])

    def after(tests: int) -> Programme:
        past = PastSums(np.full(tests, 64), sums[:tests], in_order=True)
        return forgetting(past=past)

    then, now = after(70), after(80)
    [heard] = then.pool_changes()
    assert (heard.since, heard.shown) == (60, 65)
    assert now.pool_changes() == after(216).pool_changes() == ()
    known = now.pool_knowledge()
    assert known is not None
    assert known.changed is None
    said = taken_back(now, [heard])
    assert said == (
        f"That the pool of ideas has changed {heard.when} is taken back: by the tests since, it "
        "has not."
    )
    assert taken_back(then, [heard]) is None
    assert taken_back(now, []) is None
