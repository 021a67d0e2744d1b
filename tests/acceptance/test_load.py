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
_SHORT = ("--programmes", "2", "--bare-seconds", "0.2")


def load(*arguments: str) -> dict[str, Any]:
    """The figures of a run, having seen that its log has all that was acknowledged, once."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.load", *arguments, *_SHORT],
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
def test_clients_go_on_by_themselves_whatever_is_killed_over_postgres() -> None:
    """The database and then a worker of two; clients that begin, tell and read hear no error."""
    arguments = ("--clients", "8", "--seconds", "1", "--kill", "both", "--kills", "2")
    found = load("postgres", *arguments)
    assert found["kills"] == 2
    assert (found["errors"], found["lost"], found["doubled"]) == (0, 0, 0)


def test_clients_of_one_process_over_sqlite() -> None:
    """Where one file is enough: they begin, tell and read at once, and no request fails."""
    found = load("sqlite", "--clients", "8", "--seconds", "1")
    assert (found["errors"], found["lost"], found["doubled"]) == (0, 0, 0)
