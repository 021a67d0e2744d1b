"""The usual class of Ladder: one rule of two limits at several scales."""

from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import Gaussian, Lift, Normal, Policies, Policy, Signs, World, exact, quarters, scales
from dwell.lab.suite import suite
from dwell.laws import Law
from dwell.learners.evidence import Rungs
from tests.refusals import refused


def plain(cap: int, sd: float, step: int, least: int) -> tuple[list[float], list[float]]:
    """The limits after each sample, in plain words."""
    lower, upper = [], []
    for drawn in range(1, cap + 1):
        due = drawn % step == 0 and drawn >= least and 4 * drawn >= cap
        width = (1 - drawn / cap) * sd * sqrt(drawn)
        lower.append(-1.0 * width if due else -inf)
        upper.append(3.0 * width if due else inf)
    lower[-1] = upper[-1] = 5e-324
    return lower, upper


@given(
    caps=st.lists(st.integers(1, 60), min_size=1, max_size=4),
    sd=st.floats(0.01, 10),
    step=st.integers(1, 9),
    data=st.data(),
)
def test_limits_are_those_of_a_plain_loop(
    caps: list[int], sd: float, step: int, data: st.DataObject
) -> None:
    """Whatever the caps, the noise, the rhythm and the least number of samples."""
    caps.sort()
    least = data.draw(st.integers(1, caps[0]))
    for cap, policy in zip(caps, scales(caps, sd=sd, step=step, min_samples=least), strict=True):
        assert isinstance(policy, Policy)
        lower, upper = plain(cap, sd, step, least)
        np.testing.assert_allclose(policy.lower, lower, rtol=1e-12)
        np.testing.assert_allclose(policy.upper, upper, rtol=1e-12)


@pytest.mark.parametrize("step", [1, 3])
def test_a_long_one_teaches_all_that_are_shorter(step: int) -> None:
    """Its limits are the widest: once it has stopped, whatever the samples, so have they."""
    rungs = Rungs(scales(quarters(256), sd=1.0, step=step))
    for index in range(len(rungs.policies)):
        assert rungs.stopped_by(index).tolist() == list(range(index + 1))


def test_caps_are_quarters_and_few() -> None:
    """From the largest down, five at most, none below the least, each once."""
    assert quarters(6_000, least=250) == [375, 1_500, 6_000]
    assert quarters(3) == [3]
    assert quarters(2**20)[0] == 2**12
    assert quarters(100, least=200) == [100]


def test_deviations_are_those_of_samples() -> None:
    """Of an idea that changes nothing, by the moments of many samples; 5 standard errors."""
    laws: list[Law] = [Signs(), Lift(0.1), Gaussian(2.0)]
    for law in laws:
        drawn = law.sample(np.zeros(1), 40_000, np.random.default_rng(5)).astype(np.float64)
        assert drawn.std() == pytest.approx(law.deviation, rel=5 * 1.5 / sqrt(40_000))


def test_bad_input_is_refused() -> None:
    """With the name of what is wrong."""
    with refused("min_samples must be at most the smallest cap", 5):
        scales([4, 8], sd=1.0, min_samples=5)
    with refused("sd", 0):
        scales([4, 8], sd=0.0)
    with refused("sorted"):
        scales([8, 4], sd=1.0)


def test_the_best_of_them_beats_the_best_of_the_papers_class() -> None:
    """In every world of the suite in which both earn, and in one with normal noise; exactly."""
    pairs = [
        (one.policies, other.policies, one.world, one.setup_cost)
        for one, other in zip(suite(more=True), suite(scales=True, more=True), strict=True)
    ]
    normal = World(Normal(-0.02, 0.1), Gaussian(1.0))
    pairs.append((pairs[0][0], scales(quarters(256), sd=1.0), normal, 20.0))
    for papers, ours, world, setup_cost in pairs:
        assert best(ours, world, setup_cost) >= best(papers, world, setup_cost), (world, setup_cost)


def best(policies: Policies, world: World, setup_cost: float) -> float:
    return float(exact(policies, world, setup_cost).roi.max())
