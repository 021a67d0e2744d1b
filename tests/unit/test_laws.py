"""Laws of observations."""

from math import inf, nan, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import Gaussian, Lift, Signs
from dwell.laws import Lattice, Law
from tests.refusals import refused
from tests.strategies import PROPERTY

LAWS: list[Law] = [Signs(), Lift(0.012), Lift(0.3), Lift(0.9), Gaussian(0.5), Gaussian(20)]


def variance(law: Law, value: float) -> float:
    """Of one observation."""
    if isinstance(law, Gaussian):
        return law.sd**2
    minus, _, plus = chances(law, value)
    return plus + minus - value**2


def chances(law: Lattice, value: float) -> tuple[float, float, float]:
    """Of the observations -1, 0 and 1, from what each law means."""
    if isinstance(law, Signs):
        return (1 - value) / 2, 0.0, (1 + value) / 2
    base, treated = law.base_rate, law.base_rate + value
    minus, plus = base * (1 - treated), (1 - base) * treated
    return minus, 1 - minus - plus, plus


@given(data=st.data(), law=st.just(Signs()) | st.floats(0.001, 0.999).map(Lift))
@PROPERTY
def test_moves_are_the_chances_of_each_observation(data: st.DataObject, law: Lattice) -> None:
    """The sum after d samples is stride * u - d; the moves of u have the observations' chances."""
    value = data.draw(st.floats(*law.value_range))
    moves = law.moves @ [1.0, value]
    by_observation = {law.stride * move - 1: chance for move, chance in enumerate(moves)}
    for observation, chance in zip((-1, 0, 1), chances(law, value), strict=True):
        assert by_observation.get(observation, 0.0) == pytest.approx(chance, abs=1e-14)
    mean = sum(observation * chance for observation, chance in by_observation.items())
    assert mean == pytest.approx(value, abs=1e-14)


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.75])
def test_observations_have_the_value_as_their_mean(law: Law, share: float) -> None:
    """Mean and mean square of a million observations are within 5 standard errors of the law's.

    Seeded; false alarms below 2.3e-5 over all cases.
    """
    low, high = (max(-3.0, law.value_range[0]), min(3.0, law.value_range[1]))
    value = low + share * (high - low)
    drawn = law.sample(np.full(1000, value), 1000, np.random.default_rng(5)).astype(float)
    assert drawn.shape == (1000, 1000)
    assert abs(drawn.mean() - value) <= 5 * sqrt(variance(law, value) / drawn.size)
    squares = drawn**2
    expected = variance(law, value) + value**2
    error = squares.std() / sqrt(drawn.size)
    assert abs(squares.mean() - expected) <= 5 * error + 1e-12


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_observations_are_independent_along_and_across_rows(law: Law) -> None:
    """Neighbours in a row and in a column are uncorrelated within 5 standard errors.

    Seeded; false alarms below 7e-6 over all cases.
    """
    low, high = (max(-1.0, law.value_range[0]), min(1.0, law.value_range[1]))
    value = (low + high) / 2
    drawn = law.sample(np.full(700, value), 700, np.random.default_rng(6)).astype(float)
    z = (drawn - value) / sqrt(variance(law, value))
    for products in (z[:, 1:] * z[:, :-1], z[1:] * z[:-1]):
        assert abs(products.mean()) <= 5 / sqrt(products.size)


def test_each_row_has_its_own_value() -> None:
    """Row i is drawn with value i: their means are in the order of the values; seeded."""
    values = np.linspace(-0.9, 0.9, 10)
    for law in (Signs(), Gaussian(1)):
        means = law.sample(values, 4000, np.random.default_rng(8)).mean(axis=1)
        assert np.abs(means - values).max() < 5 / sqrt(4000)


def test_signs_are_plus_and_minus_one() -> None:
    """Nothing else is ever drawn, in one byte each."""
    drawn = Signs().sample(np.linspace(-1, 1, 101), 1000, np.random.default_rng(0))
    assert drawn.dtype == np.int8
    assert set(np.unique(drawn).tolist()) == {-1, 1}


@pytest.mark.parametrize("base_rate", [0.012, 0.3, 0.5, 0.9])
def test_lifts_are_minus_one_zero_and_one(base_rate: float) -> None:
    """Nothing else is ever drawn, in one byte each."""
    law = Lift(base_rate)
    drawn = law.sample(np.linspace(*law.value_range, 101), 1000, np.random.default_rng(0))
    assert drawn.dtype == np.int8
    assert set(np.unique(drawn).tolist()) == {-1, 0, 1}


def test_certain_signs_are_certain() -> None:
    """Values of 1 and -1 give constant rows."""
    drawn = Signs().sample(np.array([1.0, -1.0]), 1_000_000, np.random.default_rng(0))
    assert (drawn[0] == 1).all()
    assert (drawn[1] == -1).all()


