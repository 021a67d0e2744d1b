"""A Student-t prior: its law, figures under normal samples and on a lattice, the best policy."""

from itertools import pairwise
from math import inf, nan, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import integrate, special, stats

from dwell import (
    Atoms,
    Countable,
    Fixed,
    Gaussian,
    Ladder,
    Lift,
    Normal,
    Policy,
    Signs,
    StudentT,
    Terms,
    World,
    best_of,
    exact,
    fixed,
    oracle,
    plan,
    simulate,
)
from dwell.lab.run import bound_under
from dwell.planning.sensitivity import by_prior
from dwell.scale_mixture import normals
from dwell.table import _most
from tests.fat_tails import TwoLooks, panels, rule
from tests.refusals import refused

DFS = (1.05, 1.5, 2.0, 3.0, 8.0, 40.0, 1e4, 1e9)


@pytest.mark.parametrize("df", DFS)
def test_the_law_is_scipys(df: float) -> None:
    """Density, distribution, quantiles and the sd are those of SciPy's t law."""
    prior, law = StudentT(-2, 3, df), stats.t(df, -2, 3)
    levels = np.linspace(0.001, 0.999, 33)
    values = law.ppf(levels)
    np.testing.assert_allclose(prior.quantile(levels), values, rtol=1e-9)
    np.testing.assert_allclose(prior.density(values), law.pdf(values), rtol=1e-6)
    np.testing.assert_allclose([prior.distribution(v) for v in values], levels, rtol=1e-9)
    assert prior.moments == pytest.approx((-2, law.std()))
    assert prior.spread == pytest.approx((law.ppf(0.75) + 2) / special.ndtri(0.75))
    assert (prior.distribution(-inf), prior.distribution(inf)) == (0.0, 1.0)
    assert prior.quantile(np.array([0.0, 1.0])).tolist() == [-inf, inf]


def test_with_many_degrees_of_freedom_it_is_normal() -> None:
    """Density, figures and the best policy become those of `Normal`, up to any size of df."""
    values = np.linspace(-6, 6, 25)
    normal = World(Normal(-1, 1), Gaussian(4))
    policy = Policy([-3, -inf, -2, 1], [9, inf, 8, 1])
    known, best = exact(policy, normal), oracle(normal, cap=9, setup_cost=2)
    for df, near in ((1e6, 1e-3), (1e9, 1e-6), (1e15, 1e-9), (1e30, 1e-9)):
        prior = StudentT(-1, 1, df)
        np.testing.assert_allclose(prior.density(values), Normal(-1, 1).density(values), rtol=near)
        found = exact(policy, World(prior, Gaussian(4)))
        for figure in ("reward", "cost", "accept_rate"):
            assert getattr(found, figure)[0] == pytest.approx(getattr(known, figure)[0], rel=near)
        assert oracle(World(prior, Gaussian(4)), 9, 2).roi == pytest.approx(best.roi, rel=near)


@pytest.mark.parametrize("df", [1, 0.5, 0, -3, nan, inf, "three"])
def test_degrees_of_freedom_without_a_mean_are_refused(df: Any) -> None:
    """In a sentence that says what is wrong with them."""
    with refused("df of StudentT", df):
        StudentT(0, 1, df)


@pytest.mark.parametrize(("mean", "scale"), [(nan, 1), (inf, 1), (0, 0), (0, -1), (0, 1e31)])
def test_bad_means_and_scales_are_refused(mean: float, scale: float) -> None:
    """As those of a normal law are."""
    with refused("of StudentT(mean, scale, df)"):
        StudentT(mean, scale, 3)


@pytest.mark.parametrize("df", DFS)
@pytest.mark.parametrize("beside", [30.0, 1e4])
def test_the_mixture_of_normal_laws_is_the_t_law(df: float, beside: float) -> None:
    """Its density, as far out as anything matters, and its mean distance from the middle."""
    prior = StudentT(0, 1, df)
    sds, weights = normals(prior, beside)
    values = np.array([0, 0.1, 1, 3, 10, 30])
    density = np.exp(-0.5 * (values / sds[:, None]) ** 2) / (sds[:, None] * sqrt(2 * np.pi))
    # Far out a law with thin tails has next to no density, and none is asked for there.
    np.testing.assert_allclose(weights @ density, prior.density(values), rtol=1e-7, atol=1e-12)
    assert weights @ sds**-2 == pytest.approx(1.0, rel=1e-7)
    distance = 2 * df / (df - 1) * float(prior.density(np.zeros(1))[0])
    assert sqrt(2 / np.pi) * float(weights @ sds) == pytest.approx(distance, rel=1e-7)


