"""`dwell history`."""

from pathlib import Path

import pytest

from dwell import Gaussian, Lift, Normal
from dwell.history.datasets.synthetic_log import generate
from dwell.history.reading.columns import FORMS
from dwell.history.reading.inspection import check
from tests.acceptance.commands import assert_refused, figures, fill_disk, run

WRITE = ("history", "generate")


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, so that whatever a command leaves behind is seen."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_says_what_it_wrote() -> None:
    """A thousand tests, unless told otherwise; progress goes to stderr."""
    result = run(*WRITE, "log.csv", "--form", "counts")
    assert result.exit_code == 0
    assert result.stdout == "log.csv: 1,000 tests in 1,000 rows, counts.\n"
    assert result.stderr == "writing log.csv…\n"


@pytest.mark.parametrize("form", FORMS)
def test_its_json_counts_what_a_log_reads_back(form: str) -> None:
    """Whatever the form, and the form is told by the columns."""
    printed = figures(*WRITE, "log.parquet", "--form", form, "--rows", "5_000", "--length", "100")
    assert list(printed) == ["version", "file", "form", "tests", "rows"]
    assert (printed["file"], printed["form"]) == ("log.parquet", form)
    found = check("log.parquet")
    assert (found.form, found.usable, found.ordered) == (form, True, True)
    assert (found.quality.tests, found.quality.rows) == (printed["tests"], printed["rows"])
    assert printed["rows"] >= 5000


def test_its_options_are_those_of_the_library() -> None:
    """To the last byte."""
    options = ("--tests", "9", "--length", "30", "--seed", "4", "--faults", "0.5")
    assert run(*WRITE, "typed.csv", *options, "--prior", "Normal(0, 0.1)").exit_code == 0
    generate("called.csv", tests=9, length=30, seed=4, faults=0.5, prior=Normal(0, 0.1))
    assert Path("typed.csv").read_bytes() == Path("called.csv").read_bytes()
    for option, law in (("--sd", Gaussian(0.2)), ("--base-rate", Lift(0.2))):
        assert run(*WRITE, "typed.csv", *options, option, "0.2", "--overwrite").exit_code == 0
        generate("called.csv", tests=9, length=30, seed=4, faults=0.5, law=law)
        assert Path("typed.csv").read_bytes() == Path("called.csv").read_bytes()


def test_an_older_file_is_replaced_if_that_is_asked_for() -> None:
    """It may be a log that took months: only with --overwrite, and then by a whole one."""
    Path("log.csv").write_text("older")
    options = ("log.csv", "--tests", "2", "--form", "counts")
    assert_refused((*WRITE, *options), "there is a file log.csv already; choose another, or give")
    assert Path("log.csv").read_text() == "older"
    assert run(*WRITE, *options, "--overwrite").exit_code == 0
    assert check("log.csv").quality.tests == 2


def test_what_of_the_prior_is_cut_off_is_noted() -> None:
    """On stderr: the figures stay as they are."""
    result = run(
        *WRITE, "log.csv", "--tests", "2", "--base-rate", "0.01", "--prior", "Normal(0, 1)"
    )
    assert result.exit_code == 0
    assert "Note: Lift(0.01) allows values from -0.01 to 0.99" in result.stderr
    assert "Note" not in result.stdout


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--form", "long"), "--form must be raw, two-arm, counts or batches, got 'long'"),
        (("--tests", "0"), "--tests must be a whole number >= 1, got 0"),
        (("--rows", "many"), "--rows must be a number, got 'many'"),
        (("--tests", "10", "--rows", "10"), "give --tests or --rows, not both"),
        (("--length", "19"), "--length must be a whole number >= 20, got 19"),
        (("--length", "1e7"), "--length must be at most 4,194,304"),
        (("--prior", "Cauchy(1)"), "unknown prior"),
        (("--prior", "Atoms(-0.2)"), "Lift(0.05) allows values from -0.05 to 0.95"),
        (("--base-rate", "1"), "--base-rate must lie strictly between 0 and 1, got 1"),
        (("--sd", "0"), "--sd must be a finite number > 0, got 0"),
        (("--sd", "1", "--base-rate", "0.1"), "give --base-rate or --sd, not both"),
        (("--sd", "1", "--form", "counts"), "give --base-rate instead of --sd"),
        (("--seed", "-1"), "--seed must be a whole number >= 0"),
        (("--faults", "1.5"), "--faults must be a share from 0 to 1, got 1.5"),
        (("--faults", "-0.1"), "--faults must be a finite number >= 0"),
        (("more.csv",), "more.csv"),
    ],
)
def test_every_bad_value_gets_one_sentence(
    options: tuple[str, ...], reason: str, empty_folder: Path
) -> None:
    """With nothing written."""
    result = run(*WRITE, "log.csv", *options)
    assert result.exit_code == 2
    assert result.stdout == ""
    sentence = result.stderr.splitlines()[-1]
    assert sentence.startswith("Error: ")
    assert reason in sentence
    assert list(empty_folder.iterdir()) == []


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_drawn(
    empty_folder: Path,
) -> None:
    """None, another ending, a folder of that name, no such folder."""
    taken = empty_folder / "taken.csv"
    taken.mkdir()
    assert_refused(WRITE, "Missing argument 'FILE'")
    assert_refused((*WRITE, "log.txt"), "FILE must end in .csv or .parquet, got 'log.txt'")
    assert_refused((*WRITE, str(taken)), "it is a folder; choose another FILE")
    assert_refused((*WRITE, "missing/log.csv"), "there is no folder missing; choose another FILE")
    assert list(empty_folder.iterdir()) == [taken]


def test_a_disk_that_is_full_costs_the_file(
    empty_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No half of one stays."""
    fill_disk(monkeypatch)
    result = run(*WRITE, "log.csv", "--tests", "2")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == (
        "Error: cannot write log.csv: No space left on device; choose another file"
    )
    assert list(empty_folder.iterdir()) == []


@pytest.mark.parametrize("arguments", [("history",), WRITE])
def test_help_shows_an_example(arguments: tuple[str, ...]) -> None:
    """Of the group, too, which alone shows its help."""
    result = run(*arguments, "--help")
    assert result.exit_code == 0
    assert f"Examples:\n    dwell {' '.join(arguments)}" in result.stdout
    assert run("history").stdout == run("history", "--help").stdout
