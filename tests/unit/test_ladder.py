"""Ladder and CAPE with sharper estimates: how they begin, go on and end, on any policies."""

import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from dwell import (
    Atoms,
    CapeSharp,
    Gaussian,
    Ladder,
    Normal,
    Policies,
    Policy,
    Rule,
    Signs,
    World,
    exact,
    fixed,
    hoeffding,
    simulate,
)
from dwell.arrays import FloatArray, Samples
from dwell.learners.design import Design
from dwell.learners.learner import Learner
from dwell.learners.standing import Standing
from dwell.records import until_stopped
from tests.contract.cases import begun
from tests.refusals import refused

CHAIN = hoeffding([1, 2, 4, 8], c=0.35, tasks=100, delta=0.05)
EARNS = World(Atoms([-0.5, 0.1, 0.6]), Signs())
LOSES = World(Atoms([-0.5]), Signs())
GULLIBLE = Policies([fixed(1, -1), fixed(2, -2), fixed(4, -4)])  # accept everything
BOTH: Any = {
    "Ladder": Ladder,
    "CapeSharp": lambda policies, **other: CapeSharp(policies, tasks=10**6, **other),
}


def assert_alone(learner: Learner, policies: Policies, index: int, *, accepts: bool) -> None:
    """One policy is run for good, and accepts or is not heeded."""
    design = begun(learner)
    assert list(design.policies) == [policies[index]]
    assert (design.columns, design.accepts, design.final) == ((index,), accepts, True)
    assert (design.oversamples, design.extras, design.teaches) == (False, 0, False)


def test_at_first_everything_is_rejected_and_all_levels_are_tried() -> None:
    """Nothing is known: no choice, no interval narrower than it must be, and a note."""
    learner = Ladder(CHAIN, setup_cost=3.0)
    known = learner.knowledge()
    assert (known.chosen, known.candidates, known.explored) == (None, (0, 1, 2, 3), 0)
    assert known.roi_low is not None
    assert known.roi_high is not None
    assert known.roi_low.tolist() == [-0.25] * 4
    assert known.roi_high.tolist() == [0.25] * 4
    assert "everything is rejected" in known.note
    deepest = set()
    for row in EARNS.sample(40, 80, rng=0)[1]:
        design = begun(learner)
        if learner.state.chosen is None and not design.final:
            assert not design.accepts
            deepest.add(design.policies.caps[-1])
        learner.learn(design, design.record(row))
    assert len(deepest) > 1


