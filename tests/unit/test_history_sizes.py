"""Tests of any size: up to 2^53 samples, in memory that does not grow with them."""

import tracemalloc
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from dwell import Atoms, Log, Policies, Policy, Signs, World, banded, evaluate, exact, fixed, scan
from dwell.history.reading import orders as orders_module
from dwell.periods import Periods, scan_periods
from dwell.records import Records, at_period_ends
from dwell.rules import group_sequential
from dwell.sparse_policy import SparsePolicy
from tests.blocks import period_blocks, plain_blocks
from tests.plain import run_on_periods
from tests.refusals import refused


def test_periods_of_billions_cost_what_they_have() -> None:
    """Sums of samples do not wrap around at 2^31; to the last sample."""
    n = [2**31, 3 * 2**40, 2**51]
    table = pa.table(
        {
            "test": ["a"] * 3 + ["b"] * 3,
            "period": [1, 2, 3] * 2,
            "n": n * 2,
            "mean": [0.5, 0.25, 0.125, -0.5, 0.25, 0.5],
            "variance": [1.0] * 6,
        }
    )
    report = evaluate(Log(table, bounds=(-1, 1)), {"one": fixed(1), "two": fixed(4_000_000)})
    assert report.found.cost.tolist() == [float(2**31)] * 2
    assert report.replayed.replay.lengths.tolist() == [sum(n)] * 2
    rest = (n[1] * 0.25 + n[2] * 0.125) / (n[1] + n[2])
    assert report.found.reward.tolist() == pytest.approx([rest / 2.0] * 2)
    usual = evaluate(table)
    assert max(usual.replayed.replay.caps) >= 2**31
    assert (usual.found.cost > 0).all()


def test_more_than_can_be_counted_is_refused() -> None:
    """By its limit."""
    table = {"test": ["a"] * 3, "period": [1, 2, 3], "mean": [0.0] * 3, "variance": [1.0] * 3}
    with refused("at most 2^53"):
        evaluate(pa.table(table | {"n": [2**53 + 2, 1, 1]}))
    with refused("at most 2^53", "all its periods"):
        evaluate(pa.table(table | {"n": [2**53, 2**53, 1]}))
    ones = np.ones((1, 1))
    with refused("durations must be at most 2,147,483,647"):
        Records(np.array([[2**31]]), ones.astype(int), None, np.array([2**31]))
    with refused("durations must be at most 2,147,483,647"):
        days = Periods(np.array([1]), np.array([2**31]), np.array([0.0]))
        at_period_ends(days, Policies([fixed(1)]))


def shop(users: int, split: int = 1, tests: int = 12) -> pa.Table:
    """Counts of tests with so many users in the treatment, and some times that in the control."""
    rng = np.random.default_rng(0)
    lift = rng.normal(0.0, 0.002, tests)
    return pa.table(
        {
            "test": [f"idea {i}" for i in range(tests)],
            "n_c": [users * split] * tests,
            "x_c": rng.binomial(users * split, 0.05, tests),
            "n_t": [users] * tests,
            "x_t": rng.binomial(users, 0.05 + lift),
        }
    )


