"""The wheel, installed with what it asks for and nothing else; and `python -m dwell`."""

import json
import os
import runpy
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from importlib.metadata import Distribution, PathDistribution, distribution
from importlib.util import find_spec
from pathlib import Path
from zipfile import Path as InZip
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import dwell
from tests.acceptance.commands import run

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it is published."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the wheel and what it requires without extras.

    What is required is linked from where these tests run, so that no package index is needed; what
    is not required is not there. The wheel itself is installed by pip, which would look for what is
    missing and fail.
    """
    home = tmp_path_factory.mktemp("installed")
    venv.create(home, symlinks=True)
    [packages] = home.glob("lib/python*/site-packages")
    for needed in required_by(described_in(wheel)):
        for name in top_levels(needed):
            (packages / name).symlink_to(Path(str(needed.locate_file(name))).resolve())
    pip = [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python"), "install"]
    quiet = ("--quiet", "--disable-pip-version-check", "--no-index", "--no-compile")
    subprocess.run([*pip, *quiet, str(wheel)], check=True, capture_output=True)
    take_compiled(ROOT / "src" / "dwell" / "kernels", packages / "dwell" / "kernels")
    return home / "bin"


def take_compiled(here: Path, there: Path) -> None:
    """Let kernels that are compiled here be compiled there, too, if their source is the same.

    The compiler knows a source by its size and its time.
    """
    for source in here.glob("*.py"):
        twin = there / source.name
        assert twin.read_bytes() == source.read_bytes()
        made = source.stat()
        os.utime(twin, ns=(made.st_atime_ns, made.st_mtime_ns))
    shutil.copytree(
        here / "__pycache__",
        there / "__pycache__",
        ignore=shutil.ignore_patterns("*.pyc", "*.tmp.*"),
        dirs_exist_ok=True,
    )


def described_in(wheel: Path) -> Distribution:
    """What a wheel says about itself."""
    [folder] = [each for each in InZip(wheel).iterdir() if each.name.endswith(".dist-info")]
    return PathDistribution(folder)


def required_by(package: Distribution) -> list[Distribution]:
    """Whatever a package requires here, and what that requires, without extras nobody asked for."""
    found: dict[str, Distribution] = {}
    wanted = list(requirements(package, extras=set()))
    while wanted:
        requirement = wanted.pop()
        name = canonicalize_name(requirement.name)
        if name not in found:
            found[name] = distribution(name)
            wanted += requirements(found[name], requirement.extras)
    return list(found.values())


def requirements(package: Distribution, extras: set[str]) -> Iterator[Requirement]:
    for text in package.requires or []:
        requirement = Requirement(text)
        asked = [{"extra": extra} for extra in ("", *extras)]
        if requirement.marker is None or any(map(requirement.marker.evaluate, asked)):
            yield requirement


def top_levels(package: Distribution) -> set[str]:
    """Names of the modules, folders and libraries that a package puts next to others."""
    names = {file.parts[0] for file in package.files or []}
    return names - {"..", "__pycache__"}


def run_in(folder: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program without this project in sight."""
    apart = {name: os.environ[name] for name in ("HOME", "PATH", "TMPDIR") if name in os.environ}
    return subprocess.run(
        command,
        cwd=folder,
        env=apart | {"PYTHONWARNINGS": "error"},
        capture_output=True,
        text=True,
    )


FEWER_TASKS = """
import importlib
from dwell.cli import main
demo = importlib.import_module("dwell.cli.demo")
demo._TASKS, demo._PAST_TESTS, demo._MOST_RUNS = (10, 100), 50, 4
main(["demo", "--json", "--workers", "1"])
"""


def test_the_base_install_runs_the_demo(programs: Path, tmp_path: Path) -> None:
    """On fewer tasks than it has, and away from the project: figures and a report."""
    done = run_in(tmp_path, programs / "python", "-c", FEWER_TASKS)
    assert done.returncode == 0, done.stderr
    assert [row["tasks"] for row in json.loads(done.stdout)["rows"]] == [10, 100] * 4
    assert (tmp_path / "dwell-demo.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_base_install_evaluates_a_log(programs: Path, tmp_path: Path) -> None:
    """By the script that comes with it: figures, and a page."""
    log = str(tmp_path / "log.csv")
    assert run("history", "generate", log, "--tests", "20", "--length", "50").exit_code == 0
    options = ("evaluate", "log.csv", "--setup-cost", "9", "--json", "--out", "report.html")
    done = run_in(tmp_path, programs / "dwell", *options)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["tests"] == 20
    assert (tmp_path / "report.html").exists()


def test_what_is_not_required_is_not_installed(programs: Path, tmp_path: Path) -> None:
    """So the tests above can fail: what these tests import, and the extras, are out of reach."""
    others = ["distributed", "hypothesis", "pandas", "psycopg", "pytest"]
    code = (
        "import dwell\n"
        "from importlib.util import find_spec\n"
        f"print(dwell.__file__, *filter(find_spec, {others}))"
    )
    [home] = run_in(tmp_path, programs / "python", "-c", code).stdout.split()
    assert Path(home).is_relative_to(programs.parent)
    assert all(map(find_spec, others))


def test_every_file_of_the_package_is_in_the_wheel(wheel: Path) -> None:
    """Modules and data alike, and the marker for type checkers; nothing else."""
    home = ROOT / "src"
    wanted = {
        path.relative_to(home).as_posix()
        for path in (home / "dwell").rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    packed = {name for name in ZipFile(wheel).namelist() if name.startswith("dwell/")}
    assert packed == wanted
    assert "dwell/py.typed" in packed


@pytest.mark.parametrize(
    ("arguments", "begins"),
    [
        (["--version"], f"dwell, version {dwell.__version__}\n"),
        (["exact", "--help"], "Usage: dwell exact [OPTIONS]\n"),
    ],
)
def test_the_package_runs_as_a_module(
    arguments: list[str],
    begins: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`python -m dwell` is `dwell`, also in what it says of itself."""
    monkeypatch.setattr(sys, "argv", ["somewhere/__main__.py", *arguments])
    with pytest.raises(SystemExit) as left:
        runpy.run_module("dwell", run_name="__main__")
    assert left.value.code == 0
    assert capsys.readouterr().out.startswith(begins)
