"""CAPE, ESC and ESC-CAPE against plain twins, on the same drawn samples."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dwell import (
    Atoms,
    Cape,
    Countable,
    Esc,
    EscCape,
    Policies,
    Signs,
    World,
    fixed,
    hoeffding,
    simulate,
)
from dwell.arrays import FloatArray, Samples
from dwell.learners.learner import Learner
from tests.plain import CapeTwin, EscTwin
from tests.strategies import PROPERTY


@dataclass(frozen=True, eq=False)
class Served(Signs):
    """Observations that were drawn before: one row after another."""

    rows: Samples
    given: list[int]

    def sample(self, values: FloatArray, samples: int, _rng: object) -> Samples:
        start = self.given[0]
        self.given[0] += len(values)
        return np.ascontiguousarray(self.rows[start : start + len(values), :samples])


def one_by_one(learner: Learner, rows: Samples) -> int:
    """Drive a learner a task at a time until it has made up its mind; say how many tasks."""
    for task, row in enumerate(rows):
        design = learner.begin()
        if design is None or design.final:
            return task
        assert learner.learn(design, design.record(row)) == 1
    return len(rows)


def draw(values: list[float], weights: list[int], tasks: int, width: int, seed: int) -> Samples:
    shares = np.array(weights) / sum(weights)
    return World(Atoms(values, shares), Signs()).sample(tasks, width, rng=seed)[1]


VALUES = st.lists(st.sampled_from([-1, -0.5, 0, 0.25, 0.75, 1]), min_size=1, max_size=3)


@st.composite
def instances(draw_from: st.DrawFn) -> dict[str, Any]:
    caps = sorted(draw_from(st.lists(st.integers(1, 3), min_size=1, max_size=4)))
    values = draw_from(VALUES)
    return {
        "policies": hoeffding(
            caps, c=draw_from(st.sampled_from([0.1, 0.2, 0.28, 0.35, 0.5])), tasks=10**4, delta=0.05
        ),
        "values": values,
        "weights": draw_from(
            st.lists(st.integers(1, 5), min_size=len(values), max_size=len(values))
        ),
        "delta": draw_from(st.sampled_from([0.05, 0.3])),
        "setup": draw_from(st.sampled_from([0.0, 0.0, 1.5])),
        "exploration_cap": draw_from(st.integers(1, 1200)),
        "seed": draw_from(st.integers(0, 2**32 - 1)),
    }


def check_cape(policies: Policies, instance: dict[str, Any]) -> CapeTwin:
    """Run twin, learner and lab on the same rows and compare all that they know."""
    cap = instance["exploration_cap"]
    rows = draw(instance["values"], instance["weights"], cap, 2 * 3, instance["seed"])
    twin = CapeTwin(policies, instance["delta"], cap, instance["setup"])
    twin.run(rows.tolist())

    learner = Cape(
        policies,
        tasks=cap,
        delta=instance["delta"],
        exploration_cap=cap,
        setup_cost=instance["setup"],
        announce=False,
    )
    run = simulate(learner, World(Atoms([1.0]), Served(rows, [0])), tasks=cap, rng=0)
    explored = one_by_one(learner, rows)
    known, bounds = learner.knowledge(), learner.bounds
    assert explored == known.explored == twin.explored == run.explored
    assert known.chosen == twin.chosen == run.chosen
    assert list(known.candidates) == twin.candidates
    for task, candidates in enumerate(twin.trace):
        left = [k for k, at in enumerate(known.eliminated_at) if at == 0 or at > task]
        assert left == candidates
    assert known.samples == twin.drawn
    alive = np.arange(len(policies)) <= max(twin.candidates)
    for ours, theirs in (
        (bounds.reward_low, twin.r_low),
        (bounds.reward_high, twin.r_high),
        (bounds.cost_low, twin.c_low),
        (bounds.cost_high, twin.c_high),
    ):
        np.testing.assert_allclose(ours[alive], np.array(theirs)[alive], rtol=1e-12, atol=1e-12)
    assert run.known.eliminated_at == known.eliminated_at
    return twin


@settings(PROPERTY, max_examples=60)
@given(instances())
def test_cape_is_algorithm_1_step_by_step(instance: dict[str, Any]) -> None:
    """Candidates after every task, bounds, samples and choice are the twin's."""
    check_cape(instance.pop("policies"), instance)


def test_the_twin_is_compared_where_the_longest_candidates_are_eliminated() -> None:
    """Here they go one after another, in the middle of a block that the lab has drawn."""
    twin = check_cape(
        Policies([fixed(samples, threshold=1) for samples in (1, 2, 3)]),
        {
            "values": [-1.0, 1.0],
            "weights": [1, 1],
            "delta": 0.05,
            "setup": 0.0,
            "exploration_cap": 4000,
            "seed": 3,
        },
    )
    assert [0, 1, 2] in twin.trace
    assert [0, 1] in twin.trace
    assert twin.candidates == [0]


def check_esc_cape(
    values: list[float], c: float, tasks: int, setup: float, seed: int
) -> int | None:
    """Run twins and learners on the same rows, compare what they know, and say what ESC found."""
    delta = 0.3
    family = Countable(c=c, tasks=tasks, delta=delta)
    policy_of = {2**level: family.policy(2**level) for level in range(1, 9)}
    rows = draw(values, [1] * len(values), tasks, 512, seed)
    plain_rows = rows.tolist()
    twin = EscTwin(tasks, delta, setup)
    found = twin.run(policy_of, plain_rows)

    esc = Esc(family, tasks=tasks, delta=delta, setup_cost=setup)
    one_by_one(esc, rows)
    state = esc.state
    assert (state.found, state.explored, state.samples) == (found, twin.used, twin.drawn)
    assert bool(esc.failed) == (found is None)

    learner = EscCape(family, tasks=tasks, delta=delta, setup_cost=setup)
    one_by_one(learner, rows)
    known = learner.knowledge()
    if found is None or twin.used == tasks:
        assert known.chosen is None
        assert known.samples == twin.drawn
        return found
    cape = CapeTwin(family.first(found), delta, learner.exploration_cap, setup)
    cape.run(plain_rows[twin.used :])
    assert known.explored == twin.used + cape.explored
    assert known.samples == twin.drawn + cape.drawn
    assert known.candidates == tuple(cape.candidates)
    if cape.explored == learner.exploration_cap:
        assert known.chosen == cape.chosen
    return found


@settings(PROPERTY, max_examples=60)
@given(
    values=VALUES,
    c=st.sampled_from([0.1, 0.2, 0.35, 0.7]),
    tasks=st.integers(20, 1500),
    setup=st.sampled_from([0.0, 2.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_esc_and_esc_cape_are_algorithm_2_and_then_1(
    values: list[float], c: float, tasks: int, setup: float, seed: int
) -> None:
    """What ESC finds, the tasks and samples that it takes, and CAPE's sums on what is left."""
    check_esc_cape(values, c, tasks, setup, seed)


def test_the_twins_are_compared_where_esc_finds_something() -> None:
    """Ideas worth 0 or 1 under a wide band: testing the former is long, the latter pays."""
    assert check_esc_cape([0.0, 1.0], c=0.5, tasks=4000, setup=0.0, seed=1) == 64
