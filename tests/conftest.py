"""What tests of several kinds share."""

import fcntl
import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test

from tests.acceptance.commands import run
from tests.postgres import postgres as postgres


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Watch no lines where the same ones run many thousand times: it takes as long again.

    Statistical tests and properties do that, and lines that only they reach count as not covered. A
    browser runs none. (A property within a test is marked where it stands.)
    """
    for item in items:
        often = isinstance(item, pytest.Function) and is_hypothesis_test(item.function)
        if often or {"statistical", "browser"} & set(item.path.parts):
            item.add_marker("no_cover")


@dataclass(frozen=True, slots=True)
class Reproduced:
    """What `dwell reproduce --quick` printed, and where it wrote what it found."""

    exit_code: int
    stdout: str
    stderr: str
    folder: Path


@pytest.fixture(scope="session")
def reproduced(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Reproduced:
    """All claims, checked once for all tests: the first process that asks does it."""
    shared = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        shared = shared.parent
    folder, printed = shared / "reproduced", shared / "reproduced.json"
    with (shared / "reproduced.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not printed.exists():
            folder.mkdir()
            figures, page = str(folder / "report.json"), str(folder / "report.html")
            result = run("reproduce", "--quick", "--out", figures, "--plot", page)
            printed.write_text(json.dumps([result.exit_code, result.stdout, result.stderr]))
    exit_code, stdout, stderr = json.loads(printed.read_text())
    return Reproduced(exit_code, stdout, stderr, folder)
