"""`dwell plan`."""

import csv
import importlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import dwell
from dwell.history.reading.summaries import summaries
from dwell.planning import RULES, Terms, plan
from tests.acceptance.commands import assert_refused, assert_self_contained, figures, run

FEW = ("plan", "--rules", "p05-two-sided,posterior")
SMALL = ("--law", "Signs", "--prior", "Beta(2, 3)", "--traffic-per-day", "20", "--max-days", "2")
FIELDS = {
    "name": str,
    "title": str,
    "roi": float,
    "roi_error": float,
    "left_on_the_table": float,
    "value_per_year": float,
    "tests_per_year": float,
    "samples_per_test": float,
    "days_per_test": float,
    "ship_rate": float,
    "wrong_share": float,
    "note": str,
}
ABOUT = {
    "version": int,
    "prior": str,
    "law": str,
    "setup_cost": float,
    "price_per_sample": float,
    "value_of_lift": float,
    "traffic_per_day": int,
    "min_days": int,
    "max_days": int,
    "looks": int,
    "assumed": list,
    "advice": list,
    "best": list,
    "simple": list,
    "notes": list,
}
EFFECTS = "effect,standard_error\n" + "".join(f"{(k % 7 - 3) / 500},0.002\n" for k in range(40))
COUNTS = "name,n_c,x_c,n_t,x_t\n" + "".join(f"t{k},4000,40,4000,{25 + k}\n" for k in range(40))
ROI = r"-?\d\.\d*(e-\d+)?"
UPWORTHY = Path(__file__).parents[3] / "shared/data/upworthy_pairs.csv"


def test_it_tells_what_to_do_what_that_earns_and_what_current_rules_leave() -> None:
    """Three paragraphs, the ranking and the limits of the best; notes go to stderr."""
    result = run("plan")
    assert result.exit_code == 0
    do, earns, leave, *_ = result.stdout.split("\n\n")
    assert do.startswith("What to do: Look every day. On day 1 ship what is 0.25 standard errors")
    assert earns.startswith("What it earns: 19,")
    assert leave.startswith("What current rules leave on the table: 90% (28 days, p < 0.05 two-")
    lines = result.stdout.splitlines()
    [header] = [index for index, line in enumerate(lines) if "way of testing" in line]
    assert lines[header + 2].split()[:4] == ["best", "policy", "there", "is"]
    assert lines[header + 3].split()[:3] == ["best", "simple", "rule"]
    assert "When the best policy there is stops" in lines
    told = result.stderr.splitlines()
    assert told[0] == "computing the plan…"
    assert all(line.startswith("Note: ") for line in told[1:])


def test_its_json_has_the_fields_it_promises() -> None:
    """Each of one kind; the error is null but for what is simulated."""
    printed = figures("plan")
    rows = printed.pop("rows")
    assert {name: type(value) for name, value in printed.items()} == ABOUT
    assert len(printed["advice"]) == 3
    assert {row["name"] for row in rows} == {"best", "simple", *RULES}
    for row in rows:
        assert list(row) == list(FIELDS)
        exact = row["name"] != "fdr"
        assert (row["roi_error"] is None) == exact
        kinds = {name: type(value) for name, value in row.items() if value is not None}
        assert kinds == {name: FIELDS[name] for name in kinds}
    for look in (*printed["best"], *printed["simple"]):
        assert list(look) == ["day", "samples", "drop", "ship"]
        assert look["drop"] <= look["ship"]


def test_its_json_is_what_the_library_computes() -> None:
    """Also under a law on a lattice."""
    options = (
        *FEW,
        *SMALL,
        "--setup-cost",
        "3",
        "--value-of-lift",
        "10",
        "--price-per-sample",
        "0",
    )
    printed = figures(*options)
    world = dwell.World(dwell.Beta(2, 3), dwell.Signs())
    assert printed["rows"][0]["roi"] == pytest.approx(dwell.oracle(world, 40, 3).roi)
    terms = Terms(
        world=world,
        setup_cost=3,
        value_of_lift=10,
        traffic_per_day=20,
        min_days=0,
        max_days=2,
    )
    found = plan(terms, ["p05-two-sided", "posterior"])
    assert [row["roi"] for row in printed["rows"]] == [option.roi for option in found.ranking]
    year = [terms.value_per_year(option.roi) for option in found.ranking]
    assert [row["value_per_year"] for row in printed["rows"]] == year


