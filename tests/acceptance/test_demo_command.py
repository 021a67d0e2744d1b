"""`dwell demo`, on fewer tasks than it has."""

import importlib
import json
import re
from pathlib import Path

import pytest

from tests.acceptance.commands import assert_self_contained, run


@pytest.fixture(autouse=True)
def fewer_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    demo = importlib.import_module("dwell.cli.demo")
    monkeypatch.setattr(demo, "_TASKS", (100, 1000, 10_000))
    monkeypatch.setattr(demo, "_PAST_TESTS", 200)


def test_it_tells_a_story_with_one_table_and_writes_a_report(tmp_path: Path) -> None:
    """What is printed names the problem, the best policy and every learner once."""
    page = tmp_path / "report.html"
    result = run("demo", "--workers", "1", "--plot", str(page))
    assert result.exit_code == 0, result.output
    told = " ".join(result.stdout.split())
    assert "ROI = value of what was accepted / cost of all testing" in told
    assert "The best cap is 16" in told
    assert "The guarantee would begin to mean something at 4,706,735,146 ideas" in told
    table = [re.split(" {2,}", line.strip()) for line in result.stdout.splitlines()]
    assert ["ideas", "100", "1,000", "10,000"] in table
    shares = {
        way[0]: [float(share[:-1]) for share in way[1:]] for way in table if way[-1][-1:] == "%"
    }
    assert list(shares) == ["longest cap, always", "Ladder", "CAPE", "ESC-CAPE"]
    assert shares["longest cap, always"] == [24.4] * 3
    assert shares["Ladder"][-1] > 80 > 20 > shares["CAPE"][-1]
    past = told[told.index("Here is one of 200 tests") :]
    assert past.index("What") < past.index("What it earns: ") < past.index("How certain: ")
    assert result.stderr.endswith(f"Wrote {page}.\n")
    assert_self_contained(page)


def test_its_json_is_all_that_it_prints_and_workers_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One row per learner and number of tasks, the same for one and two processes."""
    monkeypatch.setattr(importlib.import_module("dwell.cli.demo"), "_TASKS", (10, 100, 1000))
    printed = [
        run("demo", "--json", "--workers", workers, "--out", str(tmp_path / "report.html")).stdout
        for workers in ("1", "2")
    ]
    rows = json.loads(printed[0])["rows"]
    assert [row["learner"] for row in rows] == ["cape"] * 3 + ["esc-cape"] * 3 + ["ladder"] * 3
    assert [row["tasks"] for row in rows] == [10, 100, 1000] * 3
    assert json.loads(printed[0])["past_tests"]["tests"] == 200
    assert printed[0] == printed[1]


def test_it_looks_at_the_file_before_it_computes(tmp_path: Path) -> None:
    """A report that cannot be written stops the demo before its first word."""
    result = run("demo", "--out", str(tmp_path / "missing" / "report.html"))
    assert result.exit_code == 2
    assert result.stdout == ""
