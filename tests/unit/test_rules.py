"""Current rules as policies: against plain twins and limits; and refusals."""

from collections.abc import Callable, Sequence
from math import exp, inf, isinf, nan, pi, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from scipy import integrate

from dwell import Atoms, Beta, Gaussian, Normal, Policy, World, exact, rules
from tests.plain import run_policy
from tests.refusals import refused

PHI = NormalDist()
PRIOR = Normal(-0.5, 0.8)


def chance(policy: Policy, value: float, sd: float) -> float:
    """How likely a policy is to accept an idea of this value."""
    return float(exact(policy, World(Atoms([value]), Gaussian(sd))).accept_rate[0])


@pytest.mark.parametrize(("sided", "alpha"), [(1, 0.05), (2, 0.05), (2, 0.2), (1, 0.5)])
def test_a_fixed_test_accepts_worthless_ideas_as_often_as_its_level_says(
    sided: int, alpha: float
) -> None:
    """Half of alpha of a two-sided test goes to ideas that do harm."""
    policy = rules.fixed_test(7, sd=3, alpha=alpha, sided=sided)
    assert chance(policy, 0.0, 3.0) == pytest.approx(alpha / sided)
    assert policy.cap == 7


def test_a_fixed_test_never_accepts_a_negative_sum() -> None:
    """Significant means positive as well, at any level."""
    assert rules.fixed_test(4, sd=1, alpha=0.9, sided=1).upper[-1] == 0.0


@pytest.mark.parametrize("sided", [1, 2])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_a_powered_test_is_the_smallest_with_its_power(power: float, sided: int) -> None:
    """Just above the power, and just below with one sample less."""
    settings: dict[str, Any] = {"sd": 2.0, "alpha": 0.1, "sided": sided}
    policy = rules.powered_test(0.5, power=power, **settings)
    assert chance(policy, 0.5, 2.0) >= power - 1e-12
    assert chance(rules.fixed_test(policy.cap - 1, **settings), 0.5, 2.0) < power
    assert policy.cap == rules.powered_size(0.5, power=power, **settings)


@pytest.mark.parametrize("d", [1, 2, 10, 300])
@pytest.mark.parametrize(("sd", "spread", "alpha"), [(1.0, 0.5, 0.05), (3.0, 0.1, 0.01)])
def test_msprt_stops_where_the_mixture_ratio_is_1_by_alpha(
    d: int, sd: float, spread: float, alpha: float
) -> None:
    """The ratio as an integral over the mixture."""
    edge = rules.msprt(d, sd=sd, spread=spread, alpha=alpha).upper[-1]

    def likely(value: float) -> float:
        prior = exp(-0.5 * (value / spread) ** 2) / (spread * sqrt(2 * pi))
        return prior * exp((value * edge - d * value**2 / 2) / sd**2)

    ratio, _ = integrate.quad(likely, -12 * spread, 12 * spread, epsabs=0, limit=500)
    assert ratio == pytest.approx(1 / alpha, rel=1e-6)


@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_msprt_accepts_worthless_ideas_at_half_its_level_at_most(alpha: float) -> None:
    """However long it may run; and the longer, the more."""
    levels = [chance(rules.msprt(cap, sd=1, spread=1, alpha=alpha), 0, 1) for cap in (1, 20, 400)]
    assert levels == sorted(levels)
    assert 0.0 < levels[0] < levels[-1] <= alpha / 2


@pytest.mark.parametrize("d", [1, 2, 30])
def test_the_posterior_rule_is_as_sure_as_it_was_asked_to_be(d: int) -> None:
    """The chance that a value is positive, as an integral, on both boundaries."""
    policy = rules.posterior(d + 1, prior=PRIOR, sd=2, probability=0.9)

    def positive(total: float) -> float:
        def likely(value: float) -> float:
            z = (value - PRIOR.mean) / PRIOR.sd
            return exp(-0.5 * z * z + (value * total - d * value**2 / 2) / 4)

        above, below = integrate.quad(likely, 0, 9)[0], integrate.quad(likely, -9, 0)[0]
        return float(above / (above + below))

    assert positive(policy.upper[d - 1]) == pytest.approx(0.9, abs=1e-7)
    assert positive(policy.lower[d - 1]) == pytest.approx(0.1, abs=1e-7)


