"""Intervals for the pool: the ends are where a plain optimiser finds them."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from dwell.arrays import FloatArray
from dwell.fitting.npmle import climb
from dwell.fitting.pool_intervals import SURE, pool_intervals
from dwell.pools.signs import SignsPool

VALUES = np.array([-0.9, -0.4, -0.1, 0.0, 0.1, 0.5, 0.9])


def history(seed: int, tests: int = 60) -> tuple[FloatArray, FloatArray]:
    """The log-likelihood of tests of 5 to 40 signs under VALUES, and how many there are of each."""
    rng = np.random.default_rng(seed)
    drawn = rng.choice([5, 12, 40], tests)
    plus = rng.binomial(drawn, (1.0 + rng.choice([-0.3, 0.0, 0.6], tests, p=[0.3, 0.4, 0.3])) / 2)
    kinds, counts = np.unique(np.stack([plus, drawn - plus]), axis=1, return_counts=True)
    chances = np.log((1.0 + np.stack([VALUES, -VALUES])) / 2.0)
    logs = kinds.T @ chances
    return logs - logs.max(axis=1, keepdims=True), counts.astype(np.float64)


def plain_height(logs: FloatArray, counts: FloatArray, weights: FloatArray) -> float:
    return float(counts @ np.log(np.exp(logs) @ weights))


@cache
def plain_best(seed: int) -> FloatArray:
    """The most likely weights, by EM."""
    logs, counts = history(seed)
    weights = np.full(len(VALUES), 1.0 / len(VALUES))
    for _ in range(10_000):
        shares = np.exp(logs) * weights
        weights = counts @ (shares / shares.sum(axis=1, keepdims=True)) / counts.sum()
    return weights


def plain_most(seed: int, figure: Callable[[FloatArray], Any], drop: float) -> float:
    """The largest figure of weights that are less likely by no more than the drop."""
    logs, counts = history(seed)
    weights, even = plain_best(seed), np.full(len(VALUES), 1.0 / len(VALUES))
    least = plain_height(logs, counts, weights) - drop
    found = optimize.minimize(
        lambda w: -figure(w),
        0.9 * weights + 0.1 * even,
        bounds=[(0.0, 1.0)] * len(VALUES),
        constraints=[
            {"type": "eq", "fun": lambda w: w.sum() - 1.0},
            {"type": "ineq", "fun": lambda w: plain_height(logs, counts, w + 1e-12) - least},
        ],
        options={"maxiter": 500, "ftol": 1e-9},
    )
    assert found.success
    return float(figure(found.x))


@pytest.mark.parametrize("seed", range(4))
def test_ends_are_those_of_a_plain_optimiser(seed: int) -> None:
    """Mean, share and gain, to a thousandth."""
    logs, counts = history(seed)
    found = pool_intervals(logs, counts, VALUES)
    helps, harmless = VALUES > 0.0, VALUES >= 0.0
    gain = np.maximum(VALUES, 0.0)
    ends = {
        found.mean.high: plain_most(seed, lambda w: w @ VALUES, 1.92),
        found.mean.low: -plain_most(seed, lambda w: -w @ VALUES, 1.92),
        found.helpful.high: plain_most(seed, lambda w: w @ harmless, 1.92),
        found.helpful.low: -plain_most(seed, lambda w: -w @ helps, SURE),
        found.gain.high: plain_most(seed, lambda w: w @ gain, 1.92),
        found.gain.low: -plain_most(seed, lambda w: -w @ gain, SURE),
    }
    assert list(ends) == pytest.approx(list(ends.values()), abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_the_mean_of_ideas_that_help_is_that_of_a_plain_optimiser(seed: int) -> None:
    """Ideas at 0 count for the lower end: tests do not tell them from such as help a little."""
    logs, counts = history(seed)
    found = pool_intervals(logs, counts, VALUES)
    assert found.evidence > SURE
    helps, harmless = VALUES > 0.0, VALUES >= 0.0

    def highest(w: FloatArray) -> float:
        return float(w[helps] @ VALUES[helps] / w[helps].sum())

    def lowest(w: FloatArray) -> float:
        return float(-w[harmless] @ VALUES[harmless] / w[harmless].sum())

    assert found.helpful_mean.high == pytest.approx(plain_most(seed, highest, SURE), abs=2e-3)
    assert found.helpful_mean.low == pytest.approx(-plain_most(seed, lowest, SURE), abs=2e-3)


def test_nothing_is_known_before_the_first_test() -> None:
    """Intervals hold all that there may be."""
    for logs, counts in (
        (np.zeros((0, len(VALUES))), np.zeros(0)),
        (np.zeros((1, len(VALUES))), np.zeros(1)),
    ):
        found = pool_intervals(logs, counts, VALUES)
        assert found.mean == (-0.9, 0.9)
        assert found.helpful == (0.0, 1.0)
        assert found.helpful_mean == (0.0, 0.9)
        assert found.evidence == 0.0


def test_a_test_that_says_nothing_changes_nothing() -> None:
    """One whose likelihood is the same at all values."""
    logs, counts = history(0)
    more = np.vstack([logs, np.zeros(len(VALUES))]), np.append(counts, 7.0)
    before, after = pool_intervals(logs, counts, VALUES), pool_intervals(*more, VALUES)
    for name in ("mean", "helpful", "helpful_mean", "gain"):
        assert getattr(after, name) == pytest.approx(getattr(before, name), abs=1e-4)


def test_kinds_that_came_several_times_are_as_good_as_rows() -> None:
    """Of the best weights, and of the intervals."""
    logs, counts = history(1)
    rows = np.repeat(logs, counts.astype(int), axis=0)
    ones = np.ones(len(rows))
    together, apart = climb(np.exp(logs), counts), climb(np.exp(rows))
    assert together.height == pytest.approx(apart.height, abs=1e-4)
    assert together.gap <= 1e-6
    found, twin = pool_intervals(logs, counts, VALUES), pool_intervals(rows, ones, VALUES)
    assert found.mean == pytest.approx(twin.mean, abs=1e-5)
    assert found.helpful == pytest.approx(twin.helpful, abs=1e-4)
    assert found.evidence == pytest.approx(twin.evidence, abs=1e-4)


def test_values_in_other_units_give_intervals_in_those() -> None:
    """Nothing has a scale of its own."""
    logs, counts = history(2)
    found, small = (pool_intervals(logs, counts, scale * VALUES) for scale in (1.0, 1e-4))
    assert small.mean == pytest.approx([1e-4 * end for end in found.mean])
    assert small.helpful_mean == pytest.approx([1e-4 * end for end in found.helpful_mean])
    assert small.helpful == pytest.approx(found.helpful)


def test_tests_that_no_harmful_value_explains_are_evidence_without_end() -> None:
    """Not a number that overflowed: 4,000 plus signs in a row, ten times."""
    pool = SignsPool(cap=4096)
    logs = pool.log_likelihood(pool.kinds(np.array([4000]), np.array([4000.0])))
    found = pool_intervals(logs, np.array([10.0]), pool.values)
    assert found.evidence == pytest.approx(10 * 4000 * np.log(2.0), rel=1e-6)
    assert found.helpful.low == pytest.approx(np.exp(-SURE / 10), abs=0.01)
    assert 0.0 < found.helpful_mean.low < 1.0 == found.helpful_mean.high


def test_the_fit_is_the_same_if_least_squares_give_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """As they do now and then where columns are nearly alike: steps of EM lead there too."""
    logs, counts = history(3)
    found = climb(np.exp(logs), counts)

    def gives_up(*_: object, **__: object) -> None:
        raise RuntimeError("Maximum number of iterations reached.")

    monkeypatch.setattr(optimize, "nnls", gives_up)
    assert climb(np.exp(logs), counts).height == pytest.approx(found.height, abs=0.01)


def test_values_out_of_all_proportion_are_left_out() -> None:
    """A value of a million changes nothing; one that is three times what tests show may."""
    logs, counts = history(0)
    apart = np.append(VALUES, [2.7, 1e6])
    beyond = np.hstack([logs, np.full((len(logs), 2), -50.0)])
    found = pool_intervals(beyond, counts, apart)
    assert found.mean == pool_intervals(beyond[:, :-1], counts, apart[:-1]).mean
    assert found.mean.high > pool_intervals(logs, counts, VALUES).mean.high + 0.005
