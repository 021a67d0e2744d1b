"""`dwell reproduce`."""

import json
from pathlib import Path
from typing import Any

import pytest

from dwell.chart import Chart, Line
from dwell.lab.claims import CLAIMS
from dwell.lab.claims.finding import Effort, Finding
from tests.acceptance.commands import assert_refused, assert_self_contained, figures, run
from tests.conftest import Reproduced

CHEAP = ("bounds", "unbiased", "discovery")
# Runs replications, which workers share out, and takes no second.
SHARED_OUT = "elimination"
# Worker processes take longer to start than these claims take.
ALONE = ("--workers", "1")
CORRECTED = ["discovery", "guarantee"]
CONCLUSION = "Of 8 checked claims 6 hold as printed and 2 with a correction: discovery, guarantee."


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_claim_of_the_paper_holds(reproduced: Reproduced) -> None:
    """The quick check has a row for each claim, none of which fails, and exits with 0."""
    assert reproduced.exit_code == 0, reproduced.stderr
    lines = reproduced.stdout.splitlines()
    rows = [line.split() for line in lines if line.split()[:1] and line.split()[0] in CLAIMS]
    assert [row[0] for row in rows] == [*CLAIMS]
    assert [row[0] for row in rows if row[-3:] == ["holds", "with", "a"]] == CORRECTED
    assert [row[0] for row in rows if row[-1] != "holds"] == CORRECTED
    assert max(map(len, lines)) <= 120
    assert lines[-1] == CONCLUSION
    assert reproduced.stderr.splitlines() == [
        "checking 8 claims…",
        f"Wrote {reproduced.folder / 'report.json'}.",
        f"Wrote {reproduced.folder / 'report.html'}.",
    ]


def test_what_is_printed_wrong_holds_with_a_correction(reproduced: Reproduced) -> None:
    """A third verdict, and what has to be put right."""
    told = {found["claim"]: found for found in findings_of(reproduced)}
    assert {name: found["verdict"] for name, found in told.items()} == {
        name: "holds with a correction" if name in CORRECTED else "holds" for name in CLAIMS
    }
    assert told["discovery"]["correction"].startswith("one sample per idea earns order eps^2")
    assert told["guarantee"]["correction"].endswith("times D_K^3 before the rate says anything")
    assert all(found["correction"] == "" for found in told.values() if found["verdict"] == "holds")


def test_lemmas_go_by_their_numbers_in_the_paper(reproduced: Reproduced) -> None:
    """As they are counted there: theorems and lemmas together."""
    assert {found["claim"]: found["place"] for found in findings_of(reproduced)} == {
        "bounds": "Lemma 5",
        "elimination": "Lemma 6",
        "rates": "Lemmas 7 and 8, Theorem 1",
        "countable": "Lemmas 2 and 3, Theorem 4",
        "unbiased": "Lemma 9",
        "discovery": 'Section 2, "Repeated A/B testing"',
        "measures": 'Appendix D, "Choice of Performance Measure"',
        "guarantee": "Theorem 1, Algorithm 1 line 3",
    }


def test_the_slopes_are_the_papers(reproduced: Reproduced) -> None:
    """Regret falls as 1 / N with a large gap and as N^(-1/3) with a tiny one, below its bounds."""
    [rates] = [found["figures"] for found in findings_of(reproduced) if found["claim"] == "rates"]
    assert rates["large_gap"]["exponent"] == pytest.approx(-1.0, abs=0.1)
    assert rates["tiny_gap"]["exponent"] == pytest.approx(-1 / 3, abs=0.05)
    for curve in rates.values():
        assert all(r < b for r, b in zip(curve["regret"], curve["bound"], strict=True))


def test_its_report_tells_every_claim_and_needs_no_network(reproduced: Reproduced) -> None:
    """The page has a section per claim; both files are there, and nothing else."""
    page = reproduced.folder / "report.html"
    assert_self_contained(page)
    text = page.read_text(encoding="utf-8")
    assert all(f"<h2>{name.capitalize()} (" in text for name in CLAIMS)
    assert text.count("<dt>In practice</dt>") == len(CLAIMS)
    assert f"{CONCLUSION} This was the quick check, with seed 0." in text
    assert sorted(path.name for path in reproduced.folder.iterdir()) == [page.name, "report.json"]


