"""Runs in worlds that are not as they were told to be."""

from math import sqrt

import numpy as np
import pytest

from dwell import Atoms, Beta, Fixed, Ladder, Signs, World, exact, first_sample, hoeffding, simulate
from dwell.lab.breaches import Fading, Falling, Repeated
from dwell.lab.hostile import HostileWorld, roi_of
from dwell.lab.source import source_of
from dwell.learners.design import Design
from dwell.policies import Policies


def test_a_whole_run_in_a_hostile_world_is_drawn() -> None:
    """A policy that never changes earns what is exact: within 4.5 errors, 1 in 10^5 for nothing."""
    world = HostileWorld(World(Beta(45, 55), Signs()), Repeated(5))
    [policy] = hoeffding(caps=[32], c=0.7, tasks=10_000, delta=0.05)
    expected = roi_of(Policies.of(policy), world, 2.0)[0]
    run = simulate(Fixed(policy, setup_cost=2.0), world, 100_000, rng=0)
    # Values have a mean and a deviation of 0.1, and half of the ideas at most are accepted.
    error = 0.1 / (run.cost / run.tasks) / sqrt(100_000)
    assert run.roi == pytest.approx(expected, abs=4.5 * error)
    assert abs(run.roi - exact(policy, world.stated, 2.0).roi[0]) > 20 * error
    assert run.regret == pytest.approx(expected - run.roi)


@pytest.mark.parametrize("later_day", [False, True])
@pytest.mark.parametrize("overlap", [1, 3])
def test_samples_after_a_stop_may_come_from_a_later_day(later_day: bool, overlap: int) -> None:
    """What was seen once and five times is no new evidence; on a later day it is.

    Ideas are worthless. Whoever accepts a first +1 and verifies by the next four samples, which are
    the same, believes in an ROI near 1; by 2,000 samples of a later day it is 0 within 0.1, that is
    above 4 errors of the mean of as many groups of four that are alike.
    """
    world = HostileWorld(World(Atoms([0.0]), Signs()), Repeated(5), later_day)
    learner = Ladder(first_sample())
    run = simulate(learner, world, 3_000, rng=0, overlap=overlap)
    assert run.known.roi is not None
    if later_day:
        assert run.known.roi[0] == pytest.approx(0.0, abs=0.1)
    else:
        assert run.known.roi[0] > 0.4


@pytest.mark.parametrize("later_day", [False, True])
def test_all_learners_can_verify_later(later_day: bool) -> None:
    """Oversampled tasks estimate the value from a later day as well; what is new is then old."""
    breach = Fading(1e6, boost=0.5)
    world = HostileWorld(World(Atoms([0.0]), Signs()), breach, later_day)
    source = source_of(world, 500, np.random.default_rng(0))
    values = source.values(0, 500)
    for design in (
        Design(policies=Policies.of(first_sample()), columns=(0,), extras=8),
        Design(policies=Policies.of(first_sample()), columns=(0,), oversamples=True),
    ):
        records = design.run(500, source.tests(values))
        source.verify(design, records, values)
        assert records.estimates is not None
        accepted = records.estimates[records.decisions[:, 0] == 1].mean()
        # Errors are below 0.06.
        assert accepted == pytest.approx(0.0 if later_day else 0.5, abs=0.25)


def test_a_pool_falls_from_the_first_task_to_the_last() -> None:
    """By steps of the same length, wherever a block of tasks begins."""
    world = HostileWorld(World(Atoms([0.0, 0.9]), Signs()), Falling(0.2, -0.2, 3))
    source = source_of(world, 6, np.random.default_rng(0))
    low = [float(source.values(task, 1)[0]) for task in range(6)]
    shifts = [0.2, 0.2, 0.0, 0.0, -0.2, -0.2]
    assert all(
        value in (pytest.approx(shift), pytest.approx(min(1.0, 0.9 + shift)))
        for value, shift in zip(low, shifts, strict=True)
    )