def means(policy: Policy, prior: Normal, sd: float) -> tuple[Any, Any]:
    """The boundaries of a policy as posterior means."""
    d = np.arange(1, policy.cap + 1)
    variance = 1 / (1 / prior.sd**2 + d / sd**2)
    start = prior.mean / prior.sd**2
    lower, upper = policy.lower, policy.upper
    return variance * (start + lower / sd**2), variance * (start + upper / sd**2)


@pytest.mark.parametrize(
    "policy",
    [
        rules.posterior(200, prior=PRIOR, sd=3),
        rules.shifted_linear(200, prior=PRIOR, sd=3, stop=2, ship=1.5, ship_from=0.3),
        rules.index_rule(200, prior=PRIOR, sd=3),
    ],
    ids=["posterior", "shifted linear", "index"],
)
def test_boundaries_on_the_mean_close_in(policy: Policy) -> None:
    """The lower one rises and the upper one falls, until they meet."""
    lower, upper = means(policy, PRIOR, 3.0)
    assert (np.diff(lower[:-1]) > 0).all()
    assert (np.diff(upper) < 0).all()


Belief = tuple[float, float]


def follow(decide: Callable[[Belief], int | None], cap: int, sd: float, samples: Any) -> Any:
    """Duration and decision of a rule that goes by the posterior's mean and sd."""
    for d in range(1, cap + 1):
        variance = 1 / (1 / PRIOR.sd**2 + d / sd**2)
        mean = variance * (PRIOR.mean / PRIOR.sd**2 + sum(samples[:d]) / sd**2)
        decision = decide((mean, sqrt(variance)))
        if decision is not None:
            return d, decision
    return cap, 0


def shifted_linear(stop: float, ship: float, ship_from: float) -> Callable[[Belief], int | None]:
    def decide(belief: Belief) -> int | None:
        mean, sd = belief
        if -(mean - PRIOR.mean) > stop * (sd - PRIOR.sd):
            return 0
        return 1 if mean > ship * (sd - ship_from) else None

    return decide


def index_rule(ship: float, scale: float, bonus: float) -> Callable[[Belief], int | None]:
    def index(mean: float, sd: float) -> float:
        t = scale * sd
        return t * PHI.pdf(mean / t) + mean * PHI.cdf(mean / t) + bonus / t**2

    def decide(belief: Belief) -> int | None:
        if index(*belief) <= index(PRIOR.mean, PRIOR.sd):
            return 0
        return 1 if belief[0] >= ship * index(*belief) else None

    return decide


FRESH = PRIOR.sd * PHI.pdf(-0.625) - 0.5 * PHI.cdf(-0.625)
TWINS = {
    "shifted": (
        rules.shifted_linear(60, prior=PRIOR, sd=2, stop=1.2, ship=0.9, ship_from=0.1),
        shifted_linear(1.2, 0.9, 0.1),
    ),
    "shifted, never meeting": (
        rules.shifted_linear(25, prior=PRIOR, sd=2, stop=0.4, ship=2, ship_from=-0.2),
        shifted_linear(0.4, 2, -0.2),
    ),
    "method 71": (
        rules.index_rule(60, prior=PRIOR, sd=2),
        index_rule(1, 1, -FRESH * PRIOR.sd**2),
    ),
    "with a price": (
        rules.index_rule(60, prior=PRIOR, sd=2, ship=0.8, scale=1.5, bonus=-0.02),
        index_rule(0.8, 1.5, -0.02),
    ),
    "with a bonus": (
        rules.index_rule(25, prior=PRIOR, sd=2, ship=0.4, scale=0.7, bonus=0.05),
        index_rule(0.4, 0.7, 0.05),
    ),
}


@pytest.mark.parametrize("name", TWINS)
def test_shipit_rules_decide_as_they_are_written(name: str) -> None:
    """On 200 tasks, sample by sample; each way of ending occurs."""
    policy, decide = TWINS[name]
    rng = np.random.default_rng(5)
    found = []
    for value in rng.normal(0.3, 1.0, 200):
        samples = rng.normal(value, 2.0, 60).tolist()
        found.append(run_policy(policy, samples))
        assert found[-1] == follow(decide, policy.cap, 2.0, samples)
    assert {decision for _, decision in found} == {0, 1}
    assert len({duration for duration, _ in found}) >= 5


