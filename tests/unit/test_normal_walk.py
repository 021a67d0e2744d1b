"""Figures under normal samples, against integrals over the sum at the first of two looks."""

from math import inf, pi, sqrt
from typing import NamedTuple

import numpy as np
import pytest
from scipy import special, stats

from dwell import Atoms, Gaussian, Normal, Policy, Signs, World, exact, fixed, hoeffding
from dwell.beliefs import beliefs
from dwell.kernels.tails import promise
from dwell.normal_walk import walk_normal
from dwell.table import expected_seconds
from tests.refusals import refused


class TwoLooks(NamedTuple):
    """A policy that looks twice, in a world with a normal prior and noise of 1."""

    mean: float
    sd: float
    first: int
    last: int
    low: float
    high: float
    threshold: float

    @property
    def world(self) -> World:
        """The world."""
        return World(Normal(self.mean, self.sd), Gaussian(1))

    @property
    def policy(self) -> Policy:
        """The policy."""
        lower, upper = np.full(self.last, -inf), np.full(self.last, inf)
        lower[self.first - 1], upper[self.first - 1] = self.low, self.high
        lower[-1] = upper[-1] = self.threshold
        return Policy(lower, upper)

    def figures(self) -> tuple[float, float, float]:
        """Accept rate, reward and cost, by a dense rule of 40 nodes per scale of change."""
        mean, sd, first, last, low, high, threshold = self
        spread, center = sqrt(first + (first * sd) ** 2), first * mean
        z = (high - center) / spread
        accepted = float(special.ndtr(-z))
        reward = mean * accepted + first * sd**2 / spread * float(stats.norm.pdf(z))
        start, end = max(low, center - 12 * spread), min(high, center + 12 * spread)
        if not start < end:
            return accepted, reward, first
        variance, more = 1 / (sd**-2 + first), last - first
        noise = sqrt(more + more**2 * variance)
        panels = max(50, int((end - start) / min(spread, noise / (1 + more * variance))))
        nodes, weights = np.polynomial.legendre.leggauss(40)
        edges = np.linspace(start, end, panels + 1)
        sums = (edges[:-1, None] + (edges[1] - edges[0]) * (1 + nodes) / 2).ravel()
        mass = np.tile(weights, panels) * (edges[1] - edges[0]) / 2
        mass *= np.exp(-0.5 * ((sums - center) / spread) ** 2) / (spread * sqrt(2 * pi))
        means = variance * (mean / sd**2 + sums)
        z = (sums + more * means - threshold) / noise
        shipped = special.ndtr(z)
        value = means * shipped + more * variance / noise * np.exp(-0.5 * z * z) / sqrt(2 * pi)
        cost = first + more * mass.sum()
        return accepted + float(mass @ shipped), reward + float(mass @ value), float(cost)


def hostile(rng: np.random.Generator) -> TwoLooks:
    """Any prior, an early look with any band on it, and one that may be far away."""
    first = int(rng.integers(1, 30))
    last = first + int(10 ** rng.uniform(0, 3.5))
    sd = float(10 ** rng.uniform(-2.5, 2.5))
    mean = sd * float(rng.uniform(-4, 3))
    spreads = [sqrt(d + (d * sd) ** 2) for d in (first, last)]
    low = first * mean + spreads[0] * float(rng.uniform(-3, 2))
    high = low + spreads[0] * float(10 ** rng.uniform(-2, 1))
    kind = rng.integers(3)
    threshold = last * mean + spreads[1] * float(rng.uniform(-3, 3))
    return TwoLooks(
        mean, sd, first, last, -inf if kind == 0 else low, inf if kind == 1 else high, threshold
    )


def assert_right(case: TwoLooks, error: float = 1e-9) -> None:
    table = exact(case.policy, case.world)
    accept_rate, reward, cost = case.figures()
    assert table.accept_rate[0] == pytest.approx(accept_rate, rel=0, abs=error)
    assert table.reward[0] == pytest.approx(reward, rel=0, abs=error * case.sd)
    assert table.cost[0] == pytest.approx(cost, rel=0, abs=error * case.last)


