"""`dwell programme sync`: a nightly job is a whole integration."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from dwell import Batch, Lift, Programme
from dwell.programme.events import Told
from dwell.programme.notices import Notice
from dwell.programme.observations import ArmBatches
from tests.acceptance.commands import assert_refused, run
from tests.programmes import snapshot
from tests.receivers import receiving

HEAD = "test,arm,period,n,mean,variance\n"


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programme:
    """A programme in dwell.db of a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return Programme.create(
        "sqlite:///dwell.db", "checkout", law=Lift(0.1), cap=2_000, setup_cost=200
    )


def day(test: str, number: int, control: float, treatment: float, users: int = 100) -> str:
    """A day of a test: both arms."""
    return "".join(
        f"{test},{arm},2026-03-{number:02},{users},{rate},{rate * (1 - rate)}\n"
        for arm, rate in (("control", control), ("treatment", treatment))
    )


def write(*days: str) -> None:
    Path("days.csv").write_text(HEAD + "".join(days))


def sync(status: int = 0, *options: str) -> dict[str, Any]:
    """What the command prints as JSON, having seen how it left."""
    result = run("programme", "sync", "checkout", "days.csv", "--json", *options)
    assert result.exit_code == status, result.output
    printed: dict[str, Any] = json.loads(result.stdout)
    return printed


def test_night_after_night(checkout: Programme) -> None:
    """New tests are begun, new days told; to run it twice changes nothing; decisions leave 10."""
    first = [day("blue", 1, 0.10, 0.11), day("red", 1, 0.10, 0.09)]
    write(*first)
    printed = sync()
    assert (printed["begun"], printed["told"], printed["decided"]) == (["blue", "red"], 2, [])
    assert [row["task"] for row in printed["rows"]] == ["blue", "red"]
    again = sync()
    assert (again["begun"], again["told"], again["corrected"]) == ([], 0, 0)
    write(first[0], day("blue", 2, 0.05, 0.30), first[1], day("red", 2, 0.10, 0.10))
    decided = sync(10)
    assert decided["decided"] == ["blue"]
    [row] = [row for row in decided["rows"] if row["task"] == "blue"]
    assert row["sentence"].startswith("Ship: ")
    assert sync()["decided"] == []
    checkout.verify()


def test_a_change_of_the_pool_is_told_once() -> None:
    """By the sync whose tests show it; who asks later is told by show."""
    terms = ("--law", "Lift(0.1)", "--cap", "200", "--setup-cost", "200", "--forget")
    assert run("programme", "create", "changing", *terms).exit_code == 0
    rates = [0.09, 0.30] * 20 + [0.04] * 41
    weeks = [
        "".join(day(f"idea {number}", at, 0.10, rate, users=300) for at in (1, 2))
        for number, rate in enumerate(rates)
    ]
    command = ("programme", "sync", "changing", "days.csv", "--json")
    told = []
    for tests in (40, 80, 80):
        write(*weeks[:tests])
        told.append(json.loads(run(*command).stdout)["changed"])
    assert told[0] is None
    assert told[2] is None
    assert told[1]["task"] == f"idea {told[1]['test'] - 1}"
    printed = run("programme", "show", "changing").stdout
    shown = json.loads(run("programme", "show", "changing", "--json").stdout)["changed"]
    assert shown == told[1]
    assert shown["sentence"] in " ".join(printed.split())
    write(*weeks)
    assert "has changed" not in run(*command[:-1]).stdout


def test_what_was_restated_is_corrected(checkout: Programme) -> None:
    """Under the key of its day; a decision that was given stays."""
    write(day("red", 1, 0.10, 0.11))
    sync()
    write(day("red", 1, 0.10, 0.12))
    assert sync()["corrected"] == 1
    assert sync()["corrected"] == 0
    assert "2026-03-01" in snapshot(checkout)


def test_unequal_arms_are_held() -> None:
    """As wherever else tests are told."""
    rows = "red,control,1,400,0.1,0.09\nred,treatment,1,600,0.1,0.09\n"
    Path("days.csv").write_text(HEAD + rows)
    [row] = sync()["rows"]
    assert row["status"] == "held"
    text = run("programme", "sync", "checkout", "days.csv")
    assert "1 on hold" in text.stdout


def test_counts_so_far_are_told_by_day(checkout: Programme) -> None:
    """With --cumulative, a day is what came since the day before."""
    so_far = [(100, 0.10), (200, 0.12), (300, 0.11)]
    rows = "".join(
        f"red,{arm},{number},{n},{mean},{mean * (1 - mean)}\n"
        for number, (n, mean) in enumerate(so_far, start=1)
        for arm in ("control", "treatment")
    )
    Path("days.csv").write_text(HEAD + rows)
    assert sync(0, "--cumulative")["told"] == 3
    assert checkout.task("red").advice.sentence.startswith(
        "Keep testing: between the limits after 300"
    )


def test_other_logs_are_refused() -> None:
    """With what to do about it."""
    Path("days.csv").write_text("test,order,value\nred,1,1\n")
    assert_refused(
        ("programme", "sync", "checkout", "days.csv"), "got the form raw with the columns"
    )
    Path("days.csv").write_text("test,arm,order,outcome\nred,control,1,1\n")
    assert_refused(
        ("programme", "sync", "checkout", "days.csv"), "users of two arms with their time"
    )
    Path("days.csv").write_text("test,arm,order,time,outcome\nred,control,1,1,1\n")
    assert_refused(
        ("programme", "sync", "checkout", "days.csv"), "time of days.csv must hold times"
    )
    assert_refused(("programme", "sync", "checkout"), "LOG")


