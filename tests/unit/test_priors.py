"""Priors: the laws of values."""

from itertools import pairwise
from math import inf, nan, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from dwell import Atoms, Beta, Normal
from tests.refusals import refused
from tests.strategies import PROPERTY

CONTINUOUS = [
    Beta(1, 1),
    Beta(2, 3),
    Beta(0.5, 0.5),
    Beta(40, 60.5),
    Normal(0, 1),
    Normal(-0.3, 0.05),
    Normal(100, 20),
]


def integral(prior: Beta | Normal, power: int) -> float:
    """The prior's moment of this order, by numerical integration of its density."""
    mean, sd = prior.moments
    low, high = max(prior.support[0], mean - 12 * sd), min(prior.support[1], mean + 12 * sd)
    points = np.linspace(low, high, 25)

    def integrand(value: float) -> float:
        return float(value**power * prior.density(np.array([value]))[0])

    pieces = (
        integrate.quad(integrand, low, high, epsabs=1e-13, epsrel=1e-11)[0]
        for low, high in pairwise(points)
    )
    return float(sum(pieces))


@pytest.mark.parametrize("prior", CONTINUOUS, ids=repr)
def test_moments_are_those_of_the_density(prior: Beta | Normal) -> None:
    """The density integrates to 1, and to the mean and the variance that are stated."""
    mean, sd = prior.moments
    assert integral(prior, 0) == pytest.approx(1.0, rel=1e-6)
    assert integral(prior, 1) == pytest.approx(mean, rel=1e-6, abs=1e-6)
    assert sqrt(integral(prior, 2) - mean**2) == pytest.approx(sd, rel=1e-5)


