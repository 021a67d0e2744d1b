"""Logs in parts: no test is torn apart, and nothing depends on how many parts there are."""

from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import Log, evaluate, fixed
from dwell.history.reading.parquet_files import ParquetFiles
from dwell.history.replay.workers import parts_of
from tests.blocks import sample_blocks
from tests.evaluations import LENGTHS, bits, raw_table, two_files
from tests.refusals import refused
from tests.strategies import PROPERTY


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return two_files(tmp_path)


@PROPERTY
@given(
    lengths=st.lists(st.integers(1, 30), min_size=1, max_size=20),
    group=st.integers(1, 40),
    cut=st.integers(0, 600),
    count=st.integers(1, 12),
)
def test_parts_hold_all_rows_and_whole_tests(
    lengths: list[int], group: int, cut: int, count: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """In their order, in no more parts than asked for, whatever groups and files there are."""
    rows = raw_table(lengths)
    folder = tmp_path_factory.mktemp("log")
    parquet.write_table(rows[:cut], folder / "1.parquet", row_group_size=group)
    parquet.write_table(rows[cut:], folder / "2.parquet", row_group_size=group)
    parts = parts_of(Log(folder), count)
    assert 1 <= len(parts) <= count
    names: list[str] = []
    samples: list[float] = []
    for part in parts:
        blocks = list(sample_blocks(part))
        names += [name for block in blocks for name in block.names]
        samples += [sample for block in blocks for sample in block.samples.tolist()]
        assert isinstance(part.source, ParquetFiles)
        assert part.source.before == len(samples) - sum(len(block.samples) for block in blocks)
    assert names == [f"test {i}" for i in range(len(lengths))]
    assert samples == rows["value"].to_pylist()


@pytest.mark.parametrize("partitions", [2, 7, 500])
def test_results_are_the_same_for_any_number_of_parts(folder: Path, partitions: int) -> None:
    """To the last bit, from 1, 2, 7 or as many parts as there are groups of rows."""
    whole = bits(evaluate(folder, setup_cost=20, partitions=1))
    assert bits(evaluate(folder, setup_cost=20, partitions=partitions)) == whole


def test_results_are_the_same_for_any_workers(folder: Path) -> None:
    """To the last bit, from threads and processes, from parts of files and from blocks."""
    alone = bits(evaluate(folder, setup_cost=20))
    pools: list[Executor] = [
        ThreadPoolExecutor(2),
        ProcessPoolExecutor(2, mp_context=get_context("spawn")),
    ]
    rows = raw_table(LENGTHS)
    for pool in pools:
        with pool:
            assert bits(evaluate(folder, setup_cost=20, executor=pool)) == alone
            assert bits(evaluate(rows, setup_cost=20, executor=pool)) == alone


def test_progress_is_told_in_shares_of_the_work(folder: Path) -> None:
    """Rising to 1, with a pass to make the candidates and without."""
    for policies in (None, fixed(3)):
        shares: list[float] = []
        evaluate(folder, policies, partitions=4, advance=shares.append)
        assert shares == sorted(shares)
        assert shares[-1] == 1.0
        assert len(shares) == (4 if policies else 8)


def test_the_first_fault_is_told_whatever_the_parts(tmp_path: Path) -> None:
    """A row that cannot be read is refused by the same number from one part and from many."""
    rows = raw_table(LENGTHS)
    values = rows["value"].to_pylist()
    values[700] = values[1300] = float("nan")
    path = tmp_path / "log.parquet"
    parquet.write_table(rows.set_column(2, "value", pa.array(values)), path, row_group_size=100)
    for partitions in (1, 7):
        with refused("row 701", "nan"), ThreadPoolExecutor(2) as pool:
            evaluate(path, setup_cost=1, partitions=partitions, executor=pool)


def test_a_file_that_is_no_parquet_is_refused_before_any_is_read(folder: Path) -> None:
    """By its name."""
    (folder / "3.parquet").write_bytes(b"no Parquet")
    with refused("3.parquet", "Parquet file"):
        evaluate(folder)


def test_the_number_of_parts_is_checked() -> None:
    """Also where a log has but one."""
    with refused("partitions", "0"):
        evaluate(raw_table([5, 5]), partitions=0)


def test_a_part_opens_only_the_files_that_its_rows_lie_in(folder: Path) -> None:
    """Of many files, each worker opens a few."""
    parts = parts_of(Log(folder), 8)
    files = []
    for part in parts:
        assert isinstance(part.source, ParquetFiles)
        files.append([path.name for path in part.source.paths])
    assert files[0] == ["1.parquet"]
    assert files[-1] == ["2.parquet"]
    assert [len(each) for each in files].count(2) <= 1
