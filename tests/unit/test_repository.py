"""What stands around the code: the workflow, the templates, and what they name."""

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"(?m)^(\w+):", MAKEFILE))
TEMPLATES = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def test_the_workflow_calls_targets_that_there_are() -> None:
    """Each line that it runs is a target of the Makefile, and all that it should run is run."""
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    lines = [
        step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step
    ]
    called = [re.fullmatch(r"(?:sudo )?make (\w+)", line) for line in lines]
    assert all(called), lines
    names = {found[1] for found in called if found}
    assert names <= TARGETS
    assert {"test", "coverage", "docs", "dist"} <= names


def test_targets_are_no_files() -> None:
    """A folder called docs does not keep `make docs` from running."""
    [phony] = re.findall(r"(?m)^\.PHONY: (.+)$", MAKEFILE)
    assert set(phony.split()) == TARGETS


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_is_a_form(path: Path) -> None:
    """Each field of it has an id of its own and a label."""
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.stem == "config":
        assert form == {"blank_issues_enabled": False}
        return
    fields = [each for each in form["body"] if each["type"] != "markdown"]
    assert form["name"]
    assert form["description"]
    assert len({each["id"] for each in fields}) == len(fields) > 0
    assert all(each["attributes"]["label"] for each in fields)


def test_pages_that_are_named_in_files_at_the_root_are_there() -> None:
    """Whatever a README or its like calls docs/…, or links to."""
    for name in ("README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        named = re.findall(r"\bdocs/[\w/-]+\.md\b", text) + re.findall(r"\]\(([\w./-]+)\)", text)
        assert [each for each in named if not (ROOT / each).exists()] == [], name


def test_the_navigation_names_every_page_once() -> None:
    """And no other, but for those that are made for each site, which git is told to ignore."""
    settings = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    named = pages_in(settings["project"]["nav"])
    there = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert len(set(named)) == len(named)
    assert there - set(named) == set()
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    made = [name for name in named if any(fnmatch(f"docs/{name}", line) for line in ignored)]
    assert set(named) - there - set(made) == set()


def pages_in(nav: Any) -> list[str]:
    """The pages of a part of the navigation."""
    if isinstance(nav, str):
        return [nav]
    parts = nav.values() if isinstance(nav, dict) else nav
    return [page for part in parts for page in pages_in(part)]
