"""The suite on which learners are compared, and who is compared."""

from math import log, sqrt

import numpy as np
import pytest

from dwell import Beta, Fixed, Gaussian, Normal, Signs, exact, oracle, simulate
from dwell.cli.learners import Asked
from dwell.cli.problem import Problem
from dwell.lab import suite as module
from dwell.lab.breaches import Misstated
from dwell.lab.hostile import HostileWorld, roi_of
from dwell.lab.suite import CASES, HELD_OUT, Instance, hostile_suite, suite
from dwell.laws import Law
from dwell.learners import registry
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
def test_every_learner_that_is_compared_runs(name: str, instance: Instance) -> None:
    """Each has the set-up cost and, if it asks for them, the policies; it uses up its tasks."""
    learner = instance.learner(name, 50)
    if "policies" in registry.arguments_of(name):
        assert learner.choices == instance.policies
    assert learner.setup_cost == instance.setup_cost
    assert simulate(learner, instance.world, 50, rng=0).tasks == 50


def test_worlds_for_choosing_constants_and_others_are_told_apart() -> None:
    """Five were used; all that are there to be asked for are held out."""
    used = {instance.name for instance in suite(more=True) if not instance.held_out}
    assert used == {"three-point", "mostly-null", "rare-win", "beta-8-12", "beta-45-55"}
    more = suite(more=True)[15:]
    assert suite(more=True)[:15] == suite()
    assert [instance.name for instance in more[::2]] == list(HELD_OUT[3:])
    assert all(instance.held_out and instance.world.law == Signs() for instance in more)
    # Something can be earned in each of them; short policies lose in one.
    assert all(figures(instance).roi.max() > 0.0 for instance in more)
    losing = {instance.name for instance in more if figures(instance).roi.min() < 0.0}
    assert losing == {"normal-below"}


@pytest.mark.parametrize("instance", suite(more=True), ids=str)
def test_what_there_is_to_earn_is_exact(instance: Instance) -> None:
    """The best and the worst of the class, and the best of all, which is better than either."""
    if instance.name == "headlines":  # it takes seconds, and is seen in the command's tests
        return
    there_is, table = instance.reference, figures(instance)
    assert (there_is.best_roi, there_is.worst_roi) == (table.roi.max(), table.roi.min())
    assert there_is.told_worst_roi == there_is.worst_roi
    assert there_is.oracle_roi == oracle(instance.world, 256, instance.setup_cost).roi
    assert there_is.oracle_roi > there_is.best_roi


def test_what_there_is_to_earn_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many rows ask for it."""
    [instance, *_] = suite(grid=True)
    first = instance.reference
    monkeypatch.setattr(module, "oracle_roi", None)
    assert suite(grid=True)[0].reference is first


def test_every_world_of_signs_can_be_broken_in_every_way() -> None:
    """At both set-up costs; misstated noise is normal, and learners are told 1 of it."""
    instances = hostile_suite()
    assert [(at.name, at.setup_cost, at.case) for at in instances] == [
        (name, setup_cost, case)
        for name in ("mostly-null", "beta-45-55")
        for setup_cost in (0.0, 20.0)
        for case in CASES
    ]
    for instance in instances:
        assert isinstance(instance.truth, HostileWorld)
        assert instance.truth.stated == instance.world
        normal = isinstance(instance.breach, Misstated)
        assert instance.world.law == (Gaussian(1.0) if normal else Signs())
        if normal and instance.name == "beta-45-55":
            assert instance.world.prior == Normal(*Beta(45, 55).moments)
    every = hostile_suite(names=HELD_OUT, cases=["ar"], later_day=True)
    assert {at.name for at in every} == set(HELD_OUT) - {"headlines"}
    assert all(isinstance(at.truth, HostileWorld) and at.truth.later_day for at in every)


@pytest.mark.parametrize("instance", hostile_suite(cases=["twice", "noise-under"]), ids=str)
def test_losses_have_two_units_in_a_hostile_world(instance: Instance) -> None:
    """What the worst policy loses there, and what it would lose if the law held."""
    there_is, told = instance.reference, figures(instance)
    truth = roi_of(instance.policies, instance.truth, instance.setup_cost)
    assert (there_is.best_roi, there_is.worst_roi) == (truth.max(), truth.min())
    assert there_is.told_worst_roi == told.roi.min()
    if instance.name == "beta-45-55":
        assert there_is.worst_roi < 2.0 * there_is.told_worst_roi < 0.0


@pytest.mark.parametrize("name", [name for name, entry in LEARNERS.items() if not entry.countable])
def test_learners_are_told_a_bound_of_what_they_suppose(name: str) -> None:
    """So that no warning says what the case is about; pytest makes an error of any."""
    [instance, _] = hostile_suite(names=["beta-45-55"], cases=["noise-under"])
    assert simulate(instance.learner(name, 20), instance.truth, 20, rng=0).tasks == 20


class ByLaw(Fixed):
    """A learner that is told the law of the samples, and no policies."""

    def __init__(self, law: Law, cap: int, setup_cost: float = 0.0, min_samples: int = 1):
        super().__init__(suite()[0].policies[0], setup_cost=setup_cost)
        self.told = law, cap, min_samples


def test_learners_may_ask_for_the_law_and_the_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite and `dwell simulate` offer both, beside the policies."""
    kinds = {"by-law": ByLaw}
    monkeypatch.setattr(registry, "kind_of", kinds.__getitem__)
    monkeypatch.setattr(module, "kind_of", kinds.__getitem__)
    monkeypatch.setitem(LEARNERS, "by-law", registry.Entry("by_law", "ByLaw", "is told"))
    [instance, _] = hostile_suite(names=["beta-45-55"], cases=["noise-under"])
    learner = instance.learner("by-law", 100)
    assert isinstance(learner, ByLaw)
    assert learner.told == (Gaussian(1.0), 256, 1)
    problem = Problem(
        world=instance.world,
        caps=(4, 8, 64),
        c=0.35,
        band_tasks=100,
        delta=0.05,
        min_samples=3,
        setup_cost=20.0,
    )
    asked = Asked(name="by-law", problem=problem, bound=1.0).learner(100)
    assert isinstance(asked, ByLaw)
    assert (*asked.told, asked.setup_cost) == (Gaussian(1.0), 64, 3, 20.0)
