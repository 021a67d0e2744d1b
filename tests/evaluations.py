"""Logs to evaluate, and evaluations compared to the last bit."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

from dwell import Gaussian, Normal, Report, World

LENGTHS = np.random.default_rng(5).integers(2, 60, 90).tolist()


def raw_table(lengths: list[int], seed: int = 0) -> pa.Table:
    """Tests of these lengths, a row per sample."""
    rng = np.random.default_rng(seed)
    _, samples = World(Normal(0.1, 0.4), Gaussian(1.0)).sample(len(lengths), max(lengths), rng=rng)
    return pa.table(
        {
            "test": np.repeat([f"test {i}" for i in range(len(lengths))], lengths),
            "order": np.concatenate([np.arange(length) for length in lengths]),
            "value": np.concatenate([row[:n] for row, n in zip(samples, lengths, strict=True)]),
        }
    )


def two_files(parent: Path) -> Path:
    """A folder with two files of groups of 100 rows; some tests lie in two groups, or files."""
    folder = parent / "log"
    folder.mkdir()
    rows = raw_table(LENGTHS)
    middle = len(rows) // 2
    parquet.write_table(rows[:middle], folder / "1.parquet", row_group_size=100)
    parquet.write_table(rows[middle:], folder / "2.parquet", row_group_size=100)
    return folder


def bits(report: Report) -> tuple[Any, ...]:
    """Everything that was found."""
    found, replayed = report.found, report.replayed
    arrays = (
        found.reward,
        found.cost,
        found.accept_rate,
        found.truncated,
        found.approximate.roi_low,
        found.approximate.gain_high,
        found.approximate.lead_low,
        replayed.current.rewards,
        *(replayed.replay.durations(k) for k in range(len(found.policies))),
        *(replayed.replay.rewards(k) for k in range(len(found.policies))),
    )
    return (
        [array.tobytes() for array in arrays],
        (found.best, found.corrected, found.current, found.approximate.indistinguishable),
        (replayed.names, replayed.quality, replayed.left_out),
    )
