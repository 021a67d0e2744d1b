"""No command writes over what it reads, and no option is given twice."""

import os
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from tests.acceptance.commands import assert_refused, run

ROWS = "".join(f"{test},{at},{(test + at) % 3 - 1}\n" for test in range(6) for at in range(8))
LOG = f"test,order,value\n{ROWS}"
EFFECTS = "effect,standard_error\n" + "".join(f"{k / 100},0.02\n" for k in range(-3, 4))
Link = Callable[[str, str], None]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a log, a table of effects, and a log in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text(LOG)
    Path("effects.csv").write_text(EFFECTS)
    Path("logs").mkdir()
    Path("logs/one.csv").write_text(LOG)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "x.csv", "--out", "x.csv"),
        ("evaluate", "x.csv", "--out", "logs/../x.csv"),
        ("evaluate", "x.csv", "--current", "significant", "--out", "x.csv", "--json"),
        ("evaluate", "logs", "--out", "logs/one.csv"),
        ("evaluate", "logs", "--out", "logs/new.csv"),
        ("evaluate", "logs/*.csv", "--out", "logs/one.csv"),
        ("evaluate", "logs/*.csv", "--out", "logs/new.csv"),
        ("evaluate", "--query", "select * from 'x.csv'", "--out", "x.csv"),
        ("evaluate", "--query", "select * from read_csv('logs/*.csv')", "--out", "logs/one.csv"),
        ("plan", "--from", "effects.csv", "--sd", "1", "--out", "effects.csv"),
        ("plan", "--query", "select * from 'effects.csv'", "--sd", "1", "--out", "effects.csv"),
    ],
    ids=" ".join,
)
def test_what_is_read_is_never_written(arguments: tuple[str, ...]) -> None:
    """By its own name or another, in a folder or by a pattern, also if it would only join them."""
    assert_refused(arguments, "choose another file")
    assert Path("x.csv").read_text() == Path("logs/one.csv").read_text() == LOG
    assert Path("effects.csv").read_text() == EFFECTS
    assert not Path("logs/new.csv").exists()


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symlink", "hard link"])
def test_a_link_to_what_is_read_is_not_written(link: Link) -> None:
    """Neither to the file nor from it."""
    link("x.csv", "link.csv")
    assert_refused(("evaluate", "x.csv", "--out", "link.csv"), "among what is read, x.csv")
    assert_refused(("evaluate", "link.csv", "--out", "x.csv"), "among what is read, link.csv")
    assert Path("x.csv").read_text() == LOG


def test_a_database_that_is_read_is_not_written() -> None:
    """Whatever it is called."""
    with duckdb.connect("tests.json") as database:
        database.sql("create table tests as select * from 'x.csv'")
    before = Path("tests.json").read_bytes()
    query = ("--query", "select * from tests", "--database", "tests.json")
    assert_refused(("evaluate", *query, "--out", "tests.json"), "--out tests.json is what is read")
    assert Path("tests.json").read_bytes() == before


def test_other_files_are_written_beside_what_is_read() -> None:
    """An older page or table of figures is replaced, and a page may lie among logs."""
    Path("f.csv").write_text("older")
    files = ("--out", "f.csv", "--plot", "logs/report.html")
    result = run("evaluate", "logs", "--setup-cost", "1", *files)
    assert result.exit_code == 0, result.output
    assert "Wrote f.csv." in result.stderr.splitlines()
    assert "Wrote logs/report.html." in result.stderr.splitlines()
    assert Path("f.csv").read_text().startswith("policy,cap,")


def test_a_link_is_written_through() -> None:
    """What it points to is replaced, and the link stays."""
    Path("real.json").write_text("older")
    os.symlink("real.json", "link.json")
    assert run("exact", "--caps", "1:4", "--out", "link.json").exit_code == 0
    assert Path("link.json").is_symlink()
    assert Path("real.json").read_text().startswith('{\n  "version"')


def test_out_and_plot_are_two_files() -> None:
    """One page would replace the other."""
    arguments = ("exact", "--out", "f.html", "--plot", "./f.html")
    assert_refused(arguments, "--out and --plot must be different files, got f.html twice")


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("exact", "--caps", "1", "--caps", "2"), "--caps"),
        (("exact", "--json", "--json"), "--json"),
        (("simulate", "--seed=1", "--seed", "1"), "--seed"),
        (("plan", "--out", "a.csv", "--out", "b.csv"), "--out"),
        (("evaluate", "x.csv", "--setup-cost", "1", "--setup-cost", "2"), "--setup-cost"),
        (("reproduce", "--quick", "--quick"), "--quick"),
        (("bench", "learners", "--tasks", "1e2", "--tasks", "1e3"), "--tasks"),
        (("history", "generate", "y.csv", "--tests", "1", "--tests", "2"), "--tests"),
        (("demo", "--seed", "1", "--seed", "2"), "--seed"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_an_option_given_twice_is_refused(arguments: tuple[str, ...], option: str) -> None:
    """Which of the two was meant, nobody knows."""
    assert_refused(arguments, f"{option} is given twice; give it once")
