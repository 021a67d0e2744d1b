"""The lab: exact expectations against drawn ones, budgets, workers."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from dwell import (
    Atoms,
    Cape,
    Countable,
    Esc,
    ExploreThenCommit,
    Fixed,
    Gaussian,
    InvalidInput,
    Normal,
    Policies,
    Policy,
    Rule,
    Run,
    Signs,
    Summary,
    World,
    exact,
    first_sample,
    fixed,
    hoeffding,
    replicate,
    simulate,
)

WORLD = World(Atoms([-0.5, 0.1, 0.6]), Signs())
POLICIES = hoeffding([1, 3, 8, 200], c=0.35, tasks=10_000, delta=0.05)


def figures(run: Run) -> tuple[float, float, float, int, int | None]:
    return run.reward, run.cost, run.samples, run.explored, run.chosen


@pytest.mark.parametrize(
    ("world", "square"),
    [(WORLD, 0.62 / 3), (World(Normal(-0.1, 0.5), Gaussian(1)), 0.26)],
    ids=["signs", "normal"],
)
def test_drawn_exploitation_has_the_exact_expectation(world: World, square: float) -> None:
    """200,000 drawn tasks of each kind; within 5 standard errors, false alarms below 1e-6.

    A reward's variance is at most the mean square of a value. What any other of the policies is
    expected to earn and to cost is further off.
    """
    for index, setup_cost in ((1, 0.0), (3, 2.5)):
        learner = Fixed(POLICIES, index, setup_cost=setup_cost)
        tasks = 200_000
        expected = simulate(learner, world, tasks=tasks)
        drawn = simulate(learner, world, tasks=tasks, rng=3, sampled=True)
        table = exact(POLICIES, world)
        assert expected.reward == pytest.approx(tasks * table.reward[index])
        assert expected.cost == pytest.approx(tasks * (setup_cost + table.cost[index]))
        durations = np.arange(1, POLICIES.caps[index] + 1)
        variance = table.profile(index).probability @ durations**2 - table.cost[index] ** 2
        for one, figures, spread in (
            (drawn.reward, tasks * table.reward, square),
            (drawn.cost, tasks * (setup_cost + table.cost), variance),
        ):
            near = np.abs(one - figures) < 5 * (tasks * spread) ** 0.5 + 1e-6
            assert np.flatnonzero(near).tolist() == [index]


def test_a_budget_of_samples_is_used_up_to_the_last_one() -> None:
    """Drawn and expected runs spend exactly the budget and earn the same, within 5 s.e."""
    learner = Fixed(POLICIES, 2, setup_cost=1.0)
    budget = 5_003
    expected = simulate(learner, WORLD, samples=budget)
    runs = list(replicate(learner, WORLD, samples=budget, replications=400, rng=1, sampled=True))
    assert {run.samples for run in runs} == {budget}
    assert expected.samples == budget
    for ours, drawn in (
        (expected.reward, [run.reward for run in runs]),
        (expected.tasks, [run.tasks for run in runs]),
        (expected.cost, [run.cost for run in runs]),
    ):
        assert abs(np.mean(drawn) - ours) < 5 * np.std(drawn) / 20


@pytest.mark.parametrize("budget", [1, 2, 3, 4, 5, 400])
def test_a_budget_that_ends_during_exploration_interrupts_it(budget: int) -> None:
    """Each explored task takes 4 samples; the one in which the budget ends is rejected."""
    learner = ExploreThenCommit(fixed(2, -2), tasks=1000, exploration_cap=1000)
    run = simulate(learner, World(Atoms([1]), Signs()), samples=budget, rng=0)
    whole = (budget - 1) // 4
    assert (run.samples, run.tasks, run.reward) == (budget, whole + 1, whole)
    assert run.explored == whole


def test_workers_do_not_change_results() -> None:
    """In this process, in threads, in two processes: bit for bit the same."""
    learner = Cape(POLICIES[:3], tasks=10**5, exploration_cap=3000)
    many = partial(replicate, learner, WORLD, tasks=10**5, replications=5, rng=11)
    alone = [figures(run) for run in many()]
    with ThreadPoolExecutor(3) as threads, ProcessPoolExecutor(2) as processes:
        for executor in (threads, processes):
            assert [figures(run) for run in many(executor=executor)] == alone
    assert len(set(alone)) == 5


def test_the_same_seed_gives_the_same_run() -> None:
    """And another seed another one."""
    learner = Cape(POLICIES[:3], tasks=10**4, exploration_cap=500, announce=False)
    one, same, other = (
        figures(simulate(learner, WORLD, tasks=10**4, rng=seed)) for seed in (1, 1, 2)
    )
    assert one == same != other
    assert learner.state.explored == 0


def test_regret_is_what_is_missing_to_the_best_policy() -> None:
    """A fixed policy's regret is the difference of exact ROIs; the best one's is 0."""
    table = exact(POLICIES, WORLD, setup_cost=4)
    for index in range(4):
        run = simulate(Fixed(POLICIES, index, setup_cost=4), WORLD, tasks=10**9)
        assert run.roi == pytest.approx(table.roi[index])
        assert run.regret == pytest.approx(table.roi.max() - table.roi[index], abs=1e-15)


def test_a_summary_is_a_ratio_of_expectations() -> None:
    """Not the mean of ratios; its error shrinks with the number of runs."""
    learner = Cape(POLICIES[:3], tasks=2000, exploration_cap=300, announce=False)
    runs = list(replicate(learner, WORLD, tasks=2000, replications=64, rng=5))
    summary = Summary.of(runs)
    reward, cost = sum(run.reward for run in runs), sum(run.cost for run in runs)
    assert summary.roi == pytest.approx(reward / cost)
    assert summary.regret == pytest.approx(summary.best_roi - summary.roi)
    assert summary.share == pytest.approx(summary.roi / summary.best_roi)
    assert sum(summary.chosen.values()) == 64
    few = Summary.of(runs[:16])
    assert 1.2 < few.roi_error / summary.roi_error < 3.5
    assert np.isnan(Summary.of(runs[:1]).roi_error)


def test_the_history_counts_candidates_down() -> None:
    """From all to the last, at increasing tasks."""
    policies = Policies([fixed(samples, threshold=1) for samples in (1, 2, 3)])
    learner = Cape(policies, tasks=10**5, exploration_cap=5000)
    run = simulate(learner, World(Atoms([-1, 1]), Signs()), tasks=10**5, rng=0)
    assert run.history[0] == (0, 3)
    assert run.history[-1] == (run.explored, 1)
    for earlier, later in pairwise(run.history):
        assert earlier.task < later.task
        assert earlier.candidates > later.candidates


def test_esc_out_of_tasks_earns_nothing_and_says_so() -> None:
    """It ends at the last task, having accepted nothing."""
    learner = Esc(Countable(c=0.35, tasks=500, delta=0.05), tasks=500)
    run = simulate(learner, World(Atoms([-0.1, 0.1]), Signs()), tasks=10**4, rng=0)
    assert (run.roi, run.tasks, run.chosen) == (0.0, 500, None)
    assert "ran out of tasks" in run.known.note


def test_esc_gives_up_at_policies_too_long_to_make() -> None:
    """All ideas are good and seen to be so at once: no policy is ever long enough."""
    learner = Esc(Countable(c=0.35, tasks=10**4, delta=0.05), tasks=10**6, accuracy=0.5)
    run = simulate(learner, World(Atoms([1.0]), Signs()), tasks=10**6, rng=0)
    assert run.roi == 0.0
    assert run.known.note == "ESC found no bound up to policy 4,194,304 and accepted nothing"


def test_a_python_rule_can_be_learned() -> None:
    """CAPE chooses between a rule and a policy; the rule earns more."""
    rule = Rule(lambda _: 1, lambda _, x: bool(x[0] > 0), cap=1)
    learner = Cape(Policies([rule, fixed(2, 5)]), tasks=2000, exploration_cap=400)
    run = simulate(learner, World(Atoms([-1, 1]), Signs()), tasks=2000, rng=0)
    assert run.chosen == 0
    assert run.regret > 0


def test_long_tasks_in_great_numbers_are_drawn_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The result is the same as if memory were no matter, to the last sample.

    All samples of a task are its value, so that chance has no say: what is worth 1 is accepted
    after 101 samples, what is worth -1 rejected after 301. There are no false alarms; samples that
    came to other tasks than their own would go unnoticed in one of 10^11 shuffles.
    """
    learner = Fixed(Policy([-300.5] * 499 + [0], [100.5] * 499 + [0]))
    world = World(Atoms([-1, 1]), Signs())
    whole = simulate(learner, world, tasks=40, rng=0, sampled=True)
    monkeypatch.setattr("dwell.learners.drawing._MOST_SAMPLES", 2_000)
    parts = simulate(learner, world, tasks=40, rng=0, sampled=True)
    assert 10 < parts.reward < 30
    assert parts.reward == whole.reward
    assert parts.samples == whole.samples == 101 * whole.reward + 301 * (40 - whole.reward)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({}, "either tasks or samples"),
        ({"tasks": 1, "samples": 1}, "either tasks or samples"),
        ({"tasks": 0}, "tasks must be"),
        ({"tasks": 1.5}, "tasks must be"),
        ({"samples": -1}, "samples must be"),
        ({"tasks": float("nan")}, "tasks must be"),
        ({"tasks": 1e30}, "at most 10"),
    ],
)
def test_a_budget_that_is_none_is_refused(settings: dict[str, Any], reason: str) -> None:
    """One sentence that says what is wrong."""
    with pytest.raises(InvalidInput, match=reason):
        simulate(Fixed(first_sample()), WORLD, **settings)
