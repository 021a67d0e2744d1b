"""Bad input gets one sentence and exit code 2."""

from pathlib import Path

import pytest

from tests.acceptance.commands import assert_refused, fill_disk, run, started

BOTH = [
    ("--caps", "nan", "whole number"),
    ("--caps", "-4", ">= 1"),
    ("--caps", "0", ">= 1"),
    ("--caps", "4,2", "sorted"),
    ("--caps", "8:4", "upwards"),
    ("--caps", "1:8:2", "must look like"),
    ("--caps", "1:8:x1", ">= 2"),
    ("--caps", "", "must be a number"),
    ("--caps", "1e30", "10^18"),
    ("--caps", "1e9", "at most 4,194,304"),
    ("--delta", "0", "strictly between 0 and 1"),
    ("--delta", "1", "strictly between 0 and 1"),
    ("--delta", "nan", "strictly between 0 and 1"),
    ("--c", "-1", "> 0"),
    ("--c", "inf", "finite"),
    ("--c", "wide", "must be a number"),
    ("--tasks", "0", ">= 1"),
    ("--tasks", "1.5", "whole number"),
    ("--tasks", "inf", "whole number"),
    ("--tasks", "1e30", "10^18"),
    ("--setup-cost", "-1", ">= 0"),
    ("--setup-cost", "nan", "finite"),
    ("--min-samples", "0", ">= 1"),
    ("--min-samples", "257", "at most the "),
    ("--prior", "Atoms(-1:0.5, 1:0.6)", "sum to 1"),
    ("--prior", "Atoms(-1:nan, 1:0.5)", "weight"),
    ("--prior", "Atoms(2)", "allows values from -1 to 1"),
    ("--prior", "Atoms(nan)", "finite"),
    ("--prior", "Cauchy(1)", "unknown prior"),
    ("--prior", "Beta(0, 1)", "> 0"),
    ("--prior", "Normal(0, inf)", "finite"),
    ("--law", "Poisson(2)", "unknown law"),
    ("--law", "Lift(0.01)", "allows values from"),
    ("--law", "Gaussian(0)", "> 0"),
    ("--out", "figures.txt", "end in .csv, .json or .html"),
    ("--plot", "figures.png", "end in .html"),
    ("--out", "", "--out must name a file"),
    ("--nonsense", "1", "No such option"),
]
SIMULATE = [
    (("--learner", "best"), "--learner must be empirical-bayes, ladder, "),
    (("--tasks", "10", "--samples", "10"), "not both"),
    (("--tasks", "10,,20"), "must be a number"),
    (("--samples", "0"), ">= 1"),
    (("--workers", "0"), ">= 1"),
    (("--workers", "1e30"), "10^18"),
    (("--replications", "0"), ">= 1"),
    (("--replications", "1e9"), "at most 1,000,000"),
    (("--seed", "-1"), ">= 0"),
    (("--seed", "today"), "must be a number"),
    (("--band-tasks", "0"), ">= 1"),
    (("--bound", "0"), "> 0"),
    (("--learner", "cape", "--exploration-cap", "1001", "--tasks", "1000"), "at most --tasks"),
    *(
        ((name, value), f"{name} means nothing to the learner empirical-bayes; leave it out")
        for name, value in (
            ("--exploration-cap", "5"),
            ("--step", "2"),
            ("--bound", "2"),
            ("--c", "0.3"),
            ("--band-tasks", "100"),
            ("--delta", "0.1"),
        )
    ),
    (("--caution", "1"), "--caution must lie strictly between 0 and 1, got 1"),
    (("--budget", "0"), "--budget must be a finite number > 0, got 0"),
    (("--looks", "0"), "--looks must be"),
    (("--caps", "1:8", "--min-samples", "9"), "--min-samples must be at most the cap, 8, got 9"),
    (("--learner", "ladder", "--min-samples", "2"), "at most the smallest cap, 1, got 2"),
    (("--learner", "ladder", "--no-guard"), "--no-guard means nothing to the learner ladder"),
    (("--learner", "ladder", "--guard"), "--guard means nothing to the learner ladder"),
    (("--learner", "cape", "--budget", "3"), "--budget means nothing to the learner cape"),
    (("--learner", "ladder", "--exploration-cap", "5"), "means nothing to the learner ladder"),
    (("--learner", "fixed", "--exploration-cap", "5"), "means nothing"),
    (("--learner", "cape", "--step", "2"), "means nothing"),
    (("--learner", "cape-sharp", "--step", "2"), "means nothing"),
    (("--learner", "esc", "--caps", "1,2"), "means nothing"),
    (("--learner", "esc", "--step", "1e7"), "--step must be at most 4,194,304, got 1"),
    (("--learner", "ladder", "--law", "Gaussian(1)"), "give --bound, what they hardly ever exceed"),
    (("--learner", "cape", "--law", "Gaussian(1)"), "give --bound, the scale"),
]


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, so that whatever a command leaves behind is seen."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", ["exact", "simulate"])
@pytest.mark.parametrize(("name", "text", "reason"), BOTH)
def test_every_bad_value_gets_one_sentence(
    command: str, name: str, text: str, reason: str, empty_folder: Path
) -> None:
    """The value and what is wrong with it are named, and nothing is written."""
    outputs = () if name in ("--out", "--plot") else ("--out", "f.csv", "--plot", "f.html")
    assert_refused((command, name, text, *outputs), reason)
    assert list(empty_folder.iterdir()) == []


