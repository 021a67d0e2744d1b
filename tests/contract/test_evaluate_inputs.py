"""The same tests, however they are told: every way in leads to the same evaluation."""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import psycopg
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dwell import (
    InvalidInput,
    Lift,
    Log,
    Normal,
    Policy,
    Query,
    Report,
    World,
    banded,
    evaluate,
    fixed,
)
from tests.evaluations import bits
from tests.strategies import PROPERTY

SETUP = 30.0


def raw(tests: int = 150, seed: int = 3) -> pa.Table:
    """Treated minus untreated outcomes of 0 and 1, tests of different lengths."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(10, 120, tests)
    _, samples = World(Normal(0.05, 0.1), Lift(0.3)).sample(tests, 120, rng=rng)
    return pa.table(
        {
            "test": np.repeat([f"idea {i}" for i in range(tests)], lengths),
            "order": np.concatenate([np.arange(1, n + 1) for n in lengths]),
            "value": np.concatenate([row[:n] for row, n in zip(samples, lengths, strict=True)]),
        }
    )


RAW = raw()


@cache
def told() -> Report:
    """Its evaluation."""
    return evaluate(RAW, setup_cost=SETUP)


def as_csv(table: pa.Table, folder: Path) -> object:
    arrow_csv.write_csv(table, folder / "log.csv")
    return folder / "log.csv"


def as_parquet(table: pa.Table, folder: Path) -> object:
    parquet.write_table(table, folder / "log.parquet", row_group_size=1000)
    return str(folder / "log.parquet")


def as_folder(table: pa.Table, folder: Path) -> object:
    (folder / "logs").mkdir()
    parquet.write_table(table[:2000], folder / "logs" / "a.parquet")
    parquet.write_table(table[2000:], folder / "logs" / "b.parquet")
    return folder / "logs"


def as_pattern(table: pa.Table, folder: Path) -> object:
    arrow_csv.write_csv(table[:3333], folder / "day-1.csv")
    arrow_csv.write_csv(table[3333:], folder / "day-2.csv")
    return folder / "day-*.csv"


def as_duckdb_file(table: pa.Table, folder: Path) -> object:
    with duckdb.connect(str(folder / "log.duckdb")) as connection:
        connection.from_arrow(table).create("log")
    return Query("select * from log order by rowid", folder / "log.duckdb")


WAYS: dict[str, Callable[[pa.Table, Path], object]] = {
    "table": lambda table, _: table,
    "csv": as_csv,
    "parquet": as_parquet,
    "folder": as_folder,
    "pattern": as_pattern,
    "pandas": lambda table, _: table.to_pandas(),
    "polars": lambda table, _: pl.from_arrow(table),
    "polars lazy": lambda table, _: pl.LazyFrame(pl.from_arrow(table)),
    "duckdb relation": lambda table, _: duckdb.connect().from_arrow(table),
    "duckdb query": as_duckdb_file,
    "files query": lambda table, folder: Query(
        f"select * from read_parquet('{as_parquet(table, folder)}')"
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_source_is_evaluated_the_same(way: str, tmp_path: Path) -> None:
    """To the last bit what an Arrow table gives."""
    assert bits(evaluate(WAYS[way](RAW, tmp_path), setup_cost=SETUP)) == bits(told())


def test_postgresql_is_evaluated_the_same(postgres: str) -> None:
    """To the last bit what an Arrow table gives."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute('create table shop (test text, "order" int, value float8)')
        with connection.cursor().copy("copy shop from stdin") as copy:
            for row in RAW.to_pylist():
                copy.write_row((row["test"], row["order"], row["value"]))
        log = Query(
            "select * from shop order by split_part(test, ' ', 2)::int, \"order\"", postgres
        )
        assert bits(evaluate(log, setup_cost=SETUP)) == bits(told())
        connection.execute("drop table shop")


