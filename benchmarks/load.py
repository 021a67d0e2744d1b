"""What a service bears: clients that begin, tell and read all at once, and what is lost meanwhile.

`python -m benchmarks.load postgres [--clients 64] [--seconds 60] [--programmes 8]` and
`python -m benchmarks.load sqlite --clients 16`; with `--kill worker`, `store` or `both` workers of
the service, or the PostgreSQL server, are killed meanwhile, again and again. All is on loopback; a
PostgreSQL server of its own waits for the disk at every commit. Every telling that was acknowledged
is looked for in the log, where it has to be once. `benchmarks.load_clients` says who calls: the
library's clients with `--library`, and where something is killed. With `--floor` the same clients
load the least that a service can be: `benchmarks.load_floor`.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from math import inf
from pathlib import Path
from time import perf_counter, process_time, sleep
from typing import Any

from tests.postgres import PostgresServer, throwaway

from benchmarks.bare_commits import Bare, bare_postgres, bare_sqlite
from benchmarks.load_clients import LeanClient, LibraryClient, Tally, crowd, days
from benchmarks.load_services import Service, floor, processor_seconds, service
from dwell import Client, Lift, Programme
from dwell.programme.events import Begun, Told

_WORKERS = {"postgres": 2, "sqlite": 1}
_CONNECTIONS = 8  # as many as two workers have at work, or a few more


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


def _killing(
    kill: str | None, kills: int, running: Service, server: PostgresServer | None, tally: Tally
) -> int:
    """Kill something again and again; how often that was. The load goes on for a while after it."""
    draw, planned, done = random.Random(1), tally.end, 0
    while kill and (done < kills or (not kills and perf_counter() < planned - 5.0)):
        tally.end = inf
        sleep(draw.uniform(1.0, 4.0))
        if kill == "worker" or (kill == "both" and done % 2):
            os.kill(draw.choice(running.workers()), signal.SIGKILL)
        elif server is not None:
            server.kill()
            server.start()
        done += 1
    tally.end = max(planned, perf_counter() + 3.0 * bool(done))
    return done


def run(store: str, server: PostgresServer | None, arguments: argparse.Namespace) -> dict[str, Any]:
    """Load a service over a store; the figures."""
    kind = "sqlite" if server is None else "postgres"
    served = floor if arguments.floor else service
    at = LibraryClient.at if arguments.library or arguments.kill else LeanClient.at
    days()
    with served(store, arguments.workers or _WORKERS[kind]) as running:
        if not arguments.floor:
            _create(running.url, arguments)

        def spent() -> dict[str, float]:
            others = {"service": running.process.pid} | ({"postgres": server.pid} if server else {})
            found = {name: processor_seconds(each) for name, each in others.items()}
            return {"clients": process_time(), **found}

        start, before = perf_counter(), spent()
        tally = Tally(start + arguments.seconds)
        with ThreadPoolExecutor(1) as other:
            killing = (arguments.kill, arguments.kills, running, server, tally)
            killed = other.submit(_killing, *killing)
            crowd(at, running.url, arguments.clients, arguments.programmes, tally)
            taken, after = perf_counter() - start, spent()
            kills = killed.result()
    told = len(tally.told)
    tellings, lost, doubled = (
        (told, 0, 0) if arguments.floor else audit(store, arguments.programmes, tally)
    )
    return {
        "store": kind,
        "floor": arguments.floor,
        "library": at is LibraryClient.at,
        "clients": arguments.clients,
        "programmes": arguments.programmes,
        "kills": kills,
        "seconds": round(taken, 1),
        "requests": tally.requests,
        **{name: len(each) for name, each in tally.seconds.items()},
        "errors": len(tally.errors),
        "first_error": tally.errors[0] if tally.errors else None,
        "acknowledged": told,
        "tellings": tellings,
        "lost": lost,
        "doubled": doubled,
        "per_second": round(tally.requests / taken, 1),
        "p50_ms": round(tally.percentile(0.5), 1),
        "p99_ms": round(tally.percentile(0.99), 1),
        "longest_ms": round(tally.percentile(1.0), 1),
        # A PostgreSQL server that was killed has taken what it took with it.
        "processor_us": {
            name: round(1e6 * (after[name] - before[name]) / tally.requests) for name in before
        },
    }


def _create(url: str, arguments: argparse.Namespace) -> None:
    """Create the programmes."""
    with Client(url) as client:
        for number in range(arguments.programmes):
            name = f"programme {number}"
            if arguments.law:
                client.create(name, law=Lift(0.1), cap=20_000, setup_cost=2_000.0)
            else:
                client.create(name, caps="256:16384:x2", setup_cost=2_000.0)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("store", choices=list(_WORKERS))
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--programmes", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--bare-seconds", type=float, default=5.0, help="for bare commits")
    parser.add_argument("--workers", type=int, default=0, help="by default 2 on PostgreSQL, else 1")
    parser.add_argument("--law", action="store_true", help="learn the best boundaries for a law")
    parser.add_argument("--library", action="store_true", help="call by dwell.AsyncClient")
    parser.add_argument("--floor", action="store_true", help="load the least that there can be")
    parser.add_argument("--kill", choices=["worker", "store", "both"])
    parser.add_argument("--kills", type=int, default=0, help="how many; 0 for as many as fit")
    parser.add_argument("--fsync", choices=["on", "off"], default="on")
    arguments = parser.parse_args()
    bare: dict[str, Bare] = {}
    if arguments.store == "sqlite":
        with tempfile.TemporaryDirectory(prefix="dwell-") as folder:
            bare["1 connection"] = bare_sqlite(Path(folder, "bare.db"), arguments.bare_seconds)
            found = run(f"sqlite:///{folder}/tests.db", None, arguments)
    else:
        most = arguments.clients + 30
        with throwaway(fsync=arguments.fsync, max_connections=most) as server:
            found = run(server.address, server, arguments)
            for connections in (arguments.clients, _CONNECTIONS, 1):
                bare[f"{connections} connections"] = bare_postgres(
                    server.address,
                    connections,
                    arguments.bare_seconds,
                    lambda: processor_seconds(server.pid),
                )
    figures = found["per_second"], sum(found["processor_us"].values())
    found["bare"] = {name: each.compared(*figures) for name, each in bare.items()}
    print(json.dumps(found, indent=2))
    if found["errors"] or found["lost"] or found["doubled"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
