"""Logs in parts: no test is torn apart, and nothing depends on how many parts there are."""

from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import AtEnd, Gaussian, Log, Normal, NotOrdered, World, evaluate, fixed
from dwell.history.reading.parquet_files import ParquetFiles
from dwell.history.replay.workers import parts_of
from tests.blocks import sample_blocks
from tests.evaluations import bits
from tests.refusals import refused
from tests.strategies import PROPERTY


def table(lengths: list[int], seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    _, samples = World(Normal(0.1, 0.4), Gaussian(1.0)).sample(len(lengths), max(lengths), rng=rng)
    return pa.table(
        {
            "test": np.repeat([f"test {i}" for i in range(len(lengths))], lengths),
            "order": np.concatenate([np.arange(length) for length in lengths]),
            "value": np.concatenate([row[:n] for row, n in zip(samples, lengths, strict=True)]),
        }
    )


LENGTHS = np.random.default_rng(5).integers(2, 60, 90).tolist()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files with groups of 100 rows, between which tests lie across."""
    folder = tmp_path / "log"
    folder.mkdir()
    rows = table(LENGTHS)
    middle = len(rows) // 2
    parquet.write_table(rows[:middle], folder / "1.parquet", row_group_size=100)
    parquet.write_table(rows[middle:], folder / "2.parquet", row_group_size=100)
    return folder


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
    rows = table(lengths)
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
    rows = table(LENGTHS)
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


def test_a_log_out_of_order_is_sorted_and_that_is_said(folder: Path, tmp_path: Path) -> None:
    """From one part and from many; the same figures as in order, but for the order of tests."""
    rows = table(LENGTHS)
    mixed = rows.take(np.random.default_rng(1).permutation(len(rows)))
    apart = pa.concat_tables([rows[:150], rows[400:], rows[150:400]])
    astray = pa.concat_tables([rows[:4], rows[5:], rows[4:5]])  # one row, in the last part
    for number, wrong in enumerate((mixed, apart, astray)):
        path = tmp_path / f"wrong-{number}.parquet"
        parquet.write_table(wrong, path, row_group_size=50)
        for partitions in (1, 9):
            report = evaluate(path, {"some": fixed(4)}, partitions=partitions)
            assert "rows did not come in order, and were sorted first" in report.notes
            right = evaluate(folder, {"some": fixed(4)})
            assert sorted(report.replayed.names) == sorted(right.replayed.names)
            assert report.found.reward == pytest.approx(right.found.reward, rel=1e-12)
    with pytest.raises(NotOrdered):
        list(Log(mixed).blocks())


def test_the_first_fault_is_told_whatever_the_parts(tmp_path: Path) -> None:
    """A row that cannot be read is refused by the same number from one part and from many."""
    rows = table(LENGTHS)
    values = rows["value"].to_pylist()
    values[700] = values[1300] = float("nan")
    path = tmp_path / "log.parquet"
    parquet.write_table(rows.set_column(2, "value", pa.array(values)), path, row_group_size=100)
    for partitions in (1, 7):
        with refused("row 701", "nan"), ThreadPoolExecutor(2) as pool:
            evaluate(path, setup_cost=1, partitions=partitions, executor=pool)


def test_the_current_rule_may_be_a_policy(folder: Path) -> None:
    """It is then compared with as it is, and nobody gains over themselves."""
    report = evaluate(folder, {"now": fixed(4), "other": fixed(9)}, current=fixed(4))
    assert report.found.current.roi == pytest.approx(report.found.roi[0])
    assert report.current == "the current policy, cap 4"
    with refused("current", "'now'"):
        evaluate(folder, current="now")  # type: ignore[arg-type]  # that is the mistake
    assert evaluate(folder, current=AtEnd(1.96)).current.endswith("1.96 standard errors ahead")


def test_a_log_with_nothing_to_judge_is_refused(tmp_path: Path) -> None:
    """Empty files, and tests that are all too short."""
    path = tmp_path / "log.parquet"
    for lengths in ([1, 1, 1], [5]):
        parquet.write_table(table(lengths), path)
        for policies in (None, fixed(1)):
            with refused("log.parquet", "2 tests or more of 2 samples"):
                evaluate(path, policies)
    parquet.write_table(table([3])[:0], path)
    with refused("log.parquet", "got 0"):
        evaluate(path)


def test_short_tests_are_left_out_and_counted() -> None:
    """The others are judged as if they had not been there."""
    report = evaluate(table([5, 1, 9, 1, 1, 30]), fixed(2))
    assert report.replayed.names == ("test 0", "test 2", "test 5")
    assert report.replayed.left_out == 3
    assert any("3 of 6 tests are left out" in note for note in report.notes)


def test_tests_of_one_period_are_left_out_and_counted() -> None:
    """Of batches, the last period scores the others."""
    days = {"test": ["a", "a", "b", "c", "c", "c"], "period": [1, 2, 1, 1, 2, 3]}
    sums = {"n": [5, 5, 9, 5, 5, 5], "mean": [0.5, 0.25, 1.0, -0.5, 0.5, 1.0]}
    report = evaluate(pa.table(days | sums | {"variance": [1.0] * 6}), fixed(4))
    assert report.replayed.names == ("a", "c")
    assert report.replayed.left_out == 1
    assert report.found.reward.tolist() == [0.125]  # a is accepted, and its second day scores


def test_a_file_that_is_no_parquet_is_refused_before_any_is_read(folder: Path) -> None:
    """By its name."""
    (folder / "3.parquet").write_bytes(b"no Parquet")
    with refused("3.parquet", "Parquet file"):
        evaluate(folder)


def test_the_number_of_parts_is_checked() -> None:
    """Also where a log has but one."""
    with refused("partitions", "0"):
        evaluate(table([5, 5]), partitions=0)
