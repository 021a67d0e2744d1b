"""`dwell bench learners --drift` and `dwell simulate --drift`: pools of ideas that change."""

import json
from pathlib import Path
from typing import Any

import pytest

import dwell
from dwell.cli.contest import Contest
from dwell.lab.drift_scores import drift_scores, dynamic_roi
from dwell.lab.drift_suite import DRIFTS, HELD_OUT_DRIFTS
from dwell.lab.suite import suite
from dwell.learners.registry import arguments_of
from tests.acceptance.commands import assert_refused, assert_self_contained, figures, run

BENCH = ("bench", "learners", "--drift")
ALONE = ("--workers", "1")
FEW = ("--tasks", "60", "--replications", "2", *ALONE)
FAST = ("--learners", "etc,fixed", *FEW)
SIMULATE = ("simulate", "--drift", "good-to-bad")


def test_the_tables_have_both_scores_and_the_harm_in_each_pool() -> None:
    """Worlds that are held out have a mark; of many pools the harm of three is shown."""
    printed = run(*BENCH, "--instances", "ramp,two-changes", *FAST).stdout
    lines = printed.splitlines()
    assert [line.split(":")[0] for line in lines if ": " in line] == [
        "Dynamic share",
        "Same money",
        "Share",
        "Harmful",
        "Adapted",
    ]
    assert max(map(len, lines)) <= 80
    names = [line.split()[0] for line in lines if "fixed" in line]
    both = 2 * ["two-changes"]
    assert names == [*4 * ["ramp", "ramp", *both], *both]
    # Of a policy that never changes: of the other pools' best it earns so much, or never does.
    assert lines[-2].split()[-3:] in (["never", "/", "never"], ["never", "/", "0"])


def test_a_row_is_what_the_library_computes() -> None:
    """Replications with the same seed, and scores by exact figures of each pool."""
    options = ("--instances", "bad-to-good", "--learners", "ladder", *FEW, "--seed", "7")
    printed = figures(*BENCH, *options)
    assert (printed["drift"], printed["hostile"], printed["forget"]) == (True, False, None)
    world = DRIFTS["bad-to-good"]
    for row, setup_cost in zip(printed["rows"], (0.0, 20.0), strict=True):
        learner = dwell.Ladder(suite()[0].policies, setup_cost=setup_cost)
        runs = list(dwell.replicate(learner, world, 60, replications=2, rng=7))
        scores = drift_scores(runs, 256)
        assert row["dynamic_roi"] == dynamic_roi(world, 60, 256, setup_cost)
        for name in ("dynamic_share", "dynamic_share_error", "same_money", "same_money_error"):
            assert row[name] == getattr(scores, name)
        assert (row["harmful"], row["adapted"]) == (list(scores.harmful), list(scores.adapted))
        assert row["roi"] == dwell.Summary.of(runs).roi
        # Somebody who changes can be better than whoever never does, and worse.
        assert row["share"] == pytest.approx(row["roi"] / row["oracle_roi"])
        assert row["held_out"] is False


def test_worlds_that_are_held_out_are_there_to_be_asked_for() -> None:
    """The others are what there is by default."""
    asked: dict[str, Any] = {"instances": None, "cases": None}
    asked |= dict.fromkeys(("hostile", "later_day", "grid", "scales"), False)
    usual, others = (
        Contest(**asked, drift=True, held_out=held_out).chosen() for held_out in (False, True)
    )
    names = [name for name in DRIFTS if name not in HELD_OUT_DRIFTS]
    assert list(dict.fromkeys(instance.name for instance in usual)) == names
    assert tuple(dict.fromkeys(instance.name for instance in others)) == HELD_OUT_DRIFTS


def test_budgets_are_those_of_companies() -> None:
    """Fewer with --quick; of a single run there is no error."""
    season = (*BENCH, "--instances", "alternating", "--learners", "fixed", *ALONE)
    usual, quick = figures(*season, "--replications", "1"), figures(*season, "--quick")
    assert [row["tasks"] for row in usual["rows"]] == 2 * [300, 1_000, 3_000]
    assert [row["tasks"] for row in quick["rows"]] == 2 * [300, 1_000]
    assert usual["rows"][0]["same_money_error"] is None
    assert (usual["replications"], quick["replications"]) == (1, 5)


def test_workers_change_nothing() -> None:
    """The same seed gives the same JSON for one and for two processes."""
    options = (*BENCH, "--instances", "alternating", *FAST, "--json")
    assert run(*options).stdout == run(*options[:-3], "--json", "--workers", "2").stdout


def test_the_page_says_what_changes(tmp_path: Path) -> None:
    """A chart per instance and measure, the harm as a table, and each world in words."""
    page = tmp_path / "page.html"
    names = "good-to-bad,short-season"
    assert run(*BENCH, "--instances", names, *FAST, "--plot", str(page)).exit_code == 0
    assert_self_contained(page)
    text = page.read_text(encoding="utf-8")
    assert "The pool of ideas changes while learners run" in text
    assert text.count("<figcaption>good-to-bad, set-up cost 20</figcaption>") == 3
    assert "<dt>short-season, set-up cost 0 *</dt>" in text
    assert "per 100 tests of a pool" in text
    assert "no constant was chosen on this world." in text


