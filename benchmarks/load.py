"""What a service bears: clients that begin, tell and read all at once, and what is lost meanwhile.

`python -m benchmarks.load postgres [--clients 64] [--seconds 60] [--programmes 8]` and
`python -m benchmarks.load sqlite --clients 16`; with `--kill worker` or `--kill store` a worker of
the service, or the PostgreSQL server, is killed meanwhile, again and again. All clients are those
of `dwell.AsyncClient`, on loopback; a PostgreSQL server of its own waits for the disk at every
commit. Every telling that was acknowledged is looked for in the log, where it has to be once.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, process_time, sleep

from tests.postgres import PostgresServer, throwaway

from benchmarks.bare_commits import bare_postgres, bare_sqlite
from dwell import AsyncClient, Batch, Client, Lift, Programme
from dwell.programme.events import Begun, Told

_TELLINGS = 12  # of a task at most
_READS = 0.4  # as many of the tellings are followed by a look
_WORKERS = {"postgres": 2, "sqlite": 1}
_BARE_SECONDS = 5.0


@dataclass
class Tally:
    """What clients were answered.

    Attributes:
        seconds: How long each request took, by what it was.
        told: Tellings that were acknowledged: programme, task and key.
        errors: What was raised instead.
    """

    seconds: dict[str, list[float]] = field(
        default_factory=lambda: {"begin": [], "tell": [], "read": []}
    )
    told: list[tuple[str, str, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def requests(self) -> int:
        """How many requests were answered."""
        return sum(map(len, self.seconds.values()))

    def percentile(self, share: float) -> float:
        """The time that such a share of requests took at most, in milliseconds."""
        every = sorted(each for kind in self.seconds.values() for each in kind)
        return 1000.0 * every[min(len(every) - 1, int(share * len(every)))]


@dataclass(frozen=True)
class Service:
    """`dwell serve`, in a process of its own."""

    process: subprocess.Popen[str]
    url: str

    def workers(self) -> list[int]:
        """The processes that answer, if there are several."""
        found = []
        for each in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                parent = int(_stat(each)[1])
                words = each.joinpath("cmdline").read_text()
                if parent == self.process.pid and "spawn_main" in words:
                    found.append(int(each.name))
        return found

    def processor_seconds(self) -> float:
        """What those that live have taken of a processor."""
        ticks = 0
        for each in (self.process.pid, *self.workers()):
            with suppress(OSError):
                ticks += sum(map(int, _stat(Path(f"/proc/{each}"))[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")


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


async def _work(
    client: AsyncClient, number: int, programmes: int, end: float, tally: Tally
) -> None:
    """What one client does: a test after another, each told day by day."""
    draw = random.Random(number)
    name = f"programme {number % programmes}"
    programme = await client.programme(name)
    for test in range(10**9):
        start = perf_counter()
        task = await programme.begin(f"{number}-{test}")
        tally.seconds["begin"].append(perf_counter() - start)
        for day in range(_TELLINGS):
            if perf_counter() > end:
                return
            control, treated = (_day(draw) for _ in range(2))
            start = perf_counter()
            advice = await task.tell(control=control, treatment=treated, key=f"{day}")
            tally.seconds["tell"].append(perf_counter() - start)
            tally.told.append((name, task.name, f"{day}"))
            if draw.random() < _READS:
                start = perf_counter()
                await task.advice
                tally.seconds["read"].append(perf_counter() - start)
            if advice.done:
                break


def _day(draw: random.Random) -> Batch:
    n = draw.randrange(190, 210)
    return Batch(n, sum(draw.random() < 0.1 for _ in range(n)))


async def _crowd(url: str, clients: int, programmes: int, seconds: float) -> Tally:
    tally, end = Tally(), perf_counter() + seconds

    async def one(number: int) -> None:
        async with AsyncClient(url, patience=60.0) as client:
            try:
                await _work(client, number, programmes, end, tally)
            except Exception as error:  # whatever it is, it is one too many
                tally.errors.append(f"{type(error).__name__}: {error}")

    await asyncio.gather(*map(one, range(clients)))
    return tally


def audit(store: str, programmes: int, tally: Tally) -> tuple[int, int, int]:
    """How many tellings the log has, how many it has lost, and how many it has twice."""
    found: Counter[tuple[str, str, str]] = Counter()
    for number in range(programmes):
        name, tasks = f"programme {number}", dict[int, str]()
        programme = Programme.open(store, name)
        for _, event in programme.events():
            if isinstance(event, Begun):
                tasks[event.task] = event.name
            elif isinstance(event, Told):
                found[name, tasks[event.task], event.key or ""] += 1
        programme.verify()
    lost = sum(told not in found for told in tally.told)
    return found.total(), lost, sum(times > 1 for times in found.values())


def _killing(kill: str | None, running: Service, server: PostgresServer | None, end: float) -> int:
    """Kill something again and again; how often that was."""
    draw, kills = random.Random(1), 0
    while kill and perf_counter() < end - 5.0:
        sleep(draw.uniform(2.0, 5.0))
        if kill == "worker":
            os.kill(draw.choice(running.workers()), signal.SIGKILL)
        elif server is not None:
            server.kill()
            server.start()
        kills += 1
    return kills


def run(
    store: str, server: PostgresServer | None, arguments: argparse.Namespace
) -> dict[str, object]:
    """Load a service over a store; the figures."""
    kind = "sqlite" if server is None else "postgres"
    with service(store, arguments.workers or _WORKERS[kind]) as running:
        with Client(running.url) as client:
            for number in range(arguments.programmes):
                name = f"programme {number}"
                if arguments.law:
                    client.create(name, law=Lift(0.1), cap=20_000, setup_cost=2_000.0)
                else:
                    client.create(name, caps="256:16384:x2", setup_cost=2_000.0)
        start, before = perf_counter(), (process_time(), running.processor_seconds())
        end = start + arguments.seconds
        with ThreadPoolExecutor(1) as other:
            killed = other.submit(_killing, arguments.kill, running, server, end)
            crowd = _crowd(running.url, arguments.clients, arguments.programmes, arguments.seconds)
            tally = asyncio.run(crowd)
            taken = perf_counter() - start
            client_seconds = process_time() - before[0]
            server_seconds = running.processor_seconds() - before[1]
            kills = killed.result()
    tellings, lost, doubled = audit(store, arguments.programmes, tally)
    return {
        "store": kind,
        "clients": arguments.clients,
        "programmes": arguments.programmes,
        "kills": kills,
        "seconds": round(taken, 1),
        "requests": tally.requests,
        **{name: len(each) for name, each in tally.seconds.items()},
        "errors": len(tally.errors),
        "first_error": tally.errors[0] if tally.errors else None,
        "acknowledged": len(tally.told),
        "tellings": tellings,
        "lost": lost,
        "doubled": doubled,
        "per_second": round(tally.requests / taken, 1),
        "p50_ms": round(tally.percentile(0.5), 1),
        "p99_ms": round(tally.percentile(0.99), 1),
        "longest_ms": round(tally.percentile(1.0), 1),
        # Of those that were killed nobody knows any more what they took.
        "server_processor_ms": None
        if kills
        else round(1000.0 * server_seconds / tally.requests, 2),
        "client_processor_ms": round(1000.0 * client_seconds / tally.requests, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("store", choices=list(_WORKERS))
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--programmes", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=0, help="by default 2 on PostgreSQL, else 1")
    parser.add_argument("--law", action="store_true", help="learn the best boundaries for a law")
    parser.add_argument("--kill", choices=["worker", "store"])
    parser.add_argument("--fsync", choices=["on", "off"], default="on")
    arguments = parser.parse_args()
    if arguments.store == "sqlite":
        with tempfile.TemporaryDirectory(prefix="dwell-") as folder:
            bare = bare_sqlite(Path(folder, "bare.db"), _BARE_SECONDS)
            found = run(f"sqlite:///{folder}/tests.db", None, arguments)
    else:
        most = arguments.clients + 30
        with throwaway(fsync=arguments.fsync, max_connections=most) as server:
            bare = bare_postgres(server.address, arguments.clients, _BARE_SECONDS)
            found = run(server.address, server, arguments)
            found["bare_per_second_8"] = bare_postgres(server.address, 8, _BARE_SECONDS)
    found |= {"bare_per_second": round(bare, 1), "share": float(str(found["per_second"])) / bare}
    print(json.dumps(found, indent=2))
    if found["errors"] or found["lost"] or found["doubled"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
