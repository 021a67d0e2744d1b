"""The suite on which learners are compared, and who is compared."""

from math import log, sqrt

import numpy as np
import pytest

from dwell import exact, simulate
from dwell.lab.suite import Instance, suite
from dwell.learners.registry import LEARNERS
from dwell.policy import Policy
from dwell.table import Table

EASY = ("three-point", "uniform", "mostly-null", "rare-win")
HARD = ("beta-8-12", "beta-3-7", "beta-45-55")
# Best cap and best ROI, exactly computed: learner_scores.csv of the project's published anchors.
ANCHORS = {
    ("three-point", 0.0): (4, 0.102564),
    ("uniform", 0.0): (4, 0.045531),
    ("mostly-null", 0.0): (4, 0.005882),
    ("rare-win", 0.0): (4, 0.006959),
    ("three-point", 20.0): (4, 0.014337),
    ("uniform", 20.0): (16, 0.008389),
    ("mostly-null", 20.0): (16, 0.001535),
    ("rare-win", 20.0): (16, 0.001552),
}
EVERY = [*suite(), *suite(grid=True)]


def figures(instance: Instance) -> Table:
    return exact(instance.policies, instance.world, instance.setup_cost)


@pytest.mark.parametrize("grid", [False, True])
def test_fifteen_instances_have_seven_names_twice_and_one_once(grid: bool) -> None:
    """Every name but the last comes with two set-up costs."""
    pairs = [(instance.name, instance.setup_cost) for instance in suite(grid=grid)]
    twice = [(name, setup_cost) for name in (*EASY, *HARD) for setup_cost in (0.0, 20.0)]
    assert pairs == [*twice, ("headlines", 1000.0)]


@pytest.mark.parametrize("instance", suite()[:8], ids=str)
def test_the_best_of_the_first_eight_is_as_published(instance: Instance) -> None:
    """Cap and ROI equal the anchors, to the six digits that these have."""
    table = figures(instance)
    cap, roi = ANCHORS[instance.name, instance.setup_cost]
    assert instance.policies.caps[table.best] == cap
    assert table.roi.max() == pytest.approx(roi, abs=5e-7)


@pytest.mark.parametrize("instance", EVERY, ids=str)
def test_short_policies_lose_money_on_the_hard_ones_only(instance: Instance) -> None:
    """The worst ROI is below 0 there, with a cap of at most 16, and never elsewhere."""
    table = figures(instance)
    assert (table.roi.min() < 0.0) == (instance.name in HARD)
    if instance.name in HARD:
        assert instance.policies.caps[int(np.argmin(table.roi))] <= 16


@pytest.mark.parametrize("instance", suite(), ids=str)
def test_something_can_be_earned_on_all_but_the_hardest(instance: Instance) -> None:
    """There the best of the plain class is to accept nothing."""
    best = figures(instance).roi.max()
    assert best == 0.0 if instance.name == "beta-45-55" else best > 0.0


@pytest.mark.parametrize("grid", [False, True])
def test_a_grid_has_a_policy_for_each_cap_and_width(grid: bool) -> None:
    """By cap, then by width, and the plain class is part of it."""
    for plain, instance in zip(suite(), suite(grid=grid), strict=True):
        widths = 4 if grid else 1
        assert instance.policies.caps == tuple(np.repeat(plain.policies.caps, widths))
        assert set(plain.policies) <= set(instance.policies)
        assert len(set(instance.policies)) == len(instance.policies)


def test_the_band_for_headlines_knows_how_much_a_sample_varies() -> None:
    """After d samples of no lift the band is 0.35 sd sqrt(d ln(K N / delta)) wide."""
    instance = suite()[-1]
    longest = instance.policies[-1]
    assert isinstance(longest, Policy)
    deviation = sqrt(2 * 0.012 * 0.988)
    expected = 0.35 * deviation * np.sqrt(np.arange(1, 4097) * log(4096 * 10_000 / 0.05))
    np.testing.assert_allclose(longest.upper, expected)
    _, samples = instance.world.sample(2_000, 100, rng=0)
    # Values vary the variance by little; 200,000 samples tell it to within a tenth.
    assert samples.std() == pytest.approx(deviation, rel=0.1)


@pytest.mark.parametrize("instance", [suite()[0], suite()[-1], suite(grid=True)[0]], ids=str)
@pytest.mark.parametrize("name", [name for name, entry in LEARNERS.items() if not entry.countable])
def test_every_learner_that_chooses_among_policies_runs(name: str, instance: Instance) -> None:
    """Each learner has the instance's policies and set-up cost, and uses up its tasks."""
    learner = instance.learner(name, 50)
    assert learner.choices == instance.policies
    assert learner.setup_cost == instance.setup_cost
    assert simulate(learner, instance.world, 50, rng=0).tasks == 50
