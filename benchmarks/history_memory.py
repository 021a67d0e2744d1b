"""The memory that `evaluate` needs for a long log: `python -m benchmarks.history_memory [rows]`.

The log is generated into a temporary folder: 200 million rows take 1.7 GB there. Another process
then evaluates it with two threads and the usual candidates, so that it is read twice, and says how
much memory it held at its fullest, its libraries included.
"""

import argparse
import resource
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from benchmarks.history_setting import THREADS, generated, rows_of
from dwell import evaluate

_ROWS = 200_000_000
_ASKED = 1.5  # GiB


class Borne(NamedTuple):
    """A log that was evaluated: its tests, the policies tried, and what that took."""

    tests: int
    policies: int
    seconds: float
    bytes: int


def borne(path: Path) -> Borne:
    start = perf_counter()
    with ThreadPoolExecutor(THREADS) as threads:
        report = evaluate(path, executor=threads)
    seconds = perf_counter() - start
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # Linux counts in KiB
    return Borne(report.found.tests, len(report.found.policies), seconds, most)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.history_memory", description=__doc__
    )
    parser.add_argument("rows", nargs="?", type=int, default=_ROWS, help=f"{_ROWS:,} by default")
    arguments = parser.parse_args()
    with (
        generated(arguments.rows) as path,
        # A fresh process: a forked one begins with what this one holds.
        ProcessPoolExecutor(1, get_context("spawn")) as processes,
    ):
        found = processes.submit(borne, path).result()
        rows, size = rows_of(path), path.stat().st_size
    gibibytes = found.bytes / 2**30
    print(f"rows        {rows:,} in {size / 1e9:.2f} GB")
    print(f"tests       {found.tests:,}, with {found.policies} policies")
    print(f"time        {found.seconds:.1f} s, {rows / found.seconds / 1e6:.1f} million rows/s")
    print(f"peak        {gibibytes:.2f} GiB, asked <= {_ASKED:g}: {_met(gibibytes)}")


def _met(gibibytes: float) -> str:
    return "yes" if gibibytes <= _ASKED else "NO"


if __name__ == "__main__":
    main()