@pytest.mark.parametrize(("options", "reason"), SIMULATE)
def test_every_bad_simulation_gets_one_sentence(options: tuple[str, ...], reason: str) -> None:
    """What a learner cannot work with is refused before it runs."""
    assert_refused(("simulate", *options), reason)


@pytest.mark.parametrize("command", ["exact", "simulate", "demo"])
def test_a_file_that_cannot_be_written_is_refused_before_computing(
    command: str, empty_folder: Path
) -> None:
    """A missing folder, a folder of that name, or a name that is too long."""
    ending = ".html" if command == "demo" else ".csv"
    taken = empty_folder / f"taken{ending}"
    taken.mkdir()
    assert_refused((command, "--out", f"missing/f{ending}"), "there is no folder missing; choose")
    assert_refused((command, "--out", str(taken)), "it is a folder; choose another --out")
    assert_refused((command, "--out", f"{'long' * 100}{ending}"), "cannot write")
    assert list(empty_folder.iterdir()) == [taken]


def test_a_folder_that_is_read_only_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Permission bits do not stop root, so the answer is made up here."""
    monkeypatch.setattr("os.access", lambda *_: False)
    assert_refused(("exact", "--plot", "f.html"), "read-only; choose another --plot")


def test_a_write_that_fails_leaves_nothing_behind(
    empty_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fills up at the last moment costs the file, and no half of one stays."""
    fill_disk(monkeypatch)
    result = run("exact", "--caps", "1:4", "--out", "f.json")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == (
        "Error: cannot write f.json: No space left on device; choose another --out"
    )
    assert list(empty_folder.iterdir()) == []


def test_an_older_file_survives_a_write_that_fails(
    empty_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was there before is still there, whole."""
    older = empty_folder / "f.csv"
    assert run("exact", "--caps", "1:4", "--out", "f.csv").exit_code == 0
    before = older.read_text()

    def broken(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", broken)
        assert run("exact", "--caps", "1:8", "--out", "f.csv").exit_code == 2
    assert older.read_text() == before


def test_too_little_memory_gets_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit is no traceback either."""

    def too_much(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("dwell.families.hoeffding", too_much)
    assert_refused(("exact",), "memory")


def test_a_true_process_shows_no_traceback() -> None:
    """From outside, too, there is one sentence and exit code 2."""
    with started("simulate", "--delta", "2") as process:
        table, said = process.communicate()
    assert process.returncode == 2
    assert table == ""
    assert said == "Error: --delta must lie strictly between 0 and 1, got 2\n"
