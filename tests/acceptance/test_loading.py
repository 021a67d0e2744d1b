"""What a command loads: nothing that it does not use."""

import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = {
    "plan": ("plan", "--rules", "to-the-end"),
    "exact": ("exact", "--caps", "1,2"),
    "evaluate": ("evaluate", "log.csv"),
}
TEMPLATES, FIGURES, STATISTICS = "jinja2", "plotly", "scipy.stats"
# Help of other commands lists learners by name; the table of names loads none of them.
NAMES = {"dwell.learners", "dwell.learners.registry"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a log in it."""
    folder = tmp_path_factory.mktemp("loading")
    rows = "".join(
        f"{test},{order},{(test + order) % 3 - 1}\n" for test in range(6) for order in range(8)
    )
    (folder / "log.csv").write_text(f"test,order,value\n{rows}", encoding="utf-8")
    return folder


def loaded_by(folder: Path, *commands: tuple[str, ...]) -> list[set[str]]:
    """The modules that are loaded when each of some commands, one after another, has ended."""
    code = (
        "import sys\n"
        "from dwell.cli import main\n"
        "file = open('modules', 'w')\n"
        f"for arguments in {commands!r}:\n"
        "    try:\n"
        "        main(list(arguments))\n"
        "    except SystemExit as end:\n"
        "        assert not end.code, end.code\n"
        "    print(*sys.modules, file=file)\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, check=True)
    lines = (folder / "modules").read_text(encoding="utf-8").splitlines()
    return [set(line.split()) for line in lines]


def within(package: str, modules: set[str]) -> set[str]:
    return {name for name in modules if name == package or name.startswith(f"{package}.")}


@pytest.mark.parametrize("command", COMMANDS)
def test_json_loads_nothing_that_draws_and_a_page_neither_lab_nor_learners(
    folder: Path, command: str
) -> None:
    """Only what computes the figures; then charts, tables and templates, which need no more."""
    option = "--out" if command == "evaluate" else "--plot"
    figures, page = loaded_by(
        folder,
        (*COMMANDS[command], "--json"),
        (*COMMANDS[command], option, "page.html"),
    )
    assert not {TEMPLATES, FIGURES, STATISTICS} & figures
    assert {TEMPLATES, FIGURES} <= page
    for modules in (figures, page):
        assert not within("dwell.lab", modules)
        assert within("dwell.learners", modules) <= NAMES


def test_a_run_loads_no_part_of_scipy_that_is_large(folder: Path) -> None:
    """They would be a fifth of its memory, and a second of its time."""
    asked = ("simulate", "--tasks", "30", "--replications", "1", "--json")
    [modules] = loaded_by(folder, asked)
    assert not {"scipy.optimize", "scipy.signal", STATISTICS} & modules
    assert not {TEMPLATES, FIGURES, "pyarrow", "duckdb"} & modules
    assert "dwell.learners.empirical_bayes" in modules
