"""`dwell programme`: tests run live from a shell."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dwell import Gaussian, Programme
from dwell.cli.programme.create import _under_law
from dwell.history.reading.summaries import Summaries
from tests.acceptance.commands import assert_refused, figures, run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, with programmes in dwell.db."""
    monkeypatch.chdir(tmp_path)
    created = run("programme", "create", "checkout", "--caps", "1,4", "--setup-cost", "5")
    assert created.stdout == (
        "checkout chooses among 2 policies with caps from 1 to 4: its learner explores ever less; "
        "needs no law and no number of tasks. It starts from nothing: the first tests teach it "
        "what ideas are worth.\n"
    )
    return tmp_path


def say(*arguments: str) -> str:
    """What a command prints, having seen that it succeeded."""
    result = run("programme", *arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_test_from_its_beginning_to_its_end() -> None:
    """Begun, told, told again, shown, exported, evaluated and verified."""
    assert say("begin", "checkout", "blue").startswith("blue: Keep testing: the first look is")
    told = ("tell", "checkout", "blue", "--values", "-1,-1,-1,-1", "--key", "monday")
    assert say(*told) == say(*told)
    assert say("show", "checkout", "blue").startswith("blue: Drop: ")
    assert say("begin", "checkout").startswith("task-2: ")
    shown = say("show", "checkout")
    assert shown.startswith("checkout: 1 keeps testing; 2 tests begun so far: 0 to ship, 1 to drop")
    assert "task-2" in shown
    assert say("abandon", "checkout", "task-2", "--reason", "called off") == (
        "task-2: Abandoned (called off): nothing is learned from it.\n"
    )
    assert "checkout" in say("list")
    assert say("export", "checkout", "log.csv") == "log.csv: 1 finished tests of checkout.\n"
    assert Path("log.csv").read_text().startswith('"test","order","value"\n"blue",1,-1')
    assert say("verify", "checkout").startswith("checkout: ")


def test_batches_of_arms_are_held_cleared_and_corrected() -> None:
    """As in the library."""
    created = ("create", "lifts", "--law", "Lift(0.1)", "--cap", "100", "--setup-cost", "10")
    assert "boundaries of up to 100 samples" in say(*created)
    say("begin", "lifts", "red")
    arms = ("--control-batch", "5,1", "--treatment-batch", "50,5", "--key", "monday")
    assert "Hold: the arms are of unequal size" in say("tell", "lifts", "red", *arms)
    assert "on hold" in say("show", "lifts")
    assert say("clear", "lifts", "red", "--note", "known").startswith("red: ")
    right = ("--control-batch", "5,1", "--treatment-batch", "5,1", "--key", "monday")
    assert say("tell", "lifts", "red", *right, "--correct").startswith("red: ")
    assert figures("programme", "show", "lifts")["programme"] == "lifts"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("create", "checkout", "--caps", "1"), "already"),
        (("create", "other"), "--from, or which caps"),
        (("create", "other", "--law", "Signs"), "needs cap"),
        (("create", "other", "--learner", "cape"), "--learner must be"),
        (("create", "other", "--caps", "1", "--forget"), "--forget means something to"),
        (("begin", "nowhere"), "there is no programme 'nowhere'"),
        (("begin", "checkout", "--store", "tests.db"), "sqlite:///FILE"),
        (("tell", "checkout", "green", "--values", "1"), "there is no task 'green'"),
        (("tell", "checkout", "blue", "--values", "1,x"), "each number in --values"),
        (("tell", "checkout", "blue", "--values", "nan"), "nan"),
        (("tell", "checkout", "blue", "--batch", "1"), "--batch must be n,sum"),
        (("tell", "checkout", "blue", "--batch", "1.5,1"), "whole number"),
        (("tell", "checkout", "blue", "--batch", "1,1", "--values", "1"), "not both"),
        (("tell", "checkout", "blue", "--control", "1"), "both control and treatment"),
        (("tell", "checkout", "blue", "--values", "1", "--correct"), "--correct needs --key"),
        (("tell", "checkout", "blue"), "values"),
        (("export", "checkout", "log.txt"), ".parquet"),
        (("export", "checkout", "log.csv"), "nothing to write"),
        (("export", "checkout", "there.csv"), "--overwrite"),
        (("clear", "checkout", "blue"), "not held"),
        (("record", "checkout", "blue", "shipped"), "not decided"),
        (("record", "checkout", "blue", "praised"), "shipped or dropped"),
        (("verify", "nowhere"), "there is no programme"),
    ],
)
def test_what_cannot_be_done_is_refused(arguments: tuple[str, ...], reason: str) -> None:
    """In one sentence, with nothing printed."""
    say("begin", "checkout", "blue")
    Path("there.csv").touch()
    assert_refused(("programme", *arguments), reason)


def test_an_empty_store_says_so() -> None:
    """And how to begin; the group alone shows its help."""
    listed = run("programme", "list", "--store", "sqlite:///new.db")
    assert listed.stdout.startswith("There is no programme in this store; ")
    assert run("programme").stdout == run("programme", "--help").stdout


