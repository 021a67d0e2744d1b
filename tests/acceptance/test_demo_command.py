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
    monkeypatch.setattr(demo, "_TASKS", (100, 10_000))
    monkeypatch.setattr(demo, "_PAST_TESTS", 200)
    monkeypatch.setattr(demo, "_MOST_RUNS", 4)


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
    assert ["ideas", "100", "10,000"] in table
    shares = {
        way[0]: [float(share[:-1]) for share in way[1:]] for way in table if way[-1][-1:] == "%"
    }
    known = ["longest cap, always", "best cap, if known"]
    assert list(shares) == [*known, "EmpiricalBayes", "Ladder", "CAPE", "ESC-CAPE"]
    assert [shares[name] for name in known] == [[16.7] * 2, [68.5] * 2]
    learned = [shares[name][-1] for name in ("EmpiricalBayes", "Ladder", "CAPE")]
    assert learned[0] > 80 > learned[1] > 55 > 15 > learned[2]
    past = told[told.index("Here is one of 200 tests") :]
    answered = past.index("Keep what you do")
    assert answered < past.index("What it earns: ") < past.index("How certain: ")
    assert result.stderr.endswith(f"Wrote {page}.\n")
    assert_self_contained(page)


def test_its_json_is_all_that_it_prints_and_workers_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One row per learner and number of tasks, the same for one and two processes."""
    demo = importlib.import_module("dwell.cli.demo")
    monkeypatch.setattr(demo, "_TASKS", (4, 12))
    monkeypatch.setattr(demo, "_PAST_TESTS", 20)
    printed = [
        run("demo", "--json", "--workers", workers, "--out", str(tmp_path / "report.html")).stdout
        for workers in ("1", "2")
    ]
    rows = json.loads(printed[0])["rows"]
    learners = ("cape", "esc-cape", "ladder", "empirical-bayes")
    assert [row["learner"] for row in rows] == [name for name in learners for _ in range(2)]
    assert [row["tasks"] for row in rows] == [4, 12] * 4
    assert json.loads(printed[0])["oracle_roi"] == rows[-1]["best_roi"] > rows[0]["best_roi"]
    assert json.loads(printed[0])["past_tests"]["tests"] == 20
    assert printed[0] == printed[1]


def test_what_would_take_minutes_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dash in the table, and a word about it."""
    module = importlib.import_module("dwell.cli.demo")
    monkeypatch.setattr(module, "_TASKS", (10, 100))
    monkeypatch.setattr(module, "_PAST_TESTS", 20)
    monkeypatch.setattr(module, "_MOST_COMPUTED", 10)
    result = run("demo", "--workers", "1", "--plot", str(tmp_path / "report.html"))
    [row] = [line.split() for line in result.stdout.splitlines() if line.endswith("- ")]
    assert (row[0], row[-1]) == ("EmpiricalBayes", "-")
    assert "more than 10 ideas are left out" in " ".join(result.stdout.split())


def test_it_looks_at_the_file_before_it_computes(tmp_path: Path) -> None:
    """A report that cannot be written stops the demo before its first word."""
    result = run("demo", "--out", str(tmp_path / "missing" / "report.html"))
    assert result.exit_code == 2
    assert result.stdout == ""
