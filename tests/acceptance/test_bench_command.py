"""`dwell bench learners`."""

import csv
import json
import re
from pathlib import Path

import pytest

import dwell
from dwell.lab.suite import CASES, HELD_OUT, suite
from tests.acceptance.commands import assert_refused, assert_self_contained, figures, run

BENCH = ("bench", "learners")
# Worker processes take longer to start than these runs take.
ALONE = ("--workers", "1")
FEW = ("--learners", "fixed,etc", "--tasks", "100", "--replications", "2", *ALONE)
HOSTILE = ("--hostile", "--cases", "twice,falling-pool")
TINY = (*BENCH, "--instances", "three-point", *FEW)
FIELDS = {
    "instance": str,
    "case": str,
    "held_out": bool,
    "setup_cost": float,
    "learner": str,
    "tasks": int,
    "roi": float,
    "roi_error": float,
    "oracle_roi": float,
    "share": float,
    "share_error": float,
    "best_roi": float,
    "worst_roi": float,
    "score": float,
    "score_error": float,
    "lost": float,
    "lost_error": float,
    "lost_as_told": float,
    "lost_as_told_error": float,
    "explored": float,
    "dynamic_roi": float,
    "dynamic_share": float,
    "dynamic_share_error": float,
    "same_money": float,
    "same_money_error": float,
    "harmful": list,
    "adapted": list,
}
# Null where the pool of ideas does not change.
DRIFTING = set(list(FIELDS)[-7:])


def test_it_prints_a_row_per_instance_and_learner_and_a_column_per_tasks() -> None:
    """Rows and columns are in the suite's order, whatever the order of the options."""
    options = (*FEW[:2], *FEW[4:], "--tasks", "1_000,100,100")
    result = run(*BENCH, "--instances", "rare-win,three-point", *options)
    assert result.exit_code == 0
    assert result.stderr == "simulating 32 runs…\n"
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[2] == ["instance", "set-up", "learner", "100", "1,000"]
    shown = [line[:3] for line in lines if line[:1] in (["three-point"], ["rare-win"])]
    assert shown == 2 * [
        [name, setup_cost, learner]
        for name in ("three-point", "rare-win")
        for setup_cost in ("0", "20")
        for learner in ("etc", "fixed")
    ]
    assert "Lost" not in result.stdout
    assert "*" not in result.stdout


def test_the_share_of_all_there_is_to_earn_comes_first() -> None:
    """Then the share of what the class has to offer; held-out worlds have a mark."""
    printed = run(*BENCH, "--instances", "three-point,uniform", *FEW).stdout
    titles = [line for line in printed.splitlines() if "realised" in line]
    assert [title.split(":")[0] for title in titles] == ["Share", "Score"]
    assert titles[0].endswith("of all policies (* held out)")
    names = [line.split()[:2] for line in printed.splitlines() if "fixed" in line]
    assert names == 2 * [["three-point", "0"], ["three-point", "20"], *2 * [["uniform", "*"]]]


def test_what_is_lost_has_a_table_where_policies_lose() -> None:
    """A score has no meaning where no policy of the class earns: there is no table of it."""
    both = run(*BENCH, "--instances", "beta-8-12", *FEW).stdout
    assert "Score: realised ROI / best ROI of the class" in both
    assert "Lost: realised loss / loss of the worst policy" in both
    assert "Lost as told" not in both
    hardest = run(*BENCH, "--instances", "beta-45-55", *FEW).stdout
    assert "Score" not in hardest
    assert "Lost" in hardest
    assert "Share" in hardest


def test_its_json_has_the_fields_it_promises() -> None:
    """Each field is of one kind, or null where it has no meaning."""
    names = "three-point,beta-8-12,beta-45-55,headlines"
    printed = figures(*BENCH, "--instances", names, *FEW, "--seed", "3")
    rows = printed.pop("rows")
    about = dict.fromkeys(("grid", "scales", "drift", "hostile", "later_day"), False)
    own_rules = {"guard": None, "forget": None}
    assert printed == {"version": 1, **about, **own_rules, "replications": 2, "seed": 3}
    assert len(rows) == 14
    for row in rows:
        assert list(row) == list(FIELDS)
        empty = {name for name, value in row.items() if value is None}
        assert all(type(row[name]) is FIELDS[name] for name in FIELDS if name not in empty)
        losses = {"lost", "lost_error", "lost_as_told", "lost_as_told_error"}
        lossless = losses if row["worst_roi"] >= 0.0 else set()
        worthless = {"score", "score_error"} if row["best_roi"] <= 0.0 else set()
        assert empty == lossless | worthless | DRIFTING | {"case"}
        assert row["held_out"] == (row["instance"] == "headlines")
        assert (row["lost_as_told"], row["lost_as_told_error"]) == (row["lost"], row["lost_error"])
        assert (row["instance"] == "beta-45-55") == bool(worthless)