@pytest.mark.parametrize(
    ("df", "scale"), [*((df, 1.0) for df in DFS), (1.5, 1e-9), (1.5, 1e9), (8.0, 1e-9), (8.0, 1e9)]
)
def test_one_look_is_right_to_seven_digits_however_fat_the_tails(df: float, scale: float) -> None:
    """Noise from far below the scale to far above, means far below 0, caps from 1 to 100,000."""
    for noise in (1e-4, 1.0, 300.0):
        for mean in (0.0, -1.0, -30.0):
            for cap, z in ((1, 1.0), (1000, 0.0), (100_000, 3.0)):
                if cap > 1000 and (noise != 1.0 or mean == -1.0):
                    continue  # one of each is enough of what takes long
                prior = StudentT(mean * scale, scale, df)
                threshold = z * noise * scale * sqrt(cap)
                case = TwoLooks(prior, noise * scale, cap, cap, threshold, threshold, threshold)
                rate, reward, _ = case.figures()
                found = exact(fixed(cap, threshold), World(prior, Gaussian(noise * scale)))
                # What little is accepted of thin tails, and what cancels, is right as a whole.
                size = rate * abs(mean) * scale + abs(reward)
                assert found.accept_rate[0] == pytest.approx(rate, rel=1e-7, abs=1e-13)
                assert found.reward[0] == pytest.approx(reward, abs=1e-7 * size + 1e-13 * scale)


@pytest.mark.parametrize(
    "case",
    [
        TwoLooks(StudentT(-0.5, 0.7, 1.5), 1, 1, 2, -1.5, 2.0, 0.3),
        TwoLooks(StudentT(0.2, 0.1, 3.0), 1, 2, 50, -inf, 6.0, 4.0),
        TwoLooks(StudentT(-3.0, 0.5, 2.2), 4, 1, 9, -2.0, inf, 7.0),
        TwoLooks(StudentT(-1e-3, 1e-3, 1.2), 1, 10, 400, -5.0, 9.0, 30.0),
        TwoLooks(StudentT(-20.0, 1.0, 5.0), 30, 3, 12, -90.0, 200.0, 60.0),
        TwoLooks(StudentT(0.0, 50.0, 1.5), 1, 1, 30, -4.0, 5.0, 10.0),
        TwoLooks(StudentT(0.0, 1e-3, 3.0), 1, 1000, 100_000, -40.0, 90.0, 500.0),
    ],
    ids=lambda case: repr(case.prior),
)
def test_two_looks_are_right_to_seven_digits(case: TwoLooks) -> None:
    """Of accept rate, reward and cost, with looks near and far and with one limit missing."""
    found = exact(case.policy, World(case.prior, Gaussian(case.noise)))
    rate, reward, cost = case.figures()
    assert found.accept_rate[0] == pytest.approx(rate, rel=1e-7)
    assert found.reward[0] == pytest.approx(reward, rel=1e-7)
    assert found.cost[0] == pytest.approx(cost, rel=1e-7)


def test_a_boundary_far_out_in_the_tail_is_right() -> None:
    """A policy that takes only what is a thousand times the scale and the noise."""
    prior, threshold = StudentT(0, 1, 1.5), 1000.0
    found = exact(fixed(1, threshold), World(prior, Gaussian(1)))
    rate, reward, _ = TwoLooks(prior, 1, 1, 1, threshold, threshold, threshold).figures()
    assert found.accept_rate[0] == pytest.approx(rate, rel=1e-7)
    assert found.reward[0] == pytest.approx(reward, rel=1e-7)


@pytest.mark.parametrize("law", [Signs(), Lift(0.05)])
@pytest.mark.parametrize("prior", [StudentT(-0.01, 0.02, 1.5), StudentT(0.1, 0.5, 4)])
def test_on_a_lattice_it_is_truncated(prior: StudentT, law: Signs | Lift) -> None:
    """To what the law allows, as a normal prior is; figures against integrals over the value."""
    world = World(prior, law)
    assert repr(world).startswith(f"World({prior} truncated to [")
    policy = Policy([-2, -3, -2, 1], [2, 2, 3, 1])
    low, high = world.limits
    ends = panels(prior.mean, prior.scale, low, high)

    def figure(name: str) -> float:
        def integrand(value: float) -> float:
            at = getattr(exact(policy, World(Atoms([value]), law)), name)[0]
            return float(at * prior.density(np.array([value]))[0])

        pieces = (
            integrate.quad(integrand, *ends, epsrel=1e-9)[0] for ends in pairwise(sorted(ends))
        )
        return float(sum(pieces)) / (prior.distribution(high) - prior.distribution(low))

    found = exact(policy, world)
    for name in ("reward", "accept_rate"):
        assert getattr(found, name)[0] == pytest.approx(figure(name), rel=1e-7)


