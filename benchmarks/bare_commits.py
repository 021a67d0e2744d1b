"""What a database bears by itself: commits of single rows, each waited for."""

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

import psycopg

_ROW = "x" * 200  # about as long as what is told


class Bare(NamedTuple):
    """What bare commits come to.

    Attributes:
        per_second: How many there were in a second.
        processor_us: What one took of processors, on both sides, in microseconds.
    """

    per_second: float
    processor_us: float

    def compared(self, per_second: float, processor_us: float) -> dict[str, float]:
        """The figures, and the share of them that requests come to."""
        return {
            "per_second": round(self.per_second, 1),
            "share": round(per_second / self.per_second, 3),
            "processor_us": round(self.processor_us),
            "processor_share": round(self.processor_us / processor_us, 3),
        }


def bare_postgres(
    address: str, connections: int, seconds: float, server_seconds: Callable[[], float]
) -> Bare:
    """Commits by so many connections at once.

    Args:
        address: The server's address.
        connections: How many connections.
        seconds: For how long.
        server_seconds: What the server has taken of processors.
    """
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("create table bare (id bigserial primary key, body text not null)")
        start, before = perf_counter(), process_time() + server_seconds()
        done = asyncio.run(_commits(address, connections, start + seconds))
        taken, spent = perf_counter() - start, process_time() + server_seconds() - before
        connection.execute("drop table bare")
    return Bare(done / taken, 1e6 * spent / done)


async def _commits(address: str, connections: int, end: float) -> int:
    """How many commits there were until then."""
    done = 0

    async def commit() -> None:
        nonlocal done
        one = await psycopg.AsyncConnection.connect(address, autocommit=True)
        async with one:
            while perf_counter() < end:
                await one.execute("insert into bare (body) values (%s)", [_ROW], prepare=True)
                done += 1

    await asyncio.gather(*(commit() for _ in range(connections)))
    return done


def bare_sqlite(path: Path, seconds: float) -> Bare:
    """Commits by the one connection that can write at a time."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("pragma journal_mode = wal")
    connection.execute("pragma synchronous = full")
    connection.execute("create table bare (id integer primary key, body text not null)")
    done, start, before = 0, perf_counter(), process_time()
    while perf_counter() < start + seconds:
        connection.execute("insert into bare (body) values (?)", [_ROW])
        done += 1
    taken, spent = perf_counter() - start, process_time() - before
    connection.close()
    return Bare(done / taken, 1e6 * spent / done)
