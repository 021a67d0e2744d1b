"""The README's commands work as they stand."""

import re
import shlex
from pathlib import Path

import pytest

from tests.acceptance.commands import run

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
FILE = re.compile(r"\w[\w-]*\.(?:csv|parquet|duckdb)")


def commands() -> list[list[str]]:
    """All commands of the README's blocks, in their order, as words."""
    blocks = re.findall(r"^```(?:sh|text)\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("dwell ")]


def test_no_command_is_on_a_file_that_does_not_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each log that one reads, another above it has written: those commands are run."""
    monkeypatch.chdir(tmp_path)
    on_files = [words for words in commands() if any(map(FILE.fullmatch, words))]
    assert len(on_files) >= 5
    for words in on_files:
        # A tenth of the tests is enough to see that it works.
        small = ["200" if word == "2000" else word for word in words]
        result = run(*small)
        assert result.exit_code == 0, (words, result.output)