def test_where_it_has_no_mass_it_is_refused() -> None:
    """As a normal prior is: in one sentence."""
    with refused("has no mass", "choose a prior that fits"):
        World(StudentT(1e9, 1e-3, 5), Signs())


@pytest.mark.parametrize("df", [1.5, 3.0, 30.0])
def test_values_are_drawn_by_their_law(df: float) -> None:
    """The Kolmogorov-Smirnov distance of 20,000 draws is one that 1 in 10,000 exceeds.

    Seeded; false alarms 1e-4 each; normal draws of the same quartiles pass less than 1 in 100 at
    df 3 and below.
    """
    prior = StudentT(-2, 3, df)
    world = World(prior, Gaussian(1))
    drawn = world.sample_values(20_000, rng=5)
    assert stats.ks_1samp(drawn, stats.t(df, -2, 3).cdf).pvalue > 1e-4
    if df <= 3.0:
        normal = stats.norm(-2, prior.spread).rvs(20_000, random_state=5)
        assert stats.ks_1samp(normal, stats.t(df, -2, 3).cdf).pvalue < 1e-4


@pytest.mark.parametrize(
    ("prior", "noise", "setup_cost"),
    [(StudentT(-1, 1, 3), 8, 0), (StudentT(-0.5, 0.3, 1.5), 4, 3), (StudentT(0, 5, 2.5), 1, 1)],
    ids=repr,
)
def test_the_oracles_policy_cannot_be_improved(
    prior: StudentT, noise: float, setup_cost: float
) -> None:
    """Its ROI falls or stays wherever limits are moved."""
    world, cap = World(prior, Gaussian(noise)), 6
    best = oracle(world, cap, setup_cost)
    rng = np.random.default_rng(0)
    for _ in range(20):
        lower, upper = best.policy.lower.copy(), best.policy.upper.copy()
        moved = rng.normal(0, 0.3 * noise, (2, cap))
        lower, upper = np.minimum(lower, upper) + moved[0], upper + moved[1]
        lower[-1] = upper[-1]
        other = exact(Policy(np.minimum(lower, upper), upper), world, setup_cost)
        assert other.roi[0] <= best.roi * (1 + 1e-9)


def test_the_best_of_a_family_is_found_among_fat_tails() -> None:
    """What positive values are worth together, in closed form, bounds what later ones earn."""
    world, family = World(StudentT(1, 9, 3), Gaussian(1)), Countable(c=0.1, tasks=2, delta=0.5)
    found = best_of(family, world)
    assert found.k == exact(family.first(8), world).best + 1
    # With hardly any noise and one sample all of it is earned.
    most = exact(fixed(1), World(StudentT(1, 9, 3), Gaussian(1e-6))).reward[0]
    assert _most(world, 1) == pytest.approx(most, rel=1e-7)


def test_a_plan_has_fat_tails_throughout() -> None:
    """The share of wrong ships, the normal prior for other rules and other priors on the page."""
    prior = StudentT(-0.3, 0.5, 1.5)
    terms = Terms(world=World(prior, Gaussian(3)), traffic_per_day=1, max_days=4, setup_cost=2)
    found = plan(terms, ["to-the-end", "powered"])
    [to_the_end, _] = found.rules
    ends = panels(prior.mean, prior.scale, -100, 0) + panels(0, 0.2, -100, 0)
    values, weights = rule(ends)
    shipped = special.ndtr(values * sqrt(4) / 3)
    wrong = float(weights @ (prior.density(values) * shipped)) / to_the_end.accept_rate
    assert to_the_end.wrong_share == pytest.approx(wrong, rel=1e-4)
    assert found.best.roi >= to_the_end.roi
    assert terms.normal == Normal(-0.3, prior.spread)
    assert any("same mean and interquartile range" in note for note in found.notes)
    moved = by_prior(terms)
    assert moved is not None
    assert moved.best[2][2].roi == pytest.approx(found.best.roi)
    assert moved.best[4][4].roi > moved.best[2][2].roi


def test_a_stream_with_fat_tails_can_be_simulated() -> None:
    """The bound that learners are told is finite, also where the prior has no variance."""
    world = World(StudentT(-0.3, 0.5, 1.5), Gaussian(1))
    assert 1 < bound_under(world, Gaussian(1), Ladder) < 1000
    learner = Fixed(fixed(4))
    run = simulate(learner, world, tasks=100, rng=0)
    assert run.roi == pytest.approx(exact(fixed(4), world).roi[0])
