"""A world: a prior and a law that fit each other."""

import copy
import pickle
from math import inf, isfinite, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import integrate

from dwell import Atoms, Beta, Gaussian, Lift, Normal, Signs, StudentT, World, as_signs
from dwell.laws import Law
from dwell.priors import Prior
from dwell.world import RandomState
from tests.refusals import refused

WORLDS = [
    World(Atoms([-1, 0, 1]), Signs()),
    World(Atoms([-0.05, 0.3], [0.9, 0.1]), Signs()),
    World(Atoms([-0.3, 0, 0.2]), Lift(0.3)),
    World(Atoms([-5, 2], [0.25, 0.75]), Gaussian(3)),
    World(Beta(2, 3), Signs()),
    World(Beta(2, 3), Lift(0.3)),
    World(Beta(2, 3), Gaussian(0.5)),
    World(Normal(-0.1, 0.7), Signs()),
    World(Normal(0.02, 0.01), Lift(0.012)),
    World(Normal(-1, 2), Gaussian(3)),
    World(StudentT(-0.1, 0.3, 1.5), Signs()),
    World(StudentT(-1, 2, 9), Gaussian(3)),
]


def moment(world: World, power: int) -> float:
    """A moment of the values, by numerical integration of the truncated density."""
    prior = world.prior
    if isinstance(prior, Atoms):
        return sum(w * v**power for v, w in zip(prior.values, prior.weights, strict=True))
    mean, sd = prior.moments
    low, high = max(world.limits[0], mean - 12 * sd), min(world.limits[1], mean + 12 * sd)

    def integrate_with(weight: int) -> float:
        return float(
            integrate.quad(
                lambda value: value**weight * float(prior.density(np.array([value]))[0]),
                low,
                high,
                points=[min(max(mean, low), high)],
                limit=200,
            )[0]
        )

    return integrate_with(power) / integrate_with(0)


@pytest.mark.parametrize("world", WORLDS, ids=repr)
def test_values_and_observations_have_the_priors_mean(world: World) -> None:
    """Means of values and observations are within 5 standard errors of the truncated prior's mean.

    So is the values' mean square. 200,000 tasks, seeded; false alarms below 1.8e-5 over all.
    """
    values, samples = world.sample(200_000, 2, rng=21)
    assert samples.shape == (200_000, 2)
    mean, square = moment(world, 1), moment(world, 2)
    for drawn, expected in ((values, mean), (values**2, square), (samples[:, 1] * 1.0, mean)):
        assert abs(drawn.mean() - expected) <= 5 * drawn.std() / sqrt(len(drawn))


@pytest.mark.parametrize("world", WORLDS, ids=repr)
def test_observations_follow_their_own_value(world: World) -> None:
    """Over tasks the covariance of observation and value is the variance of the values.

    Within 5 standard errors; seeded, false alarms below 6e-6 over all.
    """
    values, samples = world.sample(100_000, 1, rng=22)
    mean = moment(world, 1)
    products = (values - mean) * (samples[:, 0] - mean)
    expected = moment(world, 2) - mean**2
    assert abs(products.mean() - expected) <= 5 * products.std() / sqrt(len(products))


@pytest.mark.parametrize("world", WORLDS, ids=repr)
def test_all_values_lie_inside_the_limits(world: World) -> None:
    """A truncated prior yields nothing outside what the law allows."""
    low, high = world.limits
    values = world.sample_values(50_000, rng=23)
    assert low <= values.min()
    assert values.max() <= high
    assert world.law.value_range[0] <= low < high <= world.law.value_range[1]


@pytest.mark.parametrize("world", WORLDS, ids=repr)
def test_the_same_seed_draws_the_same_numbers(world: World) -> None:
    """A seed, a generator of that seed and its sequence are one and the same; another is not."""
    makers: list[RandomState] = [5, np.random.default_rng(5), np.random.SeedSequence(5)]
    drawn = [world.sample(40, 9, rng=maker) for maker in makers]
    for values, samples in drawn[1:]:
        np.testing.assert_array_equal(values, drawn[0][0])
        np.testing.assert_array_equal(samples, drawn[0][1])
    assert not np.array_equal(world.sample(40, 9, rng=6)[1], drawn[0][1])