def test_the_same_options_give_the_same_result() -> None:
    """To the last digit, what is simulated too."""
    assert run("plan", "--json").stdout == run("plan", "--json").stdout


def test_rules_can_be_chosen() -> None:
    """The best and the simple one are always there; with none there is nothing to leave."""
    rows = figures("plan", "--rules", "pocock, msprt")["rows"]
    assert {row["name"] for row in rows} == {"best", "simple", "pocock", "msprt"}
    assert "(mSPRT" in run("plan", "--rules", "msprt").stdout


def test_one_rule_may_be_given_by_its_name_alone() -> None:
    """It is no list of letters."""
    terms = Terms(world=dwell.World(dwell.Normal(0, 0.01), dwell.Gaussian(0.5)), max_days=5)
    assert [option.name for option in plan(terms, "pocock").rules] == ["pocock"]


def write(folder: Path, text: str) -> str:
    """A history of tests."""
    file = folder / "history.csv"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_a_prior_is_fitted_to_effects(tmp_path: Path) -> None:
    """The noise of a sample has to be given."""
    source = write(tmp_path, EFFECTS)
    printed = figures(*FEW, "--from", source, "--sd", "0.1")
    fitted = dwell.fit_prior([(k % 7 - 3) / 500 for k in range(40)], [0.002] * 40)
    assert printed["prior"] == str(fitted.normal)
    assert printed["law"] == "Gaussian(0.1)"
    assert printed["fitted"]["tests"] == 40
    assert printed["fitted"]["fit"] == "normal"
    assert printed["fitted"]["sd"] == fitted.sd
    assert figures(*FEW, "--from", source, "--law", "Gaussian(0.1)") == printed
    assert_refused((*FEW, "--from", source), "history.csv does not say how noisy one sample is")


def test_a_prior_is_fitted_to_counts(tmp_path: Path) -> None:
    """They say how noisy a sample is; the fit may be of any shape."""
    source = write(tmp_path, COUNTS)
    printed = figures(*FEW, "--from", source, "--fit", "npmle")
    assert printed["law"] == "Gaussian(0.140712)"
    assert printed["prior"].startswith("Atoms(")
    assert printed["fitted"]["fit"] == "npmle"
    assert any("given the one with the same mean and spread" in note for note in printed["notes"])
    assert figures(*FEW, "--from", source, "--sd", "0.2")["law"] == "Gaussian(0.2)"


def test_the_fit_is_printed_with_the_number_of_tests(tmp_path: Path) -> None:
    """In words, beside what else the plan rests on."""
    result = run(*FEW, "--from", write(tmp_path, COUNTS), "--setup-cost", "5")
    told = " ".join(result.stdout.split())
    prior = figures(*FEW, "--from", str(tmp_path / "history.csv"), "--setup-cost", "5")["prior"]
    assert f"values {prior} (fitted to 40 past tests), samples Gaussian(0.140712), a set-up" in told
    assert "The tests support a normal prior." in told
    assert "Assumed, as not given: --traffic-per-day, --max-days." in told


def test_fat_tails_are_told_and_can_be_taken(tmp_path: Path) -> None:
    """A plan says which prior the tests support; a t prior is used if asked for, or typed."""
    tails = [f"{value:.6f},0.001\n" for value in 0.003 * stats.t(2).ppf(np.arange(0.005, 1, 0.01))]
    source = write(tmp_path, "".join(["effect,standard_error\n", *tails]))
    few = ("plan", "--rules", "to-the-end", "--max-days", "2", "--sd", "0.1")
    told = " ".join(run(*few, "--from", source).stdout.split())
    assert "The tests support a Student-t prior (against a normal one p = " in told
    assert "); take the fit t." in told
    printed = figures(*few, "--from", source, "--fit", "t")
    fitted = printed["fitted"]
    assert (fitted["fit"], fitted["supported"]) == ("t", "t")
    prior = dwell.StudentT(fitted["t_mean"], fitted["t_scale"], fitted["t_df"])
    assert printed["prior"] == str(prior)
    assert fitted["t_p_value"] < 0.01
    typed = figures(*few, "--prior", "StudentT(0, 0.003, 2)")
    world = dwell.World(dwell.StudentT(0, 0.003, 2), dwell.Gaussian(0.1))
    best = dwell.oracle(world, cap=2000, setup_cost=1000, every=1000)
    assert typed["prior"] == "StudentT(0, 0.003, 2)"
    assert typed["rows"][0]["roi"] == pytest.approx(best.roi, rel=1e-8)
    assert_refused((*few, "--prior", "StudentT(0, 1, 1)"), "must be above 1, got 1")


