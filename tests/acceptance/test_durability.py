"""Writers are killed, and write all at once: nothing is lost, doubled or changed.

These are short runs of `benchmarks.durability`, which says what is checked.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def server(postgres: str) -> Iterator[str]:
    """The server, as empty as before afterwards."""
    yield postgres
    with psycopg.connect(postgres) as connection:
        connection.execute("drop schema public cascade; create schema public")


def durability(*arguments: str) -> dict[str, float]:
    """The figures of a run, having seen that all its checks passed."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.durability", *arguments],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return {name: float(value) for name, value in re.findall(r"(\w+)=([\d.]+)", done.stdout)}


@pytest.mark.parametrize("how", [(), ("--inside-commit",)], ids=["at-random", "inside-commit"])
def test_killed_writers_lose_nothing_on_sqlite(tmp_path: Path, how: tuple[str, ...]) -> None:
    """By SIGKILL at random moments, and where the log's file may not grow within a commit."""
    found = durability("crash", f"sqlite:///{tmp_path}/tests.db", "--kills", "8", *how)
    assert found["kills"] == 8
    assert found["tellings"] >= found["acknowledged"] > 0


def test_killed_writers_lose_nothing_on_postgres(server: str) -> None:
    """By SIGKILL at random moments."""
    found = durability("crash", server, "--kills", "8")
    assert found["kills"] == 8
    assert found["tellings"] >= found["acknowledged"] > 0


def test_four_processes_write_at_once_on_sqlite(tmp_path: Path) -> None:
    """They begin, tell and abandon; the learner is what a sequential replay makes it."""
    found = durability("crowd", f"sqlite:///{tmp_path}/tests.db", "--tasks", "6")
    assert (found["processes"], found["tasks"]) == (4, 24)


def test_sixteen_processes_write_at_once_on_postgres(server: str) -> None:
    """The same."""
    found = durability("crowd", server, "--processes", "16", "--tasks", "4")
    assert (found["processes"], found["tasks"]) == (16, 64)
