"""`dwell simulate`."""

import csv
import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

import dwell
from dwell.cli.running import Job, run_all
from dwell.cli.waiting import announce
from tests.acceptance.commands import SMALL, assert_self_contained, figures, run, started

FEW = ("--replications", "3", *SMALL)
LADDER = ("simulate", "--learner", "ladder")
POLICIES = dwell.hoeffding([1, 2, 4, 8], c=0.35, tasks=10_000, delta=0.05)


def test_it_prints_a_row_per_number_of_tasks() -> None:
    """A list of tasks gives as many rows, with what they say of the best ROI."""
    result = run(*LADDER, "--tasks", "1e3,10_000", *FEW)
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()[3:-1]] == ["1,000", "10,000"]
    assert "of best" in result.stdout


def test_without_a_name_it_runs_empirical_bayes() -> None:
    """Its table has no candidates and no caps, its best is the best of all policies."""
    options = ("simulate", "--tasks", "30,100", "--caps", "4,16", "--replications", "2")
    header = run(*options).stdout.splitlines()[1]
    assert re.split(" {2,}", header.strip()) == [
        "tasks", "ROI", "± error", "of best", "regret", "learned from",
    ]  # fmt: skip
    rows = figures(*options)["rows"]
    world = dwell.World(dwell.Atoms([-0.05, 0.6], [0.9, 0.1]), dwell.Signs())
    best = dwell.oracle(world, cap=16, setup_cost=20.0).roi
    learner = dwell.EmpiricalBayes(dwell.Signs(), cap=16, setup_cost=20.0)
    for row, tasks in zip(rows, (30, 100), strict=True):
        runs = list(dwell.replicate(learner, world, tasks, replications=2, rng=0))
        assert row["roi"] == dwell.Summary.of(runs).roi
        assert row["best_roi"] == pytest.approx(best, rel=1e-9)
        chosen = [row[name] for name in ("candidates", "chosen_cap", "chosen_share")]
        assert [row["learner"], row["explored"], *chosen] == ["empirical-bayes", tasks, *[None] * 3]


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        (("--no-guard",), {"guard": False}),
        (("--guard", "--setup-cost", "0"), {"guard": True, "setup_cost": 0.0}),
        (("--budget", "5"), {"budget": 5.0}),
        (("--looks", "4", "--min-samples", "8"), {"looks": 4, "min_samples": 8}),
        (("--caution", "0.5"), {"caution": 0.5}),
    ],
)
def test_what_empirical_bayes_is_made_with_can_be_given(
    options: tuple[str, ...], arguments: dict[str, Any]
) -> None:
    """Each option is the argument of its name."""
    few = ("--caps", "16", "--tasks", "60", "--replications", "1")
    [row] = figures("simulate", *few, *options)["rows"]
    world = dwell.World(dwell.Atoms([-0.05, 0.6], [0.9, 0.1]), dwell.Signs())
    learner = dwell.EmpiricalBayes(dwell.Signs(), cap=16, **({"setup_cost": 20.0} | arguments))
    [expected] = dwell.replicate(learner, world, 60, replications=1, rng=0)
    assert row["roi"] == expected.roi


def test_its_json_is_what_the_library_computes() -> None:
    """Every figure equals that of `replicate` and `Summary` with the same seed."""
    [row] = figures(*LADDER, "--tasks", "1e4", "--seed", "7", *FEW)["rows"]
    policies = dwell.hoeffding([1, 2, 4, 8], c=0.35, tasks=10_000, delta=0.05)
    world = dwell.World(dwell.Atoms([-0.05, 0.6], [0.9, 0.1]), dwell.Signs())
    learner = dwell.Ladder(policies, setup_cost=20.0)
    runs = list(dwell.replicate(learner, world, 10**4, replications=3, rng=7))
    summary = dwell.Summary.of(runs)
    for name in ("roi", "roi_error", "best_roi", "share", "regret", "explored"):
        assert row[name] == getattr(summary, name)
    assert row["chosen_cap"] in {policies.caps[run.chosen or 0] for run in runs}


