"""Logs: the same tests from every source and form, a block of whole tests at a time."""

import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet
import pytest

from dwell.errors import NotOrdered
from dwell.history.reading.blocks import SampleBlock
from dwell.history.reading.inspection import check
from dwell.history.reading.log import BLOCK, Log
from dwell.history.reading.quality import Quality
from dwell.history.reading.sources import Query
from tests.blocks import period_blocks, sample_blocks
from tests.refusals import refused

RNG = np.random.default_rng(0)
LENGTHS = [5, 1, 30, 2, 12]
NAMES = ["12", "3", "blue", "ä, b", "7"]
RAW = pa.table(
    {
        "test": np.repeat(NAMES, LENGTHS),
        "order": np.concatenate([np.arange(1, length + 1) for length in LENGTHS]),
        "value": RNG.normal(size=sum(LENGTHS)).round(3),
    }
)
SOURCES = ["table", "csv", "parquet", "folder", "glob", "pandas", "polars", "lazy", "duckdb", "sql"]


def stored(table: pa.Table, kind: str, folder: Path) -> Any:
    """The same rows in another place."""
    if kind == "csv":
        arrow_csv.write_csv(table, folder / "log.csv")
        return folder / "log.csv"
    if kind == "parquet":
        parquet.write_table(table, folder / "log.parquet", row_group_size=max(9, len(table) // 10))
        return str(folder / "log.parquet")
    if kind in ("folder", "glob"):
        parquet.write_table(table[:17], folder / "part-1.parquet")
        parquet.write_table(table[17:], folder / "part-2.parquet")
        return folder if kind == "folder" else str(folder / "*.parquet")
    if kind == "pandas":
        return pd.DataFrame(table.to_pydict())
    if kind in ("polars", "lazy"):
        frame = pl.DataFrame(table.to_pydict())
        return frame.lazy() if kind == "lazy" else frame
    if kind == "duckdb":
        return duckdb.connect().from_arrow(table)
    if kind == "sql":
        with duckdb.connect(str(folder / "log.duckdb")) as connection:
            connection.from_arrow(table).create("log")
        return Query("select * from log", folder / "log.duckdb")
    return table


def whole(log: Log, rows: int = BLOCK) -> tuple[list[str], list[int], list[float], Quality]:
    """All blocks of a log as one."""
    return joined(sample_blocks(log, rows))


def joined(blocks: Iterable[SampleBlock]) -> tuple[list[str], list[int], list[float], Quality]:
    """All of them as one."""
    names: list[str] = []
    lengths: list[int] = []
    samples: list[float] = []
    quality = Quality()
    for block in blocks:
        names += block.names
        lengths += block.lengths.tolist()
        samples += block.samples.tolist()
        quality += block.quality
    return names, lengths, samples, quality


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("rows", [1, 7, 10**9])
def test_every_source_gives_the_same_tests(kind: str, rows: int, tmp_path: Path) -> None:
    """To the last bit, in blocks of any size."""
    names, lengths, samples, quality = whole(Log(stored(RAW, kind, tmp_path)), rows)
    assert (names, lengths) == (NAMES, LENGTHS)
    assert samples == RAW["value"].to_pylist()
    assert quality == Quality(rows=50, tests=5, samples=50, short_tests=1)


@pytest.mark.parametrize("kind", SOURCES)
def test_a_shuffled_log_is_sorted_on_demand(kind: str, tmp_path: Path) -> None:
    """Tests then come in the order of their first rows, wherever the log is."""
    shuffled = RAW.take(pa.array(np.random.default_rng(1).permutation(50)))
    first = list(dict.fromkeys(shuffled["test"].to_pylist()))
    source = stored(shuffled, kind, tmp_path)
    with refused("sort=True", kind=NotOrdered):
        whole(Log(source))
    names, lengths, samples, _ = whole(Log(source, sort=True, memory="100MB"), 7)
    assert names == first
    assert lengths == [LENGTHS[NAMES.index(name)] for name in first]
    values = RAW["value"].to_pylist()
    starts = dict(zip(NAMES, np.cumsum([0, *LENGTHS]), strict=False))
    assert samples == [
        value
        for name, length in zip(names, lengths, strict=True)
        for value in values[starts[name] : starts[name] + length]
    ]


def test_blocks_hold_whole_tests_and_no_more_rows_than_asked() -> None:
    """Except for a longer test, which is a block of its own."""
    sizes = [block.lengths.tolist() for block in sample_blocks(Log(RAW), 14)]
    assert sizes == [[5, 1], [30], [2], [12]]


def test_a_test_longer_than_many_batches_stays_whole(tmp_path: Path) -> None:
    """A test of 400,000 rows, in blocks of 1000."""
    rows = 400_000
    tests = np.concatenate([[0], np.ones(rows, dtype=int), [2]])
    table = pa.table({"test": tests, "order": np.arange(rows + 2), "value": np.zeros(rows + 2)})
    source = stored(table, "parquet", tmp_path)
    assert [block.lengths.tolist() for block in sample_blocks(Log(source), 1000)] == [
        [1],
        [rows],
        [1],
    ]


def two_arm_rows(interleaved: bool) -> pa.Table:
    """Two tests: three against two outcomes, and a control alone."""
    table = pa.table(
        {
            "test": ["a"] * 5 + ["b"],
            "arm": ["control", "treatment", "treatment", "control", "control", "control"],
            "order": [1, 2, 3, 4, 5, 1],
            "outcome": [1.0, 5.0, 7.0, 2.0, 9.0, 1.0],
        }
    )
    return table if interleaved else table.sort_by([("test", "ascending"), ("arm", "ascending")])


@pytest.mark.parametrize("interleaved", [True, False])
@pytest.mark.parametrize("sort", [True, False])
@pytest.mark.parametrize("kind", SOURCES)
def test_two_arms_are_paired_in_order(
    interleaved: bool, sort: bool, kind: str, tmp_path: Path
) -> None:
    """The first with the first; what is left over is counted, and no test is lost."""
    source = stored(two_arm_rows(interleaved), kind, tmp_path)
    names, lengths, samples, quality = whole(Log(source, sort=sort), 1)
    assert (names, lengths, samples) == (["a", "b"], [2, 0], [4.0, 5.0])
    halves = dict.fromkeys(("early", "early_treated", "late", "late_treated"), 0)
    assert replace(quality, **halves) == Quality(
        rows=6, tests=2, samples=2, unpaired=2, short_tests=1, controls=4, treated=2
    )


def test_arms_may_have_any_two_labels() -> None:
    """The usual ones are known in any case; where none is as named, the log is refused."""
    table = two_arm_rows(True)
    swapped = Log(table, arms=("treatment", "control"))
    assert whole(swapped)[2] == [-4.0, -5.0]
    numbered = table.set_column(1, "arm", pa.array([0, 1, 1, 0, 0, 0]))
    assert whole(Log(numbered))[2] == [4.0, 5.0]
    named = check(table, arms=("old", "new"))
    assert [fault.sentence for fault in named.faults if fault.fatal] == [
        "some rows must be of the arms that are asked for, got 6 rows of others: name the arms as "
        "the log does"
    ]


COUNTS = pa.table(
    {
        "test": [10, 11, 12, 13],
        "n_c": [50, 4, 0, 130],
        "x_c": [5, 4, 0, 125],
        "n_t": [40, 4, 3, 100],
        "x_t": [10, 0, 1, 99],
    }
)


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("rows", [1, 7, 10**9])
def test_counts_are_the_same_sequences_from_anywhere(kind: str, rows: int, tmp_path: Path) -> None:
    """They depend on the seed and the tests' names only, not on what is read with them."""
    expected = whole(Log(COUNTS))
    found = list(sample_blocks(Log(stored(COUNTS, kind, tmp_path)), rows))
    assert {block.samples.dtype for block in found} == {np.dtype(np.int8)}
    assert joined(found) == expected
    alone = whole(Log(COUNTS[3:]))
    assert alone[2] == expected[2][44:]
    assert expected[:2] == (["10", "11", "12", "13"], [40, 4, 0, 100])
    assert expected[2][40:44] == [-1] * 4
    assert expected[3].unpaired == 3  # of the test with one arm: elsewhere all users count


def test_expanded_counts_are_exchangeable() -> None:
    """Over 2000 seeds each place has its share of ones, within 5 standard errors.

    False alarms: 4e-6. Where no outcome is left over, the sum is that of the counts.
    """
    table = pa.table({"test": ["a"], "n_c": [6], "x_c": [2], "n_t": [8], "x_t": [7]})
    drawn = np.array([whole(Log(table, seed=seed))[2] for seed in range(2000)])
    error = np.sqrt((2 / 6 * 4 / 6 + 7 / 8 / 8) / 2000)
    assert np.abs(drawn.mean(axis=0) - (7 / 8 - 2 / 6)).max() < 5 * error
    even = pa.table({"test": ["a"], "n_c": [60], "x_c": [20], "n_t": [60], "x_t": [50]})
    assert sum(whole(Log(even))[2]) == 30


def test_batches_of_the_difference_are_kept_as_sums() -> None:
    """A period's sum is its mean times its number."""
    table = pa.table(
        {
            "test": ["a", "a", "b"],
            "period": ["2024-01-01", "2024-01-02", "2024-01-01"],
            "n": [10, 20, 5],
            "mean": [0.5, -1.0, 2.0],
            "variance": [1.0, 2.0, 0.0],
        }
    )
    first, second = period_blocks(Log(table))
    assert (first.names, first.lengths.tolist()) == (("a",), [2])
    assert first.counts.tolist() == [10, 20]
    assert first.sums.tolist() == [5.0, -20.0]
    assert first.variances.tolist() == [1.0, 2.0]
    assert (second.names, second.sums.tolist()) == (("b",), [10.0])
    assert first.quality + second.quality == Quality(rows=3, tests=2, samples=35)


@pytest.mark.parametrize("sort", [True, False])
@pytest.mark.parametrize("rows", [1, 100])
def test_batches_of_arms_become_batches_of_the_difference(sort: bool, rows: int) -> None:
    """With the mean and the error of a difference of means; a period of one arm is left out."""
    table = pa.table(
        {
            "test": ["a", "a", "a", "b", "b"],
            "arm": ["c", "t", "c", "t", "c"],
            "period": [1, 1, 2, 1, 1],
            "n": [10, 5, 7, 4, 4],
            "mean": [0.5, 2.0, 9.0, 1.0, 0.5],
            "variance": [2.0, 3.0, 1.0, 1.0, 2.0],
        }
    )
    found = list(period_blocks(Log(table, sort=sort), rows))
    assert [name for block in found for name in block.names] == ["a", "b"]
    counts, sums, variances = (
        np.concatenate([getattr(block, name) for block in found])
        for name in ("counts", "sums", "variances")
    )
    assert counts.tolist() == [7, 4]  # half of the users of both arms
    assert sums.tolist() == [7 * 1.5, 4 * 0.5]
    assert variances / counts == pytest.approx([2 / 10 + 3 / 5, 2 / 4 + 1 / 4])
    quality = sum((block.quality for block in found), Quality())
    assert (quality.unpaired, quality.controls, quality.treated) == (7, 21, 9)


@pytest.mark.parametrize("kind", ["csv", "parquet", "table"])
@pytest.mark.parametrize(
    "orders",
    [
        [0.5, 1.25, -3.0],
        ["2024-03-01T10:00:00", "2024-03-01T10:00:01", "2023-01-01T00:00:00"],
        ["2024-03-01 10:00Z", "2024-03-02 10:00Z", "2023-01-01 00:00Z"],
        [1_700_000_000_000_000_001, 1_700_000_000_000_000_002, -5],
    ],
)
def test_order_may_be_a_number_or_a_time(kind: str, orders: list[Any], tmp_path: Path) -> None:
    """Fractions, times as text and nanoseconds are told apart to the last digit."""
    table = pa.table({"test": [1, 1, 1], "order": orders, "value": [2, 3, 1]})
    source = stored(table, kind, tmp_path)
    assert whole(Log(source, sort=True))[2] == [1.0, 2.0, 3.0]
    with refused("row 3", "sort=True", kind=NotOrdered):
        whole(Log(source))


def test_times_of_a_table_are_orders() -> None:
    """Timestamps and dates need no text."""
    days = np.array(["2024-01-02", "2024-01-01"], dtype="datetime64[D]")
    for unit in ("datetime64[D]", "datetime64[us]"):
        table = pa.table({"test": [1, 1], "order": days.astype(unit), "value": [2, 1]})
        assert whole(Log(table, sort=True))[2] == [1.0, 2.0]


def test_columns_of_encoded_text_are_read() -> None:
    """As polars, pandas and Parquet write categories."""
    table = RAW.set_column(0, "test", RAW["test"].dictionary_encode())
    assert whole(Log(table)) == whole(Log(RAW))


def test_many_tiny_tests_are_read_quickly(tmp_path: Path) -> None:
    """100,000 tests of two rows, in blocks of 10,000 rows: in under five seconds."""
    count = 100_000
    table = pa.table(
        {
            "test": np.repeat(np.arange(count), 2).astype(str),
            "order": np.tile([1, 2], count),
            "value": np.arange(2.0 * count),
        }
    )
    source = stored(table, "parquet", tmp_path)
    start = perf_counter()
    quality = sum((block.quality for block in Log(source).blocks(10_000)), Quality())
    assert perf_counter() - start < 5.0
    assert quality == Quality(rows=2 * count, tests=count, samples=2 * count)


def test_a_log_is_sorted_right_under_a_low_memory_limit(tmp_path: Path) -> None:
    """Two million shuffled rows come out right though DuckDB is given 64 MB."""
    rows, order = 2_000_000, np.random.default_rng(2).permutation(2_000_000)
    table = pa.table({"test": order % 50, "order": order, "value": order / 2.0})
    source = stored(table, "parquet", tmp_path)
    log = Log(source, sort=True, memory="64MB")
    for block in sample_blocks(log, rows // 50):
        test = int(block.names[0])
        assert np.array_equal(block.samples, np.arange(test, rows, 50) / 2.0)


def test_pandas_and_polars_are_accepted_and_not_needed() -> None:
    """No module of the package imports them."""
    code = (
        "import sys, dwell.history.reading.inspection\n"
        "print(*{'pandas', 'polars'} & {name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
