"""The demo: a company at work, its calendar and its ideas."""

from collections import Counter
from itertools import islice
from time import monotonic, sleep

import numpy as np

from dwell.programme.programme import Programme
from dwell.programme.stores.memory import MemoryStore
from dwell.service.demo import feed
from dwell.service.demo.calendar import DAY, Calendar
from dwell.service.demo.company import Company
from dwell.service.demo.ideas import ideas
from dwell.service.shelf import Shelf


def worked(days: int) -> tuple[Programme, Counter[str]]:
    """A programme after so many days, and how often a test stood how at the end of one."""
    calendar = Calendar(start=0.0)
    programme = Programme.create("memory:", "checkout", clock=calendar.time, **feed.TERMS)
    company, seen = Company(programme, seed=3, tests=8), Counter[str]()
    for _ in range(days):
        calendar.next_day(seconds=0.0)
        company.day()
        seen.update(task.status for task in programme.tasks())
    return programme, seen


def test_a_company_ships_drops_holds_and_gives_up() -> None:
    """In two months everything comes up that a page has to show, and the log replays."""
    programme, seen = worked(60)
    counts = programme.counts
    assert min(counts.shipped, counts.dropped, counts.abandoned, counts.finished) > 0
    assert {"running", "decided", "held", "stalled"} <= seen.keys()
    assert len(programme.tasks()) <= 8
    assert programme.verify().tasks == counts.begun


def test_the_same_seed_makes_up_the_same() -> None:
    """What a newcomer sees can be seen again."""
    first, second = (list(worked(10)[0].events()) for _ in range(2))
    assert first == second


def test_no_idea_comes_up_twice() -> None:
    """Names of tasks are unique in a programme, however long the demo runs."""
    names = list(islice(ideas(np.random.default_rng(0)), 2_000))
    assert len(set(names)) == len(names)


def test_a_feed_fills_a_programme_and_goes_on_until_it_is_stopped() -> None:
    """The past is there within seconds; then days pass one after another."""
    calendar = feed.calendar()
    shelf = Shelf(MemoryStore(), calendar.time)
    end = monotonic() + 60.0
    with feed.feeding(shelf, calendar):
        while calendar.days <= feed.PAST_DAYS:
            assert monotonic() < end
            sleep(0.01)
    programme = shelf.open(feed.NAME)
    assert programme.counts.finished > 50
    days = calendar.days
    sleep(0.01)
    assert calendar.days == days


def test_a_calendars_days_are_as_long_as_they_are_told_to_be() -> None:
    """A day is over at the next midnight, and not before."""
    now = [0.0]
    calendar = Calendar(start=10 * DAY, elapsed=lambda: now[0])
    calendar.next_day(seconds=4.0)
    now[0] = 1.0
    assert calendar.time() == 11.25 * DAY
    calendar.next_day(seconds=0.0)
    assert calendar.time() == 12 * DAY