@pytest.mark.parametrize("learner", ["ladder", "cape", "cape-sharp", "etc", "fixed"])
def test_learners_of_finite_classes_end_with_one_of_the_caps(learner: str) -> None:
    """What is chosen is one of the caps that were given."""
    [row] = figures("simulate", "--learner", learner, "--tasks", "1e4", *FEW)["rows"]
    assert row["chosen_cap"] in (1, 2, 4, 8)
    assert row["learner"] == learner
    assert (row["regret_bound"] is None) == (learner != "cape")


@pytest.mark.parametrize("learner", ["esc", "esc-cape"])
def test_learners_of_countable_classes_find_how_many_policies_matter(learner: str) -> None:
    """On values -1, 0 and 1 the search ends, and the policies that it leaves are counted."""
    [row] = figures(
        "simulate", "--learner", learner, "--tasks", "1e6", "--replications", "1", "--c", "0.35",
        "--prior", "Atoms(-1, 0, 1)", "--setup-cost", "0",
    )["rows"]  # fmt: skip
    assert row["candidates"] > 1
    assert (row["chosen_cap"] is None) == (learner == "esc")
    assert row["roi_error"] is None


def test_a_search_that_fails_says_so_and_earns_nothing() -> None:
    """Running out of tasks is a result with a note, not an error."""
    result = run("simulate", "--learner", "esc", "--tasks", "100", "--replications", "1", "--json")
    assert result.exit_code == 0
    [row] = json.loads(result.stdout)["rows"]
    assert (row["roi"], row["chosen_cap"], row["candidates"]) == (0.0, None, 0.0)
    assert result.stderr.splitlines()[-1] == (
        "Note: with 100 tasks, ESC ran out of tasks and accepted nothing"
    )


def test_a_vacuous_guarantee_is_a_note_and_no_warning() -> None:
    """It is said once, in a line of its own, with what it would take."""
    options = ("--learner", "cape", "--tasks", "1e3,1e4", "--replications", "1")
    result = run("simulate", *options)
    notes = [line for line in result.stderr.splitlines() if line.startswith("Note: ")]
    assert len(notes) == 1
    assert "with 10,000 tasks, CAPE's guarantee is vacuous here" in notes[0]
    assert "Warning" not in result.stderr


def test_a_guarantee_that_is_vacuous_for_few_tasks_only_is_said_for_those() -> None:
    """More tasks in the same list do not hide it."""
    options = ("--learner", "cape", "--tasks", "1e3,1e6", "--replications", "1")
    result = run("simulate", *options, "--caps", "1,2,4")
    assert "Note: with 1,000 tasks, CAPE's guarantee" in result.stderr
    assert "Note: with 1,000,000 tasks" not in result.stderr


def test_ladder_has_nothing_to_say_before_it_has_run() -> None:
    """That it has no choice yet is no news; nor is a guarantee that only CAPE has."""
    result = run(*LADDER, "--tasks", "1e3", *FEW)
    assert result.stderr == "simulating 3 runs…\n"


@pytest.mark.parametrize(("tasks", "left"), [("20", "2"), ("1e5", "0")])
def test_rejecting_everything_is_a_choice_without_a_cap(tasks: str, left: str) -> None:
    """Where every policy loses, with candidates and without: "none" in the table, and why."""
    options = ("--prior", "Atoms(-0.1)", "--caps", "1,2", "--c", "0.01", "--replications", "2")
    result = run(*LADDER, "--tasks", tasks, *options)
    assert result.stdout.splitlines()[3].split()[-2:] == [left, "none"]
    assert result.stderr.splitlines()[-1].endswith("everything is rejected")


@pytest.mark.parametrize("learner", ["etc", "ladder"])
def test_a_budget_of_samples_is_used_up(learner: str) -> None:
    """With `--samples` the rows are by samples, and tasks are counted."""
    options = ("simulate", "--samples", "1e4,1e5", "--learner", learner, *FEW)
    result = run(*options)
    assert result.stdout.split()[0] == "samples"
    rows = figures(*options)["rows"]
    assert [row["samples"] for row in rows] == [10**4, 10**5]
    assert all(row["tasks"] < row["samples"] for row in rows)


def test_sampled_differs_from_expectations_but_not_by_much() -> None:
    """Drawing what follows the exploration adds noise and nothing else."""
    options = ("simulate", "--tasks", "1e5", "--learner", "fixed", *FEW)
    [expected], [drawn] = figures(*options)["rows"], figures(*options, "--sampled")["rows"]
    assert expected["roi_error"] == 0.0
    # 6 standard errors: a false alarm in fewer than one seed in 10^8.
    assert abs(drawn["roi"] - expected["roi"]) < 6 * drawn["roi_error"]
    assert drawn["roi"] != expected["roi"]