@pytest.mark.parametrize("form", ["counts", "batches", "two-arm", "raw"])
@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_it_reads_every_log_that_evaluate_reads(form: str, ending: str, tmp_path: Path) -> None:
    """Whatever its form, the prior is about the one that the tests were drawn from."""
    log = str(tmp_path / f"log{ending}")
    made = ("--form", form, "--tests", "60", "--length", "300", "--prior", "Normal(0, 0.1)")
    assert run("history", "generate", log, *made, "--base-rate", "0.5").exit_code == 0
    fitted = figures(*FEW, "--from", log)["fitted"]
    assert fitted["tests"] == 60
    assert abs(fitted["mean"]) < 4 * fitted["mean_error"]
    assert abs(fitted["sd"] - 0.1) < 4 * fitted["sd_error"]


def test_past_tests_go_by_any_titles_and_come_from_queries(tmp_path: Path) -> None:
    """As for `dwell evaluate`."""
    source = write(tmp_path, EFFECTS.replace("effect", "lift", 1))
    columns = ("--columns", "effect=lift", "--sd", "0.1")
    printed = figures(*FEW, "--from", source, *columns)
    assert figures(*FEW, "--query", f"select * from '{source}'", *columns) == printed
    assert_refused((*FEW, "--from", source, "--sd", "1"), "map names that differ by --columns")
    assert_refused((*FEW, "--columns", "effect=lift"), "--columns needs past tests")
    assert_refused((*FEW, "--database", "x.db"), "--database needs a --query")


def test_a_test_that_comes_twice_is_refused(tmp_path: Path) -> None:
    """It would count twice."""
    source = write(tmp_path, COUNTS.replace("name", "test") + "t7,4000,40,4000,30\n")
    assert_refused((*FEW, "--from", source), "a test must have one row, got test t7 in rows 8 and")


@pytest.mark.parametrize(
    "options",
    [
        (),
        SMALL,
        ("--max-days", "365", "--price-per-sample", "0"),
        ("--value-of-lift", "1e15"),
        ("--traffic-per-day", "1e9", "--setup-cost", "1e12", "--price-per-sample", "0"),
    ],
    ids=" ".join,
)
def test_it_fits_in_80_columns(options: tuple[str, ...], tmp_path: Path) -> None:
    """Whatever the sizes, every ROI keeps its exponent."""
    out = tmp_path / "plan.json"
    result = run("plan", *options, "--out", str(out))
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    [header] = [index for index, line in enumerate(lines) if "way of testing" in line]
    table = lines[header + 2 : lines.index("", header) if "" in lines[header:] else None]
    roi = [row["roi"] for row in json.loads(out.read_text())["rows"]]
    shown = [float(word) for line in table for word in line.split() if re.fullmatch(ROI, word)]
    assert [value for value in shown if 0 < abs(value) < 1e-3][: len(roi)] == [
        float(f"{value:.3g}") for value in roi if 0 < abs(value) < 1e-3
    ]


@pytest.mark.parametrize(("options", "shown"), [((), 0), ((*SMALL, "--setup-cost", "500"), 15)])
def test_every_look_is_shown_or_it_says_that_it_is_not(
    options: tuple[str, ...], shown: int, tmp_path: Path
) -> None:
    """Of more than 31 looks, 15; on the page, too."""
    page = tmp_path / "plan.html"
    run("plan", *options, "--rules", "to-the-end", "--plot", str(page))
    said = re.search(r"The table has 15 of its \d+ looks\.", page.read_text(encoding="utf-8"))
    assert (said is not None) == bool(shown)
    text = run("plan", *options, "--rules", "to-the-end").stdout
    looks = figures("plan", *options, "--rules", "to-the-end")["best"]
    title, rows = text.split("When the best policy there is stops")[1].split("ship at mean")
    assert sum(line.strip()[:1].isdigit() for line in rows.splitlines()) == (shown or len(looks))
    assert (f": 15 of its {len(looks)} looks (--json has them all)" in title) == bool(shown)


