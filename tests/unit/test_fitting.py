"""Priors fitted to past tests: against plain twins, known laws and real tests; and refusals."""

import warnings
from itertools import pairwise
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from dwell import Atoms, Normal
from dwell.arrays import FloatArray
from dwell.errors import UncertainPrior
from dwell.fitting import FittedPrior, effects_from_counts, fit_prior
from dwell.fitting.normal import fit_normal
from tests.refusals import refused

UPWORTHY = Path(__file__).parents[2].parent / "shared" / "data" / "upworthy_pairs.csv"


def drawn(tests: int, mean: float, sd: float, seed: int) -> tuple[FloatArray, FloatArray]:
    """Effects of values N(mean, sd^2), with errors of many sizes."""
    rng = np.random.default_rng(seed)
    errors = rng.uniform(0.2, 1.5, tests)
    return rng.normal(mean, np.hypot(sd, errors)), errors


def fit(effects: Any, standard_errors: Any) -> FittedPrior:
    """A fit whose warnings are not the point."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UncertainPrior)
        return fit_prior(effects, standard_errors)


def log_likelihood(effects: FloatArray, errors: FloatArray, atoms: Atoms) -> float:
    """How likely effects are under atoms, effect by effect."""
    pairs = list(zip(atoms.values, atoms.weights, strict=True))
    total = 0.0
    for effect, error in zip(effects, errors, strict=True):
        density = sum(weight * stats.norm.pdf(effect, value, error) for value, weight in pairs)
        total += float(np.log(density))
    return total


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("tests", [5, 30, 300])
def test_the_normal_fit_is_the_top_of_its_likelihood(tests: int, seed: int) -> None:
    """No other mean and sd that a general optimiser finds are likelier."""
    effects, errors = drawn(tests, -0.4, 0.6, seed)
    found = fit(effects, errors)

    def cost(point: FloatArray) -> float:
        spread = np.hypot(point[1], errors)
        return -float(stats.norm.logpdf(effects, point[0], spread).sum())

    assert found.normal_log_likelihood == pytest.approx(-cost(np.array([found.mean, found.sd])))
    for start in (0.01, 0.5, 3.0):
        rival = optimize.minimize(cost, [effects.mean(), start], method="Nelder-Mead")
        assert found.normal_log_likelihood >= -rival.fun - 1e-6


def test_equal_errors_leave_the_variance_beyond_them() -> None:
    """The formula that everybody knows, to rounding; and the usual standard errors."""
    effects = np.random.default_rng(3).normal(2.0, 1.0, 400)
    found = fit_prior(effects, np.full(400, 0.5))
    assert found.mean == pytest.approx(effects.mean())
    assert found.sd == pytest.approx(np.sqrt(effects.var() - 0.25), rel=1e-6)
    assert found.moment_sd == pytest.approx(np.sqrt(effects.var(ddof=1) - 0.25))
    assert found.normal == Normal(found.mean, found.sd)
    total = found.sd**2 + 0.25
    assert found.mean_error == pytest.approx(np.sqrt(total / 400))
    assert found.sd_error == pytest.approx(total / (found.sd * np.sqrt(2 * 400)), rel=0.02)


def test_effects_that_noise_explains_have_a_prior_of_one_value() -> None:
    """Its sd is 0, and the warning says so and how large it could be."""
    effects = np.linspace(-1, 1, 20)
    with pytest.warns(UncertainPrior, match="noise alone explains .* 20 tests .* sd 0 with"):
        found = fit_prior(effects, np.full(20, 2.0))
    assert found.sd == 0.0
    assert found.normal == Atoms([found.mean])
    assert found.moment_sd == 0.0
    assert 0.0 < found.sd_error < 2.0


def test_few_tests_are_said_to_say_little() -> None:
    """With the numbers; ten tests pass without a word."""
    effects, errors = drawn(10, 0.0, 3.0, 1)
    with pytest.warns(UncertainPrior, match=r"^9 tests say little .* mean .* error .* sd .* error"):
        fit_prior(effects[:9], errors[:9])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit_prior(effects, errors)


def test_standard_errors_cover_the_truth_as_often_as_they_should() -> None:
    """Within 1.96 of them in about 95 % of 300 histories of 60 tests, for mean and sd.

    Below 90 % or above 98.7 % of 300 with probability 0.001 if it were 95 %; of so few tests the
    sd is somewhat too small, and covered in about 94 %.
    """
    covered = np.zeros(2)
    for seed in range(300):
        found = fit_normal(*drawn(60, 0.5, 1.0, seed))
        covered[0] += abs(found.mean - 0.5) < 1.96 * found.mean_error
        covered[1] += abs(found.sd - 1.0) < 1.96 * found.sd_error
    assert (covered / 300 >= 0.90).all()
    assert (covered / 300 <= 0.987).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_law_of_any_shape_is_as_likely_as_plain_em_makes_it(seed: int) -> None:
    """On the same grid, with 5,000 rounds of EM."""
    effects, errors = drawn(25, 0.0, 1.0, seed)
    found = fit_prior(effects, errors)
    grid = np.union1d(np.linspace(effects.min(), effects.max(), 300), effects)
    density = stats.norm.pdf(effects[:, None], grid, errors[:, None])
    weights = np.full(len(grid), 1 / len(grid))
    for _ in range(5_000):
        weights = weights * (density / (density @ weights)[:, None]).mean(axis=0)
    by_em = float(np.log(density @ weights).sum())
    assert found.npmle_log_likelihood == pytest.approx(by_em, abs=5e-3)
    assert found.npmle_log_likelihood >= by_em - 25e-6
    assert found.npmle_log_likelihood == pytest.approx(
        log_likelihood(effects, errors, found.npmle), abs=1e-6
    )


@pytest.mark.parametrize("tests", [2, 3, 40, 2000])
@pytest.mark.parametrize("sd", [0.0, 0.5, 20.0])
def test_the_law_of_any_shape_is_likelier_than_the_normal_one(tests: int, sd: float) -> None:
    """And its gradient is nowhere above 1, between grid points either: none is likelier still."""
    effects, errors = drawn(tests, 1.0, sd, 2)
    found = fit(effects, errors)
    assert found.gain > 0.0
    assert found.npmle_gap <= 1e-6
    mixed = sum(
        weight * stats.norm.pdf(effects, value, errors)
        for value, weight in zip(found.npmle.values, found.npmle.weights, strict=True)
    )
    values = np.random.default_rng(0).uniform(effects.min(), effects.max(), 200)
    gradient = [(stats.norm.pdf(effects, value, errors) / mixed).mean() for value in values]
    assert max(gradient) < 1.02
    assert all(early < late for early, late in pairwise(found.npmle.values))


def test_two_values_are_recovered_from_many_tests() -> None:
    """5,000 tests with small errors: atoms near -1 and 1 alone, with the weights drawn."""
    rng = np.random.default_rng(0)
    values = rng.choice([-1.0, 1.0], 5000, p=[0.7, 0.3])
    found = fit_prior(values + 0.05 * rng.standard_normal(5000), np.full(5000, 0.05))
    atoms, weights = np.array(found.npmle.values), np.array(found.npmle.weights)
    assert (np.abs(np.abs(atoms) - 1.0) < 0.15).all()
    assert weights[atoms > 0].sum() == pytest.approx((values > 0).mean(), abs=1e-6)
    # Two normal bumps are no normal law: its misfit is beyond chance.
    assert found.misfit_p_value < 1e-9
    assert found.gain > 0.5


def test_a_normal_law_is_not_found_to_misfit() -> None:
    """Distance and p-value are SciPy's; the latter is below 0.05 in at most 5 % of seeds."""
    effects, errors = drawn(500, 0.3, 1.0, 6)
    found = fit_prior(effects, errors)
    rival = stats.kstest((effects - found.mean) / np.hypot(found.sd, errors), "norm")
    assert found.misfit == pytest.approx(rival.statistic)
    assert found.misfit_p_value == pytest.approx(rival.pvalue, abs=0.01)
    assert found.misfit_p_value > 0.05
    assert found.gain < 0.05