def test_an_early_look_followed_by_a_distant_one_is_right_to_1e_9() -> None:
    """On 60 hostile cases; the promise is 1e-6."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        assert_right(hostile(rng))


@pytest.mark.parametrize(
    "case",
    [
        TwoLooks(-40, 20, 1, 300, -38.7, inf, -2160),
        TwoLooks(-0.1, 0.5, 1, 28, -0.3, 1.2, 0.0),
        TwoLooks(-0.1, 30, 1, 28, -5.0, inf, 0.0),
        TwoLooks(0.0, 1e4, 3, 4000, -inf, 1e4, 50.0),
        TwoLooks(0.0, 1e-3, 1, 4000, -1.0, 2.0, 3.0),
    ],
    ids=str,
)
def test_known_hostile_cases_are_right(case: TwoLooks) -> None:
    """Priors much wider than the noise, and much narrower."""
    assert_right(case)


def test_panels_a_third_as_wide_change_nothing() -> None:
    """With three to six looks, up to 2,000 samples apart; all mass stops somewhere."""
    rng = np.random.default_rng(1)
    for _ in range(25):
        looks = np.unique(
            rng.integers(1, int(10 ** rng.uniform(1.5, 3.3)), int(rng.integers(3, 7)))
        )
        sd = float(10 ** rng.uniform(-2.5, 1.5))
        center = looks * sd * rng.uniform(-4, 3)
        spread = np.sqrt(looks + (looks * sd) ** 2)
        lower, upper = np.full(looks[-1], -inf), np.full(looks[-1], inf)
        lower[looks - 1] = center + spread * rng.uniform(-3, 1, len(looks))
        upper[looks - 1] = lower[looks - 1] + spread * 10 ** rng.uniform(-2, 1, len(looks))
        upper[rng.random(len(upper)) < 0.3] = inf
        lower[rng.random(len(lower)) < 0.3] = -inf
        lower[-1] = upper[-1] = center[-1] + spread[-1] * rng.uniform(-3, 3)
        policy = Policy(lower, upper)
        [belief] = beliefs(World(Normal(center[0] / looks[0], sd), Gaussian(1)), policy.cap)
        coarse, fine = (walk_normal(policy, belief, 1.0, panel=panel) for panel in (3.0, 1.0))
        scale = [1.0, 1.0, max(sd, abs(belief.intercept[0]))]
        assert (np.abs(coarse - fine).sum(axis=0) / scale).max() < 1e-9
        assert coarse[:, 0].sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("sd", [1e3, 1e6, 1e12])
def test_a_prior_far_wider_than_the_noise_knows_good_from_bad(sd: float) -> None:
    """Half of all ideas are good, and almost all of them are shipped: at the cap, if told so."""
    for lower, upper in (([-2.0, -2.0], [2.0, 2.0]), ([-2.0, -2.0], [inf, inf])):
        table = exact(Policy([*lower, 0.0], [*upper, 0.0]), World(Normal(0, sd), Gaussian(1)))
        assert table.reward[0] == pytest.approx(sd / sqrt(2 * pi), rel=10 / sd)
        assert table.accept_rate[0] == pytest.approx(0.5, abs=3 / sd)
        assert table.cost[0] == pytest.approx(1 if upper[0] < inf else 2, abs=3 / sd)


def test_a_range_too_wide_to_integrate_over_is_refused() -> None:
    """A band a million million times as wide as the noise, and a prior to fill it."""
    policy = Policy([-1e12, -1e12, 0.0], [1e12, 1e12, 0.0])
    with refused("after 1 samples", "1e+12", "narrower band"):
        exact(policy, World(Normal(0, 1e12), Gaussian(1)))


@pytest.mark.parametrize("distance", [2, 4, 10, 25])
def test_what_little_a_far_prior_earns_keeps_its_digits(distance: int) -> None:
    """A fixed test has a closed form; a second look that decides nothing leaves it as it is."""
    world, d = World(Normal(-distance, 1), Gaussian(2)), 12
    # The sum from which the posterior's mean is above 0, and the sd of that mean.
    even, spread = 4.0 * distance, 1 / sqrt(1 + 4 / d)
    z = distance / spread
    tail = special.log_ndtr(-z)
    # phi(z) - z Phi(-z) by its asymptotic series where the difference has lost its digits.
    series = sum((-1) ** k * special.factorial2(2 * k + 1) / z ** (2 * k + 2) for k in range(4))
    promised = stats.norm.pdf(z) * series if z > 20 else stats.norm.pdf(z) - z * np.exp(tail)
    once = exact(fixed(d, even), world)
    assert once.accept_rate[0] == pytest.approx(np.exp(tail), rel=1e-12)
    assert once.reward[0] == pytest.approx(spread * promised, rel=1e-6)
    lower, upper = np.full(d, -inf), np.full(d, inf)
    lower[2], lower[-1], upper[-1] = -distance * 40.0, even, even
    twice = exact(Policy(lower, upper), world)
    assert twice.reward[0] == pytest.approx(once.reward[0], rel=1e-9)


def test_the_promise_of_a_normal_law_keeps_its_digits() -> None:
    """Against an integral of its own tail: phi(x) - x Phi(-x) is that of Phi beyond x."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    for z in (-35.0, -20.0, -8.0, -3.1, -2.9, -1.0, 0.0, 2.0):
        edges = z - np.arange(0.0, 40.0, 0.25)
        tails = special.ndtr(edges[:, None] - 0.125 * (1 + nodes))
        assert promise(z) == pytest.approx(0.125 * float((tails @ weights).sum()), rel=1e-11)


def test_known_values_far_from_the_boundary_cost_nothing_and_earn_nothing() -> None:
    """No figure is negative or more than all, whatever the atom."""
    policy = Policy([-3.0] * 20 + [1.0], [4.0] * 20 + [1.0])
    for value in (-50.0, -1.0, 0.0, 1.0, 50.0):
        table = exact(policy, World(Atoms([value]), Gaussian(1)))
        assert 0.0 <= table.accept_rate[0] <= 1.0 + 1e-12
        assert table.reward[0] == pytest.approx(value * table.accept_rate[0], rel=1e-12)
        assert 1.0 <= table.cost[0] <= 21.0


def test_how_long_a_walk_takes_is_told_beforehand() -> None:
    """About 1.5 power of the cap where every sample is looked at; nothing for a single look."""
    world = World(Normal(-0.1, 0.2), Gaussian(1))
    seconds = [
        expected_seconds(hoeffding([cap], c=0.35, tasks=10_000, delta=0.05), world)
        for cap in (1000, 16_000, 1_000_000)
    ]
    assert seconds[0] < 2.0
    assert 5.0 < seconds[1] < 100.0
    assert 600.0 < seconds[2] < 1e5
    assert expected_seconds(fixed(10**6), world) == 0.0
    assert expected_seconds(fixed(10**6), World(Atoms([0.5]), Signs())) == 0.0
