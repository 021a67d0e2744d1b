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
TEMPLATES, FIGURES = "jinja2", "plotly"
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


def loaded_by(folder: Path, *arguments: str) -> set[str]:
    """The modules that are loaded when a command has ended."""
    code = (
        "import sys\n"
        "from dwell.cli import main\n"
        "try:\n"
        f"    main({list(arguments)!r})\n"
        "except SystemExit as end:\n"
        "    assert not end.code, end.code\n"
        "print(*sys.modules, sep='\\n', file=open('modules', 'w'))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, check=True)
    return set((folder / "modules").read_text(encoding="utf-8").split())


def within(package: str, modules: set[str]) -> set[str]:
    return {name for name in modules if name == package or name.startswith(f"{package}.")}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_page_loads_neither_lab_nor_learners(folder: Path, command: str) -> None:
    """Charts, tables and templates need none of them."""
    option = "--out" if command == "evaluate" else "--plot"
    modules = loaded_by(folder, *COMMANDS[command], option, "page.html")
    assert not within("dwell.lab", modules)
    assert within("dwell.learners", modules) <= NAMES
    assert {TEMPLATES, FIGURES} <= modules


@pytest.mark.parametrize("command", COMMANDS)
def test_json_loads_nothing_that_draws(folder: Path, command: str) -> None:
    """Nor lab and learners: only what computes the figures."""
    modules = loaded_by(folder, *COMMANDS[command], "--json")
    assert not within("dwell.lab", modules)
    assert within("dwell.learners", modules) <= NAMES
    assert not {TEMPLATES, FIGURES} & modules


def test_a_run_loads_no_part_of_scipy_that_is_large(folder: Path) -> None:
    """They would be a fifth of its memory, and a second of its time."""
    modules = loaded_by(folder, "simulate", "--tasks", "30", "--replications", "1", "--json")
    assert not {"scipy.optimize", "scipy.signal", "scipy.stats"} & modules
    assert not {TEMPLATES, FIGURES, "pyarrow", "duckdb"} & modules
    assert "dwell.learners.empirical_bayes" in modules