@pytest.mark.parametrize("world", WORLDS, ids=repr)
def test_a_generator_that_is_passed_moves_on(world: World) -> None:
    """Two draws from one generator differ, and its state shows that it was used (SPEC 7)."""
    generator = np.random.default_rng(5)
    before = copy.deepcopy(generator.bit_generator.state)
    first = world.sample(40, 9, rng=generator)[1]
    assert generator.bit_generator.state != before
    assert not np.array_equal(world.sample(40, 9, rng=generator)[1], first)


@pytest.mark.parametrize("world", WORLDS, ids=repr)
def test_without_a_seed_every_draw_is_fresh(world: World) -> None:
    """None asks the operating system for randomness: two draws of 40 rows of 40 never agree."""
    assert not np.array_equal(world.sample(40, 40)[1], world.sample(40, 40, rng=None)[1])


def test_no_ideas_can_be_drawn() -> None:
    """Zero tasks give empty arrays of the right form."""
    values, samples = WORLDS[0].sample(0, 5, rng=0)
    assert values.shape == (0,)
    assert samples.shape == (0, 5)


@pytest.mark.parametrize(
    ("tasks", "samples", "named"),
    [
        (-1, 1, "-1"),
        (1.5, 1, "1.5"),
        ("two", 1, "two"),
        (1, 0, "0"),
        (1, -3, "-3"),
        (1, inf, "inf"),
    ],
)
def test_bad_numbers_of_tasks_and_samples_are_refused(tasks: Any, samples: Any, named: str) -> None:
    """There are no fewer than no tasks, and no tests without samples."""
    with refused(named):
        WORLDS[0].sample(tasks, samples, rng=0)


@pytest.mark.parametrize(
    ("world", "text"),
    [
        (World(Normal(0, 0.5), Signs()), "World(Normal(0, 0.5) truncated to [-1, 1], Signs)"),
        (World(Beta(2, 3), Lift(0.3)), "World(Beta(2, 3) truncated to [-0.3, 0.7], Lift(0.3))"),
        (
            World(Normal(0.02, 0.01), Lift(0.012)),
            "World(Normal(0.02, 0.01) truncated to [-0.012, 0.988], Lift(0.012))",
        ),
        (World(Beta(2, 3), Signs()), "World(Beta(2, 3), Signs)"),
        (World(Beta(2, 3), Gaussian(1)), "World(Beta(2, 3), Gaussian(1))"),
        (World(Normal(0, 1), Gaussian(1)), "World(Normal(0, 1), Gaussian(1))"),
        (World(Atoms([-1, 1]), Signs()), "World(Atoms(-1, 1), Signs)"),
    ],
)
def test_a_world_says_whether_its_prior_was_cut_off(world: World, text: str) -> None:
    """What the law does not allow is cut off, and the repr says where."""
    assert repr(world) == text
    assert world.truncated == ("truncated" in text)


def test_a_prior_far_in_the_tail_is_still_drawn_inside() -> None:
    """With a mass of 3e-7 inside the limits, on either side, values keep their law.

    The mean of 100,000 is within 5 standard errors; seeded, false alarms below 1.2e-6.
    """
    for mean in (-3.5, 3.5):
        world = World(Normal(mean, 0.5), Signs())
        values = world.sample_values(100_000, rng=24)
        assert np.abs(values).max() <= 1.0
        assert np.abs(values.mean() - moment(world, 1)) <= 5 * values.std() / sqrt(100_000)


@pytest.mark.parametrize(
    ("prior", "law"),
    [
        (Normal(50, 1), Signs()),
        (Normal(-50, 1), Signs()),
        (Normal(-0.5, 0.01), Lift(0.012)),
        (Beta(1e6, 1), Lift(0.5)),
    ],
    ids=repr,
)
def test_a_prior_without_mass_where_the_law_allows_is_refused(prior: Prior, law: Law) -> None:
    """The refusal names both, and the range."""
    with refused(prior, law, f"{law.value_range[0]:g}", f"{law.value_range[1]:g}"):
        World(prior, law)


