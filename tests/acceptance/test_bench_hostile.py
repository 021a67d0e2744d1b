"""`dwell bench learners --hostile`."""

from pathlib import Path

import pytest

import dwell
from dwell.lab.suite import CASES, hostile_suite
from tests.acceptance.commands import figures, run

BENCH = ("bench", "learners")
ALONE = ("--workers", "1")
FEW = ("--learners", "fixed,etc", "--tasks", "100", "--replications", "2", *ALONE)


def test_hostile_worlds_have_a_row_per_case() -> None:
    """Of each world and set-up cost, with what was lost in two units."""
    options = ("--hostile", "--learners", "fixed", "--tasks", "100", "--replications", "2", *ALONE)
    printed = figures(*BENCH, *options)
    rows = printed["rows"]
    assert (printed["hostile"], printed["later_day"]) == (True, False)
    assert [(row["instance"], row["setup_cost"], row["case"]) for row in rows] == [
        (name, setup_cost, case)
        for name in ("mostly-null", "beta-45-55")
        for setup_cost in (0.0, 20.0)
        for case in CASES
    ]
    for row, instance in zip(rows, hostile_suite(), strict=True):
        told = dwell.exact(instance.policies, instance.world, instance.setup_cost).roi.min()
        assert row["worst_roi"] == instance.reference.worst_roi
        if told < 0.0:
            assert row["lost_as_told"] == pytest.approx(max(0.0, row["roi"] / told))
        assert (row["lost_as_told"] is None) == (told >= 0.0)


def test_hostile_tables_name_the_case() -> None:
    """And there is one more of them."""
    options = ("--cases", "ar,twice", "--instances", "beta-45-55,rare-win", *FEW)
    printed = run(*BENCH, "--hostile", *options, "--later-day").stdout
    titles = [line.split(":")[0] for line in printed.splitlines() if "realised" in line]
    assert titles == ["Share", "Score", "Lost", "Lost as told"]
    cells = [line.split()[:4] for line in printed.splitlines() if line.startswith(" rare-win")]
    assert cells[:4] == [
        ["rare-win", case, "0", learner] for case in ("twice", "ar") for learner in ("etc", "fixed")
    ]


def test_hostile_tasks_are_as_few_as_companies_have() -> None:
    """Unless others are asked for; --quick has fewer runs."""
    options = ("--hostile", "--cases", "twice", "--learners", "fixed", *ALONE)
    quick = figures(*BENCH, *options, "--quick")
    assert [row["tasks"] for row in quick["rows"]] == 4 * [30, 100, 1_000]
    assert quick["replications"] == 5


def test_verified_on_a_later_day_ladder_loses_less() -> None:
    """Where every sample is seen five times, and no test costs anything besides.

    Of 20 seeds, Ladder lost 84 to 94 % of what the worst policy loses, and 0 to 4 % where it
    verifies on a later day.
    """
    options = ("--hostile", "--cases", "five-times", "--instances", "beta-45-55")
    few = ("--learners", "ladder", "--tasks", "1000", "--replications", "5", *ALONE)
    [at_once, _] = figures(*BENCH, *options, *few)["rows"]
    [later, _] = figures(*BENCH, *options, *few, "--later-day")["rows"]
    assert at_once["lost"] > 0.5
    assert later["lost"] < 0.2


@pytest.mark.parametrize("later", [False, True])
def test_a_hostile_page_says_what_is_broken(tmp_path: Path, later: bool) -> None:
    """And when acceptances are verified."""
    page = tmp_path / "page.html"
    options = (
        "--hostile",
        "--cases",
        "twice,falling-pool",
        "--instances",
        "beta-45-55",
        *FEW,
        *(("--later-day",) if later else ()),
    )
    assert run(*BENCH, *options, "--plot", str(page)).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert "Observations break the law that learners are told." in text
    assert ("come from a later day" in text) == later
    assert text.count("<figcaption>beta-45-55, falling-pool, set-up cost 20</figcaption>") == 4
    assert "<dt>beta-45-55, twice, set-up cost 0</dt>" in text
    assert "with Repeated(times=2)" in text
