"""`dwell exact`."""

import csv
import json
from pathlib import Path

import pytest

import dwell
from tests.acceptance.commands import assert_self_contained, figures, run


def test_it_prints_a_row_per_cap_and_marks_the_best() -> None:
    """The demo's world is what it looks at if nothing is said."""
    result = run("exact")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines[3:-1]] == [str(2**power) for power in range(9)]
    assert [line.split()[0] for line in lines if "best" in line] == ["16"]


def test_its_json_is_what_the_library_computes() -> None:
    """Every figure equals that of `dwell.exact`."""
    printed = figures(
        "exact", "--prior", "Beta(2, 3)", "--setup-cost", "5", "--caps", "1:9,16", "--c", "0.35",
        "--tasks", "1e3", "--delta", "0.1",
    )  # fmt: skip
    policies = dwell.hoeffding([*range(1, 10), 16], c=0.35, tasks=1000, delta=0.1)
    table = dwell.exact(policies, dwell.World(dwell.Beta(2, 3), dwell.Signs()), 5.0)
    assert [row["cap"] for row in printed["rows"]] == list(policies.caps)
    for name in ("roi", "reward", "cost", "accept_rate"):
        assert [row[name] for row in printed["rows"]] == getattr(table, name).tolist()
    assert printed["best_cap"] == policies.caps[table.best]
    assert [row["best"] for row in printed["rows"]].index(True) == table.best


def test_the_issues_figures_come_out() -> None:
    """Values uniform on -1, 0 and 1 give best cap 4 and ROI 0.102564."""
    printed = figures("exact", "--prior", "Atoms(-1, 0, 1)", "--c", "0.35", "--setup-cost", "0")
    assert printed["best_cap"] == 4
    assert printed["best_roi"] == pytest.approx(0.102564, abs=5e-7)


@pytest.mark.parametrize("law", ["Lift(0.2)", "Gaussian(2)"])
def test_other_laws_work_too(law: str) -> None:
    """A normal prior goes with every law."""
    printed = figures("exact", "--prior", "Normal(-0.1, 0.2)", "--law", law, "--caps", "8,16")
    assert len(printed["rows"]) == 2


def test_the_class_is_the_papers_for_signs_or_where_its_width_is_given() -> None:
    """Under other laws it is rules of two limits in the noise of the law."""
    world = ("--prior", "Normal(-0.1, 0.2)", "--law", "Lift(0.2)", "--caps", "8,16")
    usual, band = figures("exact", *world), figures("exact", *world, "--c", "0.5")
    where = dwell.World(dwell.Normal(-0.1, 0.2), dwell.Lift(0.2))
    policies = dwell.scales([8, 16], sd=dwell.Lift(0.2).deviation)
    paper = dwell.hoeffding([8, 16], c=0.5, tasks=10_000, delta=0.05)
    for printed, these in ((usual, policies), (band, paper)):
        expected = dwell.exact(these, where, 20.0).roi.tolist()
        assert [row["roi"] for row in printed["rows"]] == expected


def test_min_samples_forbids_stopping_early() -> None:
    """Nothing costs less than the set-up and the samples that have to be drawn."""
    options = ("--setup-cost", "20", "--caps", "8:64:x2", "--c", "0.2")
    patient = figures("exact", *options, "--min-samples", "8")["rows"]
    assert all(row["cost"] >= 28.0 for row in patient)
    assert figures("exact", *options)["rows"][-1]["cost"] < 28.0


def test_files_hold_what_is_printed(tmp_path: Path) -> None:
    """CSV and JSON say the same as `--json`."""
    as_json, as_csv = tmp_path / "figures.json", tmp_path / "figures.csv"
    printed = figures("exact", "--caps", "1:4", "--out", str(as_json))
    assert json.loads(as_json.read_text()) == printed
    figures("exact", "--caps", "1:4", "--out", str(as_csv))
    with as_csv.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [{name: str(value) for name, value in row.items()} for row in printed["rows"]] == rows
    assert sorted(tmp_path.iterdir()) == [as_csv, as_json]


@pytest.mark.parametrize("caps", ["1", "1:256:x2", "1:100", "4,4"])
def test_its_page_needs_no_network(tmp_path: Path, caps: str) -> None:
    """The plot is one whole file, for any number of caps."""
    page = tmp_path / "page.html"
    assert run("exact", "--caps", caps, "--plot", str(page)).exit_code == 0
    assert_self_contained(page)


def test_it_says_when_rejecting_everything_is_best(tmp_path: Path) -> None:
    """As a note, in JSON and on the page; and says nothing where a policy earns something."""
    losing = ("exact", "--prior", "Atoms(-0.5)", "--c", "0.1", "--caps", "1:4")
    page = tmp_path / "page.html"
    result = run(*losing, "--plot", str(page))
    assert "Note: rejecting everything earns 0 and beats all these policies" in result.stderr
    assert "Rejecting everything earns 0" in page.read_text()
    assert "rejecting everything earns 0" in figures(*losing)["note"]
    assert figures("exact")["note"] is None
    assert "rejecting" not in run("exact").stderr


def test_of_many_caps_some_are_shown_and_all_are_written(tmp_path: Path) -> None:
    """With the best among them, and a note that says so."""
    out = tmp_path / "all.csv"
    result = run("exact", "--caps", "1:1000", "--out", str(out))
    lines = result.stdout.splitlines()
    assert 100 < len(lines) < 420
    assert sum("best" in line for line in lines) == 1
    assert "of 1,000 policies are shown, the best among them; --out has them all" in result.stderr
    assert len(out.read_text().splitlines()) == 1001
