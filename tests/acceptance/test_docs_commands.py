"""The commands of the docs: run as they stand, and what they print is what the pages show."""

import re
import shlex
from pathlib import Path

import click
import duckdb
import pytest

from dwell.cli import main
from tests.acceptance.commands import run
from tests.pages import (
    DOCS,
    Shown,
    blocks,
    commands,
    compare,
    named_in,
    run_page,
    run_shown,
    text_of,
)
from tests.receivers import receiving


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own, and a terminal as wide as the pages show."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


def test_from_a_log_to_a_decision() -> None:
    """The whole tutorial; the reader's own log has other tests and other titles of columns."""
    options = ("--form", "batches", "--tests", "40", "--length", "5000", "--seed", "1")
    assert run("history", "generate", "mine.csv", *options).exit_code == 0
    own = Path("mine.csv")
    _, rows = own.read_text().split("\n", 1)
    own.write_text(f"experiment_id,variant,day,n,mean,variance\n{rows}")
    run_page("tutorials/log.md")
    assert Path("report.html").exists()
    assert Path("mine.html").exists()


def test_from_nothing_to_a_live_programme() -> None:
    """The whole tutorial, in its own folder."""
    run_page("tutorials/programme.md")


def test_reading_from_a_warehouse() -> None:
    """DuckDB and files; PostgreSQL is read by the same query where there is a server."""
    Path("tests.sql").write_text(blocks("how-to/warehouse.md", "sql")[0])
    made_up("warehouse.duckdb")
    Path("exports").mkdir()
    with duckdb.connect("warehouse.duckdb") as warehouse:
        warehouse.execute(f"copy ({Path('tests.sql').read_text()}) to 'exports/days.parquet'")
    run_page("how-to/warehouse.md", {"postgresql://reader@db/warehouse": "warehouse.duckdb"})


def made_up(path: str) -> None:
    """A shop's assignments and orders: 30 tests of 8 days with 40 users each."""
    with duckdb.connect(path) as warehouse:
        warehouse.execute("""
            create table assignments as
            select 'test ' || t as experiment_id, i as user_id,
                   if(i % 2 = 0, 'control', 'treatment') as variant,
                   timestamp '2024-01-01 09:00' + i % 320 // 40 * interval 1 day as assigned_at
            from range(30) as tests(t), range(t * 320, t * 320 + 320) as users(i)""")
        warehouse.execute("""
            create table orders as
            select user_id, assigned_at as ordered_at, hash(user_id) % 9 as revenue
            from assignments where hash(user_id) % 3 = 0""")


def test_every_night() -> None:
    """The nights that are shown; then the script's command, which posts what is decided."""
    first, second = blocks("how-to/nightly.md", "csv")
    days = Path("days.csv")
    create, *nights = commands("how-to/nightly.md")
    run_shown([create])
    days.write_text(first)
    run_shown(nights[:2])
    days.write_text(first + second)
    run_shown(nights[2:])
    [script] = blocks("how-to/nightly.md", "sh")
    _, command = script.replace("\\\n", "").splitlines()
    Path("tests.sql").write_text("from 'later.csv'")
    with receiving() as server:
        for text in (first, first + second):
            Path("later.csv").write_text(text.replace("red", "green"))
            left = run_shown(
                [Shown(command)],
                {
                    "https://chat.example/hooks/tests": server.url,
                    "--database postgresql://reader@db/warehouse": "",
                },
                may_leave=(0, 10),
            )
        assert left == 10
        assert [body["task"] for body in server.bodies] == ["green-button"]


@pytest.mark.parametrize("page", ["tutorials/log.md", "tutorials/programme.md"])
def test_a_newcomer_needs_five_commands(page: str) -> None:
    """The numbered steps have a command each, and there are five."""
    steps = re.findall(r"(?ms)^## \d\. .*?(?=^## |\Z)", text_of(page))
    assert [len(re.findall(r"(?m)^\$ ", step)) for step in steps] == [1] * 5


def test_every_command_that_is_named_is_understood() -> None:
    """On all pages, in blocks and within sentences: no command and no option that is not there."""
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    pages -= {"reference/commands.md"}  # is made of what commands say themselves
    named = [line for page in (*pages, "../README.md") for line in named_in(page)]
    assert len(named) > 90
    assert [line for line in named if unknown_in(line)] == []
    assert unknown_in("dwell evaluate log.csv --setup-costs 3") == {"--setup-costs"}


def unknown_in(line: str) -> set[str]:
    """What a command has that dwell does not know: its own name, or options."""
    command: click.Command = main
    words = shlex.split(line, comments=True)[1:]
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(click.Context(command), words[0])
        if found is None:
            return {words[0]}
        command, words = found, words[1:]
    known = {option for each in command.params for option in (*each.opts, *each.secondary_opts)}
    return {word.partition("=")[0] for word in words if word.startswith("--")} - known - {"--help"}


def test_what_is_not_printed_is_found_out() -> None:
    """So the tests above can fail: by words that differ, are missing or come after the last."""
    compare(["one", "…", "three"], "one\ntwo\n\nthree \n", "")
    compare(["one two", "three"], "one\ntwo three\n", "")
    for lines in (["one", "three"], ["one", "two"], ["…", "four"], ["two", "…"]):
        with pytest.raises(AssertionError):
            compare(lines, "one\ntwo\nthree\n", "")
    assert commands("tutorials/log.md")[0].line == "pip install ."
