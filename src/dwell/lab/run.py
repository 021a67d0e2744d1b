"""Simulate: run a learner in a known world.

Exploration is simulated sample by sample. Once a learner has made up its mind, the rest enters by
its exact expectation: a run of 10^12 tasks costs what its exploration costs.
"""

from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray
from dwell.errors import InvalidInput
from dwell.families import Countable
from dwell.lab.draw import block_size, run_until_stopped
from dwell.learners.learner import Knowledge, Learner, Plan
from dwell.objectives import within_budget
from dwell.policies import Policies
from dwell.records import Records, oversampled
from dwell.table import best_of, exact
from dwell.world import RandomState, World, generator_from


class Change(NamedTuple):
    """The candidates that are left after a task."""

    task: int
    candidates: int


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a learner.

    Attributes:
        learner: The learner as it was at the end; the one that was given is left alone.
        world: The world that it ran in.
        reward: The total value of what it accepted.
        cost: The total cost: set-up of every task and all samples.
        tasks: How many tasks it began; an expectation where the budget was one of samples.
        samples: How many samples it drew in all, in expectation after the exploration.
        known: What the learner knew at the end.
    """

    learner: Learner
    world: World
    reward: float
    cost: float
    tasks: float
    samples: float
    known: Knowledge

    @property
    def roi(self) -> float:
        """Reward per cost."""
        return self.reward / self.cost

    @property
    def regret(self) -> float:
        """By how much the ROI falls short of that of the best policy there is to choose."""
        return best_roi(self.learner.choices, self.world, self.learner.setup_cost) - self.roi

    @property
    def explored(self) -> int:
        """How many tasks were explored."""
        return self.known.explored

    @property
    def chosen(self) -> int | None:
        """The policy that was run after the exploration, if it came to that."""
        return self.known.chosen

    @property
    def history(self) -> tuple[Change, ...]:
        """How the candidates became fewer."""
        total = len(self.known.dropped_at)
        drops = sorted(at for at in self.known.dropped_at if at > 0)
        left = {at: total - number for number, at in enumerate(drops, start=1)}
        return (Change(0, total), *(Change(at, count) for at, count in left.items()))


def simulate(
    learner: Learner,
    world: World,
    tasks: int | None = None,
    rng: RandomState = None,
    *,
    samples: int | None = None,
    sampled: bool = False,
) -> Run:
    """Run a learner in a known world.

    Args:
        learner: The learner; it is copied, not changed.
        world: The world to run it in.
        tasks: For how many tasks.
        rng: A seed, a NumPy generator, or None for fresh randomness.
        samples: A budget of samples instead of a number of tasks; the task during which it is
            used up is interrupted and rejected.
        sampled: Draw the tasks after the exploration as well, instead of taking expectations.

    Example:
        >>> from dwell import Atoms, Fixed, Signs, World, first_sample
        >>> run = simulate(Fixed(first_sample()), World(Atoms([-1, 1]), Signs()), tasks=10**12)
        >>> run.roi
        0.5
    """
    if (tasks is None) == (samples is None):
        raise InvalidInput("give either tasks or samples, a budget of one or of the other")
    budget = _Budget(
        tasks=None if tasks is None else checks.count("tasks", tasks),
        samples=None if samples is None else checks.count("samples", samples),
    )
    learner = deepcopy(learner)
    generator = generator_from(rng)
    while not budget.used_up and (plan := learner.plan()) is not None:
        if plan.tasks is None and not sampled:
            _expect(plan, world, budget)
        else:
            _draw(plan, learner, world, budget, generator)
    return Run(
        learner,
        world,
        reward=budget.reward,
        cost=budget.drawn + learner.setup_cost * budget.begun,
        tasks=budget.begun,
        samples=budget.drawn,
        known=learner.knowledge(),
    )


@dataclass(slots=True)
class _Budget:
    """What may still be spent, and what was earned so far."""

    tasks: int | None
    samples: int | None
    reward: float = 0.0
    begun: float = 0
    drawn: float = 0

    @property
    def used_up(self) -> bool:
        return self.tasks == 0 or self.samples == 0

    def spend(self, tasks: float, samples: float, reward: float) -> None:
        self.begun += tasks
        self.drawn += samples
        self.reward += reward
        if self.tasks is not None:
            self.tasks -= round(tasks)
        if self.samples is not None:
            self.samples -= round(samples)


def _expect(plan: Plan, world: World, budget: _Budget) -> None:
    """Use up the budget by the exact expectation of the plan's policy."""
    table = exact(plan.policies, world)
    if budget.tasks is not None:
        left = budget.tasks
        reward = float(table.reward[-1]) if plan.accepts else 0.0
        budget.spend(left, left * float(table.cost[-1]), left * reward)
    elif budget.samples is not None:
        totals = within_budget(table.profile(-1), budget.samples)
        budget.spend(totals.tasks, budget.samples, totals.reward if plan.accepts else 0.0)


def _draw(
    plan: Plan, learner: Learner, world: World, budget: _Budget, rng: np.random.Generator
) -> None:
    """Run a block of tasks sample by sample."""
    # Every task takes a sample at least, so a budget of samples is one of tasks too.
    limits = (plan.tasks, budget.tasks, budget.samples, block_size(plan))
    block = min(limit for limit in limits if limit is not None)
    values = world.sample_values(block, rng)
    if not plan.oversamples:
        _take(run_until_stopped(world.law, values, plan, rng), values, plan, learner, budget)
        return
    samples = world.law.sample(values, plan.samples, rng)
    while True:
        taken = _take(oversampled(samples, plan.policies), values, plan, learner, budget)
        if budget.used_up or taken == len(values):
            return
        next_plan = learner.plan()
        if next_plan is None or not next_plan.oversamples:
            return
        # The longest candidate was dropped in the middle of the block. What was drawn beyond
        # serves on, as the shorter tasks that the new plan wants.
        plan = next_plan
        values, samples = values[taken:], samples[taken:, : plan.samples].copy()


def _take(
    records: Records, values: FloatArray, plan: Plan, learner: Learner, budget: _Budget
) -> int:
    """Let the learner take in what it can and the budget allows; say how many tasks that was."""
    within = len(records)
    if budget.samples is not None:
        within = int(np.searchsorted(np.cumsum(records.drawn), budget.samples, side="left"))
    taken = learner.learn(records.first(within)) if within else 0
    accepted = (records.decisions[:taken, plan.decider] == 1) & plan.accepts
    drawn = int(records.drawn[:taken].sum())
    budget.spend(taken, drawn, float(values[:taken][accepted].sum()))
    if taken == within < len(records):
        # The next task is interrupted as it reaches the budget of samples, and rejected.
        budget.spend(1, budget.samples or 0, 0.0)
    return taken


@lru_cache(maxsize=64)
def best_roi(choices: Policies | Countable, world: World, setup_cost: float) -> float:
    """The ROI of the best policy there is to choose."""
    if isinstance(choices, Countable):
        return best_of(choices, world, setup_cost).roi
    return float(exact(choices, world, setup_cost).roi.max())
