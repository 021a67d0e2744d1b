"""Durable commands of a programme on SQLite, against bare transactions and against itself.

A bare transaction inserts one row with the bytes of all events of a command, in a file with the
same settings. A long log is one of 10^6 events, a short one of 10^3: tasks that are over, as they
stand in the log and nowhere else, with a snapshot of what is open.
"""

import sqlite3
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from benchmarks.duel import Asked, Duel
from dwell import Fixed, Programme, fixed, hoeffding
from dwell.programme.stores.sqlite import SqliteStore

_COMMANDS, _GROUP, _TELLS = 60, 400, 50
_SHORT, _LONG = 10**3, 10**6


def duels() -> Iterator[Duel]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        yield _bare(folder)
        yield _group(folder)
        logs = {events: _log(folder / f"{events}.db", events) for events in (_SHORT, _LONG)}
        tells = {events: _telling(path) for events, path in logs.items()}
        yield Duel(
            name="programme/long-log",
            ours=tells[_LONG],
            rival=tells[_SHORT],
            work=_TELLS,
            unit="tell",
            asked=Asked(1.3, of="time"),
            clock=perf_counter,
            typical=np.median,
        )
        yield Duel(
            name="programme/open",
            ours=lambda: Programme.open(f"sqlite:///{logs[_LONG]}", "checkout"),
            rival=lambda: Programme.open(f"sqlite:///{logs[_SHORT]}", "checkout"),
            work=1,
            unit="open",
            clock=perf_counter,
            typical=np.median,
        )


def _bare(folder: Path) -> Duel:
    """Half of the commands begin a task, half tell it all that it wants, decision included."""
    policies = hoeffding(caps=[1, 4, 16], c=0.35, tasks=10_000, delta=0.05)
    programme = Programme.create(f"sqlite:///{folder}/ours.db", "checkout", policies=policies)
    numbers = count()

    def ours() -> None:
        for number in numbers:
            task = programme.begin(f"task {number}")
            task.tell([-1] * 48, key="all")
            if number % (_COMMANDS // 2) == 0:
                return

    ours()
    store = SqliteStore(folder / "ours.db")
    bodies: list[str] = []
    for body in store.read("checkout", after=1):
        begins = '"event":"begun' in body or '"event":"told' in body
        if begins:
            bodies.append(body)
        else:
            bodies[-1] += body
    bare = sqlite3.connect(folder / "bare.db", isolation_level=None)
    bare.execute("pragma journal_mode = wal")
    bare.execute("pragma synchronous = full")
    bare.execute("create table event (position integer primary key, body text)")
    ours()

    def rival() -> None:
        for place in range(_COMMANDS):
            bare.execute("begin immediate")
            bare.execute("insert into event (body) values (?)", (bodies[place % len(bodies)],))
            bare.execute("commit")

    return Duel(
        name="programme/bare-sqlite",
        ours=ours,
        rival=rival,
        work=_COMMANDS,
        unit="command",
        asked=Asked(0.6),
        clock=perf_counter,
        typical=np.median,
    )


def _group(folder: Path) -> Duel:
    """Many tellings in one call, against as many calls."""
    programme = Programme.create(
        f"sqlite:///{folder}/group.db", "checkout", learner=Fixed(fixed(2**14))
    )
    names = [programme.begin().name for _ in range(_GROUP)]
    alone = [programme.task(name) for name in names[: _GROUP // 20]]

    def ours() -> None:
        programme.tell([(name, [1]) for name in names])

    def rival() -> None:
        for _ in range(20):
            for task in alone:
                task.tell([1])

    return Duel(
        name="programme/group",
        ours=ours,
        rival=rival,
        work=_GROUP,
        unit="tell",
        asked=Asked(20.0),
        clock=perf_counter,
        typical=np.median,
    )


def _log(path: Path, events: int) -> Path:
    """A file with so many events, of which none but the last few are ever read again."""
    programme = Programme.create(f"sqlite:///{path}", "checkout", learner=Fixed(fixed(2**14)))
    for number in range(20):
        programme.begin(f"open {number}")
    with programme._journal.state() as state:
        state.position = events
        snapshot = state.to_json()
    filler = '{"event":"told 1","at":0.0,"task":1,"observations":{"type":"values","values":[1,-1]}}'
    with sqlite3.connect(path) as connection:
        connection.executemany(
            "insert into event (programme, position, key, body) values (1, ?, ?, ?)",
            (
                (position, f"told {position} day" if position % 2 else None, filler)
                for position in range(22, events + 1)
            ),
        )
        connection.execute("insert into snapshot values (1, ?, ?)", (events, snapshot))
    connection.close()
    return path


def _telling(path: Path) -> Callable[[], None]:
    programme = Programme.open(f"sqlite:///{path}", "checkout")
    tasks, keys = programme.tasks(), count()

    def tell() -> None:
        for place in range(_TELLS):
            tasks[place % len(tasks)].tell([1, -1], key=f"{next(keys)}")

    return tell
