"""What `benchmarks.load` loads, in other processes: `dwell serve`, or the least there can be."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg

from benchmarks import load_floor
from dwell import Client


@dataclass(frozen=True)
class Service:
    """`dwell serve`, in a process of its own."""

    process: subprocess.Popen[str]
    url: str

    def workers(self) -> list[int]:
        """The processes that answer, if there are several."""
        return [
            each
            for each in _children(self.process.pid)
            if "spawn_main" in Path(f"/proc/{each}/cmdline").read_text()
        ]


def processor_seconds(process: int) -> float:
    """What a process has taken of processors, with those that it started, also if they are over."""
    ticks = sum(map(int, _stat(Path(f"/proc/{process}"))[11:15]))
    for child in _children(process):
        with suppress(OSError):
            ticks += sum(map(int, _stat(Path(f"/proc/{child}"))[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _children(process: int) -> list[int]:
    """The processes that one has started, and that live."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if int(_stat(each)[1]) == process:
                found.append(int(each.name))
    return found


def _stat(process: Path) -> list[str]:
    """What the system knows of a process, after its name."""
    return process.joinpath("stat").read_text().rpartition(")")[2].split()


@contextmanager
def service(store: str, workers: int) -> Iterator[Service]:
    """A service over a store."""
    command = (
        *(sys.executable, "-m", "dwell", "serve", "--store", store, "--workers", f"{workers}"),
        *("--port", "0", "--requests-per-second", "1e6"),
    )
    with (
        tempfile.TemporaryFile("w+") as said,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                said.seek(0)
                raise RuntimeError(f"the service did not start: {said.read()[-2000:]}")
            yield Service(process, line.split()[3])
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


@contextmanager
def floor(store: str, workers: int) -> Iterator[Service]:
    """The least that a service can be, over the same store."""
    if not store.startswith("sqlite"):
        with psycopg.connect(store) as connection:
            connection.execute("create table floor (id bigserial primary key, body text not null)")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = (
        *(sys.executable, "-m", "uvicorn", "benchmarks.load_floor:app", "--port", f"{port}"),
        *("--workers", f"{workers}", "--log-level", "critical", "--no-access-log"),
    )
    environment = {**os.environ, load_floor.STORE: store}
    with subprocess.Popen(command, env=environment, text=True) as process:
        try:
            with Client(f"http://127.0.0.1:{port}") as client:
                client.programme("any")  # it is asked until it answers
            yield Service(process, f"http://127.0.0.1:{port}")
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