def test_help_names_every_world_that_changes() -> None:
    """Where people look for what can be asked for."""
    words = " ".join(run(*BENCH, "--help").stdout.replace("-\n", "-").split())
    for name in DRIFTS:
        assert name in words.replace("- ", "-")


def test_simulate_has_both_scores_instead_of_the_regret() -> None:
    """And compares with the best policy that never changes; ladder shows its candidates too."""
    few = ("--tasks", "50,100", "--replications", "2", "--learner", "ladder")
    lines = run(*SIMULATE, *few).stdout.splitlines()
    assert lines[1].split()[-5:] == ["dynamic", "same", "money", "left", "cap"]
    assert max(map(len, lines)) <= 80
    printed = figures(*SIMULATE, *few)
    assert printed["world"] == str(DRIFTS["good-to-bad"])
    for row in printed["rows"]:
        assert row["dynamic_roi"] == dynamic_roi(DRIFTS["good-to-bad"], 50, 256, 20.0)
        assert row["dynamic_share"] == pytest.approx(row["roi"] / row["dynamic_roi"])
        assert row["same_money"] is not None
        assert row["regret"] == pytest.approx(printed["best_roi"] - row["roi"])
    still = figures("simulate", "--tasks", "50", "--replications", "2", "--learner", "ladder")
    assert {still["rows"][0][name] for name in ("dynamic_roi", "same_money")} == {None}


def test_simulated_runs_in_a_world_that_changes_have_budgets_of_their_own() -> None:
    """All tasks are drawn: there are fewer of them by default."""
    printed = figures(*SIMULATE, "--learner", "fixed", "--replications", "1")
    assert [row["tasks"] for row in printed["rows"]] == [300, 1_000, 3_000]


def test_a_run_shows_both_scores() -> None:
    """Where a result shows itself, in a data frame too."""
    run_ = dwell.simulate(dwell.Ladder(dwell.fixed(4, 1)), DRIFTS["ramp"], 50, rng=0)
    [row] = run_.to_dict()["rows"]
    scores = drift_scores([run_], 4)
    assert (row["dynamic_share"], row["same_money"]) == (scores.dynamic_share, scores.same_money)
    assert "ChangingWorld(Normal(0.1, 0.15) then" in repr(run_)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((*BENCH, "--hostile"), "give --drift or --hostile, not both"),
        ((*BENCH, "--instances", "uniform"), "nothing changes in uniform; with --drift the"),
        (("bench", "learners", "--instances", "ramp"), "the pool of ramp changes; give --drift"),
        ((*BENCH, "--instances", "ramp", "--held-out"), "give --instances or --held-out, not both"),
        ((*BENCH, "--instances", "drop"), "there is no instance 'drop'"),
        (
            ("simulate", "--drift", "drop"),
            "--drift must name a world that changes, got 'drop'; they are good-to-bad, ",
        ),
        ((*SIMULATE, "--prior", "Beta(2, 3)"), "give --drift or --prior, not both"),
        (("simulate", "--law", "Signs", "--drift", "ramp"), "give --drift or --law, not both"),
        ((*SIMULATE, "--samples", "1000"), "with --drift, give --tasks instead of --samples"),
        ((*SIMULATE, "--learner", "esc"), "world must be a World"),
        ((*BENCH, "--learners", "etc", "--forget"), "--forget means nothing to the learner etc"),
        (
            ("simulate", "--learner", "ladder", "--no-forget"),
            "--no-forget means nothing to the learner ladder",
        ),
    ],
)
def test_every_bad_value_gets_one_sentence(options: tuple[str, ...], reason: str) -> None:
    """Before anything is run."""
    assert_refused(options, reason)


@pytest.mark.parametrize("forget", [None, True, False])
def test_a_learner_is_told_whether_to_forget_only_if_somebody_said_so(
    monkeypatch: pytest.MonkeyPatch, forget: bool | None
) -> None:
    """Its own rule holds otherwise."""
    offered: list[dict[str, Any]] = []

    def made(_: str, **arguments: Any) -> dwell.Learner:
        offered.append(arguments)
        return dwell.Ladder(arguments["policies"])

    monkeypatch.setattr("dwell.lab.suite.make", made)
    suite()[0].learner("ladder", 10, drift=forget)
    [arguments] = offered
    assert arguments.get("drift", "nothing was said") == (
        "nothing was said" if forget is None else forget
    )


def test_forgetting_can_be_switched_where_a_learner_knows_how() -> None:
    """It is refused, in one sentence, where none does."""
    options = (*BENCH, "--instances", "ramp", "--learners", "empirical-bayes", *FEW)
    result = run(*options, "--no-forget", "--json")
    if "drift" in arguments_of("empirical-bayes"):
        assert json.loads(result.stdout)["forget"] is False
    else:
        assert "--no-forget means nothing to the learner empirical-bayes" in result.stderr