@pytest.mark.parametrize("prior", CONTINUOUS, ids=repr)
def test_priors_are_scipys(prior: Beta | Normal) -> None:
    """Density, distribution and quantiles are those of SciPy's law."""
    if isinstance(prior, Beta):
        law = stats.beta(prior.a, prior.b, loc=-1, scale=2)
    else:
        law = stats.norm(prior.mean, prior.sd)
    levels = np.linspace(0.01, 0.99, 33)
    values = law.ppf(levels)
    np.testing.assert_allclose(prior.quantile(levels), values, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(prior.density(values), law.pdf(values), rtol=1e-10)
    np.testing.assert_allclose([prior.distribution(v) for v in values], levels, rtol=1e-10)


@pytest.mark.parametrize("prior", CONTINUOUS, ids=repr)
def test_the_distribution_is_complete_at_the_ends(prior: Beta | Normal) -> None:
    """No mass lies outside the support, and quantiles 0 and 1 are its ends."""
    low, high = prior.support
    assert (prior.distribution(low), prior.distribution(high)) == (0.0, 1.0)
    assert prior.quantile(np.array([0.0, 1.0])).tolist() == [low, high]


@given(a=st.floats(0.2, 50), b=st.floats(0.2, 50), level=st.floats(1e-6, 1 - 1e-6))
@PROPERTY
def test_distribution_and_quantile_undo_each_other_for_beta(
    a: float, b: float, level: float
) -> None:
    """The distribution function at a quantile is the level."""
    prior = Beta(a, b)
    value = float(prior.quantile(np.array([level]))[0])
    assert prior.distribution(value) == pytest.approx(level, rel=1e-7, abs=1e-6)


@given(mean=st.floats(-10, 10), sd=st.floats(0.01, 10), level=st.floats(1e-6, 1 - 1e-6))
@PROPERTY
def test_distribution_and_quantile_undo_each_other_for_normal(
    mean: float, sd: float, level: float
) -> None:
    """The distribution function at a quantile is the level."""
    prior = Normal(mean, sd)
    value = float(prior.quantile(np.array([level]))[0])
    assert prior.distribution(value) == pytest.approx(level, rel=1e-9)


def test_atoms_weigh_the_same_unless_weights_are_given() -> None:
    """Equal weights by default, shown only if they differ."""
    assert Atoms([-1, 0, 1]).weights == (1 / 3, 1 / 3, 1 / 3)
    assert repr(Atoms([-1, 0, 1])) == "Atoms(-1, 0, 1)"
    assert Atoms([-0.5, 2], [0.75, 0.25]).weights == (0.75, 0.25)
    assert repr(Atoms([-0.5, 2], [0.75, 0.25])) == "Atoms(-0.5:0.75, 2:0.25)"


@given(shares=st.lists(st.floats(0, 1), min_size=1, max_size=9).filter(lambda s: sum(s) > 0.01))
@PROPERTY
def test_weights_sum_to_one_up_to_rounding(shares: list[float]) -> None:
    """Weights that sum to 1 up to rounding are accepted, and sum to 1 afterwards."""
    weights = [share / sum(shares) for share in shares]
    kept = Atoms(range(len(weights)), weights).weights
    assert sum(kept) == pytest.approx(1.0, abs=1e-15 * len(weights))
    assert kept == pytest.approx(weights)


def test_atoms_come_from_anything_that_can_be_gone_through() -> None:
    """Lists, arrays and generators make the same atoms, which are values: equal, with one hash."""
    same = {
        Atoms([-1, 1], [0.5, 0.5]),
        Atoms(np.array([-1.0, 1.0])),
        Atoms(value for value in (-1, 1)),
    }
    assert len(same) == 1


def test_atoms_are_drawn_by_their_weights() -> None:
    """Each atom's share of 200,000 draws is within 5 standard errors of its weight.

    Seeded; false alarms below 3e-6.
    """
    prior = Atoms([-1, 0, 0.25, 1], [0.125, 0.5, 0.375, 0])
    drawn = prior.sample(200_000, np.random.default_rng(11))
    for value, weight in zip(prior.values, prior.weights, strict=True):
        error = sqrt(weight * (1 - weight) / len(drawn))
        assert abs((drawn == value).mean() - weight) <= 5 * error
    assert set(drawn.tolist()) == {-1, 0, 0.25}


@pytest.mark.parametrize(
    ("values", "weights", "named"),
    [
        ([], None, "none"),
        ([nan], None, "nan"),
        ([inf], None, "inf"),
        (["high"], None, "high"),
        ([0, 1], [0.5, 0.6], "1.1"),
        ([0, 1], [0.5, 0.4], "0.9"),
        ([0, 1], [0, 0], "0"),
        ([0, 1], [1.5, -0.5], "-0.5"),
        ([0, 1], [nan, 1], "nan"),
        ([0, 1], [inf, 1], "inf"),
        ([0, 1], ["half", "half"], "half"),
        ([0, 1], [1], "2 values and 1 weights"),
        ([0], [0.5, 0.5], "1 values and 2 weights"),
        ([0, 1], [], "2 values and 0 weights"),
    ],
)
def test_bad_atoms_are_refused(values: Any, weights: Any, named: str) -> None:
    """The value or weight that is wrong is named."""
    with refused(named):
        Atoms(values, weights)


def test_weights_that_are_just_off_are_not_said_to_sum_to_one() -> None:
    """The refusal shows enough digits to see what is wrong."""
    with pytest.raises(ValueError, match="must sum to 1") as caught:
        Atoms([0, 1], [0.5, 0.5000001])
    assert float(str(caught.value).rpartition(" ")[2]) != 1.0


@pytest.mark.parametrize("bad", [0, -1, inf, nan, "wide", None])
def test_bad_parameters_are_refused(bad: Any) -> None:
    """Both parameters of Beta and the spread of Normal are finite and positive."""
    with refused("a of Beta", bad):
        Beta(bad, 1)
    with refused("b of Beta", bad):
        Beta(1, bad)
    with refused("sd of Normal", bad):
        Normal(0, bad)


@pytest.mark.parametrize("bad", [inf, -inf, nan, "centre", None])
def test_a_bad_mean_is_refused(bad: Any) -> None:
    """A normal law has a finite mean."""
    with refused("mean of Normal", bad):
        Normal(bad, 1)


@pytest.mark.parametrize(
    ("one", "same", "other"),
    [
        (Beta(2, 3), Beta(2.0, 3.0), Beta(3, 2)),
        (Normal(0, 1), Normal(0.0, 1.0), Normal(0, 2)),
        (Atoms([0, 1]), Atoms([0.0, 1.0]), Atoms([1, 0])),
    ],
)
def test_priors_are_values(one: object, same: object, other: object) -> None:
    """Equal parameters make equal priors with equal hashes."""
    assert one == same
    assert hash(one) == hash(same)
    assert repr(one) == repr(same)
    assert one != other