def test_two_arms_are_evaluated_as_their_differences() -> None:
    """A treated outcome minus an untreated one is a sample, to the last bit."""
    value = RAW["value"].to_numpy()
    # -1 is 0 - 1, 1 is 1 - 0, and 0 is either of the two that are left.
    coin = np.random.default_rng(0).integers(0, 2, len(value))
    control = np.where(value == 0, coin, value < 0).astype(int)
    rows = {
        "test": np.repeat(RAW["test"].to_numpy(), 2),
        "arm": np.tile(["control", "treatment"], len(value)),
        "order": np.arange(2 * len(value)),
        "outcome": np.column_stack([control, control + value]).ravel(),
    }
    paired = evaluate(pa.table(rows), setup_cost=SETUP)
    assert bits(paired)[:2] == bits(told())[:2]  # the logs have different rows


def test_counts_are_evaluated_as_one_order_of_their_outcomes() -> None:
    """Rewards are on average those of the samples, in 200 of their own orders.

    Each of the policies' mean rewards, costs and accept rates is compared by five standard errors
    of both sides, of which those of the samples are most: below 1e-4 false alarms in all.
    """
    rng = np.random.default_rng(8)
    lengths = np.full(60, 50)
    outcomes = rng.random((2, 60, 50)) < np.array([0.3, 0.36])[:, None, None]
    counts = pa.table(
        {
            "test": [f"idea {i}" for i in range(60)],
            "n_c": lengths,
            "x_c": outcomes[0].sum(axis=1),
            "n_t": lengths,
            "x_t": outcomes[1].sum(axis=1),
        }
    )
    policies = {"band": banded([40], z=1.5, sd=0.6)[0], "fixed": fixed(20, 1), "one": fixed(1, 1)}
    counted, drawn = [], []
    for seed in range(8):  # each is a mean over many orders
        report = evaluate(Log(counts, seed=seed), policies, setup_cost=SETUP)
        counted.append([report.found.reward, report.found.cost, report.found.accept_rate])
    for _ in range(200):
        for arm in outcomes:
            for test in arm:
                rng.shuffle(test)
        samples = outcomes[1].astype(int) - outcomes[0].astype(int)
        shuffled = pa.table(
            {
                "test": np.repeat([f"idea {i}" for i in range(60)], 50),
                "order": np.tile(np.arange(50), 60),
                "value": samples.ravel(),
            }
        )
        report = evaluate(shuffled, policies, setup_cost=SETUP)
        drawn.append([report.found.reward, report.found.cost, report.found.accept_rate])
    one, seen = np.array(counted), np.array(drawn)
    error = np.sqrt(one.var(axis=0, ddof=1) / 8 + seen.var(axis=0, ddof=1) / 200)
    assert (np.abs(one.mean(axis=0) - seen.mean(axis=0)) <= 5.0 * error + 1e-12).all()


def test_batches_of_one_sample_are_evaluated_as_samples() -> None:
    """Where each period is one sample, policies see as much; noise is told by the variance."""
    policies = {each.name: each.policy for each in evaluate(RAW).replayed.candidates}
    rows = RAW.rename_columns(["test", "period", "mean"])
    rows = rows.append_column("n", pa.array(np.ones(len(rows), dtype=np.int64)))
    rows = rows.append_column("variance", pa.array(np.zeros(len(rows))))
    days, samples = evaluate(rows, policies, SETUP), evaluate(RAW, policies, SETUP)
    assert days.found.reward == pytest.approx(samples.found.reward, abs=1e-12)
    assert days.found.cost.tolist() == samples.found.cost.tolist()
    assert days.found.current.roi == pytest.approx(samples.found.current.roi)