@pytest.mark.parametrize("users", [10**7, 2**52])
def test_counts_of_any_size_take_little_memory(users: int) -> None:
    """Under 100 MB, where as many samples would take terabytes; and no figure is missing."""
    table = shop(users, tests=2)
    evaluate(shop(100, tests=2), setup_cost=1000)  # what is compiled and imported once
    tracemalloc.start()
    report = evaluate(table, setup_cost=1000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100e6
    assert report.replayed.quality.samples == 2 * users
    assert np.isfinite(report.found.reward).all()
    assert (np.diff(report.found.cost) >= -users).all()
    assert report.replayed.replay.lengths.tolist() == [users] * 2


def test_all_users_of_unequal_counts_are_used() -> None:
    """Two users are a sample; sums over all stretches are the difference of the rates."""
    table = shop(20_000, split=2)
    report = evaluate(table)
    assert report.replayed.quality.unpaired == 0
    assert report.replayed.quality.samples == 12 * 30_000
    rates = table["x_t"].to_numpy() / 20_000 - table["x_c"].to_numpy() / 40_000
    for block in period_blocks(Log(table)):
        drawn = np.add.reduceat(block.counts, block.starts[:-1])
        means = np.add.reduceat(block.sums, block.starts[:-1]) / drawn
        places = [int(name.split()[1]) for name in block.names]
        assert means == pytest.approx(rates[places], abs=2e-5)  # shares are even but for a user
        noise = np.add.reduceat(block.counts * block.variances, block.starts[:-1]) / drawn**2
        assert noise == pytest.approx(0.05 * 0.95 * (1 / 20_000 + 1 / 40_000), rel=0.15)


def test_ones_fall_into_stretches_as_all_orders_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The law of each, by the way for small numbers and by that for large ones.

    By a chi-square test at 1e-4 of the exact way, and of binomial and normal ones where these are
    used: with few ones, and with many. Fixed seed.
    """
    cases = [(10**9, [100, 300], 8, 400), (0, [5000, 15000], 8, 20_000)]
    for countable, sizes, ones, users in cases:
        monkeypatch.setattr(orders_module, "_COUNTABLE", countable)
        rng = np.random.default_rng(1)
        drawn = [
            int(orders_module.ones_by_stretch(np.array(sizes), ones, rng)[0]) for _ in range(4000)
        ]
        law = stats.hypergeom(users, ones, sizes[0]).pmf(np.arange(9))
        expected = np.append(law[:6], law[6:].sum()) * 4000
        counted = np.bincount(np.minimum(drawn, 6), minlength=7)
        assert stats.chisquare(counted, expected).pvalue > 1e-4
    rng = np.random.default_rng(2)
    sizes, ones, users = [50_000, 150_000], 80_000, 200_000
    drawn = [int(orders_module.ones_by_stretch(np.array(sizes), ones, rng)[0]) for _ in range(4000)]
    law = stats.hypergeom(users, ones, sizes[0])
    assert stats.kstest((np.array(drawn) - law.mean()) / law.std(), "norm").pvalue > 1e-4
    many = orders_module.ones_by_stretch(np.array([10**12, 10**12]), 2 * 10**12 - 7, rng)
    assert many.sum() == 2 * 10**12 - 7
    assert (many <= 10**12).all()


def test_a_sparse_policy_is_the_policy_with_its_looks() -> None:
    """On periods, of any policy; against the plain twin."""
    rng = np.random.default_rng(3)
    policies = [fixed(7, 1), group_sequential(3, 9, sd=1.0), banded([12], z=1.0, sd=1.0)[0]]
    days = [
        [
            (int(n), int(s))
            for n, s in zip(rng.integers(1, 6, 5), rng.integers(-4, 5, 5), strict=True)
        ]
        for _ in range(50)
    ]
    periods = Periods(
        np.full(50, 5),
        np.array([n for test in days for n, _ in test]),
        np.array([float(s) for test in days for _, s in test]),
    )
    for policy in policies:
        assert isinstance(policy, Policy)
        sparse = SparsePolicy.of(policy)
        seen = np.full(50, 4)
        found, wanted = (scan_periods(periods, each, seen=seen) for each in (sparse, policy))
        assert found.durations.tolist() == wanted.durations.tolist()
        assert found.decisions.tolist() == wanted.decisions.tolist()
        twin = [run_on_periods(policy, test, held_out=1) for test in days]
        assert found.durations[:, 0].tolist() == [one[0] for one in twin]
        assert found.rest[:, 0].tolist() == pytest.approx([one[2] for one in twin])


def test_raw_tests_of_any_length_are_evaluated() -> None:
    """One that is very long, beside short ones: no candidate has an entry per sample."""
    rng = np.random.default_rng(4)
    lengths = [50_000, 1000, 1000]
    table = pa.table(
        {
            "test": np.repeat([0, 1, 2], lengths),
            "order": np.concatenate([np.arange(length) for length in lengths]),
            "value": rng.choice([-1.0, 1.0], sum(lengths)),
        }
    )
    report = evaluate(table)
    assert report.replayed.replay.lengths.tolist() == lengths
    assert max(report.replayed.replay.caps) == 40_000
    assert np.isfinite(report.found.roi).all()


def test_sparse_policies_are_for_past_tests_only() -> None:
    """Elsewhere they are refused, and what makes no policy is refused, too."""
    long = SparsePolicy.fixed(10**7)
    with refused("10,000,000", "past tests"):
        scan(np.ones((1, 5)), long)
    with refused("past tests"):
        exact(long, World(Atoms([0.1]), Signs()))
    with refused("past tests"):
        Policies([long]).to_json()
    wrong: list[tuple[Any, Any, Any]] = [
        ([], [], []),
        ([1, 2], [0.0], [1.0, 1.0]),
        ([2, 1], [0.0, 0.0], [1.0, 1.0]),
        ([0], [0.0], [0.0]),
        ([2**60], [0.0], [0.0]),
        ([1], [0.0], [np.inf]),
        ([1], [np.nan], [0.0]),
    ]
    for looks, lower, upper in wrong:
        with refused("o"):
            SparsePolicy(np.array(looks, dtype=np.int64), np.array(lower), np.array(upper))


def test_parts_of_both_kinds_join_to_the_whole() -> None:
    """Counts of which some tests are unequal, in blocks of any size."""
    table = pa.concat_tables([shop(300), shop(300, split=3)])
    names = [f"idea {i}" for i in range(24)]
    table = table.set_column(0, "test", pa.array(names)).take(
        pa.array(np.random.default_rng(1).permutation(24))
    )
    report = evaluate(table, [fixed(20), fixed(100)])
    assert report.found.tests == 24
    kinds = {type(block).__name__ for block in plain_blocks(Log(table))}
    assert kinds == {"SampleBlock", "PeriodBlock"}
    assert isinstance(report.best, Policy | None)