@pytest.mark.parametrize(
    ("value", "law"),
    [(1.01, Signs()), (-2, Signs()), (-0.31, Lift(0.3)), (0.71, Lift(0.3)), (0.99, Lift(0.012))],
    ids=repr,
)
def test_an_atom_outside_what_the_law_allows_is_refused(value: float, law: Law) -> None:
    """The refusal names the atom, the law and its range."""
    with refused(law, value, f"{law.value_range[0]:g}", f"{law.value_range[1]:g}"):
        World(Atoms([0, value]), law)


def test_an_atom_at_the_very_end_of_the_range_is_allowed() -> None:
    """From 80 % up to 100 % is a lift of 0.2, although 1 - 0.8 is a little less in binary."""
    for percent in range(1, 100):
        base = percent / 100
        world = World(Atoms([-base, (100 - percent) / 100]), Lift(base))
        values, samples = world.sample(2000, 5, rng=0)
        assert not (samples[values > 0] < 0).any()
        assert not (samples[values < 0] > 0).any()


@pytest.mark.parametrize("bad", [None, "Atoms(1)", 3, Signs(), Atoms])
def test_an_unknown_prior_is_refused(bad: Any) -> None:
    """Only the priors there are will do, and they are named."""
    with refused("unknown prior", repr(bad), "Atoms, Beta, Normal or StudentT"):
        World(bad, Signs())


@pytest.mark.parametrize("bad", [None, "Signs", 3, Atoms([1]), Signs])
def test_an_unknown_law_is_refused(bad: Any) -> None:
    """Only the laws there are will do, and they are named."""
    with refused("unknown law", repr(bad), "Signs, Lift or Gaussian"):
        World(Atoms([0]), bad)


def test_worlds_are_values() -> None:
    """Equal priors and laws make equal worlds, with equal hashes; pickles and copies too."""
    same = {World(Beta(2, 3), Lift(0.3)), World(Beta(2.0, 3.0), Lift(0.3))}
    assert len(same) == 1
    for world in WORLDS:
        world.sample_values(1, rng=0)
        for other in (pickle.loads(pickle.dumps(world)), copy.deepcopy(world)):
            assert other == world
            assert hash(other) == hash(world)
            assert other.limits == world.limits
    assert len(set(WORLDS)) == len(WORLDS)
    with pytest.raises(AttributeError):
        WORLDS[0].prior = Beta(1, 1)  # type: ignore[misc]  # that it is refused is the claim


def test_limits_are_those_of_the_values_that_can_occur() -> None:
    """Of atoms the outermost, of continuous priors what law and support have in common."""
    assert World(Atoms([-0.5, 0.25]), Signs()).limits == (-0.5, 0.25)
    assert World(Beta(2, 3), Gaussian(1)).limits == (-1, 1)
    assert World(Normal(0, 1), Lift(0.25)).limits == (-0.25, 0.75)
    assert not any(map(isfinite, World(Normal(0, 1), Gaussian(1)).limits))


@pytest.mark.parametrize("rng", [-1, "dice", 1.5])
def test_randomness_that_is_none_is_refused(rng: Any) -> None:
    """A seed is a whole number from 0 on, as NumPy has it."""
    with refused(rng):
        World(Atoms([0]), Signs()).sample(1, 1, rng=rng)


def test_bounded_observations_become_signs_with_the_same_mean() -> None:
    """A uniform law on [-2, 1] has mean -0.5; off by 5 standard errors once in a million seeds."""
    observations = np.random.default_rng(0).uniform(-2.0, 1.0, 40_000)
    signs = as_signs(observations, bound=2.0, rng=1)
    assert set(np.unique(signs)) == {-1, 1}
    assert abs(2.0 * signs.mean() - observations.mean()) < 5.0 * 2.0 / np.sqrt(len(signs))
    assert as_signs([-2.0, 2.0] * 50, bound=2.0, rng=2).tolist() == [-1, 1] * 50


@pytest.mark.parametrize("beyond", [1.5, -1.1, float("nan"), float("inf")])
def test_observations_beyond_their_bound_are_refused(beyond: float) -> None:
    """Also those that are no numbers."""
    with refused("observations"):
        as_signs([0.5, beyond])