@pytest.mark.parametrize(("scale", "shift"), [(100.0, 0.0), (1e-6, 0.0), (1.0, 1000.0), (1e9, 1e9)])
def test_the_fit_moves_with_its_units(scale: float, shift: float) -> None:
    """Points or shares, it is the same prior."""
    effects, errors = drawn(200, -0.2, 0.7, 4)
    one, other = fit_prior(effects, errors), fit_prior(scale * effects + shift, scale * errors)
    assert other.mean == pytest.approx(scale * one.mean + shift)
    for name in ("sd", "mean_error", "sd_error", "moment_sd"):
        assert getattr(other, name) == pytest.approx(scale * getattr(one, name), rel=1e-5)
    assert other.misfit == pytest.approx(one.misfit, abs=1e-6)
    assert other.gain == pytest.approx(one.gain, abs=2e-6)
    assert other.normal_log_likelihood == pytest.approx(
        one.normal_log_likelihood - 200 * np.log(scale), rel=1e-6
    )


@pytest.mark.parametrize("errors", [1e-6, 1e-3])
def test_errors_next_to_nothing_can_be_worked_with(errors: float) -> None:
    """Each effect is a value then."""
    effects = np.random.default_rng(1).standard_normal(50)
    found = fit_prior(effects, np.full(50, errors))
    assert found.sd == pytest.approx(effects.std(), rel=1e-5)
    assert np.array(found.npmle.values) == pytest.approx(np.sort(effects), abs=1e-2)
    assert np.array(found.npmle.weights) == pytest.approx(np.full(50, 0.02), abs=1e-2)