def test_a_round_is_a_tenth_of_what_came_before() -> None:
    """The first ten have a task each; batches add up to their round."""
    learner, world, rng = Ladder(CHAIN), EARNS, np.random.default_rng(0)
    lengths = []
    while learner.state.explored < 1000:
        lengths.append(sum(batch.tasks for batch in learner.state.batches))
        assert lengths[-1] == max(1, learner.state.explored // 10)
        for _ in learner.state.batches[:]:
            design = begun(learner, 1000)
            rows = world.sample(design.tasks, design.samples, rng)[1]
            learner.learn(design, design.record(rows))
    assert lengths[:20] == [1] * 20
    assert lengths[-1] > 80


def test_where_all_policies_lose_all_are_eliminated_and_everything_is_rejected() -> None:
    """From then on a task earns exactly 0, and costs what the shortest policy costs."""
    learner = Ladder(GULLIBLE, setup_cost=2.0)
    first = simulate(learner, LOSES, tasks=2000, rng=3)
    known = first.known
    assert (known.candidates, known.chosen) == ((), None)
    assert 0 < known.explored < 2000
    assert all(0 < at <= known.explored for at in known.eliminated_at)
    assert "everything is rejected" in known.note
    assert_alone(first.learner, GULLIBLE, 0, accepts=False)
    longer = simulate(learner, LOSES, tasks=10**9, rng=3)
    cheapest = float(exact(GULLIBLE, LOSES, setup_cost=2.0).cost[0])
    assert longer.reward == first.reward
    assert longer.cost - first.cost == pytest.approx((10**9 - 2000) * cheapest)
    drawn = simulate(first.learner, LOSES, tasks=500, rng=3, sampled=True)
    assert (drawn.reward, drawn.cost) == (0.0, 500 * cheapest)


def test_cape_with_sharper_estimates_rejects_everything_where_it_has_eliminated_all() -> None:
    """Two that do the same are eliminated at once; of others the last is run, as by CAPE."""
    alike = Policies([fixed(1, -1), fixed(1, -1.5)])
    run = simulate(CapeSharp(alike, tasks=10**6), LOSES, tasks=10**6, rng=3)
    assert (run.known.candidates, run.chosen) == ((), None)
    assert_alone(run.learner, alike, 0, accepts=False)
    # All that it accepted it accepted while exploring, at a loss of 1/2 each.
    assert run.reward == -0.5 * run.explored
    run = simulate(CapeSharp(GULLIBLE, tasks=10**6), LOSES, tasks=10**6, rng=3)
    assert run.known.candidates == (run.chosen,)


def test_a_last_policy_that_earns_is_run_for_good() -> None:
    """Only the longest ever accepts: the others are eliminated, and it goes on alone."""
    head = Policy([-7] * 5 + [1], [7] * 5 + [1])
    policies = Policies([head.truncated(cap) for cap in (1, 3, 6)])
    run = simulate(Ladder(policies), EARNS, tasks=10**9, rng=1)
    assert (run.known.candidates, run.chosen, run.known.note) == ((2,), 2, "")
    assert run.explored < 10**4
    assert_alone(run.learner, policies, 2, accepts=True)
    assert run.roi == pytest.approx(float(exact(policies, EARNS).roi[2]), rel=1e-3)


def test_records_must_have_estimates_exactly_where_the_plan_asks_for_them() -> None:
    """A batch without samples after acceptances cannot be told apart from one with them else."""
    learner = Ladder(CHAIN)
    rng = np.random.default_rng(0)
    while (design := begun(learner, 1000)).extras:
        rows = EARNS.sample(design.tasks, design.samples, rng)[1]
        learner.learn(design, design.record(rows))
    before = learner.to_json()
    rows = EARNS.sample(1, design.samples + 2, rng)[1]
    with refused("asks for 0 samples", "have estimates"):
        learner.learn(design, replace(design, extras=2).record(rows))
    assert learner.to_json() == before


def test_the_choice_is_the_best_of_those_that_seem_to_earn() -> None:
    """By more than a standard error; who decides on tasks that are run deeper earns the most."""
    learner = simulate(Ladder(CHAIN), EARNS, tasks=600, rng=2).learner
    assert isinstance(learner, Ladder)
    everyone = np.full(4, True)
    standing = Standing.of(learner.evidence, everyone)
    earning = standing.reward > np.sqrt(standing.variance)
    roi = np.where(earning, standing.reward / standing.cost, -np.inf)
    assert standing.chosen == np.argmax(roi)
    assert standing.decider(3) == np.argmax(standing.reward)
    assert standing.decider(0) == 0
    assert not standing.doubtful
    assert standing.plausible[standing.chosen] == 1.0
    assert ((standing.plausible >= 0.05) & (standing.plausible <= 1.0)).all()
    none = Standing.of(learner.evidence, ~everyone)
    assert (none.chosen, none.doubtful, none.decider(2)) == (None, True, 2)
    assert none.plausible.tolist() == [0.0] * 4


# Any policies, any scale: nothing may be divided by 0 or overflow (warnings are errors here).

RULE = Rule(lambda x: 1 if x[0] < 0 else 3, lambda d, x: bool(x[:d].sum() > 0), cap=3)
WIDE = Policies(
    policy
    for same_cap in zip(
        *(hoeffding([1, 4, 16], c=c, tasks=100, delta=0.05) for c in (0.2, 0.4)), strict=True
    )
    for policy in same_cap
)
ODD: dict[str, tuple[Any, World, dict[str, float]]] = {
    "rules": (Policies([RULE, fixed(3, 1), RULE]), EARNS, {}),
    "one policy": (fixed(3, 1), EARNS, {}),
    "one policy that loses": (fixed(1, -1), LOSES, {}),
    "one policy that never accepts": (fixed(2, 5), EARNS, {"setup_cost": 20}),
    "the same policy thrice": ([CHAIN[2]] * 3, EARNS, {}),
    "equal caps": ([fixed(2, 0), fixed(2, 1), fixed(2, 2), CHAIN[1], CHAIN[1]], EARNS, {}),
    "a grid": (WIDE, EARNS, {"setup_cost": 20}),
    "a great set-up cost": (CHAIN, EARNS, {"setup_cost": 1e4}),
    "a wide range": (CHAIN, EARNS, {"bound": 1e6}),
    "normal samples": (CHAIN, World(Normal(-0.1, 0.5), Gaussian(1)), {"bound": 5.0}),
    "a tiny delta": (CHAIN, EARNS, {"delta": 1e-310}),
    "a delta near 1": (WIDE, EARNS, {"delta": 0.999}),
    "values of 1 only": (CHAIN, World(Atoms([1.0]), Signs()), {}),
    "values of -1 only": (CHAIN, World(Atoms([-1.0]), Signs()), {}),
}


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("name", ODD)
def test_any_policies_and_scales_go_through(kind: str, name: str) -> None:
    """400 tasks without a warning; all that is known is a number, and no interval is empty."""
    policies, world, other = ODD[name]
    run = simulate(BOTH[kind](policies, **other), world, tasks=400, rng=5, sampled=True)
    assert run.tasks == 400
    known = run.known
    assert known.bounds is not None
    assert known.roi is not None
    for figures in (known.roi, known.bounds.roi_low, known.bounds.roi_high, known.bounds.cost_low):
        assert np.isfinite(figures).all()
    assert (known.bounds.roi_low <= known.bounds.roi_high).all()
    if name == "one policy that loses":
        assert run.chosen is None or kind == "CapeSharp"


def test_the_same_policy_twice_is_learned_like_once() -> None:
    """A duplicate adds nothing to reward and cost; neither is eliminated for the other's sake."""
    run = simulate(Ladder([CHAIN[2], CHAIN[2]]), EARNS, tasks=2000, rng=6)
    assert run.known.candidates == (0, 1)
    assert run.known.roi is not None
    assert run.known.roi[0] == run.known.roi[1]


# Tasks that go on beyond the first samples that the lab draws.


@dataclass(frozen=True, eq=False)
class ByRow(Signs):
    """A task's value is the number of its row; the row goes on where it was left."""

    rows: Samples
    given: dict[int, int]

    def sample(self, values: FloatArray, samples: int, _rng: object) -> Samples:
        served = []
        for row in values.astype(int).tolist():
            start = self.given.get(row, 0)
            served.append(self.rows[row, start : start + samples])
            self.given[row] = start + samples
        return np.array(served)


@pytest.mark.parametrize("most", [2**24, 1000], ids=["at once", "in parts"])
@pytest.mark.parametrize("extras", [0, 1, 40, 150])
def test_tasks_drawn_piece_by_piece_are_those_drawn_at_once(
    extras: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records of rows that are served 64 samples first, then more to those that want more."""
    monkeypatch.setattr("dwell.learners.drawing._MOST_SAMPLES", most)
    grid = [hoeffding([8, 60, 200], c=c, tasks=100, delta=0.05) for c in (0.3, 0.5)]
    policies = Policies(policy for same_cap in zip(*grid, strict=True) for policy in same_cap)
    rows = World(Atoms([-0.3, 0.0, 0.2]), Signs()).sample(80, 200 + extras, rng=8)[1]
    design = Design(policies=policies, columns=tuple(range(6)), tasks=80, extras=extras)
    law = ByRow(rows, {})
    ours = design.run(80, lambda tasks, samples: law.sample(tasks.astype(float), samples, None))
    whole = until_stopped(rows, policies, extras)
    assert ours.durations.tolist() == whole.durations.tolist()
    assert ours.decisions.tolist() == whole.decisions.tolist()
    assert ours.drawn.tolist() == whole.drawn.tolist()
    if extras:
        assert ours.rewards is not None
        assert whole.rewards is not None
        assert ours.rewards.tolist() == whole.rewards.tolist()
    assert min(law.given.values()) == 64
    assert max(law.given.values()) > 128


@pytest.mark.parametrize("setup_cost", [1e6, 1e30])
def test_extras_are_never_more_than_the_longest_policy_draws(setup_cost: float) -> None:
    """However dear a test is, the samples after an acceptance stay within the largest cap."""
    for make in BOTH.values():
        learner = make(CHAIN, setup_cost=setup_cost)
        for row in EARNS.sample(60, 16, rng=1)[1]:
            design = begun(learner)
            assert design.extras <= 8
            assert learner.learn(design, design.record(row)) == 1


def test_a_bound_whose_square_is_no_number_will_do() -> None:
    """However wide the range of observations is said to be, nothing breaks."""
    run = simulate(Ladder(CHAIN, bound=1e160), World(Atoms([0.0]), Signs()), tasks=50, rng=0)
    assert run.reward == 0.0


@pytest.mark.parametrize(
    ("entry", "spoilt"),
    [
        ("batches", [[99, 0, 1, 1]]),
        ("batches", [["x", 0, 1, 1]]),
        ("batches", [[0, 0, 1]]),
        ("batches", [[0, 0, 1, -5]]),
        ("chosen", 77),
    ],
)
def test_a_state_that_cannot_be_run_is_refused(entry: str, spoilt: object) -> None:
    """A restored learner can go on, or there is none."""
    fields = Ladder(CHAIN).to_dict()
    fields["state"][entry] = spoilt
    with refused("Ladder", "to_json"):
        Ladder.from_json(json.dumps(fields))
