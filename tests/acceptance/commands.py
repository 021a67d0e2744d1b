"""How acceptance tests run the command line."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dwell.cli import main

SMALL = ("--caps", "1:8:x2", "--c", "0.35")


def run(*arguments: str) -> Result:
    """Run `dwell` in this process."""
    return CliRunner().invoke(main, arguments)


def figures(*arguments: str) -> dict[str, Any]:
    """What a command prints with `--json`, having seen that it succeeded."""
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    printed: dict[str, Any] = json.loads(result.stdout)
    return printed


def assert_refused(arguments: tuple[str, ...], reason: str) -> None:
    """See that a command is refused in one sentence, with nothing printed."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    [sentence] = result.stderr.splitlines()
    assert sentence.startswith("Error: ")
    assert reason in sentence


@contextmanager
def started(*arguments: str) -> "Iterator[subprocess.Popen[str]]":
    """`dwell` as a process of its own, in a group of its own that does not outlive the test.

    It hears SIGINT as it does in a terminal, also if these tests run where that is ignored: behind
    `&` in a script, say. To ignore a signal is inherited, and Python then installs no handler.
    """
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from dwell.cli import main; main(prog_name='dwell')"
    )
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def fill_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no file be put in its place, as on a disk that is full; but for those of the compiler."""
    put = os.replace

    def full(source: str, target: str) -> None:
        if Path(target).suffix not in {".nbi", ".nbc"}:
            raise OSError(28, "No space left on device")
        put(source, target)

    monkeypatch.setattr("os.replace", full)


def assert_self_contained(page: Path) -> None:
    """See that a page is whole and fetches nothing."""
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert text.rstrip().endswith("</html>")
    assert "<script src" not in text
    assert "<link" not in text
    assert text.count("plotly.js v") == 1
