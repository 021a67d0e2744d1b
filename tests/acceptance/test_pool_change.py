"""Logs with dates whose pool of ideas changes: what `evaluate` and `plan` say of it."""

import json
import re
from datetime import date, timedelta
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from dwell.service.calls import evaluate as evaluate_call
from tests.acceptance.commands import assert_refused, figures, run
from tests.acceptance.test_json_document import documented, fields

PERIODS, USERS = 4, 30
BEFORE, TESTS = 92, 150
FIRST = date(2025, 1, 1)
CHANGED = FIRST + timedelta(days=BEFORE)
EVALUATE = ("evaluate", "log.csv", "--setup-cost", "20")
PLAN = ("plan", "--rules", "pocock", "--setup-cost", "20", "--traffic-per-day", "30")


def batches(values: list[float], *, dated: bool = True) -> str:
    """A log of daily sums: a test begins each day, and takes four; the noise is 1."""
    rng = np.random.default_rng(0)
    rows = ["test,period,n,mean,variance"]
    for test, value in enumerate(values):
        for period in range(PERIODS):
            when = FIRST + timedelta(days=test + period) if dated else period + 1
            mean = rng.normal(value, USERS**-0.5)
            rows.append(f"{test},{when},{USERS},{mean:.6f},1")
    return "\n".join(rows)


