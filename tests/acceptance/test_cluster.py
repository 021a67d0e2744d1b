"""Evaluation on the workers of a Dask scheduler, each a process of its own, over TCP."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from distributed import Client

from dwell import Gaussian, Normal, World, evaluate
from dwell.cli.cluster import executor_at
from tests.acceptance.commands import run
from tests.evaluations import bits
from tests.pages import blocks
from tests.refusals import refused

TESTS, LENGTH = 60, 100


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log whose groups of rows end within tests."""
    _, samples = World(Normal(0.1, 0.3), Gaussian(1)).sample(TESTS, LENGTH, rng=2)
    table = pa.table(
        {
            "test": np.repeat([f"test {i}" for i in range(TESTS)], LENGTH),
            "order": np.tile(np.arange(LENGTH), TESTS),
            "value": samples.ravel(),
        }
    )
    path = tmp_path_factory.mktemp("log") / "log.parquet"
    parquet.write_table(table, path, row_group_size=190)
    return path


@dataclass(frozen=True)
class Cluster:
    """A scheduler's address, and its workers by name."""

    address: str
    workers: dict[str, subprocess.Popen[bytes]]

    @contextmanager
    def watched(self) -> Iterator[Callable[[], dict[str, int]]]:
        """A way to ask, as often as wanted, how many parts each worker has to work on."""
        with Client(self.address, set_as_default=False) as client:

            def processing() -> dict[str, int]:
                names = {
                    address: str(worker["name"])
                    for address, worker in client.scheduler_info()["workers"].items()
                }
                return {names[address]: len(keys) for address, keys in client.processing().items()}

            yield processing


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of Dask that is ended in the end."""
    quiet = os.environ | {"DASK_LOGGING__DISTRIBUTED": "critical"}
    command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
    with subprocess.Popen(command, env=quiet, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def cluster(names: tuple[str, ...], folder: Path) -> Iterator[Cluster]:
    """A scheduler and workers that have found it."""
    file = folder / "scheduler.json"
    here = ("--host", "127.0.0.1", "--scheduler-file", str(file))
    with ExitStack() as stack:
        stack.enter_context(started("scheduler", *here, "--port", "0"))
        until(file.exists)
        address = json.loads(file.read_text())["address"]
        workers = {
            name: stack.enter_context(
                started("worker", *here, "--name", name, "--nthreads", "1", "--no-nanny")
            )
            for name in names
        }
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(len(names), timeout=60)
        yield Cluster(address, workers)


def until(true: Callable[[], bool]) -> None:
    """Wait, for a minute at most."""
    for _ in range(600):
        if true():
            return
        time.sleep(0.1)
    raise TimeoutError("it did not come true within a minute")


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler with two workers, until they are killed: to start them takes long."""
    with cluster(("one", "two"), tmp_path_factory.mktemp("cluster")) as found:
        yield found


def test_results_are_the_same_on_two_workers(two: Cluster, log: Path) -> None:
    """To the last bit what one process alone finds."""
    with executor_at(two.address) as executor:
        report = evaluate(log, setup_cost=20, partitions=7, executor=executor)
    assert bits(report) == bits(evaluate(log, setup_cost=20, partitions=1))


def test_the_command_prints_the_same_with_a_scheduler(two: Cluster, log: Path) -> None:
    """Byte for byte what threads of its own find; the command is that of the docs."""
    start, ask = blocks("how-to/cluster.md", "sh")
    assert [line.split()[1] for line in start.splitlines()] == ["scheduler", "worker"]
    line = ask.replace("/shared/log", str(log)).replace("tcp://host:8786", two.address)
    asked = [*shlex.split(line)[1:], "--json"]
    there = run(*asked)
    assert there.exit_code == 0, there.output
    at = asked.index("--scheduler")
    assert there.stdout == run(*asked[:at], *asked[at + 2 :]).stdout


def test_faults_come_back_from_workers_as_sentences(two: Cluster, tmp_path: Path) -> None:
    """A row that a worker cannot read is told as if it had been read here."""
    path = tmp_path / "log.parquet"
    rows = {"test": ["a"] * 3 + ["b"] * 3, "order": [1, 2, 3] * 2, "value": [1.0] * 5 + [np.nan]}
    parquet.write_table(pa.table(rows), path, row_group_size=3)
    with executor_at(two.address) as executor, refused("value in row 6", "nan"):
        evaluate(path, partitions=2, executor=executor)


def test_a_killed_worker_changes_nothing(two: Cluster, log: Path) -> None:
    """One of two is killed while it has parts to work on; the other does them, all the same.

    So it does with all parts of an evaluation that begins when it is alone.
    """
    victim = two.workers["one"]
    had: list[int] = []

    def kill() -> None:
        with two.watched() as processing:
            until(lambda: processing().get("one", 0) > 0)
            had.append(processing()["one"])
            victim.kill()

    # It is stopped first: the parts that it is given cannot be done by the time it is killed.
    victim.send_signal(signal.SIGSTOP)
    killer = Thread(target=kill)
    killer.start()
    with executor_at(two.address) as executor:
        report = evaluate(log, setup_cost=20, partitions=20, executor=executor)
    killer.join()
    assert had[0] > 0
    assert victim.wait() == -signal.SIGKILL
    with two.watched() as processing:
        assert processing().keys() == {"two"}
    with executor_at(two.address) as executor:
        again = evaluate(log, setup_cost=20, partitions=7, executor=executor)
    assert bits(again) == bits(report) == bits(evaluate(log, setup_cost=20, partitions=1))


@pytest.mark.parametrize(
    "address", ["nowhere", "tcp://127.0.0.1:1", "http://127.0.0.1:80", "tcp://127.0.0.1:99999"]
)
def test_an_address_where_nobody_listens_is_refused(address: str) -> None:
    """At once, in one sentence."""
    with refused("--scheduler", address), executor_at(address):
        pass


def test_a_scheduler_without_workers_is_refused(
    two: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rather than to wait for them for ever."""
    monkeypatch.setattr("dwell.cli.cluster._SECONDS", 2)
    with two.watched() as processing:
        for worker in two.workers.values():
            worker.kill()
        until(lambda: not processing())
    with refused("with workers", two.address), executor_at(two.address):
        pass