def test_a_world_where_nothing_is_worth_accepting_has_no_share() -> None:
    """With a best ROI of 0 there is nothing to take a share of."""
    options = (*LADDER, "--prior", "Atoms(-0.5)", "--tasks", "100", *FEW)
    assert figures(*options)["rows"][0]["share"] is None
    assert run(*options).exit_code == 0


@pytest.mark.parametrize(("learner", "bound"), [("cape", "2.5"), ("ladder", "12")])
def test_gaussian_observations_are_run_with_the_bound_that_is_given(
    learner: str, bound: str
) -> None:
    """A scale, or what is hardly ever exceeded, in place of the bound that they do not have."""
    options = ("--learner", learner, "--law", "Gaussian(2)", "--bound", bound)
    assert len(figures("simulate", *options, "--tasks", "1e3", *FEW)["rows"]) == 1


def test_workers_change_nothing() -> None:
    """The same seed gives the same JSON for one and for two processes."""
    options = (*LADDER, "--tasks", "1e3,1e4", *FEW)
    assert figures(*options, "--workers", "2") == figures(*options, "--workers", "1")


def test_another_seed_gives_another_result() -> None:
    """The seed is what makes the figures repeatable."""
    options = (*LADDER, "--tasks", "1e3", *FEW)
    assert figures(*options) == figures(*options, "--seed", "0") != figures(*options, "--seed", "1")


def test_files_hold_what_is_printed(tmp_path: Path) -> None:
    """CSV and JSON say the same as `--json`; what is missing is empty in CSV."""
    as_json, as_csv = tmp_path / "figures.json", tmp_path / "figures.csv"
    printed = figures(*LADDER, "--tasks", "1e3", *FEW, "--out", str(as_json))
    assert json.loads(as_json.read_text()) == printed
    figures(*LADDER, "--tasks", "1e3", *FEW, "--out", str(as_csv))
    with as_csv.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row, expected in zip(rows, printed["rows"], strict=True):
        assert row == {n: "" if value is None else str(value) for n, value in expected.items()}


@pytest.mark.parametrize(
    "options",
    [
        ("--tasks", "10,30", "--replications", "3", "--caps", "8"),
        ("--samples", "1e3", "--replications", "3", "--caps", "8"),
        ("--learner", "ladder", "--tasks", "1e3,1e4", *FEW),
        ("--learner", "ladder", "--samples", "1e4", *FEW),
        ("--learner", "etc", "--tasks", "1e3", *FEW),
        ("--learner", "cape", "--tasks", "1e3,1e4", *FEW),
        ("--learner", "ladder", "--prior", "Atoms(-0.5)", "--tasks", "1e3", *FEW),
    ],
)
def test_its_page_needs_no_network(tmp_path: Path, options: tuple[str, ...]) -> None:
    """The plot is one whole file, also where there is no regret to draw."""
    page = tmp_path / "page.html"
    assert run("simulate", *options, "--plot", str(page)).exit_code == 0
    assert_self_contained(page)


def test_the_page_says_which_regrets_a_log_axis_cannot_show(tmp_path: Path) -> None:
    """A regret of 0 is left out of the figure, with a word about it."""
    page = tmp_path / "page.html"
    run("simulate", "--learner", "fixed", "--caps", "8", "--tasks", "1e3", "--plot", str(page))
    assert "left out at 1,000 tasks" in page.read_text(encoding="utf-8")


def test_the_page_says_where_a_search_found_no_candidates(tmp_path: Path) -> None:
    """A failed search has no line in the figure, with a word about it."""
    page = tmp_path / "page.html"
    run("simulate", "--learner", "esc", "--tasks", "100", "--plot", str(page))
    assert "No candidates were found with 100 tasks" in page.read_text(encoding="utf-8")


