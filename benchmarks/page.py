"""What pages of a large programme take: `python -m benchmarks.page`.

A made-up company has begun 10,000 tests (`--tests`), of which 200 run (`--running`). Its page is
asked for right after the service has started, again, after one test was told something, after all
were, and after a new day; and so are, over the API, the tests that are open and the rule in force.
The figures are milliseconds of processor time and of the clock between request and answer, in one
process over an SQLite file; what was told came by another, so that the log has to be read. With
`--learner ladder` the programme has no law of samples; `--file` keeps it for the next time.
"""

import argparse
import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from starlette.testclient import TestClient

from dwell import Batch, EmpiricalBayes, Ladder, Lift, Programme, scales
from dwell.programme.events import entry_of, event_of
from dwell.programme.stores.memory import MemoryStore
from dwell.programme.stores.protocol import EventStore
from dwell.programme.stores.sqlite import SqliteStore
from dwell.programme.telling import Telling
from dwell.service.app import create_app

_NAME, _DAY = "Checkout", 86_400.0
_PAGE, _API = f"/programmes/{_NAME}", f"/api/v1/programmes/{_NAME}"
_RATE, _DAYS = 0.421, 21
_VISITORS = {"empirical-bayes": 8_000, "ladder": 400}  # of an arm on a day


@dataclass
class Company:
    """A programme whose tests are told of a day at a time, all in one transaction.

    Attributes:
        store: Where it is kept.
        learner: Which learner it has.
        now: What time it is.
        values: What the ideas are worth whose tests are open.
    """

    store: EventStore
    learner: str
    now: float = 1_781_481_600.0  # Monday 15 June 2026, midnight
    values: dict[str, float] = field(default_factory=dict)
    _draw: np.random.Generator = field(default_factory=lambda: np.random.default_rng(7))

    def __post_init__(self) -> None:
        there = _NAME in self.store.names()
        self.programme = self._opened() if there else self._created()
        with self.programme.state() as state:
            running = [task for task in state.tasks.values() if not task.finished]
        self.now = max((task.told_at for task in running), default=self.now)
        self.values = {task.name: self._value() for task in running}

    def clock(self) -> float:
        """What time it is."""
        return self.now

    def _opened(self) -> Programme:
        return Programme.open(self.store, _NAME, clock=self.clock)

    def _created(self) -> Programme:
        a_day = _VISITORS[self.learner]
        cap, setup_cost = a_day * _DAYS, 15.0 * a_day
        learner = (
            Ladder(scales([cap // 8, cap // 4, cap // 2, cap], sd=0.5), setup_cost=setup_cost)
            if self.learner == "ladder"
            else EmpiricalBayes(
                *(Lift(_RATE), cap),
                looks=a_day,
                min_samples=2 * a_day,
                setup_cost=setup_cost,
            )
        )
        return Programme.create(self.store, _NAME, learner=learner, clock=self.clock)

    def _value(self) -> float:
        """What an idea is worth: the fewer visitors there are, the more effects differ."""
        scale = sqrt(8_000 / _VISITORS[self.learner])
        return float(np.clip(scale * self._draw.normal(-0.0006, 0.0032), -0.2, 0.2))

    def begin(self, running: int) -> None:
        """Begin tests of new ideas, so that so many run."""
        begun = self.programme.counts.begun
        for number in range(begun + 1, begun + 1 + running - len(self.values)):
            name = f"Idea {number:,}"
            self.programme.begin(name)
            self.values[name] = self._value()

    def tell(self, *names: str) -> None:
        """Tell tests what was observed; all of them if none is named."""
        told = names or tuple(self.values)
        self.now += 60.0
        tellings = [
            Telling(
                name,
                control=self._arm(_RATE),
                treatment=self._arm(_RATE + self.values[name]),
                key=f"{self.now:.0f}",
            )
            for name in told
        ]
        for name, advice in zip(told, self.programme.tell(tellings), strict=True):
            if advice.done:
                del self.values[name]

    def _arm(self, rate: float) -> Batch:
        visitors = _VISITORS[self.learner]
        converted = int(self._draw.binomial(visitors, rate))
        return Batch(visitors, converted, converted)

    def grow(self, tests: int, running: int) -> None:
        """Let days pass until so many tests were begun, of which so many run."""
        while self.programme.counts.begun < tests or len(self.values) < running:
            self.begin(running)
            if self.programme.counts.begun >= tests:
                break
            self.now += _DAY
            self.tell()


def keep(source: EventStore, file: Path) -> None:
    """Write a company to a file, with its snapshot: sooner than it was made up."""
    entries = [entry_of(event_of(body)) for body in source.read(_NAME)]
    snapshot = source.latest(_NAME)
    after, body = (1, None) if snapshot is None else snapshot
    target = SqliteStore(file)
    target.append(_NAME, 0, entries[:after])
    target.append(_NAME, after, entries[after:], body)


def measured(company: Company, running: int) -> Iterator[tuple[str, float, float, int]]:
    """What each request takes: of the processor, by the clock, and how much is answered."""
    app = create_app(store=company.store, clock=company.clock)
    with TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000)) as client:

        def asked(what: str, path: str = _PAGE) -> tuple[str, float, float, int]:
            spent, begun = process_time(), perf_counter()
            answer = client.get(path, headers={"accept": "text/html"})
            spent, begun = process_time() - spent, perf_counter() - begun
            answer.raise_for_status()
            return what, 1000.0 * spent, 1000.0 * begun, len(answer.content)

        client.get("/sign-in").raise_for_status()  # libraries and templates are loaded
        yield asked("page, first")
        yield asked("page, again")
        company.tell(next(iter(company.values)))
        yield asked("page, one test told")
        for _ in range(3):
            company.tell()
            company.begin(running)
            yield asked("page, all tests told")
        company.now += _DAY
        yield asked("page, the next day")
        for again in ("first", "again"):
            yield asked(f"tasks, {again}", f"{_API}/tasks")
        for again in ("first", "again"):
            yield asked(f"rule, {again}", f"{_API}/rule")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description=__doc__)
    parser.add_argument("--tests", type=int, default=10_000)
    parser.add_argument("--running", type=int, default=200)
    parser.add_argument("--learner", choices=list(_VISITORS), default="empirical-bayes")
    parser.add_argument("--file", type=Path, help="where the company is kept for the next time")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dwell-") as folder:
        kept, tried = arguments.file or Path(folder, "kept.db"), Path(folder, "tried.db")
        if not kept.exists():
            made_up = Company(MemoryStore(), arguments.learner)
            made_up.grow(arguments.tests, arguments.running)
            keep(made_up.store, kept)
        with closing(sqlite3.connect(kept)) as here, closing(sqlite3.connect(tried)) as there:
            here.backup(there)
        company = Company(SqliteStore(tried), arguments.learner)
        print(json.dumps({"begun": company.programme.counts.begun, "running": len(company.values)}))
        print(f"{'request':<24} {'processor ms':>13} {'clock ms':>9} {'bytes':>9}")
        for what, spent, taken, size in measured(company, arguments.running):
            print(f"{what:<24} {spent:>13.1f} {taken:>9.1f} {size:>9,}", flush=True)


if __name__ == "__main__":
    main()
