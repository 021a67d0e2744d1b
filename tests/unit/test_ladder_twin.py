"""Ladder against its plain twin, task by task on the same drawn samples."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dwell import Atoms, Ladder, Policies, Policy, Signs, World, fixed, hoeffding, scales
from tests.ladder_twin import LadderTwin, TooClose
from tests.strategies import PROPERTY

NAMES = ("seen", "accepted", "durations", "centre", "spread", "estimated", "rewards", "squares")


def check(policies: Policies, values: list[float], tasks: int, seed: int, **given: Any) -> Ladder:
    """Run both on the same tasks, and compare all that they know and plan after every one."""
    learner = Ladder(
        policies, setup_cost=given["setup"], delta=given["delta"], bound=given["bound"]
    )
    twin = LadderTwin(policies, **given)
    width = policies.caps[-1] + int(2 * (policies.caps[-1] + given["setup"]))
    rows = World(Atoms(values), Signs()).sample(tasks, width, rng=seed)[1]
    for row in rows:
        state = learner.state
        assert [tuple(batch) for batch in state.batches] == [tuple(each) for each in twin.batches]
        assert state.chosen == twin.chosen
        assert state.eliminated_at.tolist() == twin.eliminated_at
        np.testing.assert_allclose(state.credits, twin.credits, rtol=1e-9, atol=1e-9)
        design = learner.begin()
        assert design is not None
        assert design.accepts == (twin.chosen is not None)
        if design.final:
            assert not twin.batches
            break
        columns = twin.recorded()
        assert list(design.columns) == columns
        assert list(design.policies) == [policies[k] for k in columns]
        assert columns[design.decider] == twin.batches[0].decider
        learner.learn(design, design.record(row))
        twin.learn(row.tolist())
    known = learner.knowledge()
    assert (known.explored, known.samples) == (twin.tasks, twin.samples)
    sums = [[rung[name] for rung in twin.rungs] for name in NAMES]
    np.testing.assert_allclose(learner.state.sums, sums, rtol=1e-9, atol=1e-9)
    twin.bound_all()
    assert known.bounds is not None
    for ours, theirs in (
        (known.bounds.roi_low, twin.roi_low),
        (known.bounds.roi_high, twin.roi_high),
        (known.bounds.cost_low, twin.c_low),
        (known.bounds.cost_high, twin.c_high),
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    return learner


@st.composite
def classes(draw: st.DrawFn) -> Policies:
    """One chain, a grid of caps and widths, or scales; caps may be equal and policies the same."""
    caps = sorted(draw(st.lists(st.sampled_from([1, 2, 3, 5, 8]), min_size=1, max_size=4)))
    if draw(st.integers(0, 2)) == 0:
        return scales(caps, sd=draw(st.sampled_from([0.5, 1.0])))
    widths = draw(st.lists(st.sampled_from([0.1, 0.2, 0.28, 0.4, 0.6]), min_size=1, max_size=3))
    grid = [hoeffding(caps, c=c, tasks=100, delta=0.05) for c in widths]
    return Policies(policy for same_cap in zip(*grid, strict=True) for policy in same_cap)


@given(
    policies=classes(),
    values=st.lists(st.sampled_from([-1, -0.5, 0, 0.25, 0.75, 1]), min_size=1, max_size=3),
    tasks=st.integers(1, 400),
    seed=st.integers(0, 2**32 - 1),
    setup=st.sampled_from([0.0, 0.0, 1.5, 20.0]),
    delta=st.sampled_from([0.05, 0.5, 0.9]),
    bound=st.sampled_from([1.0, 1.0, 2.5]),
)
@settings(PROPERTY)
def test_ladder_is_its_plain_twin_task_by_task(**instance: Any) -> None:
    """Batches, choice and what is eliminated are the twin's after every task, and so are the sums.

    An instance is left out if a decision hangs on numbers within 1e-9 of one another.
    """
    try:
        check(**instance)
    except TooClose:
        assume(False)


PATIENT = Policy([-7] * 5 + [1], [7] * 5 + [1])
NAMED: dict[str, tuple[Policies, list[float], tuple[int, ...]]] = {
    "one policy is left": (
        Policies([PATIENT.truncated(cap) for cap in (1, 3, 6)]),
        [-1, 0, 1],
        (2,),
    ),
    "none is left": (Policies([fixed(1, -1), fixed(3, -3)]), [-0.9], ()),
}


@pytest.mark.parametrize("name", NAMED)
def test_the_twin_is_compared_to_the_end(name: str) -> None:
    """Where all but one policy, or all of them, are eliminated one after another."""
    policies, values, left = NAMED[name]
    learner = check(policies, values, tasks=3000, seed=1, setup=0.0, delta=0.5, bound=1.0)
    assert learner.knowledge().candidates == left
    assert learner.state.settled