@pytest.mark.parametrize("base_rate", [0.012, 0.1, 0.3, 0.7, 0.9])
def test_certain_outcomes_of_a_treatment_are_certain(base_rate: float) -> None:
    """Where the treated never convert no sample is +1; where they always do none is -1."""
    law = Lift(base_rate)
    drawn = law.sample(np.array(law.value_range), 300_000, np.random.default_rng(0))
    assert set(np.unique(drawn[0]).tolist()) == {-1, 0}
    assert set(np.unique(drawn[1]).tolist()) == {0, 1}


class Highest(np.random.Generator):
    """A generator that draws the largest numbers that there are."""

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))

    def integers(self, _low: int, high: int, size: int, dtype: type) -> Any:  # type: ignore[override]  # as called
        return np.full(size, high - 1, dtype=dtype)

    def random(self, size: int) -> Any:  # type: ignore[override]  # as called
        return np.full(size, np.nextafter(1.0, 0.0))


def test_a_certain_sign_is_certain_even_for_the_largest_random_number() -> None:
    """A uniform number just below 1 is not rounded up to 1."""
    assert (Signs().sample(np.array([1.0]), 16, Highest()) == 1).all()


def test_chances_are_exact_beyond_one_byte() -> None:
    """With p = 1/2 + 1/1024 the share of +1 is that of p, not of 1/2, to which eight bits round it.

    In 40 million samples it is within 5 standard errors of p, and 7 or more away from 1/2. Seeded;
    false alarms below 2e-6.
    """
    p, rng = 0.5 + 1 / 1024, np.random.default_rng(12)
    blocks = [Signs().sample(np.full(400, 2 * p - 1), 10_000, rng) for _ in range(10)]
    share = float(np.mean([(block == 1).mean() for block in blocks]))
    error = sqrt(p * (1 - p) / 40_000_000)
    assert abs(share - p) <= 5 * error
    assert abs(share - 0.5) > 7 * error


def test_small_chances_are_exact_beyond_one_byte() -> None:
    """A lift at a base rate of 1/1000 has both rare outcomes as often as it should.

    Within 5 standard errors in 4 million samples. Seeded; false alarms below 1.2e-6.
    """
    law, value = Lift(0.001), 0.0005
    drawn = law.sample(np.full(400, value), 10_000, np.random.default_rng(13))
    minus, _, plus = chances(law, value)
    for observation, chance in ((-1, minus), (1, plus)):
        error = sqrt(chance * (1 - chance) / drawn.size)
        assert abs((drawn == observation).mean() - chance) <= 5 * error


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("shape", [(0, 5), (1, 1), (3, 7), (5, 8)])
def test_any_number_of_rows_and_samples_can_be_drawn(law: Law, shape: tuple[int, int]) -> None:
    """Samples are drawn eight at a time inside; the shape shows nothing of it."""
    drawn = law.sample(np.zeros(shape[0]), shape[1], np.random.default_rng(0))
    assert drawn.shape == shape


@pytest.mark.parametrize(
    ("law", "values", "noise"),
    [
        (Signs(), (-1.0, 1.0), 1.0),
        (Lift(0.25), (-0.25, 0.75), sqrt(0.25 * 0.75)),
        (Gaussian(3), (-inf, inf), 3.0),
    ],
)
def test_each_law_says_which_values_it_allows(
    law: Law, values: tuple[float, float], noise: float
) -> None:
    """The range of values and the scale of the noise are those of the law."""
    assert law.value_range == values
    assert law.noise == pytest.approx(noise)


@pytest.mark.parametrize("bad", [0, 1, -0.1, 1.5, nan, inf, "often", None])
def test_a_bad_base_rate_is_refused(bad: Any) -> None:
    """A base rate lies strictly between 0 and 1."""
    with refused("base_rate of Lift", bad):
        Lift(bad)


@pytest.mark.parametrize("bad", [0, -1, nan, inf, "wide", None])
def test_a_bad_spread_is_refused(bad: Any) -> None:
    """A standard deviation is finite and positive."""
    with refused("sd of Gaussian", bad):
        Gaussian(bad)


def test_laws_are_values() -> None:
    """Equal parameters make equal laws with equal hashes, and each shows itself as it is typed."""
    assert len({Signs(), Signs(), Lift(0.5), Lift(0.5), Gaussian(1), Gaussian(1.0)}) == 3
    assert [repr(law) for law in LAWS[:3]] == ["Signs", "Lift(0.012)", "Lift(0.3)"]
    assert repr(Gaussian(20)) == "Gaussian(20)"