def test_claims_can_be_chosen_and_come_in_the_papers_order() -> None:
    """Naming one twice, or in another order, changes nothing."""
    chosen = figures("reproduce", "--quick", "unbiased", "bounds", "unbiased", *ALONE)
    assert [found["claim"] for found in chosen.pop("rows")] == ["bounds", "unbiased"]
    one = figures("reproduce", "--quick", "unbiased", "discovery", *ALONE)["conclusion"]
    assert one == "Of 2 checked claims 1 holds as printed and 1 with a correction: discovery."
    assert chosen == {
        "version": 1,
        "claims": ["bounds", "unbiased"],
        "quick": True,
        "seed": 0,
        "conclusion": "All 2 checked claims hold.",
    }


def test_the_same_seed_gives_the_same_json_for_any_number_of_workers(
    reproduced: Reproduced, empty_folder: Path
) -> None:
    """What one process prints and writes is what two have found of the same claims."""
    options = ("--quick", "--json", *ALONE, "--out", "found.json")
    result = run("reproduce", *CHEAP, SHARED_OUT, *options)
    assert result.exit_code == 0, result.output
    assert result.stderr.splitlines()[-1] == "Wrote dwell-reproduction.html."
    assert result.stdout == (empty_folder / "found.json").read_text()
    alone = json.loads(result.stdout)["rows"]
    assert {found["claim"] for found in alone} == {*CHEAP, SHARED_OUT}
    together = {found["claim"]: found for found in findings_of(reproduced)}
    assert alone == [together[found["claim"]] for found in alone]


def test_another_seed_gives_other_figures(reproduced: Reproduced) -> None:
    """Only what is computed exactly stays as it was."""
    other = figures("reproduce", *CHEAP, "--quick", "--seed", "1", *ALONE)["rows"]
    one = {found["claim"]: found["figures"] for found in findings_of(reproduced)}
    same = {found["claim"] for found in other if found["figures"] == one[found["claim"]]}
    assert same == {"unbiased"}


def findings_of(reproduced: Reproduced) -> list[dict[str, Any]]:
    """Of all claims with seed 0, by two processes."""
    report = json.loads((reproduced.folder / "report.json").read_text())
    findings: list[dict[str, Any]] = report["rows"]
    return findings


def test_a_claim_that_fails_is_told_and_ends_with_exit_code_1(
    empty_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report is written all the same, with null for what is no number."""

    def wrong(_: Effort) -> Finding:
        chart = Chart("Nothing to see", "x", "y", (Line("none", [1, 2], [0, -1]),))
        nothing = {"exponent": float("nan")}
        return Finding("bounds", "Lemma 0", "pi is 3", "3.14", False, nothing, "Beware.", (chart,))

    monkeypatch.setattr("dwell.lab.claims.CLAIMS", {**CLAIMS, "bounds": wrong})
    result = run("reproduce", "bounds", "unbiased", "--quick", "--out", "made.json", *ALONE)
    assert result.exit_code == 1, result.output
    [row] = [line for line in result.stdout.splitlines() if line.startswith(" bounds")]
    assert row.split() == ["bounds", "Lemma", "0", "pi", "is", "3", "3.14", "FAILS"]
    assert "1 of 2 checked claims FAIL: bounds." in result.stdout
    [failed, held] = json.loads((empty_folder / "made.json").read_text())["rows"]
    assert (failed["holds"], failed["figures"], held["holds"]) == (False, {"exponent": None}, True)
    page = empty_folder / "dwell-reproduction.html"
    assert_self_contained(page)
    assert "<dd>FAILS</dd>" in page.read_text(encoding="utf-8")


def test_its_help_names_every_claim() -> None:
    """The help knows the claims without loading them."""
    text = run("reproduce", "--help").stdout
    assert [line.split()[0] for line in text.splitlines() if line[4:15].strip() in CLAIMS] == [
        *CLAIMS
    ]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("speed",), "no claim 'speed'; the claims are bounds, elimination, rates, countable"),
        (("rates", "speed"), "no claim 'speed'"),
        (("--seed", "-1"), ">= 0"),
        (("--seed", "today"), "must be a number"),
        (("--workers", "0"), ">= 1"),
        (("--quick", "--claims", "rates"), "No such option"),
    ],
)
def test_bad_input_gets_one_sentence(
    options: tuple[str, ...], reason: str, empty_folder: Path
) -> None:
    """The value and what is wrong with it are named, and nothing is written."""
    assert_refused(("reproduce", *options), reason)
    assert list(empty_folder.iterdir()) == []
