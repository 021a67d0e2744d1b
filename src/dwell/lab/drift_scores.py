"""Scores of learners in worlds that change, by exact figures of each pool.

Two scores, since neither says all; docs/drift.md has the reasons. The dynamic oracle knows each
task's pool and runs the best policy for it: a run's ROI is a share of what it earns. In same money,
what a run earned is a share of what the best policies of the pools would have earned for what the
run spent in each.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite, isnan
from typing import NamedTuple

import numpy as np

from dwell.errors import InvalidInput, NothingWorthTesting
from dwell.lab.changing import ChangingWorld
from dwell.lab.replicate import ratio_of_means, roi_of_runs
from dwell.lab.run import Run
from dwell.optimum import oracle
from dwell.world import World

_ADAPTED = 0.8  # of the best ROI: whoever earns as much has adapted


class OwnBest(NamedTuple):
    """What the best policy for one pool earns there, per task, and what it costs."""

    reward: float
    cost: float

    @property
    def roi(self) -> float:
        """Reward per cost."""
        return self.reward / self.cost


@lru_cache(maxsize=256)
def own_best(pool: World, cap: int, setup_cost: float) -> OwnBest:
    """The best of all policies for one pool; where nothing earns, to drop all after one sample.

    Example:
        >>> from dwell import Atoms, Signs
        >>> own_best(World(Atoms([-1, 1]), Signs()), 256, 1.0)
        OwnBest(reward=0.5, cost=2.0)
        >>> own_best(World(Atoms([-1]), Signs()), 256, 1.0)
        OwnBest(reward=0.0, cost=2.0)
    """
    try:
        best = oracle(pool, cap, setup_cost)
    except NothingWorthTesting:
        return OwnBest(0.0, setup_cost + 1.0)
    return OwnBest(best.reward, best.cost)


def dynamic_roi(world: ChangingWorld, tasks: int, cap: int, setup_cost: float) -> float:
    """The ROI of running each task of a run by the best policy for its own pool.

    Example:
        >>> from dwell import Atoms, Signs
        >>> world = ChangingWorld([Atoms([-1, 1]), Atoms([-1])], Signs())
        >>> dynamic_roi(world, 100, cap=256, setup_cost=1.0)
        0.125
    """
    best = [own_best(pool, cap, setup_cost) for pool in world.pools]
    return _dynamic_roi(best, world.tasks_of(tasks).tolist())


def _dynamic_roi(best: Sequence[OwnBest], tasks: Sequence[int]) -> float:
    """Of so many tasks of each pool."""
    both = list(zip(tasks, best, strict=True))
    return sum(n * own.reward for n, own in both) / sum(n * own.cost for n, own in both)


@dataclass(frozen=True, slots=True)
class DriftScores:
    """How well replications of a run did in a world that changes.

    Attributes:
        dynamic_roi: The ROI of the dynamic oracle.
        dynamic_share: The ROI as a share of it; None where nothing earns in any pool.
        dynamic_share_error: Its Monte Carlo standard error; None for a single replication, as all.
        same_money: Rewards per what the best policies of the pools earn for the same money in
            each; None where nothing earns in any pool. In a pool where nothing earns, money earns
            nothing: what is spent there does not count, what is lost there does.
        same_money_error: Its Monte Carlo standard error.
        harmful: Of each pool, how many of 100 tests accepted an idea that does harm.
        adapted: After each change, how many tests it took to adapt, in the median; None for never;
            see `tasks_to_adapt`. Empty where a pool comes back every period, and where pools change
            little by little.
    """

    dynamic_roi: float
    dynamic_share: float | None
    dynamic_share_error: float | None
    same_money: float | None
    same_money_error: float | None
    harmful: tuple[float, ...]
    adapted: tuple[float | None, ...]


def drift_scores(runs: Sequence[Run], cap: int) -> DriftScores:
    """The scores of replications of one run.

    Args:
        runs: The replications, in a world that changes.
        cap: The most samples that the best policies may draw.

    Example:
        >>> from dwell import Atoms, Fixed, Signs, first_sample, simulate
        >>> world = ChangingWorld([Atoms([-1, 1]), Atoms([-1])], Signs())
        >>> run = simulate(Fixed(first_sample(), setup_cost=1.0), world, tasks=100, rng=0)
        >>> scores = drift_scores([run], cap=256)
        >>> round(scores.dynamic_share, 2), round(scores.same_money, 2), scores.harmful
        (1.08, 1.08, (0.0, 0.0))
        >>> scores.adapted
        (0.0,)
    """
    world, setup_cost = runs[0].world, runs[0].learner.setup_cost
    if not isinstance(world, ChangingWorld):
        raise InvalidInput(f"these are scores of runs in a ChangingWorld, got one in {world}")
    best = [own_best(pool, cap, setup_cost) for pool in world.pools]
    pools = list(zip(*(run.by_pool for run in runs), strict=True))
    tasks = [sum(sums.tasks for sums in pool) for pool in pools]
    reference = _dynamic_roi(best, tasks)
    harmful = tuple(
        100.0 * sum(sums.harmful for sums in pool) / max(1, count)
        for count, pool in zip(tasks, pools, strict=True)
    )
    adapted = _adapted(runs, world, cap)
    if not reference > 0.0:
        return DriftScores(reference, None, None, None, None, harmful, adapted)
    roi, roi_error = roi_of_runs(runs)
    there = [
        sum(own.roi * sums.cost for own, sums in zip(best, run.by_pool, strict=True))
        for run in runs
    ]
    same_money, error = ratio_of_means([run.reward for run in runs], there)
    return DriftScores(
        dynamic_roi=reference,
        dynamic_share=roi / reference,
        dynamic_share_error=None if isnan(roi_error) else roi_error / reference,
        same_money=same_money,
        same_money_error=None if isnan(error) else error,
        harmful=harmful,
        adapted=adapted,
    )


def tasks_to_adapt(run: Run, pool: int, cap: int) -> int | None:
    """After how many tests of a pool the policy in force earned 80 % of its best ROI, or more.

    Args:
        run: A run in a world that changes abruptly.
        pool: Which of its pools.
        cap: The most samples that the best policy may draw.

    Returns:
        How many; None if that was never so while the pool stayed.
    """
    world = run.world
    assert isinstance(world, ChangingWorld)  # no other has pools
    enough = _ADAPTED * own_best(world.pools[pool], cap, run.learner.setup_cost).roi
    earning = (each for each in run.in_force if each.pool == pool and each.roi >= enough)
    return next((each.after for each in earning), None)


def _adapted(runs: Sequence[Run], world: ChangingWorld, cap: int) -> tuple[float | None, ...]:
    """The median over replications, after each change."""
    if not world.abrupt:
        return ()
    medians = []
    for pool in range(1, len(world.pools)):
        counts = [tasks_to_adapt(run, pool, cap) for run in runs]
        median = float(np.median([np.inf if count is None else count for count in counts]))
        medians.append(median if isfinite(median) else None)
    return tuple(medians)
