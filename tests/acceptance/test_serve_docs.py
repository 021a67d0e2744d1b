"""docs/how-to/http.md: its examples are run; docs/serve.md: what it names is there."""

import json
import re
import shlex
from pathlib import Path
from string import Template
from typing import Any

import httpx2
import pytest

from dwell.programme.stores.memory import MemoryStore
from dwell.service.app import create_app
from tests.acceptance.commands import run
from tests.pages import blocks, text_of
from tests.serving import served

ROOT = Path(__file__).parents[2]
ADDRESS = "http://127.0.0.1:8000"
HOW_TO = "how-to/http.md"


def answer_to(call: str, names: dict[str, str]) -> Any:
    """What a call by curl is answered, sent as curl would."""
    filled = Template(call).substitute(names)
    words = shlex.split(filled)
    [address] = (word for word in words if word.startswith("http"))
    body = words[words.index("--json") + 1] if "--json" in words else None
    method = words[words.index("-X") + 1] if "-X" in words else "GET" if body is None else "POST"
    sent = {} if body is None else {"content-type": "application/json"}
    answer = httpx2.request(method, address, content=body, headers=sent)
    assert answer.status_code < 300, (call, answer.text)
    return answer.json()


def test_its_examples_work(capsys: pytest.CaptureFixture[str]) -> None:
    """The calls by curl, as they stand there, and then those from Python, of one service."""
    _, curls = blocks(HOW_TO, "sh")
    setting, *calls = re.split(r"\n(?=curl )", curls)
    assert len(calls) == 5
    with served(create_app(store=MemoryStore())) as url:
        names = {"API": setting.removeprefix("API=").replace(ADDRESS, url)}
        answers = [answer_to(call, names) for call in calls]
        [shown] = blocks(HOW_TO, "json")
        rounded = {
            name: float(f"{value:.6g}") if isinstance(value, float) else value
            for name, value in answers[-1].items()
        }
        assert rounded == json.loads(shown)
        for code in blocks(HOW_TO, "python"):
            exec(compile(code.replace(ADDRESS, url), HOW_TO, "exec"), {})
    printed = capsys.readouterr().out
    assert "['blue-button'] 1 running" in printed
    assert printed.splitlines()[-1].startswith("Keep testing: ")


def test_options_and_files_that_it_names_are_there() -> None:
    """Nothing is promised that `--help` does not know; `make docs` writes the page of calls."""
    page, known = text_of("serve.md"), run("serve", "--help").stdout
    for option in re.findall(r"dwell serve (?:[\w./:]+ )*(--[\w-]+)", page):
        assert option in known
    for path in re.findall(r"\]\(([\w./-]+)(?:#[\w-]+)?\)", page):
        assert (ROOT / "docs" / path).exists() or path == "reference/calls.md", path
    unit = (ROOT / "deploy" / "dwell.service").read_text(encoding="utf-8")
    image = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
    for option in re.findall(r"--[a-z-]+", unit[unit.index("ExecStart") :].splitlines()[0]):
        assert option in known
    assert '"dwell", "serve"' in image
