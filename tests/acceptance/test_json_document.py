"""docs/json.md and what the commands print are the same, field by field."""

import csv
import importlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import dwell
from dwell.programme.stores.sqlite import SqliteStore
from dwell.report.encode import VERSION
from dwell.service.access.credentials import Credential
from dwell.service.access.tokens import Tokens
from tests.acceptance.commands import assert_self_contained, figures, run
from tests.programmes import BAD, GOOD, feed, forgetting, ideas

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
EFFECTS = "effect,standard_error\n0.01,0.02\n0.02,0.02\n-0.01,0.02\n"
LOG = "test,arm,order,outcome\n" + "".join(
    f"{test},{arm},{at},{(test * at + len(arm) * at**2) % 3}\n"
    for test in range(8)
    for arm in ("control", "treatment")
    for at in range(9)
)
DAYS = "test,period,n,mean,variance\nblue-green,1,1,0.5,0\n"
BROKEN = f"{LOG}8,control,1,many\n"
COMMANDS = {
    "exact": ("exact", "--caps", "1:2"),
    "simulate": ("simulate", "--tasks", "10", "--replications", "2"),
    "plan": ("plan", "--rules", "pocock", "--from", "effects.csv", "--sd", "1"),
    "evaluate": ("evaluate", "log.csv", "--bounds", "0,2", "--setup-cost", "1"),
    "evaluate without --setup-cost": ("evaluate", "log.csv"),
    "bench learners": (
        *("bench", "learners", "--instances", "three-point", "--learners", "etc"),
        *("--tasks", "100", "--replications", "2", "--workers", "1"),
    ),
    "reproduce": ("reproduce", "unbiased", "--quick", "--workers", "1"),
    "history generate": ("history", "generate", "new.csv", "--tests", "2", "--form", "counts"),
    "demo": ("demo", "--workers", "1"),
    "programme create": ("programme", "create", "new", "--caps", "1"),
    "programme begin": ("programme", "begin", "checkout", "green"),
    "programme show TASK": ("programme", "show", "checkout", "blue"),
    "programme sync": ("programme", "sync", "checkout", "days.csv"),
    "programme show": ("programme", "show", "checkout"),
    "programme list": ("programme", "list"),
    "programme export": ("programme", "export", "checkout", "new.csv"),
    "programme audit": ("programme", "audit", "signs"),
    "programme verify": ("programme", "verify", "checkout"),
    "token create": ("token", "create"),
    "token list": ("token", "list"),
    "token revoke": ("token", "revoke", "k3v8m2qa"),
}
# They write what they are asked for, not what they print.
WITHOUT_OUT = ("history", "programme", "token")
# What these hold has a table of its own, or differs from case to case.
WHOLE = {"columns", "rows[].figures", "past_tests"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a log, a broken one and a table of effects; a demo of seconds."""
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("log.csv", LOG),
        ("broken.csv", BROKEN),
        ("effects.csv", EFFECTS),
        ("days.csv", DAYS),
    ):
        Path(name).write_text(text)
    checkout = dwell.Programme.create("sqlite:///dwell.db", "checkout", policies=dwell.fixed(3))
    checkout.begin("blue").tell([-1] * 3)
    checkout.begin("red")
    with monkeypatch.context() as known:
        known.setattr(Credential, "new", lambda: Credential("k3v8m2qa", "secret"))
        Tokens(SqliteStore(Path("dwell.db"))).create()
    signs = dwell.Programme.create("sqlite:///dwell.db", "signs", law=dwell.Signs(), cap=4)
    signs.begin("blue").tell([-1] * 4)
    demo = importlib.import_module("dwell.cli.demo")
    monkeypatch.setattr(demo, "_TASKS", (4, 8))
    monkeypatch.setattr(demo, "_PAST_TESTS", 20)
    monkeypatch.setattr(demo, "_MOST_RUNS", 4)


@cache
def printed_by(section: str) -> dict[str, Any]:
    """What a command prints, which is the same in every folder."""
    return figures(*COMMANDS[section])


def documented(section: str) -> list[str]:
    """The fields that the page names under a heading."""
    text = PAGE.split(f"## {section}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `(.+?)` \|", text, re.MULTILINE)


def fields(value: Any, name: str, whole: set[str]) -> list[str]:
    """The names of all fields, of those within others too."""
    if name in whole:
        return [name]
    if isinstance(value, dict):
        inside = [fields(each, f"{name}.{key}".lstrip("."), whole) for key, each in value.items()]
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        inside = [fields(each, f"{name}[]", whole) for each in value]
    else:
        return [name]
    return list(dict.fromkeys(field for names in inside for field in names))


@pytest.mark.parametrize("section", COMMANDS)
def test_every_field_is_documented_and_no_other_is(section: str) -> None:
    """In the same order, so that who reads one finds the other."""
    printed = printed_by(section)
    whole = WHOLE | {"rows"} if section == "demo" else WHOLE
    assert fields(printed, "", whole) == documented(section)
    assert printed["version"] == VERSION
    assert f"| `version` | {VERSION} |" in PAGE


def test_what_the_demo_holds_of_others_is_theirs() -> None:
    """The page says so instead of naming all of it again."""
    printed = printed_by("demo")
    rows = [f"rows[].{name}" for name in printed["rows"][0]]
    assert rows == [name for name in documented("simulate") if name.startswith("rows")]
    past = fields(printed["past_tests"], "", set())
    others = [name for name in documented("evaluate") if not name.startswith(("rows", "version"))]
    assert past == others


def test_a_change_of_the_pool_is_documented() -> None:
    """As far as it goes, for both commands that tell of it."""
    feed(forgetting("sqlite:///dwell.db", name="changing"), ideas(GOOD, BAD))
    printed = figures("programme", "show", "changing")
    assert fields(printed["changed"], "", WHOLE) == documented("A change of the pool")


def test_a_dry_run_is_documented() -> None:
    """With a fault in it."""
    result = run("evaluate", "broken.csv", "--check", "--json")
    assert result.exit_code == 2
    assert fields(json.loads(result.stdout), "", WHOLE) == documented("evaluate --check")


@pytest.mark.parametrize("section", COMMANDS)
def test_out_means_the_same_everywhere(section: str) -> None:
    """A file of JSON holds what is printed, one of CSV the rows, one of HTML the page."""
    if section.startswith(WITHOUT_OUT):
        return
    command = COMMANDS[section]
    printed = run(*command, "--json", "--out", "found.json", "--plot", "page.html")
    assert printed.exit_code == 0, printed.output
    assert Path("found.json").read_text() == printed.stdout
    assert {"Wrote found.json.", "Wrote page.html."} <= set(printed.stderr.splitlines())
    assert run(*command, "--out", "same.html").exit_code == 0
    for page in (Path("same.html"), Path("page.html")):
        assert_self_contained(page)
    assert run(*command, "--out", "found.csv").exit_code == 0
    with Path("found.csv").open(newline="") as file:
        titles = next(csv.reader(file))
    names = documented("simulate" if section == "demo" else section)
    assert [f"rows[].{title}" for title in titles] == [n for n in names if n.startswith("rows")]