def values(before: int, since: int) -> list[float]:
    """Rare wins, then losing ideas."""
    rng = np.random.default_rng(1)
    wins = np.where(rng.random(before) < 0.1, 0.6, -0.05)
    losing = np.where(rng.random(since) < 0.1, 0.1, -0.3)
    return [*wins.tolist(), *losing.tolist()]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with logs."""
    monkeypatch.chdir(tmp_path)
    both = values(BEFORE, TESTS - BEFORE)
    Path("log.csv").write_text(batches(both))
    Path("undated.csv").write_text(batches(both, dated=False))
    Path("steady.csv").write_text(batches(values(TESTS, 0)))


def test_an_evaluation_says_since_when_the_pool_has_changed() -> None:
    """In JSON, in the text and on the page; with what rules earned before and since."""
    told = figures(*EVALUATE, "--plot", "report.html")
    changed = told["changed"]
    assert changed["earliest"] <= CHANGED.isoformat() <= changed["latest"]
    assert changed["tests"] == TESTS - changed["test"] + 1
    assert changed["clear_now"]["estimate"] < changed["clear_before"]["low"]
    assert changed["current_now"]["high"] < changed["current_before"]["estimate"]
    assert told["notes"][0] == changed["sentence"]
    assert f"give --since {changed['since']} to evaluate those since" in told["notes"][1]
    page = unescape(Path("report.html").read_text()).replace("\N{NO-BREAK SPACE}", " ")
    assert changed["sentence"].removeprefix("the pool") in page
    printed = run(*EVALUATE)
    assert changed["sentence"] in " ".join(printed.stderr.split())
    assert re.match(r"the pool of ideas has changed since \d+ \w+ 2025 \(test", changed["sentence"])


def test_the_answer_says_what_its_rule_has_earned_since_the_change() -> None:
    """Right after the rule, in text, JSON and page; a rule that is worse now is not to be taken."""
    told = figures(*EVALUATE, "--plot", "report.html")
    assert told["answer"] == "change"
    changed, since = told["changed"], told["summary"][1]
    assert re.match(r"Since \d+ \w+ 2025, when the pool of ideas changed: this rule earned ", since)
    assert f" in {changed['tests']} tests of the present pool, today's " in since
    # It ships none of the losing ideas, and today's rule a few that are lucky.
    assert changed["best_now"]["estimate"] == 0.0 < changed["current_now"]["estimate"]
    assert "this rule earned nothing per 1,000 samples in" in since
    assert since.endswith(" Evaluate these alone before you change.")
    assert " ".join(since.split()) in " ".join(run(*EVALUATE).stdout.split())
    page = unescape(Path("report.html").read_text()).replace("\N{NO-BREAK SPACE}", " ")
    assert since.replace("\N{NO-BREAK SPACE}", " ") in page


def test_an_earlier_pool_that_is_back_counts_too() -> None:
    """Good, bad, good: what rules have earned is by the tests of both good spells."""
    Path("log.csv").write_text(batches([*values(90, 60), *values(90, 0)]))
    told = figures(*EVALUATE)
    changed = told["changed"]
    assert changed["tests"] > TESTS + 90 - changed["test"] + 1
    text = f"in {changed['tests']} tests of the present pool (an earlier one, which is back), "
    assert text in told["summary"][1]
    assert changed["best_now"]["estimate"] > changed["current_now"]["estimate"]
    assert "before you change" not in told["summary"][1]


def test_figures_since_the_change_are_those_of_the_tests_since() -> None:
    """An evaluation of these alone has the same for the current rule: a twin by another way."""
    changed = figures(*EVALUATE)["changed"]
    since = figures(*EVALUATE, "--since", changed["since"])
    assert since["tests"] == changed["tests"]
    assert since["changed"] is None
    figure = changed["current_now"]
    found = [since["current"][name] for name in ("roi", "roi_low", "roi_high")]
    assert [figure[name] for name in ("estimate", "low", "high")] == pytest.approx(found)
    over_http = evaluate_call(
        {"path": "log.csv", "setup_cost": 20.0, "since": changed["since"]}, lambda _: None
    )
    assert json.loads(over_http.document)["tests"] == changed["tests"]


@pytest.mark.parametrize("name", ["undated.csv", "steady.csv"])
def test_without_dates_or_changes_nothing_is_said(name: str) -> None:
    """Whether it is evaluated or planned by."""
    told = figures("evaluate", name, "--setup-cost", "20")
    assert told["changed"] is None
    planned = figures(*PLAN, "--from", name)
    assert planned["changed"] is None
    assert planned["fitted"]["tests"] == TESTS
    assert "changed since" not in json.dumps([told["notes"], planned["notes"]])


def test_a_plan_uses_the_tests_of_the_present_pool() -> None:
    """Unless it is told to use all."""
    prior = (*PLAN, "--from", "log.csv")
    Path("log.csv").write_text(batches(values(BEFORE, TESTS - BEFORE)[::-1]))
    now, everything = figures(*prior), figures(*prior, "--all-tests")
    assert now["fitted"]["tests"] == now["changed"]["tests"] < TESTS
    assert everything["fitted"]["tests"] == TESTS
    assert everything["changed"] == now["changed"]
    assert now["notes"][0].startswith(now["changed"]["sentence"])
    assert "--all-tests uses all of them" in now["notes"][0]
    assert now["fitted"]["mean"] > everything["fitted"]["mean"]


def test_a_change_is_told_too_where_nothing_is_worth_testing() -> None:
    """Before the answer, which is by the tests of the present pool."""
    found = run(*PLAN, "--from", "log.csv", "--value-of-lift", "1", "--price-per-sample", "1")
    assert found.exit_code == 3
    told = " ".join(found.stderr.split())
    change, answer = told.index("Note: the pool of ideas has changed since"), told.index("Answer: ")
    assert change < told.index("--all-tests uses all of them") < answer
    assert not found.stdout


def test_counts_and_effects_have_a_column_date() -> None:
    """Of counts, an evaluation and a plan see the same change."""
    rng = np.random.default_rng(2)
    rates = np.append(rng.normal(0.3, 0.06, 90), rng.normal(0.15, 0.02, 60))
    rows = ["test,n_c,x_c,n_t,x_t,date"]
    for test, rate in enumerate(rates):
        ones = rng.binomial(400, [0.25, rate])
        rows.append(f"{test},400,{ones[0]},400,{ones[1]},{FIRST + timedelta(days=test)}")
    Path("counts.csv").write_text("\n".join(rows))
    evaluated = figures("evaluate", "counts.csv", "--setup-cost", "20")["changed"]
    planned = figures(*PLAN, "--from", "counts.csv", "--all-tests")["changed"]
    assert evaluated["earliest"] <= (FIRST + timedelta(days=90)).isoformat() <= evaluated["latest"]
    assert {name: evaluated[name] for name in planned} == planned


def test_fields_are_documented() -> None:
    """Those of an evaluation, in their order."""
    changed = figures(*EVALUATE)["changed"]
    assert fields(changed, "changed", set()) == documented("changed")


def test_bad_options_are_refused() -> None:
    """Each in one sentence."""
    assert_refused((*EVALUATE, "--since", "spring"), "--since must be a day such as 2026-03-31")
    assert_refused(("plan", "--all-tests"), "--all-tests needs past tests")
    for name, since, reason in (
        ("undated.csv", "2025-01-01", "undated.csv has no dates"),
        ("log.csv", "2030-01-01", "must have 2 tests or more"),
    ):
        refusal = run("evaluate", name, "--since", since)
        assert refusal.exit_code == 2
        assert reason in refusal.stderr
