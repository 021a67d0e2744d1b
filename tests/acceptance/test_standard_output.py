"""A standard output that is full, closed or read by nobody any more."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

DWELL = (sys.executable, "-W", "error", "-m", "dwell")
EXACT = ("exact", "--caps", "1:64", "--c", "0.35")
FULL = Path("/dev/full")
COMMANDS = [EXACT, (*EXACT, "--json"), ("--help",), ("exact", "--help"), ("--version",)]


def shell(line: str, *arguments: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run a line of shell in which "$@" is dwell with arguments."""
    return subprocess.run(
        ["bash", "-c", line, "bash", *DWELL, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full here")
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_full_output_is_one_sentence(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """And exit code 2, as of whatever cannot be written."""
    done = shell('"$@" >/dev/full', *arguments, folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        "Error: cannot write to the standard output: No space left on device; send it elsewhere"
    )
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_closed_output_is_one_sentence(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """Said before anything is computed or written."""
    done = shell(
        '"$@" --out f.csv >&-' if arguments == EXACT else '"$@" >&-', *arguments, folder=tmp_path
    )
    assert done.returncode == 2
    assert done.stderr == "Error: the standard output is closed; open it or send it to a file\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_reader_that_goes_away_is_met_with_silence(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    """It has what it wanted; the exit code is that of any program behind a broken pipe."""
    # The reader is gone before the first word is written.
    line = 'mkfifo pipe; exec 3<>pipe; exec 4>pipe; exec 3<&-; "$@" >&4'
    done = shell(line, *arguments, folder=tmp_path)
    assert done.returncode == 141
    assert [words for words in done.stderr.splitlines() if not words.endswith("…")] == []


def test_files_are_whole_also_if_nobody_reads_what_is_printed(tmp_path: Path) -> None:
    """They are written first."""
    line = '"$@" --out f.json --plot f.html | true'
    done = shell(line, *EXACT, folder=tmp_path)
    assert "Traceback" not in done.stderr
    assert len(json.loads((tmp_path / "f.json").read_text())["rows"]) == 64
    assert (tmp_path / "f.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.html", "f.json"]


@pytest.mark.parametrize("errors", ["2>&-", "2>/dev/full"])
def test_figures_come_also_where_nothing_can_be_said_beside_them(
    errors: str, tmp_path: Path
) -> None:
    """Notes and progress are for people: without them the command succeeds all the same."""
    if "full" in errors and not FULL.exists():
        pytest.skip("there is no device that is always full here")
    done = shell(f'"$@" --json {errors}', *EXACT, folder=tmp_path)
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["rows"]) == 64