def test_one_outlier_keeps_its_weight() -> None:
    """One test in 1,000, far from all others."""
    effects = np.append(np.random.default_rng(1).standard_normal(999), 200.0)
    found = fit_prior(effects, np.ones(1000))
    far = np.array(found.npmle.values) > 100
    assert np.array(found.npmle.weights)[far].sum() == pytest.approx(0.001)


def test_effects_all_alike_are_one_value() -> None:
    """The range of the grid is a point."""
    found = fit([3.0] * 4, [1.0, 2.0, 1.0, 2.0])
    assert (found.mean, found.sd, found.npmle) == (3.0, 0.0, Atoms([3.0]))


@pytest.mark.skipif(not UPWORTHY.exists(), reason=f"the real tests are not here: {UPWORTHY}")
def test_real_headline_tests_have_small_effects_with_heavy_tails() -> None:
    """3,823 tests of the Upworthy Research Archive (Matias and others 2021), in points.

    The mean of -0.026 and the sd of 0.448 that the archive's tests have are moments. All fits agree
    with them, as lifts weigh the same whether they are high or low; tails are heavier than normal.
    """
    counts = np.loadtxt(UPWORTHY, delimiter=",", skiprows=1)[:, 2:].T
    lifts = effects_from_counts(*counts)
    found = fit_prior(100 * lifts.effects, 100 * lifts.standard_errors)
    assert found.moment_mean == pytest.approx(-0.026, abs=0.001)
    assert 0.42 < found.moment_sd < 0.48
    assert found.mean == pytest.approx(-0.026, abs=0.001)
    assert 0.43 < found.sd < 0.46
    assert found.misfit_p_value < 0.001
    assert found.gain > 0.05
    atoms, weights = np.array(found.npmle.values), np.array(found.npmle.weights)
    mean = weights @ atoms
    assert mean == pytest.approx(-0.026, abs=0.001)
    assert 0.43 < np.sqrt(weights @ (atoms - mean) ** 2) < 0.46
    assert lifts.base_rate == pytest.approx(0.0138, abs=1e-4)


@pytest.mark.parametrize(
    ("effects", "errors", "named"),
    [
        *(([0.1, bad], [1, 1], ("effects", bad, 2)) for bad in (nan, inf, -inf)),
        *(([0.1, 0.2], [bad, 1], ("standard_errors", bad, 1)) for bad in (nan, inf, 0, -1)),
        ([0.1, 0.2, 0.3], [1, 1], ("3 effects", "2 standard_errors")),
        ([], [], ("at least 2 tests", 0)),
        ([0.1], [1], ("at least 2 tests", 1)),
        ([[0.1]], [1], ("effects", "shape")),
        (["x"], [1], ("effects", "x")),
        ([0.1, 0.2], "none", ("standard_errors", "none")),
        ([0.1, 0.2], None, ("standard_errors",)),
        ([10**400, 0.2], [1, 1], ("effects",)),
    ],
)
def test_tests_that_no_prior_can_be_fitted_to_are_refused(
    effects: Any, errors: Any, named: tuple[object, ...]
) -> None:
    """The column is named, the value, and the test."""
    with refused(*named):
        fit_prior(effects, errors)