def test_a_programme_starts_from_past_tests_of_a_file() -> None:
    """What samples are like and how long tests run is told by them, and said."""
    lines = [f"{test},1000,100,1000,{100 + 5 * (test % 7)}" for test in range(20)]
    Path("tests.csv").write_text("\n".join(["test,n_c,x_c,n_t,x_t", *lines, ""]))
    made = figures("programme", "create", "warm", "--from", "tests.csv", "--setup-cost", "100")
    assert (made["past_tests"], made["left_out"]) == (20, 0)
    assert "samples under Lift(0.1): " in made["sentence"]
    assert made["sentence"].endswith("It starts from 20 past tests of tests.csv.")
    told = figures(
        *("programme", "create", "short", "--from", "tests.csv"),
        *("--cap", "300", "--law", "Lift(0.1)", "--full-weeks"),
    )
    assert "boundaries of up to 300 samples under Lift(0.1)" in told["sentence"]
    taught = figures("programme", "create", "rungs", "--from", "tests.csv", "--learner", "ladder")
    assert taught["learner"] == "Ladder"
    assert taught["past_tests"] + taught["left_out"] == 20
    queried = figures("programme", "create", "asked", "--query", "from 'tests.csv'")
    assert queried["sentence"].endswith("It starts from 20 past tests of a query.")
    assert Programme.open("sqlite:///dwell.db", "short").settings.full_weeks


def test_a_programme_starts_from_the_terms_of_a_plan() -> None:
    """A prior, the law of samples, traffic and days."""
    made = figures(
        *("programme", "create", "planned", "--prior", "Normal(0, 0.005)"),
        *("--law", "Gaussian(0.16)", "--traffic-per-day", "1000", "--max-days", "28"),
    )
    assert "boundaries of up to 28,000 samples under Gaussian(0.16)" in made["sentence"]
    assert made["sentence"].endswith(
        "It starts from the prior Normal(0, 0.005), which counts as 20 past tests."
    )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--prior", "Normal(0, 1)"), "--prior needs --law, and --cap"),
        (("--prior", "Normal(0, 1)", "--from", "effects.csv", "--law", "Gaussian(1)"), "not both"),
        (("--from", "effects.csv"), "do not say how noisy one sample is: give --law"),
        (("--from", "effects.csv", "--query", "from x"), "give --from or --query, not both"),
        (("--law", "Signs", "--max-days", "3"), "give both --traffic-per-day and --max-days"),
        (("--law", "Signs", "--cap", "9", "--max-days", "3", "--traffic-per-day", "3"), "not both"),
        (("--law", "Signs", "--cap", "9", "--arms", "a,b"), "--arms needs past tests"),
        (("--learner", "fixed", "--from", "effects.csv", "--law", "Gaussian(1)"), "learns nothing"),
        (
            ("--law", "Signs", "--cap", "9", "--min-samples", "10"),
            "--min-samples must be at most the cap",
        ),
    ],
    ids=range(9),
)
def test_a_start_that_makes_no_sense_is_refused(options: tuple[str, ...], reason: str) -> None:
    """With what to do instead."""
    Path("effects.csv").write_text("effect,standard_error\n0.1,0.02\n0.2,0.02\n")
    assert_refused(("programme", "create", "new", *options), reason)


def test_what_each_test_taught_is_listed() -> None:
    """A row per test that was learned from, how it was decided, and the refit that followed."""
    say("create", "signs", "--law", "Signs", "--cap", "4", "--setup-cost", "1")
    assert say("audit", "signs") == "No test of signs has been learned from yet.\n"
    for number in range(1, 5):
        say("begin", "signs", f"idea-{number}")
        say("tell", "signs", f"idea-{number}", "--values", "-1,-1,-1,-1,1,1,1,1")
    listed = [line for line in say("audit", "signs").splitlines() if line.strip()]
    assert listed[0].split() == ["task", "samples", "effect", "decided", "verified", "refit"]
    rows = [line for line in listed if "idea-" in line]
    assert ["reject by 0" in line for line in rows] == [True] * 4
    assert rows[-1].split()[-1] == "1"
    assert_refused(("programme", "audit", "checkout"), "EmpiricalBayes")


def test_past_tests_are_taken_in_the_order_in_which_they_began() -> None:
    """Where their dates are known; then a change among them is told by dates."""
    effects = np.append(np.tile([0.5, 0.0], 20), np.full(40, -0.3))
    began = np.datetime64("2026-01-01") + np.arange(80)
    shuffled = np.random.default_rng(0).permutation(80)
    told = Summaries(effects[shuffled], np.full(80, 0.1), began=began[shuffled])
    law, past, dates = _under_law(told, Gaussian(1.0))
    assert dates is not None
    assert dates.tolist() == began.tolist()
    assert (past.in_order, past.sums.tolist()) == (True, (100.0 * effects).tolist())
    programme = Programme.create(
        "memory:", "warm", law=law, cap=100, past=past, past_began=dates, drift=True
    )
    [change] = programme.pool_changes()
    assert change.when.startswith("since ")
    assert " 2026 (between " in change.when
    assert _under_law(replace(told, began=None), Gaussian(1.0))[2] is None
