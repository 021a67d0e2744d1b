"""Notebooks use what is public, and quote only what their cells have shown."""

import ast
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = sorted(DOCS.glob("notebooks/*.py"))


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script that runs notebooks for the site."""
    monkeypatch.syspath_prepend(str(DOCS))
    return import_module("run_notebooks")


def test_there_are_three() -> None:
    assert [each.stem for each in NOTEBOOKS] == ["evaluate", "plan", "programme"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_uses_what_is_public(path: Path) -> None:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    imports = [each for each in nodes if isinstance(each, ast.Import | ast.ImportFrom)]
    modules = {
        each.module if isinstance(each, ast.ImportFrom) else each.names[0].name for each in imports
    }
    assert modules <= {"dwell", "numpy", "pyarrow"}
    attributes = [each.attr for each in nodes if isinstance(each, ast.Attribute)]
    assert not [name for name in attributes if name.startswith("_")]


def test_every_notebook_quotes_its_cells(runner: ModuleType) -> None:
    for path in NOTEBOOKS:
        lines = [line[2:] for line in path.read_text(encoding="utf-8").splitlines()]
        assert runner.quotes("\n".join(lines))


@pytest.mark.parametrize(("quote", "refused"), [("42 of\n> 50", False), ("43 of 50", True)])
def test_what_no_cell_has_shown_may_not_be_quoted(
    runner: ModuleType, quote: str, refused: bool
) -> None:
    shown = new_code_cell("…", outputs=[new_output("stream", text="There are 42 of 50.\n")])
    notebook = new_notebook(cells=[shown, new_markdown_cell(f"It says:\n\n> {quote}")])
    if refused:
        with pytest.raises(runner.NotSaid, match="43 of 50"):
            runner.check_quotes(notebook)
    else:
        runner.check_quotes(notebook)
