"""Feed: lets the days of a company pass, the past ones at once and the others as one can watch."""

from collections.abc import Iterator
from contextlib import contextmanager
from logging import getLogger
from threading import Event, Thread
from time import time
from typing import Any

from dwell.errors import DwellError
from dwell.laws import Lift
from dwell.service.demo.calendar import DAY, Calendar
from dwell.service.demo.company import BASE_RATE, Company
from dwell.service.shelf import Shelf

_LOG = getLogger("dwell.service")
NAME = "checkout"
TERMS: dict[str, Any] = {"law": Lift(BASE_RATE), "cap": 50_000, "setup_cost": 15_000.0}
_SEED = 7
_AT_ONCE = 14
PAST_DAYS = 90  # over before anybody can look: the page is full from the start
_DAY_SECONDS, _SLOW_DAY_SECONDS = 1.5, 60.0
_MANY_TESTS = 3_000  # from which on days are slow, so that a forgotten demo does not fill memory


def calendar() -> Calendar:
    """A calendar whose past days lead up to now."""
    return Calendar(time() - PAST_DAYS * DAY)


@contextmanager
def feeding(shelf: Shelf, days: Calendar) -> Iterator[None]:
    """A company at work, in a thread of its own.

    Args:
        shelf: Where its programme is created.
        days: The shelf's clock.
    """
    company = Company(shelf.create(NAME, **TERMS), _SEED, _AT_ONCE)
    stop = Event()
    feed = Thread(target=_feed, args=(shelf, company, days, stop), name="demo", daemon=True)
    feed.start()
    try:
        yield
    finally:
        stop.set()
        feed.join()


def _feed(shelf: Shelf, company: Company, days: Calendar, stop: Event) -> None:
    seconds = 0.0
    while not stop.wait(seconds):
        if days.days >= PAST_DAYS:
            many = shelf.open(NAME).counts.begun >= _MANY_TESTS
            seconds = _SLOW_DAY_SECONDS if many else _DAY_SECONDS
        days.next_day(seconds)
        try:
            company.day()
        except DwellError:
            _LOG.exception("the demo has come to its end")
            return
