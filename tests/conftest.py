"""What tests of several kinds share."""

import fcntl
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.acceptance.commands import run
from tests.postgres import postgres as postgres

# Files of these folders take longest, and there are few of them; so do pages with their examples.
_FIRST = ("acceptance", "statistical", "browser", "contract", "docs", "README.md")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first, so that workers end at the same time."""
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    """Where the folder or page of a test comes; within it, tests stay in their order."""
    among = [place for place, name in enumerate(_FIRST) if name in item.path.parts]
    return among[0] if among else len(_FIRST)


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