@pytest.mark.parametrize("columns", ["time", "order,period", "time,period"])
def test_users_are_added_up_by_day(checkout: Programme, columns: str) -> None:
    """A row per user tells the same, under the same keys, as a row per day and arm."""
    days = [("red", 1, 3, 5), ("red", 2, 4, 4), ("blue", 1, 2, 6)]
    rows, number = [], 0
    for test, date, *ones in days:
        for arm, converted in zip(("control", "treatment"), ones, strict=True):
            for user in range(10):
                number += 1
                when = {
                    "order": number,
                    "time": f"2026-03-0{date}T{10 + user}:{number % 60:02}:00",
                    "period": f"2026-03-0{date}",
                }
                came = [when[column] for column in columns.split(",")]
                rows.append((test, arm, *came, int(user < converted)))
    lines = [",".join(map(str, row)) for row in sorted(rows, key=lambda row: (row[0], row[1]))]
    Path("days.csv").write_text("\n".join([f"test,arm,{columns},outcome", *lines, ""]))
    options = () if columns == "time" else ("--sort",)
    assert sync(0, *options)["told"] == 3
    assert sync(0, *options)["told"] == 0
    write(*(day(test, date, c / 10, t / 10, users=10) for test, date, c, t in days))
    again = sync()
    assert (again["told"], again["begun"]) == (0, [])
    assert [len(task.path().looks) > 0 for task in checkout.tasks()] == [True, True]
    told = [event for _, event in checkout.events() if isinstance(event, Told)]
    assert {event.key for event in told} == {"2026-03-01", "2026-03-02"}
    red = [event.observations for event in told if event.key == "2026-03-02"]
    [each] = red
    assert isinstance(each, ArmBatches)
    assert (each.control.n, round(each.control.sum, 9)) == (10, 4)


def test_counts_so_far_are_told_as_they_grow(checkout: Programme) -> None:
    """What is new is the difference; once both arms have somebody new; they may not shrink."""
    head = "test,n_c,x_c,n_t,x_t\n"
    Path("days.csv").write_text(f"{head}red,100,10,101,11\nblue,0,0,0,0\n")
    first = sync()
    assert (first["begun"], first["told"]) == (["red", "blue"], 1)
    assert sync()["told"] == 0
    Path("days.csv").write_text(f"{head}red,150,14,101,11\nblue,5,1,5,0\n")
    assert sync()["told"] == 1  # of red, only one arm has somebody new
    Path("days.csv").write_text(f"{head}red,150,14,160,17\nblue,5,1,5,0\n")
    assert sync()["told"] == 1
    red = [event for _, event in checkout.events() if isinstance(event, Told) and event.task == 1]
    assert [str(event.key)[10:] for event in red] == [", 201 users", ", 310 users"]
    assert red[1].observations == ArmBatches(Batch(50, 4, 4), Batch(59, 6, 6))
    for line in ("red,149,14,160,17", "red,150,13,160,17", "red,151,19,160,17"):
        Path("days.csv").write_text(f"{head}{line}\n")
        assert_refused(("programme", "sync", "checkout", "days.csv"), "'red' must grow")
    Path("days.csv").write_text(f"{head}red,300,14,300,100\n")
    assert sync(10)["decided"] == ["red"]
    checkout.verify()


def test_decisions_are_posted_and_what_fails_is_posted_the_next_night(
    checkout: Programme, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so on stderr and leaves with 11; the night after it is told again, in order."""
    monkeypatch.setenv("no_proxy", "*")
    write(day("blue", 1, 0.10, 0.11))
    with receiving(404) as server:
        notify = "--notify", server.url
        assert sync(0, *notify)["posted"] == []
        write(day("blue", 1, 0.10, 0.11), day("blue", 2, 0.05, 0.30))
        result = run("programme", "sync", "checkout", "days.csv", "--json", *notify)
        assert result.exit_code == 11
        printed = json.loads(result.stdout)
        assert (printed["decided"], printed["posted"], printed["left"]) == (["blue"], [], 1)
        assert result.stderr.splitlines()[-1] == (
            f"Note: 1 decision could not be posted to {server.url.rsplit('/', 1)[0]}: it answers "
            "404; the next sync with the same --notify posts it"
        )
        server.answers[:] = [200]
        later = sync(0, *notify)
        assert later["posted"] == [server.taken[-1]]
        assert server.bodies[-1]["sentence"].startswith("Ship: ")
        assert sync(0, *notify)["posted"] == []
    assert_refused(
        ("programme", "sync", "checkout", "days.csv", "--notify", "mailto:me"), "one of mailto"
    )
    checkout.verify()


def test_what_is_posted_is_documented() -> None:
    """Field by field, in docs/json.md."""
    page = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
    section = page.split("## What `--notify` is posted\n")[1].split("\n## ")[0]
    named = re.findall(r"^\| `(.+?)` \|", section, re.MULTILINE)
    assert sorted(named) == sorted(Notice.__struct_fields__)
