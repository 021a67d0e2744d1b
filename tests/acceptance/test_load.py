"""A service under load, and killed under it: nothing acknowledged is lost, nothing is told twice.

These are short runs of `benchmarks.load`, which says what is checked.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def load(*arguments: str) -> dict[str, Any]:
    """The figures of a run, having seen that its log has all that was acknowledged, once."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.load", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["tellings"] >= found["acknowledged"] > 0
    return found


@pytest.mark.usefixtures("postgres")
def test_many_clients_of_two_workers_over_postgres() -> None:
    """They begin, tell and read at once; no request fails."""
    found = load("postgres", "--clients", "16", "--seconds", "3", "--fsync", "off")
    assert (found["errors"], found["lost"], found["doubled"]) == (0, 0, 0)


def test_clients_of_one_process_over_sqlite() -> None:
    """The same, where one file is enough."""
    found = load("sqlite", "--clients", "8", "--seconds", "3")
    assert (found["errors"], found["lost"], found["doubled"]) == (0, 0, 0)


@pytest.mark.usefixtures("postgres")
@pytest.mark.parametrize("what", ["worker", "store"])
def test_clients_go_on_by_themselves_when_something_is_killed(what: str) -> None:
    """A worker, or the PostgreSQL server, is killed at a random moment; clients hear no error."""
    found = load("postgres", "--clients", "8", "--seconds", "8", "--fsync", "off", "--kill", what)
    assert found["kills"] >= 1
    assert (found["errors"], found["lost"], found["doubled"]) == (0, 0, 0)
