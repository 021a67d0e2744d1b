"""Batches as warehouses give them: empty periods, single users, cumulative statistics."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from dwell import AtEnd, Log, check, evaluate, fixed
from dwell.history.reading.blocks import PeriodBlock
from dwell.history.reading.quality import Quality
from tests.blocks import period_blocks
from tests.refusals import refused


def batches(table: Any, **options: Any) -> PeriodBlock:
    """The one block of a log."""
    [block] = period_blocks(Log(table, **options))
    return block


def rows(**columns: list[Any]) -> pa.Table:
    """A log of one test, but for what is given."""
    count = len(columns["n"])
    return pa.table({"test": ["a"] * count, "period": [*range(count)], **columns})


def test_a_period_of_one_user_has_the_variance_of_the_others() -> None:
    """NULL, as var_samp has it, and 0, as var_pop has it; counted where it is missing."""
    table = rows(n=[3, 1, 5, 1], mean=[1.0, 4.0, 2.0, 0.0], variance=[2.0, None, 8.0, 0.0])
    block = batches(table)
    pooled = (2 * 2.0 + 4 * 8.0) / 6
    assert block.variances.tolist() == pytest.approx([2.0, pooled, 8.0, pooled])
    assert block.quality.single_periods == 1
    assert any("1 periods have one user" in note for note in block.quality.notes)
    assert check(table).usable


def test_periods_of_one_user_alone_vary_among_themselves() -> None:
    """As samples do."""
    values = [1.0, 4.0, -2.0]
    block = batches(rows(n=[1, 1, 1], mean=values, variance=[None, None, None]))
    assert block.variances.tolist() == pytest.approx([np.var(values, ddof=1)] * 3)
    assert batches(rows(n=[1], mean=[1.0], variance=["NULL"])).variances.tolist() == [0.0]


def test_a_variance_that_was_given_for_one_user_is_kept() -> None:
    """Who knows it may say it."""
    block = batches(rows(n=[1, 4], mean=[1.0, 2.0], variance=[3.0, 9.0]))
    assert block.variances.tolist() == [3.0, 9.0]


def test_an_empty_period_is_left_out_and_counted() -> None:
    """It has neither a mean nor a variance."""
    table = rows(n=[3, 0, 5], mean=["1", "", "2"], variance=["2", "NaN", "8"])
    block = batches(table)
    assert (block.counts.tolist(), block.sums.tolist()) == ([3, 5], [3.0, 10.0])
    assert block.quality.empty_periods == 1
    assert any("1 periods have no users" in note for note in block.quality.notes)
    nobody = rows(n=[0, 0], mean=[None, None], variance=[None, None])
    assert batches(nobody).names == ()
    assert not check(nobody).usable


def test_arms_may_be_empty_and_alone() -> None:
    """A period without one of them has nothing to compare with."""
    table = pa.table(
        {
            "test": ["a"] * 6,
            "arm": ["c", "t"] * 3,
            "period": [1, 1, 2, 2, 3, 3],
            "n": [4, 4, 0, 7, 1, 3],
            "mean": [1.0, 2.0, None, 5.0, 3.0, 9.0],
            "variance": [1.0, 1.0, None, 1.0, None, 2.0],
        }
    )
    block = batches(table)
    assert (block.counts.tolist(), block.sums.tolist()) == ([4, 2], [4.0, 12.0])
    assert (block.variances / block.counts).tolist() == pytest.approx([1 / 2, 1.0 + 2 / 3])
    quality = block.quality
    assert (quality.unpaired, quality.empty_periods, quality.single_periods) == (7, 1, 1)


@pytest.mark.parametrize(("column", "cells"), [("mean", [1, None]), ("variance", [1, None])])
def test_what_is_missing_of_many_users_is_refused(column: str, cells: list[Any]) -> None:
    """With its row."""
    columns = {"n": [2, 2], "mean": [1, 1], "variance": [1, 1]} | {column: cells}
    with refused(f"{column} in row 2", "None"):
        batches(rows(**columns))


def days(tests: int = 40, length: int = 7, *, seed: int = 0, growth: float = 1.0) -> pa.Table:
    """Days of two arms; each has so many times the users of the one before."""
    rng = np.random.default_rng(seed)
    count = tests * length * 2
    day = np.tile(np.repeat(np.arange(length), 2), tests)
    n = rng.poisson(100.0 * growth**day) + 2
    return pa.table(
        {
            "test": np.repeat(np.arange(tests), 2 * length),
            "arm": np.tile(["control", "treatment"], count // 2),
            "period": day,
            "n": n,
            "mean": rng.normal(1.0, 2.0 / np.sqrt(n)),
            "variance": 4.0 * rng.chisquare(n - 1) / (n - 1),
        }
    )


def cumulated(table: pa.Table) -> pa.Table:
    """The same users, each period with all since the first: by the users' own power sums."""
    columns = {name: table[name].to_numpy().copy() for name in table.column_names}
    n, mean, variance = (columns[name].astype(float) for name in ("n", "mean", "variance"))
    sums, squares = n * mean, (n - 1) * variance + n * mean**2
    for test in np.unique(columns["test"]):
        for arm in ("control", "treatment"):
            here = (columns["test"] == test) & (columns["arm"] == arm)
            users, total, power = (np.cumsum(each[here]) for each in (n, sums, squares))
            columns["n"][here] = users
            columns["mean"][here] = total / users
            columns["variance"][here] = (power - total**2 / users) / (users - 1)
    return pa.table(columns)


