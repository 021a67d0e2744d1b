"""`evaluate` against reading the same Parquet file and doing nothing with it.

Both use two threads. The rival reads all three columns as they come, into one table or a batch of
rows at a time. Ours checks them, runs ninety policies on every test and says what each earns;
`/usual` tries the hundreds that it tries by itself, for which it reads the log twice.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

import pyarrow as pa
import pyarrow.parquet as parquet

from benchmarks.duel import Asked, Duel
from benchmarks.history_setting import THREADS, generated, many, rows_of
from dwell import Report, evaluate

_ROWS = 20_000_000


def in_batches(path: Path) -> int:
    with parquet.ParquetFile(path) as file:
        return sum(batch.num_rows for batch in file.iter_batches())


def duels() -> Iterator[Duel]:
    pa.set_cpu_count(THREADS)
    with generated(_ROWS) as path, ThreadPoolExecutor(THREADS) as threads:
        policies, rows = many(path), rows_of(path)

        def ours() -> Report:
            return evaluate(path, policies, executor=threads)

        yield Duel(
            name="history/read",
            ours=ours,
            rival=lambda: parquet.read_table(path),
            work=rows,
            unit="row",
            asked=Asked(2.0, of="time"),
            clock=perf_counter,
        )
        yield Duel(
            name="history/read/in-batches",
            ours=ours,
            rival=lambda: in_batches(path),
            work=rows,
            unit="row",
            asked=Asked(2.0, of="time"),
            clock=perf_counter,
        )
        yield Duel(
            name="history/read/usual",
            ours=lambda: evaluate(path, executor=threads),
            rival=lambda: parquet.read_table(path),
            work=rows,
            unit="row",
            asked=None,
            clock=perf_counter,
        )
