"""The wheel, installed with what it asks for and nothing else; and `python -m dwell`."""

import json
import os
import re
import runpy
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import dwell
from tests.acceptance.commands import run
from tests.installing import ROOT, built, check_wheel, link_required, run_in


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it is published."""
    return built("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the wheel and what it requires without extras."""
    home = tmp_path_factory.mktemp("installed")
    link_required(wheel, home)
    [packages] = home.glob("lib/python*/site-packages")
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
    metadata = check_wheel(wheel)
    assert str(metadata.version) == dwell.__version__
    assert metadata.license_expression == "Apache-2.0"
    assert metadata.description_content_type == "text/markdown"


def test_the_version_is_the_same_wherever_it_is_told() -> None:
    """What is cited, and what the changelog has of it: the latest that has a date."""
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    [unreleased, latest, *_] = re.findall(r"(?m)^## (.+)$", changelog)
    [day] = re.findall(r"(?m)^date-released: (.+)$", citation)
    assert f"\nversion: {dwell.__version__}\n" in citation
    assert (unreleased, latest) == ("Unreleased", f"{dwell.__version__} - {day}")


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