def test_prices_that_nobody_gave_are_named_in_the_same_sentence() -> None:
    """Where they make money of an ROI, and where nothing is worth testing at them."""
    value, price = ("--value-of-lift", "50_000"), ("--price-per-sample", "0.002")
    for given, words in (
        ((), "(both assumed: give --value-of-lift and --price-per-sample)"),
        (value, "(the latter assumed: give --price-per-sample)"),
        (price, "(the former assumed: give --value-of-lift)"),
        ((*value, *price), ""),
    ):
        earns = figures(*FEW, *given)["advice"][1]
        amount, cost = "50,000" if value[0] in given else "100,000", 1 + (price[0] in given)
        assert f", at {amount} a year for a lift of 1 and 0.00{cost} a sample" in earns
        assert ("assumed" in earns) == bool(words)
        assert words in earns
    nothing = run("plan", "--price-per-sample", "10").stderr.splitlines()[-1]
    assert nothing.endswith(
        "at 100,000 a year for a lift of 1, and costs 10 (assumed: give --value-of-lift)"
    )
    assert "assumed" not in run("plan", "--price-per-sample", "10", *value).stderr


def test_few_tests_are_noted(tmp_path: Path) -> None:
    """On stderr, and in the JSON."""
    source = write(tmp_path, "".join(EFFECTS.splitlines(keepends=True)[:6]))
    result = run(*FEW, "--from", source, "--sd", "0.1")
    assert result.exit_code == 0
    assert "Note: 5 tests say little about a prior" in result.stderr


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "",
            "history.csv must have the columns effect, standard_error; or n_c, x_c, n_t, x_t; or",
        ),
        ("effect,se\n1,1\n", "got 'effect, se'"),
        ("effect,standard_error\n", "history.csv must have a row per test"),
        ("effect,standard_error\n1,1\n", "at least 2 tests"),
        ("effect,standard_error\n1,1\n2,\n", "history.csv must be a finite number, got ''"),
        ("effect,standard_error\n1,1\nNaN,1\n", "history.csv must be a finite number, got 'NaN'"),
        ("effect,standard_error\n1,1\n2,-1\n", "standard_errors must be above 0, got -1 in test 2"),
        (
            "n_c,x_c,n_t,x_t\n9,1,9,1\n9,1,9,none\n",
            "history.csv must be a finite number, got 'none'",
        ),
        ("n_c,x_c,n_t,x_t\n9,1,9,1\n9,1,9,10\n", "got 10 in test 2"),
    ],
)
def test_a_dirty_history_gets_one_sentence(tmp_path: Path, text: str, reason: str) -> None:
    """With the row that is wrong."""
    assert_refused((*FEW, "--from", write(tmp_path, text), "--sd", "1"), reason)


def test_a_history_that_cannot_be_read_gets_one_sentence(tmp_path: Path) -> None:
    """It is not there, it is a folder of nothing, or no text."""
    binary = tmp_path / "binary" / "history.csv"
    binary.parent.mkdir()
    binary.write_bytes(b"effect\xff\xfe")
    (tmp_path / "empty").mkdir()
    for source, reason in (
        (str(tmp_path / "missing.csv"), "must be a file, a folder or a pattern of files"),
        (str(tmp_path / "empty"), "must hold CSV or Parquet files"),
        (str(binary), "must have the columns"),
    ):
        assert_refused((*FEW, "--from", source, "--sd", "1"), reason)


@pytest.mark.parametrize(
    "options",
    [("--prior", "Atoms(-1, -0.5)"), ("--prior", "Atoms(0)"), ("--price-per-sample", "10")],
    ids=" ".join,
)
def test_nothing_worth_testing_is_an_answer(options: tuple[str, ...]) -> None:
    """One sentence, and an exit code of its own."""
    result = run("plan", *options)
    assert result.exit_code == 3
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1].startswith("Answer: nothing is worth testing here: ")
    assert "exit code 3" in " ".join(run("plan", "--help").stdout.split())


def test_help_names_every_rule() -> None:
    """What can be asked for is said where people look for it."""
    assert set(RULES) <= set(run("plan", "--help").stdout.replace(",", " ").split())


def test_files_hold_what_is_printed(tmp_path: Path) -> None:
    """CSV and JSON say the same as `--json`; what is missing is empty in CSV."""
    as_json, as_csv = tmp_path / "plan.json", tmp_path / "plan.csv"
    printed = figures(*FEW, "--out", str(as_json))
    assert json.loads(as_json.read_text()) == printed
    figures(*FEW, "--out", str(as_csv))
    with as_csv.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row, expected in zip(rows, printed["rows"], strict=True):
        assert row == {n: "" if value is None else str(value) for n, value in expected.items()}


