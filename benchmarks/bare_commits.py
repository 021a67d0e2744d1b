"""What a database bears by itself: commits of single rows, each waited for."""

import asyncio
import sqlite3
from pathlib import Path
from time import perf_counter

import psycopg

_ROW = "x" * 200  # about as long as what is told


def bare_postgres(address: str, connections: int, seconds: float) -> float:
    """Commits per second, by so many connections at once."""
    return asyncio.run(_bare_postgres(address, connections, seconds))


async def _bare_postgres(address: str, connections: int, seconds: float) -> float:
    with psycopg.connect(address) as connection:
        connection.execute("create table bare (id bigserial primary key, body text not null)")
    done = 0

    async def commit(end: float) -> None:
        nonlocal done
        one = await psycopg.AsyncConnection.connect(address, autocommit=True)
        async with one:
            while perf_counter() < end:
                await one.execute("insert into bare (body) values (%s)", [_ROW], prepare=True)
                done += 1

    start = perf_counter()
    await asyncio.gather(*(commit(start + seconds) for _ in range(connections)))
    taken = perf_counter() - start
    with psycopg.connect(address) as connection:
        connection.execute("drop table bare")
    return done / taken


def bare_sqlite(path: Path, seconds: float) -> float:
    """Commits per second, by the one connection that can write at a time."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("pragma journal_mode = wal")
    connection.execute("pragma synchronous = full")
    connection.execute("create table bare (id integer primary key, body text not null)")
    done, start = 0, perf_counter()
    while perf_counter() < start + seconds:
        connection.execute("insert into bare (body) values (?)", [_ROW])
        done += 1
    rate = done / (perf_counter() - start)
    connection.close()
    return rate
