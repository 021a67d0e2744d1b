"""Company: tests of made-up ideas, begun, told and ended a day at a time, as people would.

Most ideas do nothing or a little harm, some help, few help much. Now and then a split is broken, so
that the test is held, data stop coming, or a day's figures are restated.
"""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from dwell.errors import Clash
from dwell.programme.advice import Advice
from dwell.programme.events import Done
from dwell.programme.observations import Batch
from dwell.programme.programme import Programme
from dwell.programme.telling import Telling
from dwell.service.demo.ideas import ideas

BASE_RATE = 0.06
_NEW_IN_A_DAY = 3
_GOOD, _BROKEN, _SILENT, _RESTATED = 0.25, 0.03, 0.03, 0.01  # how often each comes up
_FEWER = 0.8  # of a broken split: the share of treated users that are counted
_DAYS_HELD, _DAYS_SILENT, _DAYS_WAITING = 5, 9, 4  # until people do something about it


@dataclass(slots=True)
class _Test:
    """What the company knows of a test, and what nobody knows: what its idea is worth."""

    rate: float
    users: float
    broken: bool
    data_days: int
    days: int = 0
    held_days: int = 0
    silent_days: int = 0
    decided: bool = False


class Company:
    """A company that tests ideas.

    Args:
        programme: Where it tests them.
        seed: What is made up follows from it.
        tests: How many tests it runs at once.

    Example:
        >>> from dwell.laws import Lift
        >>> programme = Programme.create("memory:", "checkout", law=Lift(BASE_RATE), cap=40_000)
        >>> company = Company(programme, seed=1, tests=2)
        >>> company.day()
        >>> programme.counts.begun
        2
    """

    def __init__(self, programme: Programme, seed: int, tests: int) -> None:
        self._programme = programme
        self._rng = np.random.default_rng(seed)
        self._ideas = ideas(self._rng)
        self._most = tests
        self._tests: dict[str, _Test] = {}
        self._day = 0
        self._decided: dict[str, tuple[int, Done]] = {}

    def day(self) -> None:
        """A day passes."""
        self._day += 1
        for _ in range(min(_NEW_IN_A_DAY, self._most - len(self._tests))):
            name = next(self._ideas)
            self._programme.begin(name)
            self._tests[name] = self._made_up()
        with_data = [name for name, test in self._tests.items() if test.days < test.data_days]
        told = [self._told(name, self._tests[name]) for name in with_data]
        advice = self._programme.tell(told)
        for telling, given in zip(told, advice, strict=True):
            self._follow(telling, given)
        self._look_after()
        self._record()

    def _made_up(self) -> _Test:
        rng = self._rng
        lift = rng.normal(0.008, 0.004) if rng.random() < _GOOD else rng.normal(-0.003, 0.004)
        return _Test(
            rate=float(np.clip(BASE_RATE + lift, 0.01, 0.2)),
            users=float(rng.uniform(800, 2_400)),
            broken=bool(rng.random() < _BROKEN),
            data_days=int(rng.integers(1, 4)) if rng.random() < _SILENT else 10**9,
        )

    def _told(self, name: str, test: _Test) -> Telling:
        """What a day yields."""
        share = _FEWER if test.broken else 1.0
        control = self._batch(test.users, BASE_RATE)
        treatment = self._batch(test.users * share, test.rate)
        test.days += 1
        return Telling(name, None, control, treatment, f"day {test.days}")

    def _batch(self, users: float, rate: float) -> Batch:
        n = int(self._rng.poisson(users))
        return Batch(n, int(self._rng.binomial(n, rate)))

    def _follow(self, told: Telling, advice: Advice) -> None:
        """What people do about a test once its day is told."""
        test = self._tests[told.task]
        if advice.decision is not None and not test.decided:
            test.decided = True
            done: Done = "shipped" if advice.decision == "accept" else "dropped"
            self._decided[told.task] = self._day, done
        if advice.done:
            del self._tests[told.task]
        elif advice.held:
            test.held_days += 1
        elif self._rng.random() < _RESTATED:
            assert isinstance(told.control, Batch)
            assert told.key is not None
            late = Batch(told.control.n + 3, told.control.sum + 1)
            task = self._programme.task(told.task)
            if task.correct(told.key, control=late, treatment=told.treatment).done:
                del self._tests[told.task]

    def _look_after(self) -> None:
        """Broken splits are explained in the end, and tests that have gone silent are given up."""
        for name, test in list(self._tests.items()):
            test.silent_days += test.days >= test.data_days
            if test.silent_days >= _DAYS_SILENT:
                self._give_up(name, "its tracking was taken out")
            elif test.held_days >= _DAYS_HELD and test.broken:
                self._give_up(name, "the split was broken")
            elif test.held_days >= _DAYS_HELD:  # by chance: most of those are let go on
                test.held_days = 0
                if self._programme.task(name).clear("the split is as it should be").done:
                    del self._tests[name]

    def _give_up(self, name: str, reason: str) -> None:
        self._programme.task(name).abandon(reason)
        del self._tests[name]

    def _record(self) -> None:
        """Decisions are followed after some days, unless whoever looks on was faster."""
        for name, (day, done) in list(self._decided.items()):
            if self._day - day >= _DAYS_WAITING:
                del self._decided[name]
                with suppress(Clash):
                    self._programme.task(name).record(done)