def test_very_many_tiny_tests_are_evaluated() -> None:
    """Two samples each, of which one decides and one scores; more rows than are read at a time.

    Nothing is earned on average, but for 6 standard errors: false alarms below 1e-8.
    """
    rng = np.random.default_rng(0)
    count = 100_000
    table = pa.table(
        {
            "test": np.repeat(np.arange(count), 2),
            "order": np.tile([1, 2], count),
            "value": rng.choice([-1.0, 1.0], 2 * count),
        }
    )
    report = evaluate(Log(table, bounds=(-1, 1)), setup_cost=1)
    assert report.found.tests == count
    assert report.found.guaranteed is not None
    assert abs(report.found.current.roi) < 0.0173


CELLS = st.one_of(
    st.none(),
    st.integers(-3, 3),
    st.floats(-2, 2),
    st.sampled_from([float("nan"), float("inf"), 1e308, -1e308, 5e-324]),
    st.text(max_size=3),
    st.booleans(),
    st.dates(),
)
Rows = dict[str, list[Any]]


def _raw_test(draw: st.DrawFn) -> Rows:
    values = draw(st.lists(st.floats(-2, 2), min_size=2, max_size=6))
    return {"order": list(range(len(values))), "value": values}


def _two_arm_test(draw: st.DrawFn) -> Rows:
    outcomes = draw(st.lists(st.integers(0, 1) | st.floats(-2, 2), min_size=4, max_size=12))
    arms = [("control", "treatment")[i % 2] for i in range(len(outcomes))]
    return {"arm": arms, "order": list(range(len(outcomes))), "outcome": outcomes}


def _counts_test(draw: st.DrawFn) -> Rows:
    rows: Rows = {}
    for arm in ("c", "t"):
        rows[f"n_{arm}"] = [draw(st.integers(2, 12))]
        rows[f"x_{arm}"] = [draw(st.integers(0, rows[f"n_{arm}"][0]))]
    return rows


def _batches_test(draw: st.DrawFn) -> Rows:
    day = st.tuples(st.integers(2, 30), st.floats(-2, 2), st.floats(0, 4))
    counts, means, variances = zip(*draw(st.lists(day, min_size=2, max_size=5)), strict=True)
    periods = list(range(len(counts)))
    return {"period": periods, "n": [*counts], "mean": [*means], "variance": [*variances]}


# A test of each form, and one that is noisy whatever the others are.
FORMS: dict[str, tuple[Callable[[st.DrawFn], Rows], Rows]] = {
    "raw": (_raw_test, {"order": [0, 1, 2, 3], "value": [0.0, 1.0, -1.0, 0.5]}),
    "two-arm": (
        _two_arm_test,
        {"arm": ["control", "treatment"] * 4, "order": [*range(8)], "outcome": [0, 1, 1, 0] * 2},
    ),
    "counts": (_counts_test, {"n_c": [40], "x_c": [20], "n_t": [40], "x_t": [20]}),
    "batches": (
        _batches_test,
        {"period": [0, 1, 2], "n": [9, 9, 9], "mean": [0.0, 1.0, 0.5], "variance": [1.0] * 3},
    ),
}


@st.composite
def sound_logs(draw: st.DrawFn, form: str) -> Rows:
    """A log of two tests to five with nothing wrong in it."""
    test_of, noisy = FORMS[form]
    tests = [noisy, *(test_of(draw) for _ in range(draw(st.integers(1, 4))))]
    rows: Rows = {title: [cell for test in tests for cell in test[title]] for title in noisy}
    lengths = [len(next(iter(test.values()))) for test in tests]
    return {"test": [f"idea {i}" for i, n in enumerate(lengths) for _ in range(n)], **rows}


def _frame(rows: Rows) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in rows.items()})


@pytest.mark.parametrize("form", FORMS)
def test_every_sound_log_is_evaluated(form: str) -> None:
    """No test is left out, and every figure is a number."""

    @settings(PROPERTY, max_examples=20)
    @given(sound_logs(form))
    def evaluated(rows: Rows) -> None:
        report = evaluate(_frame(rows), setup_cost=1.0)
        _assert_finite(report)
        assert report.found.tests == len(set(rows["test"]))
        assert report.replayed.left_out == 0

    evaluated()


