"""`dwell serve` as people start and stop it."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

import dwell
from tests.acceptance.commands import assert_refused, run, started

_SECONDS = 120.0  # on a machine that is busy with other tests


def get(url: str) -> Any:
    """What is answered there, by whoever answers next."""
    end = monotonic() + _SECONDS
    while True:
        try:
            with urlopen(f"{url}/api/v1/programmes", timeout=_SECONDS) as answer:
                return json.load(answer)
        except (URLError, ConnectionError):  # it was killed meanwhile
            assert monotonic() < end
            sleep(0.05)


@contextmanager
def serving(*arguments: str) -> "Iterator[tuple[subprocess.Popen[str], str]]":
    """A service, and the address that it prints."""
    with started("serve", "--port", "0", *arguments) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("dwell is at http://127.0.0.1:"), (line, process.communicate())
        yield process, line.split()[3]


def children(process: int) -> list[int]:
    """The workers of a service."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int(each.joinpath("stat").read_text().rpartition(")")[2].split()[1])
            if parent == process and "spawn_main" in each.joinpath("cmdline").read_text():
                found.append(int(each.name))
    return found


def test_it_prints_its_address_answers_and_stops_on_an_interrupt(tmp_path: Path) -> None:
    """The port is one that is free, and to stop by Ctrl-C is no error."""
    with serving("--store", f"sqlite:///{tmp_path}/tests.db") as (process, url):
        get(url)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=_SECONDS)
    assert process.returncode == 0
    assert said.splitlines()[-1] == "Stopped."
    with pytest.raises(URLError):
        urlopen(url)


def test_a_worker_that_is_killed_is_replaced_and_all_stop_together(tmp_path: Path) -> None:
    """Two workers over one store; callers of the one that is killed are answered by others."""
    store = f"sqlite:///{tmp_path}/tests.db"
    with serving("--store", store, "--workers", "2") as (process, url):
        before = children(process.pid)
        assert len(before) == 2
        os.kill(before[0], signal.SIGKILL)
        for _ in range(10):
            get(url)
        end = monotonic() + _SECONDS
        while len(children(process.pid)) < 2 or before[0] in children(process.pid):
            assert monotonic() < end
            sleep(0.05)
        after = children(process.pid)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=_SECONDS)
    assert process.returncode == 0
    assert not any(Path(f"/proc/{worker}").exists() for worker in (*before, *after))


def test_the_demo_checks_itself() -> None:
    """As `make run` has it where nobody looks: it starts, moves, and leaves with 0."""
    with started("serve", "--demo", "--check", "--port", "0") as process:
        printed, said = process.communicate(timeout=_SECONDS)
    assert process.returncode == 0, said
    assert printed.startswith("dwell is at http://127.0.0.1:")
    assert "It moves." in said


def test_a_port_that_is_taken_is_refused() -> None:
    """In a sentence that says what to do."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        reason = f"port {port} of 127.0.0.1 is taken; give another port"
        assert_refused(("serve", "--demo", "--port", port), reason)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--store", "memory:", "--workers", "2"), "--workers must be 1 where programmes"),
        (("--demo", "--workers", "2"), "--workers must be 1 where programmes"),
        (("--demo", "--store", "memory:"), "--demo keeps nothing: leave --store out"),
        (("--host", "0.0.0.0", "--store", "memory:"), "to listen on 0.0.0.0"),
        (("--port", "70000"), "--port must be at most 65535, got 70000"),
        (("--port", "x"), "--port must be a number"),
        (("--host", "no.such.host.invalid", "--store", "memory:"), "no.such.host.invalid"),
        (("--store", "sqlite:////nowhere/at/all/tests.db"), "/nowhere/at/all/tests.db"),
        (("--store", "mysql://x"), "mysql://x"),
    ],
    ids=["memory", "demo-workers", "demo-store", "host", "port", "text", "name", "path", "scheme"],
)
def test_what_cannot_be_served_is_refused(arguments: tuple[str, ...], reason: str) -> None:
    """Before anything is started, in one sentence."""
    assert_refused(("serve", *arguments), reason)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has the library alone is told how to get the service."""
    if "dwell.service" in sys.modules:  # to be put back with its parts, which hang on it
        monkeypatch.setattr(dwell, "service", sys.modules["dwell.service"], raising=False)
    for name in [name for name in sys.modules if name.startswith("dwell.service")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    result = run("serve", "--demo")
    assert result.exit_code == 2
    assert "pip install 'dwell[service]'" in result.stderr