def test_its_json_is_what_the_library_computes() -> None:
    """Scores and losses are the ROI of `replicate` and `Summary` per that of `exact`."""
    options = ("--instances", "beta-3-7", "--learners", "etc", "--tasks", "1e3", *ALONE)
    rows = figures(*BENCH, *options, "--replications", "3", "--seed", "7")["rows"]
    for row, setup_cost in zip(rows, (0.0, 20.0), strict=True):
        caps = [2**power for power in range(9)]
        policies = dwell.hoeffding(caps, c=0.35, tasks=10_000, delta=0.05)
        world = dwell.World(dwell.Beta(3, 7), dwell.Signs())
        learner = dwell.ExploreThenCommit(policies, tasks=1000, setup_cost=setup_cost)
        runs = dwell.replicate(learner, world, 1000, replications=3, rng=7)
        summary = dwell.Summary.of(list(runs))
        roi = dwell.exact(policies, world, setup_cost).roi
        assert (row["roi"], row["roi_error"]) == (summary.roi, summary.roi_error)
        assert row["explored"] == summary.explored == 100
        assert (row["best_roi"], row["worst_roi"]) == (roi.max(), roi.min())
        oracle = dwell.oracle(world, 256, setup_cost).roi
        assert row["oracle_roi"] == oracle
        assert row["share"] == pytest.approx(summary.roi / oracle)
        assert row["share_error"] == pytest.approx(summary.roi_error / oracle)
        assert row["score"] == pytest.approx(summary.share)
        assert row["score_error"] == pytest.approx(summary.roi_error / roi.max())
        assert row["lost"] == pytest.approx(max(0.0, summary.roi / roi.min()))
        assert row["lost_error"] == pytest.approx(-summary.roi_error / roi.min())


def test_a_policy_that_loses_is_seen_to_lose_its_share() -> None:
    """On the hardest instance the longest policy's loss is known exactly."""
    options = ("--instances", "beta-45-55", "--learners", "fixed", "--tasks", "1e6", *ALONE)
    for row, instance in zip(figures(*BENCH, *options)["rows"], suite()[12:14], strict=True):
        roi = dwell.exact(instance.policies, instance.world, instance.setup_cost).roi
        assert row["lost"] == pytest.approx(roi[-1] / roi.min())
        assert row["lost"] > 0.1


def test_a_grid_has_more_to_choose_from() -> None:
    """Its best policy is at least as good, and its worst at least as bad."""
    [plain, *_], [grid, *_] = figures(*TINY)["rows"], figures(*TINY, "--grid")["rows"]
    assert grid["best_roi"] > plain["best_roi"]
    assert grid["worst_roi"] <= plain["worst_roi"]
    assert figures(*TINY, "--grid")["grid"] is True


def test_scales_take_the_place_of_the_papers_policies() -> None:
    """The same worlds, and more for the best of the class to earn."""
    papers, ours = (figures(*TINY, *options) for options in ((), ("--scales",)))
    assert not papers["scales"]
    assert ours["scales"]
    for paper, our in zip(papers["rows"], ours["rows"], strict=True):
        assert our["best_roi"] > paper["best_roi"]
        assert our["oracle_roi"] == paper["oracle_roi"]


def test_quick_has_fewer_tasks_and_runs_unless_they_are_given() -> None:
    """What is asked for by number wins."""
    longest = (*BENCH, "--instances", "headlines", "--learners", "fixed", *ALONE)
    usual, quick = figures(*longest), figures(*longest, "--quick")
    assert [row["tasks"] for row in usual["rows"]] == [30, 100, 300, 10**3, 10**4, 10**5]
    assert [row["tasks"] for row in quick["rows"]] == [30, 100, 10**3, 10**4]
    assert (usual["replications"], quick["replications"]) == (20, 5)
    asked = figures(*longest, "--quick", "--tasks", "1e5", "--replications", "1")
    assert [row["tasks"] for row in asked["rows"]] == [10**5]
    assert asked["replications"] == 1
    assert asked["rows"][0]["score_error"] is None


def test_held_out_worlds_have_the_suite_to_themselves() -> None:
    """Those of the suite that no constant was chosen on, and all that are there to be asked for."""
    rows = figures(*BENCH, "--held-out", "--learners", "fixed", *FEW[2:])["rows"]
    assert all(row["held_out"] for row in rows)
    assert list(dict.fromkeys(row["instance"] for row in rows)) == list(HELD_OUT)
    assert all(row["oracle_roi"] > row["best_roi"] > 0.0 for row in rows)


@pytest.mark.parametrize("names", [("--instances", "three-point,headlines"), HOSTILE])
def test_workers_change_nothing(names: tuple[str, ...]) -> None:
    """The same seed gives the same JSON for one and for two processes."""
    options = (*BENCH, *names, *FEW)
    assert run(*options, "--json", "--workers", "1").stdout == (
        run(*options, "--json", "--workers", "2").stdout
    )


def test_another_seed_gives_another_result() -> None:
    """The seed is what makes the figures repeatable."""
    assert figures(*TINY) == figures(*TINY, "--seed", "0") != figures(*TINY, "--seed", "1")


