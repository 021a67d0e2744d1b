"""The story of a programme: what pages tell of its log, and its state lets go of.

A fold over the events, each read once and in order, and kept by every worker for itself. Lists of
what happened are bounded; what is over is kept as sums.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, NamedTuple

from dwell.programme.events import (
    Abandoned,
    Amended,
    Begun,
    Cleared,
    Corrected,
    Created,
    Decided,
    Event,
    Finished,
    Held,
    Recorded,
    Told,
)
from dwell.programme.path import Limits
from dwell.programme.programme import Programme
from dwell.service.followed import Followed, Kind, Note

WAITS_DAYS = 14.0  # a decision that nobody records by then was made long ago
_DAY = 86_400.0
_MOST_LATEST = 40
_MOST_KEPT, _MOST_WAITING = 150, 300  # tests that are over
_MOST_SHIPPED, _MOST_COSTS, _MOST_RULES, _MOST_MEASURED = 20_000, 512, 40, 400


class Shipped(NamedTuple):
    """A test that was shipped, as what it is worth follows from it.

    Attributes:
        at: When it was decided.
        samples: How many samples it has.
        total: Their sum.
        estimate: An unbiased estimate of its value, where the record has one.
    """

    at: float
    samples: int
    total: float
    estimate: float | None = None


class InForce(NamedTuple):
    """A rule that tests began with.

    Attributes:
        since: When the first test began with it.
        tests: How many had finished by then.
        limits: Its limits; None where the learner has them.
        column: Which of the learner's policies it is, where it chooses among some.
    """

    since: float
    tests: int
    limits: Limits | None
    column: int


@dataclass(slots=True)
class Story:
    """What pages tell of a programme.

    Attributes:
        position: How many events were read.
        began: When the programme was created.
        last: When the last event was.
        open: Tests that are open, by number.
        over: Tests that were until lately, by number.
        latest: What happened, the latest last.
        rules: The rules that tests began with, in order: the first, and the latest.
        shipped: Tests that were shipped, by number.
        costs: When tests had finished, and what all had cost by then, without set-up.
        measured: What the latest tests measured: samples and their sum.
        finished: How many have.
        unscored: How many were shipped whose value no estimate shows.
        days: Sums over decided tests: how many, days until then, their squares.
        changes: How often something has changed that figures of value and cost depend on.
    """

    position: int = 0
    began: float = 0.0
    last: float = 0.0
    open: dict[int, Followed] = field(default_factory=dict)
    over: dict[int, Followed] = field(default_factory=dict)
    latest: deque[Note] = field(default_factory=lambda: deque(maxlen=_MOST_LATEST))
    rules: list[InForce] = field(default_factory=list)
    shipped: dict[int, Shipped] = field(default_factory=dict)
    costs: list[tuple[float, int, int]] = field(default_factory=list)
    measured: deque[tuple[int, float]] = field(default_factory=lambda: deque(maxlen=_MOST_MEASURED))
    finished: int = 0
    samples: int = 0
    unscored: int = 0
    days: tuple[int, float, float] = (0, 0.0, 0.0)
    changes: int = 0

    def read_on(self, programme: Programme) -> None:
        """Read the events that are new."""
        self.take(programme.events(after=self.position))

    def take(self, events: Iterable[tuple[int, Event]]) -> None:
        """Take events in, in order."""
        for position, event in events:
            self._take(event)
            self.position, self.last = position, max(self.last, event.at)

    def test(self, number: int) -> Followed | None:
        """A test that is open, or was until lately."""
        return self.open.get(number) or self.over.get(number)

    def named(self, name: str) -> Followed | None:
        """The same by its name."""
        for tests in (self.open, self.over):
            for test in tests.values():
                if test.name == name:
                    return test
        return None

    @property
    def still_open(self) -> tuple[int, int]:
        """Of tests that are decided and run on: how many there are, and how many samples."""
        counts = [test.so_far[0] for test in self.open.values() if test.decided is not None]
        return len(counts), sum(counts)

    def waiting(self, now: float) -> list[Followed]:
        """Tests whose decision nobody has recorded yet, the oldest first."""
        tests = [*self.over.values(), *self.open.values()]
        found = [
            (test.decided.at, test)
            for test in tests
            if test.decided is not None
            and test.recorded is None
            and not test.abandoned
            and now - test.decided.at <= WAITS_DAYS * _DAY
        ]
        return [test for _, test in sorted(found, key=lambda pair: pair[0])]

    @property
    def mean_days(self) -> tuple[float, float] | None:
        """How many days tests take until they are decided, and its standard error."""
        count, total, squares = self.days
        if count < 2:
            return None
        mean = total / count
        return mean, sqrt(max(0.0, squares / count - mean**2) / (count - 1))

    def _take(self, event: Event) -> None:
        if isinstance(event, Created):
            self.began = event.at
        elif isinstance(event, Begun):
            self._begin(event)
        elif (test := self.test(getattr(event, "task", 0))) is not None:
            self._of_test(test, event)

    def _begin(self, event: Begun) -> None:
        design = event.design
        column = int(design["columns"][design["decider"]])
        now = InForce(event.at, self.finished, event.limits, column)
        last = self.rules[-1] if self.rules else None
        if last is None or (last.limits, last.column) != (now.limits, now.column):
            self.rules.append(now)
            if len(self.rules) > _MOST_RULES:
                del self.rules[1]
        self.open[event.task] = test = Followed(
            event.task, event.name, event.at, event.limits, column, decider=design["decider"]
        )
        self._note(test, event.at, "began")

    def _of_test(self, test: Followed, event: Event) -> None:
        match event:
            case Told(key=key, observations=observations):
                test.tell(key, observations)
                self._more(test)
            case Corrected(at=at, key=key, observations=observations):
                counts = test.correct(key, observations)
                if counts is not None:
                    text = f"{counts[0]:,} samples became {counts[1]:,}"
                    self._note(test, at, "restated", text if counts[0] != counts[1] else "")
                self._more(test)
            case Amended(record=record) if test.number in self.shipped:
                self.changes += 1
                shipped = self.shipped[test.number]
                self.shipped[test.number] = shipped._replace(estimate=_estimate(test, record))
            case Decided(at=at, decision=decision):
                test.decided = event
                days = (at - test.begun_at) / _DAY
                count, sums, squares = self.days
                self.days = count + 1, sums + days, squares + days**2
                if decision == "accept":
                    self._ship(test, at)
                self._note(test, at, _kind(event))
            case Held(at=at, reason=reason):
                self._note(test, at, "held", reason)
            case Cleared(at=at, note=note):
                self._note(test, at, "cleared", note)
            case Recorded(at=at, done=done, note=note):
                test.recorded = event
                decided = test.decided
                if done == "dropped":
                    self._unship(test)
                elif decided is not None and test.number not in self.shipped:
                    self._ship(test, decided.at)
                self._note(test, at, done, note)
            case Finished(at=at, samples=samples, record=record):
                self._finish(test, at, samples, record)
            case Abandoned(at=at, reason=reason):
                test.abandoned = True
                self._unship(test)
                self._note(test, at, "abandoned", reason)
                self._close(test, at)

    def _finish(self, test: Followed, at: float, samples: int, record: dict[str, Any]) -> None:
        self.finished += 1
        self.samples += samples
        self.changes += 1
        self.costs.append((at, self.finished, self.samples))
        if len(self.costs) > _MOST_COSTS:
            del self.costs[1:-1:2]
        told = test.so_far
        if test.rough and record.get("sums"):  # what was learned from has all corrections
            told = int(record["drawn"][0]), float(record["sums"][0])
        self.measured.append(told)
        if test.number in self.shipped:
            estimate = _estimate(test, record)
            self.unscored += estimate is None
            self.shipped[test.number] = Shipped(self.shipped[test.number].at, *told, estimate)
        test.notes.append(Note(at, "finished", test.name))
        self._close(test, at)

    def _ship(self, test: Followed, at: float) -> None:
        self.changes += 1
        self.shipped[test.number] = Shipped(at, *test.so_far)
        if len(self.shipped) > _MOST_SHIPPED:
            del self.shipped[next(iter(self.shipped))]

    def _unship(self, test: Followed) -> None:
        self.changes += self.shipped.pop(test.number, None) is not None

    def _more(self, test: Followed) -> None:
        """A test knows more, or something else: what it was shipped with and what it costs too."""
        self.changes += test.decided is not None
        if (shipped := self.shipped.get(test.number)) is not None:
            samples, total = test.so_far
            self.shipped[test.number] = shipped._replace(samples=samples, total=total)

    def _close(self, test: Followed, at: float) -> None:
        test.closed_at = at
        self.over[test.number] = self.open.pop(test.number, test)
        if len(self.over) > _MOST_KEPT:
            done = (n for n, each in self.over.items() if each.recorded or each.abandoned)
            first = next(iter(self.over))
            late = len(self.over) > _MOST_WAITING
            del self.over[first if late else next(done, first)]

    def _note(self, test: Followed, at: float, kind: Kind, text: str = "") -> None:
        note = Note(at, kind, test.name, text)
        test.notes.append(note)
        self.latest.append(note)


def _kind(decided: Decided) -> Kind:
    if not decided.counts:
        return "taught"
    if decided.decision == "accept":
        return "ship"
    return "capped" if decided.capped else "drop"


def _estimate(test: Followed, record: dict[str, Any]) -> float | None:
    """What samples say that the policy did not see by which the test was decided."""
    estimates = record.get("estimates")
    if not isinstance(estimates, list) or not estimates or not estimates[0]:
        return None
    found = estimates[0]
    return float(found[test.decider if len(found) > 1 else 0])