def test_its_page_needs_no_network(tmp_path: Path) -> None:
    """It has the three lines, all figures and the notes."""
    page = tmp_path / "plan.html"
    options = ("--from", write(tmp_path, COUNTS), "--plot", str(page), "--max-days", "420")
    assert run("plan", *options).exit_code == 0
    assert_self_contained(page)
    text = page.read_text(encoding="utf-8")
    for words in (
        "<h2>What to do</h2><p>",
        "<h2>What it earns</h2><p>",
        "<h2>What current rules leave on the table</h2><p>",
        "When to ship and when to drop",
        "What each way of testing earns",
        "What it would be at another set-up cost",
        "What it would be with another prior",
        "How the prior fits 40 past tests",
        "<p>Policies look every day up to day 400, then every 0.5 to 1.25\N{NO-BREAK SPACE}% of "
        "the days so far, ",
    ):
        assert words in text


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--rules", "p05"), "there is no rule 'p05'; the rules are p05-two-sided, p05-one-sided"),
        (("--rules", "msprt,"), "there is no rule ''"),
        (("--prior", "Cauchy(0, 1)"), "unknown prior"),
        (("--law", "Poisson(1)"), "unknown law"),
        (("--sd", "0"), "--sd must be a finite number > 0"),
        (("--fit", "spline"), "--fit must be normal, t or npmle, got 'spline'"),
        (("--setup-cost", "-1"), ">= 0"),
        (("--price-per-sample", "nan"), ">= 0"),
        (("--value-of-lift", "0"), "> 0"),
        (("--traffic-per-day", "0"), ">= 1"),
        (("--min-days", "-1"), ">= 0"),
        (("--max-days", "1.5"), ">= 1"),
        (("--out", "plan.txt"), "end in .csv, .json or .html"),
        (("--out", "missing/plan.csv"), "there is no folder missing; choose another --out"),
        (("--plot", "missing/plan.html"), "there is no folder missing; choose another --plot"),
        (("--law", "Signs", "--sd", "1"), "give --law or --sd, not both"),
        (("--prior", "Beta(2, 3)", "--from", "x.csv"), "give --prior or --from, not both"),
        (("--fit", "npmle"), "--fit needs past tests"),
        (("--from", " "), "--from must name a file, a folder or a pattern of files, got"),
        (("--min-days", "29"), "--min-days must be at most --max-days, 28, got 29"),
        (("--law", "Signs", "--prior", "Beta(2, 3)"), "at most 500 samples, got 28,000"),
        (("--law", "Signs", *SMALL[2:], "--min-days", "1"), "--min-days must be 0 under Signs"),
    ],
)
def test_every_bad_value_gets_one_sentence(options: tuple[str, ...], reason: str) -> None:
    """Before anything is computed; of values that do not go together, too."""
    assert_refused(("plan", *options), reason)


@pytest.mark.skipif(
    not UPWORTHY.exists(), reason=f"there is no {UPWORTHY}: the headline tests stay out of here"
)
@pytest.mark.parametrize("fit", ["normal", "npmle"])
def test_the_advice_on_real_headline_tests_changes_with_the_set_up_cost(
    fit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The costlier a set-up is, the longer the tests; significance leaves over half in all."""
    module = importlib.import_module("dwell.cli.plan")
    only = module._fitted(
        summaries(str(UPWORTHY)), fit, False
    )  # it is the same each time, and takes long
    monkeypatch.setattr(module, "_fitted", lambda *_: only)
    options = (*FEW, "--from", str(UPWORTHY), "--fit", fit)
    found = [figures(*options, "--setup-cost", str(10**power)) for power in (2, 3, 4)]
    found.insert(0, figures(*options, "--setup-cost", "0"))
    simple = [next(row for row in printed["rows"] if row["name"] == "simple") for printed in found]
    days = [row["days_per_test"] for row in simple]
    assert days == sorted(days)
    assert len({printed["advice"][0] for printed in found}) == 3
    assert found[0]["advice"][0] == "What to do: Test for 1 day, then ship what is above 0."
    for printed, row in zip(found, simple, strict=True):
        assert row["left_on_the_table"] < 0.02
        [usual] = (row for row in printed["rows"] if row["name"] == "p05-two-sided")
        assert usual["left_on_the_table"] > 0.5
