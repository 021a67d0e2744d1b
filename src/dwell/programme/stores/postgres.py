"""Logs in PostgreSQL: for many writers at once.

One statement appends, in a transaction of its own. Whoever comes second with a position is refused
by the primary key, reads on and decides anew: in turn, with a lock of the log that is held until
the transaction ends.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import local
from time import monotonic
from typing import Any
from weakref import finalize

import psycopg
from psycopg import errors
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool, PoolTimeout

from dwell.errors import CannotWrite, Conflict, InvalidInput, KeyTaken
from dwell.programme.stores.migrations import migrations, queries
from dwell.programme.stores.protocol import Addition, Entry, Snapshot, Turn

_SECONDS = 30.0
_TRY_SECONDS = 2.0  # to connect, before it is tried anew
_ROWS = 1000
_CONNECTIONS = 4  # of a process to read, and as many to write: one per thread that is at work
# How a statement fails that appends where a log does not end, or to a log that is not there.
_OUT_OF_PLACE = (
    errors.DivisionByZero,
    errors.NotNullViolation,
    errors.SerializationFailure,
    errors.DeadlockDetected,
)


class PostgresStore:
    """Logs in a PostgreSQL database.

    Args:
        address: Where it is: `postgresql://user:password@host:port/database`.
        seconds: How long to wait for it.
    """

    waits = True

    def __init__(self, address: str, seconds: float = _SECONDS) -> None:
        self._address, self._seconds = address, seconds
        self._turn = local()  # of a thread: the connection whose transaction is its turn
        self._queries = {name: sql.encode() for name, sql in queries("postgres").items()}
        # Not by the pool, which would try again and again to reach what is not there.
        with self._faults(), psycopg.connect(address, **self._options) as connection:
            self._prepare(connection)
        self._open()

    def _open(self) -> None:
        # Who waits for their turn has a connection meanwhile. To read, others need not wait for it:
        # somebody whose turn it is may wait for them.
        reading, writing = self._pool(), self._pool()
        self._close = finalize(self, _close, reading, writing)
        self._reading, self._writing, self._process = reading, writing, os.getpid()

    def _pool(self) -> ConnectionPool:
        pool: ConnectionPool = ConnectionPool(
            self._address,
            min_size=0,
            max_size=_CONNECTIONS,
            num_workers=1,  # few are ever opened
            timeout=_TRY_SECONDS,
            reconnect_timeout=_TRY_SECONDS,
            open=False,
            kwargs={**self._options, "autocommit": True},
            configure=self._wait_at_most,
        )
        pool.open()
        return pool

    def _wait_at_most(self, connection: psycopg.Connection[TupleRow]) -> None:
        """Give up where another process holds a log for too long."""
        connection.execute(self._queries["wait"], {"milliseconds": int(1000 * self._seconds)})

    @property
    def _options(self) -> dict[str, Any]:
        return {"connect_timeout": max(2, int(self._seconds)), "client_encoding": "utf8"}

    def _prepare(self, connection: psycopg.Connection[TupleRow]) -> None:
        """Set the database up, or bring it up to date; one process at a time."""
        known = migrations("postgres")
        connection.execute(self._queries["lock"])
        connection.execute(self._queries["versions"])
        [version] = connection.execute(self._queries["version"]).fetchone() or [0]
        if version > known[-1].number:
            raise InvalidInput(
                f"the database was written by a newer version of dwell (format {version}, this one "
                f"knows up to {known[-1].number}); upgrade dwell"
            )
        for number, sql in known:
            if number > version:
                connection.execute(sql.encode())
                connection.execute(self._queries["migrated"], {"number": number})

    def names(self) -> list[str]:
        """The names of all logs, sorted."""
        with self._connection() as connection:
            return [name for (name,) in connection.execute(self._queries["names"])]

    def append(
        self, name: str, after: int, entries: Sequence[Entry], snapshot: str | None = None
    ) -> None:
        """Append entries, all or none, and return once they are durable."""
        with self._connection(writes=True) as connection, connection:
            added = Addition(name, after, entries, snapshot)
            self._append(connection, [added], self._queries["begin"])

    @contextmanager
    def turn(self, after: Mapping[str, int]) -> Iterator[Turn]:
        """Wait until nobody else writes to some logs; until the block ends, nobody else will."""
        with self._connection(writes=True) as connection, connection:
            with _exchange(connection):
                connection.execute(self._queries["begin"])
                connection.execute(self._queries["queue"], {"names": list(after)})
                news = self._ask_for_news(connection, after)
            self._turn.connection = connection
            try:
                turn = Turn(self._found(news, after), [])
                yield turn
            finally:
                self._turn.connection = None
            if turn.added:
                self._append(connection, turn.added)

    def _append(
        self, connection: psycopg.Connection[TupleRow], additions: Sequence[Addition], *first: bytes
    ) -> None:
        """Append to logs and commit, all or nothing."""
        before: dict[str, int] = {}
        rows = [
            (name, before.setdefault(name, after), place, entry.key, entry.body)
            for name, after, entries, _ in additions
            for place, entry in enumerate(entries, start=after + 1)
        ]
        fields = ("logs", "afters", "positions", "keys", "bodies")
        asked = dict(zip(fields, map(list, zip(*rows, strict=True)), strict=True))
        created = [each.name for each in additions if each.after == 0]
        try:
            with _exchange(connection):
                for query in first:
                    connection.execute(query)
                if created:
                    connection.execute(self._queries["create"], {"names": created})
                connection.execute(self._queries["append"], asked)
                for name, position, _, body in additions:
                    if body is not None:
                        kept = {"name": name, "position": position, "body": body}
                        connection.execute(self._queries["keep"], kept)
                connection.execute(self._queries["commit"])
        except errors.UniqueViolation:
            connection.rollback()
            positions = connection.execute(self._queries["positions"], {"names": list(before)})
            there = dict.fromkeys(before, 0) | dict(positions.fetchall())
            if there == before:  # then it was no position that was taken
                raise KeyTaken(", ".join(filter(None, asked["keys"]))) from None
            raise _conflict(before) from None
        except _OUT_OF_PLACE:
            raise _conflict(before) from None

    def latest(self, name: str) -> Snapshot | None:
        """The last snapshot of a log."""
        with self._connection() as connection:
            row = connection.execute(self._queries["latest"], {"name": name}).fetchone()
        return None if row is None else Snapshot(*row)

    def read(self, name: str, after: int = 0) -> Iterator[str]:
        """The entries after a position, in order."""
        while True:
            asked = {"name": name, "after": after, "most": _ROWS}
            with self._connection() as connection:
                rows = connection.execute(self._queries["read"], asked).fetchall()
            yield from (body for (body,) in rows)
            if len(rows) < _ROWS:
                return
            after += len(rows)

    def news(self, after: Mapping[str, int]) -> dict[str, list[str]]:
        """The entries of some logs after a position of each; of those that have any."""
        with self._connection() as connection:
            return self._found(self._ask_for_news(connection, after), after)

    def _ask_for_news(
        self, connection: psycopg.Connection[TupleRow], after: Mapping[str, int]
    ) -> psycopg.Cursor[TupleRow]:
        asked = {"names": list(after), "afters": list(after.values()), "most": _ROWS}
        return connection.execute(self._queries["news"], asked)

    def _found(
        self, rows: psycopg.Cursor[TupleRow], after: Mapping[str, int]
    ) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, body in rows:
            found.setdefault(name, []).append(body)
        for name, bodies in found.items():
            if len(bodies) == _ROWS:
                bodies += self.read(name, after[name] + _ROWS)
        return found

    def find(self, name: str, key: str) -> str | None:
        """The entry with a key."""
        with self._connection() as connection:
            row = connection.execute(self._queries["find"], {"name": name, "key": key}).fetchone()
        return None if row is None else str(row[0])

    @contextmanager
    def _connection(self, *, writes: bool = False) -> Iterator[psycopg.Connection[TupleRow]]:
        """A connection for a while; a forked process has connections of its own."""
        if (in_turn := getattr(self._turn, "connection", None)) is not None:
            with self._faults():
                yield in_turn  # its transaction goes on
            return
        if os.getpid() != self._process:
            self._close.detach()
            self._open()
        pool = self._writing if writes else self._reading
        with self._faults():
            connection = self._from(pool)
            try:
                yield connection
            finally:
                pool.putconn(connection)

    def _from(self, pool: ConnectionPool) -> psycopg.Connection[TupleRow]:
        """A connection of the pool.

        It is asked again and again: once it has given up to connect, it tries no more for those who
        wait, and its own tries would come at growing intervals, long after the server is back.
        """
        end = monotonic() + self._seconds
        while True:
            try:
                return pool.getconn()
            except PoolTimeout:
                if monotonic() > end:
                    raise

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except (psycopg.ProgrammingError, UnicodeError) as error:
            # Without the server's own words it is about the address, which holds a password.
            server = isinstance(error, psycopg.Error) and error.diag.message_primary
            said = server or "its address cannot be read"
            raise InvalidInput(
                f"the PostgreSQL database cannot be used: {said}; give an address such as "
                "postgresql://user:password@host:port/database of one that is for programmes"
            ) from None
        except psycopg.Error as error:
            raise CannotWrite(
                f"the PostgreSQL database cannot be worked with: {_said(error)}; see that it runs, "
                "has room and lets you in"
            ) from None


@contextmanager
def _exchange(connection: psycopg.Connection[TupleRow]) -> Iterator[None]:
    """Have all that is executed be one exchange; it must not wait for what came of it.

    What fails first is raised. Left to itself, psycopg would log that the rest was not done.
    """
    failed: psycopg.Error | None = None
    try:
        with connection.pipeline():
            try:
                yield
            except psycopg.Error as error:
                failed = error
    except psycopg.Error as error:
        failed = failed or error
    if failed is not None:
        raise failed


def _close(*pools: ConnectionPool) -> None:
    for pool in pools:
        pool.close()


def _conflict(before: Mapping[str, int]) -> Conflict:
    expected = ", ".join(f"{after} in {name}" for name, after in before.items())
    return Conflict(f"there are not as many events as that: {expected}")


def _said(error: psycopg.Error) -> str:
    """What is wrong, in one line."""
    line = (error.diag.message_primary or str(error)).partition("\n")[0].strip()
    return line.replace(". ", "; ")[:200]