def test_cumulative_statistics_are_taken_apart() -> None:
    """What is evaluated is what the periods' own statistics give, to rounding."""
    own = days()
    policies = {"fixed": fixed(150), "longer": fixed(400)}
    told = evaluate(Log(cumulated(own), cumulative=True), policies, current=AtEnd(1.96))
    wanted = evaluate(own, policies, current=AtEnd(1.96))
    assert told.found.cost.tolist() == wanted.found.cost.tolist()
    assert told.found.reward == pytest.approx(wanted.found.reward, abs=1e-12)
    assert told.found.current.reward == pytest.approx(wanted.found.current.reward, abs=1e-12)
    for mine, theirs in zip(
        Log(cumulated(own), cumulative=True).blocks(), Log(own).blocks(), strict=True
    ):
        assert isinstance(mine, PeriodBlock)
        assert isinstance(theirs, PeriodBlock)
        assert mine.variances.tolist() == pytest.approx(theirs.variances.tolist(), rel=1e-9)


@pytest.mark.parametrize("length", [3, 7, 14])
def test_cumulative_statistics_are_recognised(length: int) -> None:
    """Refused with the way out, by an evaluation and by a dry run; and not if told otherwise."""
    log = cumulated(days(length=length))
    with refused("cumulative", "--cumulative", "--not-cumulative"):
        evaluate(log)
    assert any("--cumulative" in fault.sentence for fault in check(log).faults)
    assert not check(log).usable
    assert check(log, cumulative=True).usable
    assert evaluate(Log(log, cumulative=False)).found.tests == 40


@pytest.mark.parametrize("growth", [0.8, 1.0, 1.3, 2.0])
@pytest.mark.parametrize("length", [2, 3, 8])
def test_growing_tests_are_not_taken_for_cumulative_ones(growth: float, length: int) -> None:
    """Though their numbers rise day by day: means of different users move too much for that.

    With users that double every day, a test of three days is taken for one with a probability of
    at most 0.35; that more than half of 40 are, below 2 %. Fixed seed.
    """
    assert evaluate(days(length=length, growth=growth, seed=5)).found.tests == 40


def test_cumulative_statistics_that_cannot_be_are_refused() -> None:
    """Numbers that fall, and squares that do."""
    falls = rows(n=[5, 4], mean=[1.0, 1.0], variance=[1.0, 1.0])
    with refused("fewer users", "row 2"):
        batches(falls, cumulative=True)
    shrinks = rows(n=[50, 60], mean=[1.0, 1.0], variance=[1.0, 0.1])
    with refused("less variance", "row 2"):
        batches(shrinks, cumulative=True)
    still = rows(n=[5, 5, 6, 9], mean=[1.0] * 4, variance=[1.0] * 4)
    block = batches(still, cumulative=True)
    assert block.counts.tolist() == [5, 1, 3]
    assert (block.quality.empty_periods, block.quality.single_periods) == (1, 1)


def test_a_half_of_the_log_may_look_cumulative() -> None:
    """A log is refused if more than half of its tests do."""
    assert Quality(several_periods=2, cumulative=1).refusal is None
    assert Quality(several_periods=3, cumulative=2).refusal is not None
