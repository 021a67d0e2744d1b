"""Logs in an SQLite file: one file for many programmes and several processes.

The file is in write-ahead mode with `synchronous=FULL`: what was appended has reached the disk
when `append` returns. A writer takes the file's lock before it reads how long the log is, so that
positions have no gaps.
"""

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from weakref import finalize

from dwell.errors import CannotWrite, Conflict, InvalidInput, KeyTaken
from dwell.programme.stores.migrations import migrations, queries
from dwell.programme.stores.protocol import Addition, Entry, Snapshot, Turn

_SECONDS = 30.0  # to wait for another process that writes
_ROWS = 1000
_APPLICATION = 0x6477656C  # "dwel", by which a file is known as ours


class SqliteStore:
    """Logs in an SQLite file.

    Args:
        path: The file; it is made if it is not there.
        seconds: How long to wait for another process that writes.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     store = SqliteStore(Path(folder, "tests.db"))
        ...     store.append("checkout", 0, [Entry("first")])
        ...     store.names()
        ['checkout']
    """

    waits = False  # one connection reads and writes: nobody can read while another has it

    def __init__(self, path: Path, seconds: float = _SECONDS) -> None:
        self.path = path
        self._seconds = seconds
        self._lock = RLock()
        self._queries = queries("sqlite")
        self._programmes: dict[str, int] = {}
        self._seen: dict[str, int] = {}  # so many entries each log had: it never has fewer
        self._ends: dict[str, int] = {}  # where nothing follows in a log, unless others wrote
        self._open()

    def _open(self) -> None:
        with self._faults():
            connection = sqlite3.connect(
                self.path, timeout=self._seconds, isolation_level=None, check_same_thread=False
            )
            self._close = finalize(self, connection.close)
            self._connection, self._process = connection, os.getpid()
            self._data = -1  # its version, by this connection: it changes when others write
            try:
                self._prepare(connection)
            except BaseException:
                self._close()
                raise

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Set the file up, or bring it up to date."""
        known = migrations("sqlite")
        version = self._version(connection)
        if version < known[-1].number:
            connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = full")
        if version == known[-1].number:
            return
        with self._transaction() as cursor:
            version = self._version(connection)  # another process may have been faster
            for number, sql in known:
                if number > version:
                    for statement in filter(str.strip, sql.split(";")):
                        cursor.execute(statement)
            cursor.execute(f"pragma user_version = {known[-1].number}")
            cursor.execute(f"pragma application_id = {_APPLICATION}")

    def _version(self, connection: sqlite3.Connection) -> int:
        [version] = connection.execute("pragma user_version").fetchone()
        [application] = connection.execute("pragma application_id").fetchone()
        [tables] = connection.execute("select count(*) from sqlite_master").fetchone()
        if tables and application != _APPLICATION:
            raise InvalidInput(
                f"{self.path} is a database of something else; choose another file for programmes"
            )
        newest = migrations("sqlite")[-1].number
        if version > newest:
            raise InvalidInput(
                f"{self.path} was written by a newer version of dwell (format {version}, this one "
                f"knows up to {newest}); upgrade dwell"
            )
        return int(version)

    def names(self) -> list[str]:
        """The names of all logs, sorted."""
        with self._cursor() as cursor:
            return [name for (name,) in cursor.execute(self._queries["names"])]

    def append(
        self, name: str, after: int, entries: Sequence[Entry], snapshot: str | None = None
    ) -> None:
        """Append entries, all or none, and return once they are on the disk."""
        with self.turn({}) as turn:
            turn.added.append(Addition(name, after, entries, snapshot))

    @contextmanager
    def turn(self, after: Mapping[str, int]) -> Iterator[Turn]:
        """Wait until nobody else writes; until the block ends, nobody else will."""
        created: dict[str, int] = {}
        with self._lock:
            with self._transaction() as cursor:
                turn = Turn(self.news(after), [])
                yield turn
                for added in turn.added:
                    self._append(cursor, created, *added)
            self._programmes |= created
            for name, before, entries, _ in turn.added:
                self._seen[name] = self._ends[name] = before + len(entries)

    def _append(
        self,
        cursor: sqlite3.Cursor,
        created: dict[str, int],
        name: str,
        after: int,
        entries: Sequence[Entry],
        snapshot: str | None,
    ) -> None:
        self._ends.pop(name, None)  # a commit that fails may have come about
        programme = created.get(name) or self._programme(cursor, name)
        if programme is None:
            [programme] = cursor.execute(self._queries["create"], {"name": name}).fetchone()
            created[name] = programme
        if self._seen.get(name, -1) < after:
            self._require(cursor, name, programme, after)
        rows = [
            (programme, place, entry.key, entry.body)
            for place, entry in enumerate(entries, start=after + 1)
        ]
        try:
            cursor.executemany(self._queries["append"], rows)
        except sqlite3.IntegrityError:
            cursor.execute("rollback")
            self._require(cursor, name, programme, after)
            raise KeyTaken(", ".join(entry.key for entry in entries if entry.key)) from None
        if snapshot is not None:
            kept = {"programme": programme, "position": after, "body": snapshot}
            cursor.execute(self._queries["keep"], kept)

    def _require(self, cursor: sqlite3.Cursor, name: str, programme: int, after: int) -> None:
        """Refuse to append to a log that has more entries than that, or fewer."""
        asked = {"programme": programme}
        [position] = cursor.execute(self._queries["position"], asked).fetchone()
        if position != after:
            raise Conflict(f"{name} has {position} events, not {after}")

    def latest(self, name: str) -> Snapshot | None:
        """The last snapshot of a log."""
        with self._cursor() as cursor:
            asked = {"programme": self._programme(cursor, name)}
            row = cursor.execute(self._queries["latest"], asked).fetchone()
        return None if row is None else Snapshot(*row)

    def read(self, name: str, after: int = 0) -> Iterator[str]:
        """The entries after a position, in order."""
        while True:
            with self._cursor() as cursor:
                asked = {"programme": self._programme(cursor, name), "after": after, "most": _ROWS}
                rows = cursor.execute(self._queries["read"], asked).fetchall()
            yield from (body for (body,) in rows)
            if len(rows) < _ROWS:
                return
            after += len(rows)

    def news(self, after: Mapping[str, int]) -> dict[str, list[str]]:
        """The entries of some logs after a position of each; of those that have any."""
        found: dict[str, list[str]] = {}
        with self._cursor() as cursor:
            [version] = cursor.execute("pragma data_version").fetchone()
            if version != self._data:
                self._data = version
                self._ends.clear()
            for name, position in after.items():
                if self._ends.get(name) == position:
                    continue
                if bodies := list(self.read(name, position)):
                    found[name] = bodies
                self._ends[name] = position + len(bodies)
        return found

    def find(self, name: str, key: str) -> str | None:
        """The entry with a key."""
        with self._cursor() as cursor:
            asked = {"programme": self._programme(cursor, name), "key": key}
            row = cursor.execute(self._queries["find"], asked).fetchone()
        return None if row is None else str(row[0])

    def _programme(self, cursor: sqlite3.Cursor, name: str) -> int | None:
        if name not in self._programmes:
            row = cursor.execute(self._queries["programme"], {"name": name}).fetchone()
            if row is None:
                return None
            self._programmes[name] = row[0]
        return self._programmes[name]

    @contextmanager
    def _cursor(self) -> Iterator[sqlite3.Cursor]:
        """The connection, for one thread at a time."""
        with self._lock, self._faults():
            yield self._own_cursor()

    def _own_cursor(self) -> sqlite3.Cursor:
        """A cursor; a forked process opens a connection of its own."""
        if os.getpid() != self._process:
            self._close.detach()  # to close it here would drop the other process's locks
            self._open()
        return self._connection.cursor()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Cursor]:
        with self._lock:
            try:
                cursor = self._own_cursor()
                cursor.execute("begin immediate")
                try:
                    yield cursor
                    cursor.execute("commit")
                except BaseException:
                    with suppress(sqlite3.Error):
                        cursor.execute("rollback")
                    raise
            except sqlite3.Error as error:
                raise _refusal(self.path, error, self._seconds) from None

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _refusal(self.path, error, self._seconds) from None


def _refusal(path: Path, error: sqlite3.Error, seconds: float) -> CannotWrite | InvalidInput:
    """What is wrong with a file, in one sentence."""
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return CannotWrite(
                f"{path} has been locked by another process for {seconds:g} s; try again, or end "
                "what holds it"
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return CannotWrite(f"{path} is read-only; make it writable, or choose another file")
        case sqlite3.SQLITE_FULL:
            return CannotWrite(f"{path} cannot grow: the disk is full; make room and try again")
        case sqlite3.SQLITE_CANTOPEN:
            return CannotWrite(f"{path} cannot be opened; choose a file in a folder that is there")
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return InvalidInput(
                f"{path} is no database of programmes, or is damaged: {error}; restore it from a "
                "copy"
            )
        case _:
            return CannotWrite(f"{path} cannot be worked with: {error}; try again")