@pytest.mark.parametrize("form", FORMS)
def test_whatever_a_log_holds_is_evaluated_or_refused(form: str) -> None:
    """With figures for all policies, or with one sentence: nothing else, and no NaN.

    One or two cells of a sound log are anything. About half of these logs are still sound: at least
    15 % are evaluated, and at least 15 % refused.
    """
    evaluations: list[bool] = []

    @settings(PROPERTY, max_examples=40)
    @given(sound_logs(form), st.data())
    def examined(rows: Rows, data: st.DataObject) -> None:
        for _ in range(data.draw(st.integers(1, 2))):
            title = data.draw(st.sampled_from(sorted(rows)))
            # Fewer users than conversions would never do.
            harmless = st.integers(40, 60) if title.startswith("n") else st.integers(0, 2)
            place = data.draw(st.integers(0, len(rows[title]) - 1))
            rows[title][place] = data.draw(harmless | CELLS)
        evaluations.append(False)
        with suppress(InvalidInput):
            report = evaluate(_frame(rows), setup_cost=1.0)
            _assert_finite(report)
            assert (
                report.replayed.quality.tests
                == len(report.replayed.names) + report.replayed.left_out
            )
            evaluations[-1] = True

    examined()
    assert 0.1 <= np.mean(evaluations) <= 0.97


@pytest.mark.parametrize(
    "rows",
    [{"test": [], "order": [], "value": []}, {"test": [None], "order": [1], "value": ["x"]}],
    ids=["no rows", "nothing right"],
)
def test_a_log_without_a_single_sound_row_is_refused(rows: Rows) -> None:
    """In one sentence, like any other."""
    with pytest.raises(InvalidInput):
        evaluate(_frame(rows), setup_cost=1.0)


# Means of samples up to this size are evaluated.
LARGEST = 1e100
SMALL_ENOUGH = st.one_of(
    st.floats(-LARGEST, LARGEST), st.sampled_from([1.0, -1.0, 0.0, 5e-324, -1e-160, 1e77])
)
ANY_SIZE = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([1e308, -1e308, 1e154])
)


def _tests_of(samples: st.SearchStrategy[float]) -> st.SearchStrategy[list[list[float]]]:
    return st.lists(st.lists(samples, min_size=2, max_size=8), min_size=2, max_size=8)


@pytest.mark.parametrize("policies", [None, fixed(1), fixed(2)], ids=["usual", "one", "two"])
def test_samples_of_any_size_are_evaluated_or_refused(policies: Policy | None) -> None:
    """Numbers at the ends of what a computer holds give figures or a sentence, never a NaN.

    Where policies are given, nothing is refused but what is too large. At least 15 % of the logs
    are evaluated, and at least 15 % refused.
    """
    evaluations: list[bool] = []

    @settings(PROPERTY, max_examples=40)
    @given(_tests_of(SMALL_ENOUGH) | _tests_of(ANY_SIZE | SMALL_ENOUGH))
    def examined(tests: list[list[float]]) -> None:
        table = pa.table(
            {
                "test": [i for i, test in enumerate(tests) for _ in test],
                "order": [i for test in tests for i, _ in enumerate(test)],
                "value": [value for test in tests for value in test],
            }
        )
        evaluations.append(False)
        try:
            _assert_finite(evaluate(table, policies))
        except InvalidInput:
            largest = max(abs(value) for test in tests for value in test)
            assert policies is None or largest > LARGEST
        else:
            evaluations[-1] = True

    examined()
    assert 0.1 <= np.mean(evaluations) <= 0.97


def _assert_finite(report: Report) -> None:
    found = report.found
    for numbers in (
        found.reward,
        found.cost,
        found.roi,
        found.approximate.roi_low,
        found.approximate.gain_high,
    ):
        assert np.isfinite(numbers).all()
    assert np.isfinite([found.current.roi, found.corrected.roi, found.corrected.error]).all()
