"""Simulate: run a learner in a known world.

Exploration is simulated sample by sample. Once a learner has made up its mind, the rest enters by
its exact expectation: a run of 10^12 tasks costs what its exploration costs.
"""

import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

import numpy as np

from dwell import checks
from dwell.errors import BoundTooSmall, InvalidInput
from dwell.families import Countable, Every
from dwell.lab.changing import ChangingWorld, InForce, PoolSums, Tally
from dwell.lab.hostile import AnyWorld, HostileWorld, oracle_roi, roi_of
from dwell.lab.source import source_of
from dwell.lab.stage import Budget, Stage
from dwell.laws import Gaussian
from dwell.learners.learner import Knowledge, Learner
from dwell.policies import Policies
from dwell.priors import Atoms, StudentT
from dwell.shown import Shown
from dwell.table import best_of
from dwell.world import RandomState, World, checked_world, generator_from

_ONE_IN_A_HUNDRED = 2.576  # deviations of a normal law from its mean, or more


class Change(NamedTuple):
    """The candidates that are left after a task."""

    task: int
    candidates: int


@dataclass(repr=False, frozen=True, slots=True)
class Run(Shown):
    """One run of a learner.

    Attributes:
        learner: The learner as it was at the end; the one that was given is left alone.
        world: The world that it ran in.
        reward: The total value of what it accepted.
        cost: The total cost: set-up of every task and all samples.
        tasks: How many tasks it began; an expectation where the budget was one of samples.
        samples: How many samples it drew in all, in expectation after the exploration.
        known: What the learner knew at the end.
        by_pool: In a world that changes, what the tasks of each pool came to; empty in others.
        in_force: If it changes abruptly, what policies that decided earn in the pool of then.
    """

    learner: Learner
    world: AnyWorld
    reward: float
    cost: float
    tasks: float
    samples: float
    known: Knowledge
    by_pool: tuple[PoolSums, ...] = ()
    in_force: tuple[InForce, ...] = ()

    @property
    def roi(self) -> float:
        """Reward per cost."""
        return self.reward / self.cost

    @property
    def regret(self) -> float:
        """By how much the ROI falls short of that of the best policy there is to choose.

        In a world that changes that is the best one that never does.
        """
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
        total = len(self.known.eliminated_at)
        eliminations = sorted(at for at in self.known.eliminated_at if at > 0)
        left = {at: total - number for number, at in enumerate(eliminations, start=1)}
        return (Change(0, total), *(Change(at, count) for at, count in left.items()))


def simulate(
    learner: Learner,
    world: AnyWorld,
    tasks: int | None = None,
    rng: RandomState = None,
    *,
    samples: int | None = None,
    sampled: bool = False,
    overlap: int = 1,
    advance: Callable[[float], None] | None = None,
) -> Run:
    """Run a learner in a known world.

    Args:
        learner: The learner; it is copied, not changed.
        world: The world to run it in; in a `HostileWorld` and in a `ChangingWorld` all tasks are
            drawn.
        tasks: For how many tasks.
        rng: A seed, a NumPy generator, or None for fresh randomness.
        samples: A budget of samples instead of a number of tasks; the task during which it is
            used up is interrupted and rejected.
        sampled: Draw the tasks after the exploration as well, instead of taking expectations.
        overlap: How many tasks are open at a time, each drawing a sample per unit of time: those
            that end early come back early.
        advance: Told, now and then, how many tasks are over.

    Example:
        >>> from dwell import Atoms, Fixed, Signs, World, first_sample
        >>> run = simulate(Fixed(first_sample()), World(Atoms([-1, 1]), Signs()), tasks=10**12)
        >>> run.roi
        0.5
    """
    checks.kind("learner", learner, Learner, "a Learner, such as Ladder(policies)")
    stated = _stated(world)
    if (tasks is None) == (samples is None):
        raise InvalidInput("give either tasks or samples, a budget of one or of the other")
    if checks.count("overlap", overlap) > 1 and tasks is None:
        raise InvalidInput(f"with an overlap of {overlap}, give tasks instead of samples")
    budget = Budget(
        tasks=None if tasks is None else checks.count("tasks", tasks),
        samples=None if samples is None else checks.count("samples", samples),
    )
    for each in stated:
        _heed_bound(learner, each)
    source = source_of(world, budget.tasks, generator_from(rng))
    tally = None
    if isinstance(world, ChangingWorld):
        tally = Tally(world, budget.most_tasks, learner.setup_cost)
    stage = Stage(
        deepcopy(learner),
        stated[0],
        source,
        budget,
        sampled or not isinstance(world, World),
        advance,
        tally,
    )
    if overlap == 1:
        stage.in_a_row()
    else:
        stage.side_by_side(overlap)
    return Run(
        stage.learner,
        world,
        reward=budget.reward,
        cost=budget.drawn + learner.setup_cost * budget.begun,
        tasks=budget.begun,
        samples=budget.drawn,
        known=stage.learner.knowledge(),
        by_pool=() if tally is None else tally.by_pool,
        in_force=() if tally is None else tally.in_force,
    )


def _stated(world: AnyWorld) -> tuple[World, ...]:
    """The worlds of which a learner is told the law."""
    if isinstance(world, ChangingWorld):
        return world.pools
    return (world.stated if isinstance(world, HostileWorld) else checked_world(world),)


def _heed_bound(learner: Learner, world: World) -> None:
    """Refuse, or warn of, a world whose samples leave the range that a learner was told."""
    bound = getattr(learner, "bound", None)
    if bound is None:
        return
    if not isinstance(world.law, Gaussian):
        if bound < 1.0:
            raise InvalidInput(
                f"samples under {world.law} reach 1, beyond the learner's bound of {bound:g}: its "
                "bounds would not hold; make it with bound=1"
            )
        return
    wanted = bound_under(world, world.law, type(learner))
    if bound < wanted:
        warnings.warn(
            f"samples under {world.law} have no bound, and the learner's of {bound:g} is below "
            f"{wanted:.3g}: its bounds do not hold; make it with bound={wanted:.3g} or more, "
            f"{learner.BOUND}",
            BoundTooSmall,
            stacklevel=3,
        )


def bound_under(world: World, law: Gaussian, learner: type[Learner]) -> float:
    """The bound to tell a learner where observations have none: some of their deviations."""
    prior = world.prior
    if isinstance(prior, StudentT):
        # It may have no variance: by how far out one value in a hundred is.
        far = float(prior.quantile(np.array([0.995]))[0]) - prior.mean
        square = prior.mean**2 + (far / _ONE_IN_A_HUNDRED) ** 2
    elif isinstance(prior, Atoms):
        square = float(np.array(prior.weights) @ np.array(prior.values) ** 2)
    else:
        mean, sd = prior.moments
        square = mean**2 + sd**2
    return learner.BOUND_DEVIATIONS * sqrt(law.sd**2 + square)


@lru_cache(maxsize=64)
def best_roi(choices: Policies | Countable | Every, world: AnyWorld, setup_cost: float) -> float:
    """The ROI of the best policy there is to choose."""
    if isinstance(choices, Every):
        return oracle_roi(world, choices.cap, setup_cost) or 0.0
    if isinstance(choices, Countable):
        return best_of(choices, checked_world(world), setup_cost).roi
    return float(roi_of(choices, world, setup_cost).max())
