"""The story of a programme: a fold that goes on from where it was, and stays small."""

import numpy as np
import pytest

from dwell import Batch, Fixed, Ladder, Programme, fixed
from dwell.programme.stores.memory import MemoryStore
from dwell.service.followed import Followed
from dwell.service.story import WAITS_DAYS, Story
from tests.companies import Company
from tests.programmes import BANDS, DAY, small


def told(store: MemoryStore) -> Story:
    """A programme in which something of everything has happened."""
    programme = small(store, policies=None, learner=Fixed(fixed(2, 1)))
    programme.begin("ships").tell([1, 1])
    programme.begin("drops").tell([-1, -1])
    programme.begin("gone").abandon("called off")
    programme.begin("runs").tell([1], key="monday")
    programme.task("runs").correct("monday", [-1])
    programme.task("ships").record("dropped", "too dear")
    story = Story()
    story.read_on(programme)
    return story


def test_a_story_goes_on_from_where_it_was() -> None:
    """Read in any pieces, it is the same as read at once."""
    store = MemoryStore()
    whole = told(store)
    programme = Programme.open(store, "checkout")
    for size in (1, 2, 5):
        story = Story()
        events = list(programme.events())
        for start in range(0, len(events), size):
            story.take(events[start : start + size])
        assert story == whole
        assert story.position == len(events)


def test_a_decision_waits_until_somebody_records_it() -> None:
    """Or until it is old; what was given up waits for nobody."""
    story = told(MemoryStore())
    assert [test.name for test in story.waiting(story.last)] == ["drops"]
    assert story.waiting(story.last + (WAITS_DAYS + 1) * DAY) == []
    assert story.shipped == {}, "it was recorded as dropped, whatever was advised"
    assert [note.kind for note in story.latest][-3:] == ["began", "restated", "dropped"]
    assert story.finished == 2
    assert list(story.open) == [4]


def test_a_path_follows_corrections_and_decisions() -> None:
    """It has the point at which the test was decided, within a batch of samples too."""
    store = MemoryStore()
    programme = small(store, policies=None, learner=Fixed(fixed(2, 1)))
    programme.begin("blue").tell([1, 1, -1, -1])
    story = Story()
    story.read_on(programme)
    [test] = story.over.values()
    assert test.path() == ((0.0, 0.0), (2.0, 2.0), (4.0, 0.0))
    assert told(MemoryStore()).open[4].path()[-1] == (1.0, -1.0)


def test_a_long_path_keeps_its_end_in_few_steps() -> None:
    """Steps are put together, two and two."""
    test = Followed(1, "long", 0.0, None, 0)
    draw = np.random.default_rng(0)
    tellings = [Batch(int(n), float(s)) for n, s in draw.integers(1, 9, (5_001, 2))]
    for batch in tellings:
        test.tell(None, batch)
    assert len(test.steps) <= 256
    samples, total = test.path()[-1]
    assert samples == sum(batch.n for batch in tellings)
    assert total == pytest.approx(sum(batch.sum for batch in tellings))


def test_what_is_kept_does_not_grow_with_what_is_over() -> None:
    """Lists are bounded, sums are over all."""
    programme = small(learner=Ladder(BANDS), policies=None)
    draw = np.random.default_rng(1)
    for number in range(420):
        task = programme.begin(f"t{number}")
        while not task.tell(draw.choice([-1, 1], 8).tolist()).done:
            pass
        if number % 3:
            decision = task.advice.decision
            task.record("shipped" if decision == "accept" else "dropped")
    story = Story()
    story.read_on(programme)
    assert story.finished == 420
    assert len(story.over) <= 151
    assert len(story.latest) == 40
    assert len(story.rules) <= 40
    assert story.samples == programme.counts.samples


def test_rules_are_those_that_tests_began_with() -> None:
    """Each is listed once, with its limits, from when it was in force."""
    company = Company()
    company.run(days=25, at_once=6)
    story = Story()
    story.read_on(company.programme)
    assert len(story.rules) > 2
    assert all(rule.limits is not None for rule in story.rules)
    assert story.rules[0].tests == 0
    assert [rule.since for rule in story.rules] == sorted(rule.since for rule in story.rules)
