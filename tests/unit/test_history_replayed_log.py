"""Whole logs replayed: what is sorted, left out or refused on the way."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet
import pytest

from dwell import AtEnd, Log, NotOrdered, Policy, evaluate, fixed
from tests.evaluations import LENGTHS, raw_table, two_files
from tests.refusals import refused


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return two_files(tmp_path)


def test_a_log_out_of_order_is_sorted_and_that_is_said(folder: Path, tmp_path: Path) -> None:
    """From one part and from many; the same figures as in order, but for the order of tests."""
    rows = raw_table(LENGTHS)
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


def test_a_log_with_nothing_to_judge_is_refused(tmp_path: Path) -> None:
    """Empty files, and tests that are all too short."""
    path = tmp_path / "log.parquet"
    for lengths in ([1, 1, 1], [5]):
        parquet.write_table(raw_table(lengths), path)
        for policies in (None, fixed(1)):
            with refused("log.parquet", "2 tests or more of 2 samples"):
                evaluate(path, policies)
    parquet.write_table(raw_table([3])[:0], path)
    with refused("log.parquet", "got 0"):
        evaluate(path)


def test_short_tests_are_left_out_and_counted() -> None:
    """The others are judged as if they had not been there."""
    report = evaluate(raw_table([5, 1, 9, 1, 1, 30]), fixed(2))
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


def test_the_current_rule_may_be_a_policy(folder: Path) -> None:
    """It is then compared with as it is, and nobody gains over themselves."""
    report = evaluate(folder, {"now": fixed(4), "other": fixed(9)}, current=fixed(4))
    assert report.found.current.roi == pytest.approx(report.found.roi[0])
    assert report.current == "the current policy, cap 4"
    with refused("current", "'now'"):
        evaluate(folder, current="now")  # type: ignore[arg-type]  # that is the mistake
    assert evaluate(folder, current=AtEnd(1.96)).current.endswith("1.96 standard errors ahead")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("policies", [None, fixed(3)])
def test_each_header_is_read_once(
    ending: str, policies: Policy | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often rows are read: twice to make candidates, once for given ones.

    The first file is opened once more, to see that its rows have no dates.
    """
    rows, middle = raw_table(LENGTHS), 1000
    for name, part in (("1", rows[:middle]), ("2", rows[middle:])):
        write = arrow_csv.write_csv if ending == "csv" else parquet.write_table
        write(part, tmp_path / f"{name}.{ending}")
    headers, opened = Counter[str](), Counter[str]()
    for module, name, counter in (
        (pa, "input_stream", headers),
        (parquet, "read_metadata", headers),
        (parquet, "read_schema", headers),
        (arrow_csv, "open_csv", opened),
        (parquet, "ParquetFile", opened),
    ):
        real = getattr(module, name)

        def counted(
            path: object, *rest: Any, _real: Any = real, _counter: Any = counter, **options: Any
        ) -> Any:
            _counter[Path(str(path)).name] += 1
            return _real(path, *rest, **options)

        monkeypatch.setattr(module, name, counted)
    evaluate(tmp_path, policies, partitions=1)
    times = 2 if policies is None else 1
    assert headers == {f"1.{ending}": 1, f"2.{ending}": 1}
    assert opened == {f"1.{ending}": times + 1, f"2.{ending}": times}
