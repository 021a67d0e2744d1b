"""docs/serve.md: its examples are run, and what it names is there."""

import re
import shlex
from pathlib import Path

import httpx2
import pytest

from dwell.programme.stores.memory import MemoryStore
from dwell.service.app import create_app
from tests.acceptance.commands import run
from tests.serving import served

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "serve.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8000"


def blocks(kind: str) -> list[str]:
    """The examples of a kind."""
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, flags=re.DOTALL)


def test_its_examples_work(capsys: pytest.CaptureFixture[str]) -> None:
    """The calls by curl, as they stand there, and then those from Python, of one service."""
    with served(create_app(store=MemoryStore())) as url:
        calls = [line for block in blocks("sh") for line in block.splitlines() if "curl" in line]
        assert len(calls) >= 7
        for call in calls:
            words = shlex.split(call.replace(ADDRESS, url))
            [address] = (word for word in words if word.startswith(url))
            method = words[words.index("-X") + 1] if "-X" in words else "GET"
            body = words[words.index("-d") + 1] if "-d" in words else None
            sent = {} if body is None else {"content-type": "application/json"}
            answer = httpx2.request(method, address, content=body, headers=sent)
            assert answer.status_code < 300, (call, answer.text)
        for code in blocks("python"):
            exec(compile(code.replace(ADDRESS, url), "docs/serve.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "['blue-button'] 1 running" in printed
    assert printed.splitlines()[-1].startswith("Keep testing: ")


def test_options_and_files_that_it_names_are_there() -> None:
    """Nothing is promised that `--help` does not know."""
    known = run("serve", "--help").stdout
    for option in re.findall(r"dwell serve (?:[\w./:]+ )*(--[\w-]+)", PAGE):
        assert option in known
    for path in re.findall(r"\]\(([\w./-]+)(?:#[\w-]+)?\)", PAGE):
        assert (ROOT / "docs" / path).exists(), path
    unit = (ROOT / "deploy" / "dwell.service").read_text(encoding="utf-8")
    image = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
    for option in re.findall(r"--[a-z-]+", unit[unit.index("ExecStart") :].splitlines()[0]):
        assert option in known
    assert '"dwell", "serve"' in image