def test_the_page_draws_how_the_last_candidate_went(tmp_path: Path) -> None:
    """Candidates that were all dropped had been found."""
    page = tmp_path / "page.html"
    options = ("--prior", "Atoms(-0.1)", "--caps", "1,2", "--c", "0.01", "--replications", "1")
    run(*LADDER, "--tasks", "1e5", *options, "--plot", str(page))
    assert "No candidates were found" not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_stops_it_without_a_traceback(workers: str) -> None:
    """An interrupt of the whole group of processes ends all of them, with exit code 130."""
    endless = (*LADDER, "--sampled", "--tasks", "1e15", *SMALL, "--workers", workers)
    with started(*endless) as process:
        assert process.stderr is not None
        assert "this may take up to " in process.stderr.readline()
        assert process.stderr.readline() == "simulating 20 runs…\n"
        os.killpg(process.pid, signal.SIGINT)
        table, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert table == ""
    assert said.split() == ["Stopped."]


def test_workers_end_with_the_command_that_is_told_to_end() -> None:
    """A signal to the command alone leaves no worker behind: all ends of its pipes are closed."""
    endless = (*LADDER, "--sampled", "--tasks", "1e15", *SMALL, "--workers", "2")
    with started(*endless) as process:
        assert process.stderr is not None
        assert "this may take up to " in process.stderr.readline()
        assert process.stderr.readline() == "simulating 20 runs…\n"
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)  # waits for whoever holds the pipes
    assert process.returncode == 128 + signal.SIGTERM


def test_it_says_how_long_it_will_take_before_it_begins() -> None:
    """Where that is over a minute; what is soon over needs no word."""
    told = (*LADDER, "--tasks", "1e15", *SMALL)
    with started(*told) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        assert process.stderr.readline() == "simulating 20 runs…\n"
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
    # Days or years, by how fast the machine is.
    long = r"Note: this may take up to [\d,.]+ (days|years?), if no learner settles before; "
    assert re.match(long, said)
    assert "may take" not in run("simulate", "--tasks", "1e18", "--learner", "fixed").stderr
    assert "may take" not in run(*LADDER, "--tasks", "1e3", *SMALL).stderr


@pytest.mark.parametrize(("tasks", "said"), [(10**5, False), (10**9, True)])
def test_a_learner_that_computes_is_waited_for_sooner(
    tasks: int, said: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its tasks take longer than those of learners that choose: fewer of them are worth a word."""
    world = dwell.World(dwell.Atoms([-0.1, 0.3]), dwell.Signs())
    learner = dwell.EmpiricalBayes(dwell.Signs(), cap=4, setup_cost=20.0)
    announce([Job(learner=learner, world=world, tasks=tasks, replications=1)])
    assert ("this may take up to " in capsys.readouterr().err) == said


@pytest.mark.parametrize(
    ("learner", "sampled", "most"),
    [
        (dwell.Ladder(POLICIES), False, 10**9),
        (dwell.Cape(POLICIES, tasks=10**9, announce=False), False, 10**6),
        (dwell.Cape(POLICIES, tasks=10**9, announce=False), True, 10**9),
        (dwell.Fixed(dwell.first_sample()), False, 0),
        (dwell.EscCape(dwell.Countable(c=0.5, tasks=10**4, delta=0.05), tasks=10**9), False, 10**9),
    ],
    ids=lambda given: type(given).__name__ if isinstance(given, dwell.Learner) else str(given),
)
def test_what_may_have_to_be_drawn_is_known_beforehand(
    learner: dwell.Learner, sampled: bool, most: int
) -> None:
    """What a learner settles enters by its expectation, and takes no time."""
    world = dwell.World(dwell.Atoms([-1, 1]), dwell.Signs())
    job = Job(learner=learner, world=world, tasks=10**9, replications=1)
    assert job.most_tasks(sampled) == most


def test_progress_is_shown_within_a_run() -> None:
    """In parts that sum to one run each, whatever share of its tasks had to be drawn."""
    world = dwell.World(dwell.Atoms([-0.1, 0.3]), dwell.Signs())
    told: list[float] = []
    cape = dwell.Cape(POLICIES, tasks=10**9, announce=False)
    for learner, tasks in ((dwell.Ladder(POLICIES), 10**6), (cape, 10**9)):
        job = Job(learner=learner, world=world, tasks=tasks, replications=2)
        told.clear()
        [runs] = run_all([job], seed=0, executor=None, advance=told.append)
        assert len(runs) == 2
        assert sum(told) == pytest.approx(2.0)
        assert len(told) > 4
        assert min(told) >= 0.0
