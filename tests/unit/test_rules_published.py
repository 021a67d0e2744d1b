"""Current rules against the numbers that they were published with; and false discovery control."""

from math import inf, nan, sqrt
from typing import Any

import numpy as np
import pytest

from dwell import Atoms, Gaussian, Lift, Normal, Signs, World, exact, rules
from dwell.rules import Control, Spending
from tests.refusals import refused

# The project's anchors/group_sequential_bounds.csv: 5 equal looks, two-sided 0.05, as the tables of
# Lan and DeMets's spending functions have them.
CRITICAL: dict[Spending, list[float]] = {
    "obrien_fleming": [4.877, 3.357, 2.680, 2.290, 2.031],
    "pocock": [2.438, 2.427, 2.410, 2.397, 2.386],
}


@pytest.mark.parametrize("spending", CRITICAL)
def test_critical_values_are_those_of_the_tables(spending: Spending) -> None:
    """To the last digit printed."""
    found = rules.z_boundaries(np.arange(1, 6) / 5, spending=spending)
    assert found == pytest.approx(CRITICAL[spending], abs=0.001)


@pytest.mark.parametrize("spending", CRITICAL)
@pytest.mark.parametrize(("looks", "n"), [(1, 1), (2, 7), (5, 100), (7, 100), (40, 200)])
@pytest.mark.parametrize("alpha", [0.05, 0.5, 1e-6])
def test_each_look_spends_what_its_function_says(
    looks: int, n: int, alpha: float, spending: Spending
) -> None:
    """By `exact`, which integrates on its own; all together they spend alpha."""
    policy = rules.group_sequential(looks, n, sd=2, alpha=alpha, spending=spending)
    table = exact(policy, World(Atoms([0.0]), Gaussian(2)))
    assert 2 * table.accept_rate[0] == pytest.approx(alpha, abs=1e-8 * alpha)
    spent = 2 * np.cumsum(table.profile(0).accepted)
    seen = np.array([-(-k * n // looks) for k in range(1, looks + 1)])
    normal = Normal(0, 1)
    for d in seen:
        if spending == "pocock":
            expected = alpha * np.log1p(np.expm1(1.0) * d / n)
        else:
            quantile = float(normal.quantile(np.array([alpha / 4]))[0])
            expected = 4 * normal.distribution(quantile / sqrt(d / n))
        assert spent[d - 1] == pytest.approx(expected, rel=1e-8, abs=1e-13)
    unseen = np.setdiff1d(np.arange(1, n + 1), seen)
    assert np.isinf(policy.upper[unseen - 1]).all()


@pytest.mark.parametrize("spending", CRITICAL)
def test_one_look_is_a_fixed_test(spending: Spending) -> None:
    """All of alpha is spent at the end."""
    one = rules.group_sequential(1, 9, sd=3, spending=spending)
    assert one.upper[-1] == pytest.approx(rules.fixed_test(9, sd=3).upper[-1])
    assert np.isinf(one.upper[:-1]).all()


# The project's anchors/test_and_roll.csv: the website example of Feit and Berman (2019). They have
# the noise of a 0/1 response, sqrt(0.68 * 0.32) = 0.46648, and print 0.466, which would give 2282.
WEBSITE = {"prior_sd": 0.03, "noise_sd": sqrt(0.68 * 0.32)}


def test_test_and_roll_is_the_published_website_example() -> None:
    """2,284 per arm, and 69,536 conversions in all."""
    n = rules.rollout_size(100_000, **WEBSITE)
    assert n == 2284
    profit = rules.rollout_profit(100_000, n, prior_mean=0.68, **WEBSITE)
    assert round(profit) == 69536


@pytest.mark.parametrize("population", [2, 3, 10, 1000, 100_000])
@pytest.mark.parametrize("noise_sd", [1e-3, 0.1, 1.0, 100.0])
def test_no_other_size_earns_more(population: int, noise_sd: float) -> None:
    """All of them, or those around it."""
    settings = {"prior_sd": 0.1, "noise_sd": noise_sd}
    best = rules.rollout_size(population, **settings)
    sizes = range(max(1, best - 500), min(population // 2, best + 500) + 1)
    profits = {n: rules.rollout_profit(population, n, prior_mean=0, **settings) for n in sizes}
    assert profits[best] == max(profits.values())


def test_test_and_roll_as_a_policy_earns_its_profit() -> None:
    """On differences of pairs: values spread sqrt(2) as much as arms, and so does noise."""
    policy = rules.rollout_test(100_000, **WEBSITE)
    prior = Normal(0, sqrt(2) * WEBSITE["prior_sd"])
    table = exact(policy, World(prior, Gaussian(sqrt(2) * WEBSITE["noise_sd"])))
    rolled = 100_000 - 2 * policy.cap
    profit = rules.rollout_profit(100_000, policy.cap, prior_mean=0.68, **WEBSITE)
    assert 68_000 + rolled * table.reward[0] == pytest.approx(profit, rel=1e-9)
    assert table.accept_rate[0] == pytest.approx(0.5)


# shipit_results.txt of github.com/avorozhtsov/shipit: profit per week times error^2 with its
# standard error, on an endless stream. Method 71 with ship 1 and scale 1, method 52 as given.
INDEX = [
    (-1.0, 8.0, 0.097421008, 0.00010300098),
    (-1.5, 8.0, 0.03480322, 3.9601946e-05),
    (-1.8, 8.0, 0.018527402, 2.6887159e-05),
]
LINEAR = [
    (8.0, 2.744411845004498, -0.0019427944800959435, 0.018429397, 3.8932978e-05),
    (10.0, 2.765508322488381, -0.0028796676628130313, 0.019010834, 3.8887508e-05),
]


@pytest.mark.parametrize(("mean", "error", "published", "deviation"), INDEX)
def test_the_index_rule_earns_what_shipit_measured(
    mean: float, error: float, published: float, deviation: float
) -> None:
    """Within 3 of its standard errors, which an honest simulation leaves in 0.3 % of cases."""
    prior = Normal(mean, 1)
    policy = rules.index_rule(2000, prior=prior, sd=error)
    assert policy.cap < 1000  # where its boundaries meet: the cap given plays no part
    profit = exact(policy, World(prior, Gaussian(error))).roi[0] * error**2
    assert profit == pytest.approx(published, abs=3 * deviation)


@pytest.mark.parametrize(("error", "stop", "added", "published", "deviation"), LINEAR)
def test_the_shifted_linear_rule_earns_what_shipit_measured(
    error: float, stop: float, added: float, published: float, deviation: float
) -> None:
    """Within 3 of its standard errors, which an honest simulation leaves in 0.3 % of cases."""
    prior = Normal(-1.8, 1)
    policy = rules.shifted_linear(
        2000, prior=prior, sd=error, stop=stop, ship=stop + added, ship_from=(stop - 1.8) / stop
    )
    assert policy.cap < 1000
    profit = exact(policy, World(prior, Gaussian(error))).roi[0] * error**2
    assert profit == pytest.approx(published, abs=3 * deviation)


GOOD = {"population": 10, "n": 2, "prior_mean": 0, "prior_sd": 1, "noise_sd": 1}
SPREADS = [(name, bad) for name in ("prior_sd", "noise_sd") for bad in (nan, inf, 0, -1, "x")]
POPULATIONS: list[tuple[str, Any]] = [("population", bad) for bad in (nan, inf, 1, 2.5, "x", None)]


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        *SPREADS,
        *POPULATIONS,
        *(("n", bad) for bad in (0, 6, 1.5, nan)),
        *(("prior_mean", bad) for bad in (nan, inf, None)),
    ],
)
def test_a_test_that_cannot_be_rolled_out_is_refused(name: str, bad: Any) -> None:
    """The argument is named."""
    with refused(name):
        rules.rollout_profit(**{**GOOD, name: bad})
    if (name, bad) in SPREADS + POPULATIONS:
        sized = {key: GOOD[key] for key in ("population", "prior_sd", "noise_sd")}
        with refused(name):
            rules.rollout_test(**{**sized, name: bad})


CONTROLS: list[Control] = ["lord", "saffron"]


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("law", [Signs(), Lift(0.3), Gaussian(0.8)], ids=str)
def test_large_effects_are_all_discovered(law: Any, control: Control) -> None:
    """Then what is earned is what the good ideas are worth; the same seed gives the same."""
    world = World(Atoms([-0.25, 0.25]), law)
    settings: dict[str, Any] = {"tasks": 40, "streams": 4, "control": control, "setup_cost": 100}
    found = rules.fdr_programme(world, 900, rng=3, **settings)
    assert found == rules.fdr_programme(world, 900, rng=3, **settings)
    assert found.cost == 1000
    assert found.false_share == 0.0
    assert found.reward == pytest.approx(0.25 * found.accept_rate)
    # 160 ideas, half of them good: outside in 1 of 10,000 seeds.
    assert abs(found.accept_rate - 0.5) < 4 * 0.5 / sqrt(160)
    assert (found.roi, found.roi_error) == (found.reward / 1000, found.reward_error / 1000)


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("law", [Signs(), Lift(0.3), Gaussian(0.8)], ids=str)
def test_worthless_ideas_are_seldom_discovered(law: Any, control: Control) -> None:
    """In a stream of none but those any discovery is false: at alpha = 0.2, in 20 % of streams.

    Of 200 streams at most 55; were the share exactly 20 %, more in 0.4 % of seeds.
    """
    world = World(Atoms([0.0]), law)
    found = rules.fdr_programme(
        world, 400, tasks=30, streams=200, alpha=0.2, control=control, rng=1
    )
    assert 0.0 < found.false_share <= 55 / 200
    assert found.reward == 0.0


@pytest.mark.parametrize("law", [Signs(), Lift(0.3)], ids=str)
def test_a_test_of_a_worthless_idea_has_its_level_under_every_law(law: Any) -> None:
    """The first idea of 2,000 streams is discovered as often as with normal samples.

    Within 4 standard deviations, which chance exceeds in 1 of 10,000 seeds.
    """
    settings: dict[str, Any] = {"tasks": 1, "streams": 2000, "alpha": 0.9, "control": "lord"}
    expected, found = (
        rules.fdr_programme(World(Atoms([0.0]), each), 1600, rng=1, **settings).accept_rate
        for each in (Gaussian(3), law)
    )
    assert expected > 0.01
    assert abs(found - expected) < 4 * sqrt(2 * expected / 2000)


def test_errors_are_those_of_the_mean_over_streams() -> None:
    """Two halves of the streams differ by as much as their errors say, 4 of them at most."""
    world = World(Normal(0, 0.5), Gaussian(1))
    one, other = (rules.fdr_programme(world, 20, tasks=50, streams=40, rng=s) for s in (1, 2))
    assert 0.0 < one.roi_error < one.roi / 5
    assert abs(one.roi - other.roi) < 4 * np.hypot(one.roi_error, other.roi_error)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        *((name, bad) for name in ("n", "tasks", "streams") for bad in (0, nan, 1.5, None)),
        ("streams", 1),
        *(("alpha", bad) for bad in (0, 1, nan)),
        *(("control", bad) for bad in ("bonferroni", None, 1, ["lord"])),
        *(("set-up cost", bad) for bad in (-1, inf)),
        ("rng", "dice"),
    ],
)
def test_a_programme_that_cannot_be_run_is_refused(name: str, bad: Any) -> None:
    """The argument is named."""
    good: dict[str, Any] = {"n": 5, "tasks": 2, "streams": 2}
    with refused(name):
        rules.fdr_programme(
            World(Atoms([0.0]), Signs()), **{**good, name.replace("set-up ", "setup_"): bad}
        )
