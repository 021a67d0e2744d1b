"""The least that a service of this kind takes: FastAPI and uvicorn, a bare commit, nothing else.

It answers what the clients of `benchmarks.load` ask: what is begun or told is a row of its own,
committed before the answer; what is read is answered from nothing. No names, no keys, no checks, no
log of requests. `python -m benchmarks.load postgres --floor` loads it.
"""

import os
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from threading import Lock
from typing import Any

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from psycopg_pool import AsyncConnectionPool
from pydantic import BaseModel

STORE = "DWELL_FLOOR_STORE"
_ROW = "x" * 200  # about as long as what is told
_CONNECTIONS = 4  # as many as a worker of ours has
_TABLE = "create table if not exists floor (id {} primary key, body text not null)"
_ADVICE = {"wants": 1, "decision": None, "done": False, "held": False, "sentence": ""}
_TASK = "/api/v1/programmes/{programme}/tasks/{task}"


class Told(BaseModel):
    """What a task is told."""

    control: dict[str, float | None]
    treatment: dict[str, float | None]
    key: str


@asynccontextmanager
async def _at_work(app: FastAPI) -> AsyncIterator[None]:
    store = os.environ[STORE]
    if store.startswith("sqlite:///"):
        connection = sqlite3.connect(
            store.removeprefix("sqlite:///"), isolation_level=None, check_same_thread=False
        )
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = full")
        connection.execute(_TABLE.format("integer"))
        app.state.commit = _by_thread(connection, Lock())
        yield
        connection.close()
        return
    async with AsyncConnectionPool(
        store, min_size=_CONNECTIONS, max_size=_CONNECTIONS, kwargs={"autocommit": True}
    ) as pool:

        async def commit() -> None:
            async with pool.connection() as one:
                await one.execute("insert into floor (body) values (%s)", [_ROW], prepare=True)

        app.state.commit = commit
        yield


def _by_thread(connection: sqlite3.Connection, lock: Lock) -> Callable[[], Any]:
    def commit() -> None:
        with lock:
            connection.execute("insert into floor (body) values (?)", [_ROW])

    async def committed() -> None:
        await run_in_threadpool(commit)

    return committed


app = FastAPI(lifespan=_at_work, openapi_url=None)


@app.get("/api/v1/programmes/{programme}")
async def programme() -> dict[str, Any]:
    """Nothing."""
    return {}


@app.put(_TASK)
async def begin(task: str) -> dict[str, Any]:
    """A commit."""
    await app.state.commit()
    return {"task": task}


@app.post(_TASK + "/tellings")
async def tell(task: str, sent: Told) -> dict[str, Any]:
    """A commit, too."""
    await app.state.commit()
    return {**_ADVICE, "task": task, "sentence": sent.key}


@app.get(_TASK + "/advice")
async def advice(task: str) -> dict[str, Any]:
    """Nothing."""
    return {**_ADVICE, "task": task}
