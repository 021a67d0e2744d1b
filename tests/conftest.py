"""What tests of several kinds share."""

import fcntl
import json
from collections.abc import Generator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from hypothesis import is_hypothesis_test

import dwell
from coverage import Coverage
from tests.acceptance.commands import run
from tests.postgres import postgres as postgres

# Files of these folders take longest, and there are few of them.
_FIRST = ("acceptance", "statistical", "browser", "contract")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Watch no lines while tests are collected: that would take twice as long.

    What the package runs when it is imported is watched before. (Who deals tests out to workers
    collects none.)
    """
    watching = Coverage.current()
    if watching is None or session.config.pluginmanager.hasplugin("dsession"):
        return (yield)
    for module in walk_packages(dwell.__path__, "dwell."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    watching.stop()
    try:
        return (yield)
    finally:
        watching.start()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first, so that workers end at the same time.

    Watch no lines where the same ones run many thousand times: it takes as long again. Statistical
    tests and properties do that, and lines that only they reach count as not covered. A browser
    runs none. (A property within a test is marked where it stands.)
    """
    items.sort(key=_place)
    for item in items:
        often = isinstance(item, pytest.Function) and is_hypothesis_test(item.function)
        if often or {"statistical", "browser"} & set(item.path.parts):
            item.add_marker("no_cover")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """Where lines of a test are not watched, those of its fixtures are not either."""
    watching = Coverage.current()
    if watching is None or item.get_closest_marker("no_cover") is None:
        return (yield)
    watching.stop()
    try:
        return (yield)
    finally:
        watching.start()


def _place(item: pytest.Item) -> int:
    """Where the folder of a test comes; within it, tests stay in their order."""
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