def test_what_all_rules_leave_undecided_at_the_cap_is_rejected() -> None:
    """They accept there only what they would have accepted anyway."""
    makers: list[Callable[[int], Policy]] = [
        lambda cap: rules.msprt(cap, sd=1, spread=1),
        lambda cap: rules.posterior(cap, prior=PRIOR, sd=1),
        lambda cap: rules.shifted_linear(cap, prior=PRIOR, sd=1, stop=1, ship=2, ship_from=0),
        lambda cap: rules.index_rule(cap, prior=PRIOR, sd=1),
    ]
    for make in makers:
        assert make(2) == make(3).truncated(2)


BAD: Sequence[Any] = (nan, inf, 0, -1, "one", None)
LEVELS: Sequence[Any] = (nan, 0, 1, -0.1, 2, "low", None)
GOOD: dict[Callable[..., object], dict[str, Any]] = {
    rules.fixed_test: {"n": 5, "sd": 1},
    rules.powered_size: {"effect": 0.1, "sd": 1},
    rules.powered_test: {"effect": 0.1, "sd": 1},
    rules.group_sequential: {"looks": 2, "n": 5, "sd": 1},
    rules.msprt: {"cap": 5, "sd": 1, "spread": 1},
    rules.posterior: {"cap": 5, "prior": PRIOR, "sd": 1},
    rules.shifted_linear: {
        **{"cap": 5, "prior": PRIOR, "sd": 1},
        **{"stop": 1, "ship": 1, "ship_from": 0.5},
    },
    rules.index_rule: {"cap": 5, "prior": PRIOR, "sd": 1},
}
CASES: list[tuple[Callable[..., object], str, Any]] = [
    *(
        (rule, name, bad)
        for rule, good in GOOD.items()
        for name in good
        if name in ("n", "cap", "looks", "sd", "spread", "effect")
        for bad in BAD
    ),
    *((rule, "alpha", bad) for rule in list(GOOD)[:5] for bad in LEVELS),
    *((rule, "sided", bad) for rule in list(GOOD)[:3] for bad in (0, 3, "two", None)),
    *((rule, "power", bad) for rule in list(GOOD)[1:3] for bad in (*LEVELS, 0.02)),
    *((rule, "prior", bad) for rule in list(GOOD)[5:] for bad in (Beta(1, 1), None, 1.0)),
    *((rules.posterior, "probability", bad) for bad in (*LEVELS, 0.5, 0.1)),
    *(
        (rules.shifted_linear, name, bad)
        for name in ("stop", "ship", "ship_from")
        for bad in (nan, inf, "x", None)
    ),
    *((rules.index_rule, name, bad) for name in ("ship", "scale") for bad in BAD),
    (rules.index_rule, "ship", 1.01),
    *((rules.index_rule, "bonus", bad) for bad in (nan, inf, 0, 0.1, "x")),
    (rules.group_sequential, "looks", 6),
    *((rules.group_sequential, "spending", bad) for bad in ("linear", 1, None, ["pocock"])),
    (rules.group_sequential, "alpha", 1e-13),
    (rules.fixed_test, "n", 2**22 + 1),
    (rules.powered_test, "effect", 1e-6),
    (rules.powered_size, "effect", 1e-300),
]


@pytest.mark.parametrize(("rule", "name", "bad"), CASES)
def test_what_a_rule_cannot_work_with_is_refused(
    rule: Callable[..., object], name: str, bad: Any
) -> None:
    """The argument is named."""
    with refused(name):
        rule(**{**GOOD[rule], name: bad})


def test_an_unknown_spending_function_is_told_the_known_ones() -> None:
    """So that one need not look them up."""
    unknown: Any = "linear"
    with refused("linear", "obrien_fleming", "pocock"):
        rules.z_boundaries([1.0], spending=unknown)


@pytest.mark.parametrize(
    "shares", [[], [0.5], [0.5, 0.5, 1], [1, 0.5], [0, 1], [nan, 1], 1.0, "all", [[1.0]], [-1, 1]]
)
def test_shares_that_do_not_rise_to_1_are_refused(shares: Any) -> None:
    """The last look sees all samples."""
    with refused("shares"):
        rules.z_boundaries(shares)


def test_looks_too_early_to_spend_anything_are_not_taken() -> None:
    """A thousandth of the samples with O'Brien and Fleming: z would be far above 8."""
    critical = rules.z_boundaries([0.001, 0.5, 1.0])
    assert isinf(critical[0])
    assert critical[1:] == pytest.approx(rules.z_boundaries([0.5, 1.0]))
