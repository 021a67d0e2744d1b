"""Every store keeps what stores promise; and each check finds out a store that does not."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psycopg
import pytest

from dwell.errors import Conflict, KeyTaken
from dwell.programme.stores.memory import MemoryStore
from dwell.programme.stores.postgres import PostgresStore
from dwell.programme.stores.protocol import Entry, EventStore, Snapshot
from dwell.programme.stores.sqlite import SqliteStore
from dwell.testing import STORE_CHECKS

STORES = ("memory", "sqlite", "postgres")


@pytest.fixture
def opens(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], EventStore]]:
    """Opens a store without logs, the same each time."""
    if request.param == "memory":
        store = MemoryStore()
        yield lambda: store
    elif request.param == "sqlite":
        yield lambda: SqliteStore(tmp_path / "tests.db")
    else:
        address = request.getfixturevalue("postgres")
        yield lambda: PostgresStore(address)
        with psycopg.connect(address) as connection:
            connection.execute("drop schema public cascade; create schema public")


@pytest.mark.parametrize("opens", STORES, indirect=True)
@pytest.mark.parametrize("check", STORE_CHECKS)
def test_a_store_keeps_its_promises(opens: Callable[[], EventStore], check: str) -> None:
    """On memory, on SQLite and on PostgreSQL."""
    STORE_CHECKS[check](opens)


class Unordered(MemoryStore):
    def read(self, name: str, after: int = 0) -> Iterator[str]:
        return iter(sorted(super().read(name, after)))


class Trusting(MemoryStore):
    def append(
        self, name: str, after: int, entries: Sequence[Entry], snapshot: str | None = None
    ) -> None:
        try:
            super().append(name, after, entries, snapshot)
        except Conflict:
            super().append(name, sum(1 for _ in self.read(name)), entries, snapshot)


class Piecemeal(MemoryStore):
    def append(
        self, name: str, after: int, entries: Sequence[Entry], snapshot: str | None = None
    ) -> None:
        for place, entry in enumerate(entries):
            super().append(name, after + place, [entry], snapshot)


class Keyless(MemoryStore):
    def append(
        self, name: str, after: int, entries: Sequence[Entry], snapshot: str | None = None
    ) -> None:
        try:
            super().append(name, after, entries, snapshot)
        except KeyTaken:
            super().append(name, after, [Entry(entry.body) for entry in entries], snapshot)


class Shuffled(MemoryStore):
    def names(self) -> list[str]:
        return super().names()[::-1]


class KeepsTheFirst(MemoryStore):
    def latest(self, name: str) -> Snapshot | None:
        self._first = getattr(self, "_first", None) or super().latest(name)
        return self._first


BROKEN: dict[str, list[type[MemoryStore]]] = {
    "entries_come_back_in_order": [Unordered],
    "whoever_is_out_of_date_is_refused": [Trusting],
    "a_key_is_taken_once": [Piecemeal, Keyless],
    "logs_have_names": [Shuffled],
    "the_last_snapshot_is_kept": [KeepsTheFirst],
    "threads_lose_nothing": [Unordered],
}


@pytest.mark.parametrize(
    ("check", "broken"), [(check, kind) for check, kinds in BROKEN.items() for kind in kinds]
)
def test_a_broken_promise_is_found_out(check: str, broken: type[MemoryStore]) -> None:
    """By the check that is for it."""
    store = broken()
    with pytest.raises((AssertionError, KeyTaken)):
        STORE_CHECKS[check](lambda: store)


def test_a_store_that_forgets_is_found_out() -> None:
    """A store that begins anew each time it is opened keeps nothing."""
    with pytest.raises(AssertionError):
        STORE_CHECKS["what_was_appended_is_there_when_it_is_opened_again"](MemoryStore)
    forgets = {"what_was_appended_is_there_when_it_is_opened_again"}
    assert set(BROKEN) | forgets == set(STORE_CHECKS)
