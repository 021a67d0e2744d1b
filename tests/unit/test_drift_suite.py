"""The worlds that change on which learners are compared."""

import pytest

from dwell import Atoms, Lift, Normal, Signs, simulate
from dwell.lab.drift_scores import dynamic_roi, own_best
from dwell.lab.drift_suite import DRIFTS, HELD_OUT_DRIFTS, drift_suite
from dwell.lab.suite import Instance, suite
from dwell.learners.registry import LEARNERS

CHOSEN_ON = ("good-to-bad", "bad-to-good", "decay", "alternating", "season", "ramp")
SIGNS = [instance for instance in drift_suite() if instance.world.law == Signs()]


def test_half_of_the_worlds_are_held_out() -> None:
    """They have other pools, periods or directions; names and set-up costs come in order."""
    assert (*CHOSEN_ON, *HELD_OUT_DRIFTS) == tuple(DRIFTS)
    pairs = [(instance.name, instance.setup_cost) for instance in drift_suite()]
    twice = [(name, setup_cost) for name in tuple(DRIFTS)[:-1] for setup_cost in (0.0, 20.0)]
    assert pairs == [*twice, ("headlines-change", 1000.0)]
    assert {each.name for each in drift_suite() if each.held_out} == set(HELD_OUT_DRIFTS)
    assert len({DRIFTS[name] for name in DRIFTS}) == len(DRIFTS)
    asked = drift_suite(names=["ramp", "decay"])
    assert [each.name for each in asked] == ["decay", "decay", "ramp", "ramp"]


@pytest.mark.parametrize("instance", SIGNS, ids=str)
def test_something_is_to_be_earned_in_every_pool(instance: Instance) -> None:
    """A little at least, and in the best pool several times as much as in the worst."""
    assert instance.truth is instance.changing is DRIFTS[instance.name]
    assert instance.changing is not None
    assert instance.world == instance.changing.pools[0]
    rois = [own_best(pool, 256, instance.setup_cost).roi for pool in instance.changing.pools]
    assert 0.0 < min(rois) < max(rois) / 4
    assert dynamic_roi(instance.changing, 1_000, 256, instance.setup_cost) < max(rois)


def test_wins_become_fewer_or_more_in_steps() -> None:
    """From 20 % to 1 %, and back where the world is held out."""
    priors = [pool.prior for pool in DRIFTS["decay"].pools]
    shares = [prior.weights[1] for prior in priors if isinstance(prior, Atoms)]
    assert (shares[0], shares[-1]) == pytest.approx((0.2, 0.01))
    assert shares == sorted(shares, reverse=True)
    assert DRIFTS["rise"].pools == DRIFTS["decay"].pools[::-1]


def test_a_season_goes_down_and_up_again() -> None:
    """Its second half is the first in the other order; periods are 300 tests, or 150."""
    season = DRIFTS["season"].pools
    assert season == season[::-1]
    means = [pool.prior.mean for pool in season[:4] if isinstance(pool.prior, Normal)]
    assert means == sorted(means, reverse=True)
    assert means[0] + means[-1] == pytest.approx(0.1 - 0.2)
    periods = [DRIFTS[name].period for name in ("season", "alternating", "short-season")]
    assert periods == [300, 300, 150]


@pytest.mark.parametrize("scales", [False, True])
def test_policies_are_those_of_the_suite_for_the_same_law(scales: bool) -> None:
    """Learners that choose have the same to choose from."""
    plain = suite(scales=scales)
    for instance in drift_suite(scales=scales):
        alike = plain[-1] if isinstance(instance.world.law, Lift) else plain[0]
        assert instance.policies == alike.policies


@pytest.mark.parametrize("name", [name for name, entry in LEARNERS.items() if not entry.countable])
def test_every_learner_that_is_compared_runs_to_the_end(name: str) -> None:
    """Its tasks are drawn from every pool."""
    [_, instance] = drift_suite(names=["two-changes"])
    run = simulate(instance.learner(name, 60), instance.truth, 60, rng=0)
    assert [sums.tasks for sums in run.by_pool] == [20, 20, 20]


def test_what_there_is_to_earn_without_changing_is_known_too() -> None:
    """By the best of the class and the best of all, for all pools in one."""
    [instance, _] = drift_suite(names=["good-to-bad"])
    there_is = instance.reference
    assert there_is.oracle_roi is not None
    assert there_is.worst_roi < there_is.best_roi < there_is.oracle_roi
    assert there_is.told_worst_roi == there_is.worst_roi