def test_files_hold_what_is_printed(tmp_path: Path) -> None:
    """CSV and JSON say the same as `--json`; what is missing is empty in CSV."""
    as_json, as_csv = tmp_path / "scores.json", tmp_path / "scores.csv"
    printed = figures(*TINY, "--out", str(as_json))
    assert json.loads(as_json.read_text()) == printed
    figures(*TINY, "--out", str(as_csv))
    with as_csv.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row, expected in zip(rows, printed["rows"], strict=True):
        assert row == {n: "" if value is None else str(value) for n, value in expected.items()}


def test_its_page_has_a_chart_per_instance_and_needs_no_network(tmp_path: Path) -> None:
    """The page says what each instance is, and is one whole file."""
    page = tmp_path / "page.html"
    names = "uniform,beta-8-12,beta-45-55"
    assert run(*BENCH, "--instances", names, *FEW, "--plot", str(page)).exit_code == 0
    assert_self_contained(page)
    text = page.read_text(encoding="utf-8")
    for name, charts in (("uniform", 2), ("beta-8-12", 3), ("beta-45-55", 2)):
        for setup_cost in (0, 20):
            title = f"{name}, set-up cost {setup_cost}{' *' * (name == 'uniform')}"
            assert text.count(f"<figcaption>{title}</figcaption>") == charts
            assert text.count(f"<dt>{title}</dt>") == 1


def test_help_names_every_instance_and_learner() -> None:
    """What can be asked for is said where people look for it."""
    words = re.sub(r"-\n +", "-", run(*BENCH, "--help").stdout)
    for mark in ",;:().":
        words = words.replace(mark, " ")
    assert {instance.name for instance in suite(more=True)} | set(CASES) | {
        "ladder",
        "cape",
        "cape-sharp",
        "etc",
        "fixed",
    } <= set(words.split())


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--instances", "beta"), "there is no instance 'beta'; the instances are three-point, "),
        (("--instances", "three-point,"), "there is no instance ''"),
        (("--instances", "Uniform"), "uniform, mostly-null, rare-win, beta-8-12"),
        (("--instances", "uniform", "--held-out"), "give --instances or --held-out, not both"),
        (("--grid", "--scales"), "give --grid or --scales, not both"),
        (("--cases", "twice"), "--cases says how to be hostile; give --hostile too"),
        (("--later-day",), "--later-day says how to be hostile; give --hostile too"),
        (("--hostile", "--cases", "thrice"), "there is no case 'thrice'; the cases are twice, "),
        (("--hostile", "--instances", "headlines"), "leave headlines out"),
        (
            ("--learners", "esc"),
            "there is no learner 'esc'; the learners are empirical-bayes, ladder, ",
        ),
        (("--learners", "etc fixed"), "there is no learner 'etc fixed'"),
        (("--tasks", "0"), ">= 1"),
        (("--tasks", "1e2,,1e3"), "must be a number"),
        (("--tasks", "1e30"), "10^18"),
        (("--replications", "0"), ">= 1"),
        (("--replications", "1e9"), "at most 1,000,000"),
        (("--workers", "0"), ">= 1"),
        (("--seed", "-1"), ">= 0"),
        (("--out", "scores.txt"), "end in .csv, .json or .html"),
        (("--out", "missing/scores.csv"), "there is no folder missing; choose another --out"),
        (("--plot", "scores.png"), "end in .html"),
        (("--plot", "missing/scores.html"), "there is no folder missing; choose another --plot"),
        (("--setup-cost", "20"), "No such option"),
    ],
)
def test_every_bad_value_gets_one_sentence(options: tuple[str, ...], reason: str) -> None:
    """Before anything is run."""
    assert_refused((*BENCH, *options), reason)


def test_an_unknown_bench_gets_one_sentence() -> None:
    """There are benches of learners only."""
    assert_refused(("bench", "policies"), "No such command 'policies'")


def test_the_guard_can_be_switched_where_there_is_one() -> None:
    """It changes what empirical-bayes does, and nothing else; alone, ladder has no use for it."""
    few = ("--instances", "rare-win", "--tasks", "60", "--replications", "2", "--workers", "1")
    both = ("bench", "learners", "--learners", "empirical-bayes,ladder", *few)
    printed = [figures(*both, *switch) for switch in ((), ("--guard",), ("--no-guard",))]
    assert [each["guard"] for each in printed] == [None, True, False]
    # Rows: empirical-bayes and ladder at a set-up cost of 0, both at 20.
    rois = [[row["roi"] for row in each["rows"]] for each in printed]
    own, guarded, unguarded = rois
    assert own == [unguarded[0], *guarded[1:]]
    assert guarded[0] != unguarded[0]
    assert guarded[2] != unguarded[2]
    assert guarded[1::2] == unguarded[1::2]
    refused = run("bench", "learners", "--learners", "ladder,etc", *few, "--no-guard")
    assert refused.exit_code == 2
    assert "--no-guard means nothing to the learners ladder, etc; leave it out" in refused.stderr
