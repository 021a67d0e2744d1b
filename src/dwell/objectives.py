"""The other objectives of the paper's appendix "Choice of Performance Measure", exactly.

g1 is the expected ratio of totals over a number of tasks, g2 the reward per sample under a budget
of samples, g3 the expected ratio of a single task. The first two tend to the ROI; the third does
not, and ranks policies badly.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log2

import numpy as np
from scipy import signal, special

from dwell import checks
from dwell.arrays import FloatArray
from dwell.table import Profile, Table


def g1(table: Table, tasks: int) -> FloatArray:
    """E[total reward / total cost] over a number of tasks, per policy.

    With 1 / x the integral of exp(-x y) over y > 0, and tasks independent, it is the integral of
    N E[reward exp(-y cost)] E[exp(-y cost)]^(N - 1).

    Example:
        >>> from dwell import Atoms, Signs, World, exact, hoeffding
        >>> policies = hoeffding(caps=[4, 16], c=0.35, tasks=10_000, delta=0.05)
        >>> table = exact(policies, World(Atoms([-1, 0, 1]), Signs()))
        >>> g1(table, tasks=1).round(6).tolist(), table.roi.round(6).tolist()
        ([0.166667, 0.166667], [0.142857, 0.085856])
    """
    tasks = checks.count("tasks", tasks)
    return np.array([_g1(table.profile(k), table.setup_cost, tasks) for k in _indices(table)])


def _g1(profile: Profile, setup_cost: float, tasks: int) -> float:
    cost = setup_cost + np.arange(1.0, len(profile.probability) + 1)
    # The integrand mixes exponentials, the slowest of which fades at 50 times its own scale.
    # Panels that double in width serve them all.
    quickest, slowest = 1.0 / cost[-1], 50.0 / cost[0]
    edges = np.append(0.0, quickest * 2.0 ** np.arange(-4, 1 + ceil(log2(slowest / quickest))))
    nodes, weights = special.roots_legendre(20)
    total = 0.0
    for low, high in pairwise(edges):
        rate = (low + (high - low) * (1.0 + nodes) / 2.0) / tasks
        # E[exp(-y cost)] - 1, kept apart from 1: it is tiny when there are many tasks.
        others = np.maximum(np.expm1(-np.outer(rate, cost)) @ profile.probability, -1.0 + 1e-15)
        reward = np.exp(-np.outer(rate, cost)) @ profile.reward
        integrand = reward * np.exp((tasks - 1) * np.log1p(others))
        total += (high - low) / 2.0 * float(weights @ integrand)
    return total


def g2(table: Table, samples: int) -> FloatArray:
    """E[total reward] / (total cost) under a budget of samples, per policy.

    The task during which the budget is reached is interrupted and rejected. Every task that was
    begun costs its set-up.

    Example:
        >>> from dwell import Atoms, Signs, World, exact, hoeffding
        >>> policies = hoeffding(caps=[4, 16], c=0.35, tasks=10_000, delta=0.05)
        >>> table = exact(policies, World(Atoms([-1, 0, 1]), Signs()))
        >>> g2(table, samples=10**9).round(6).tolist()
        [0.142857, 0.085856]
    """
    samples = checks.count("samples", samples)
    totals = [within_budget(table.profile(k), samples) for k in _indices(table)]
    return np.array([t.reward / (samples + table.setup_cost * t.tasks) for t in totals])


def g3(table: Table) -> FloatArray:
    """E[reward / cost] of a single task, per policy: not an objective to follow.

    Example:
        >>> from dwell import Atoms, Signs, World, exact, hoeffding
        >>> policies = hoeffding(caps=[4, 16], c=0.35, tasks=10_000, delta=0.05)
        >>> g3(exact(policies, World(Atoms([-1, 0, 1]), Signs()))).round(6).tolist()
        [0.166667, 0.166667]
    """
    profiles = [table.profile(k) for k in _indices(table)]
    return np.array(
        [p.reward @ (1.0 / (table.setup_cost + 1.0 + np.arange(len(p.reward)))) for p in profiles]
    )


@dataclass(frozen=True, slots=True)
class Totals:
    """What repeating a policy under a budget of samples yields in expectation."""

    reward: float
    tasks: float


def within_budget(profile: Profile, samples: int) -> Totals:
    """Run a policy task after task until a budget of samples is used up.

    With t samples left, V(t) = sum over durations d < t of reward[d] + probability[d] V(t - d), and
    likewise for the number of tasks begun. Over a window as long as the cap on which the solution
    grows by its limit rate it does so for ever: the recursion then maps a line to itself.
    """
    durations = np.flatnonzero(profile.probability > 0.0) + 1
    period = int(np.gcd.reduce(durations))
    probability = profile.probability[period - 1 :: period]
    reward = profile.reward[period - 1 :: period]
    # In periods, with t - 1 samples to spare before the last one that would end the budget.
    left = -(-samples // period) - 1
    mean_duration = float(probability @ np.arange(1, len(probability) + 1))
    rates = np.array([reward.sum(), 1.0]) / mean_duration
    feedback = np.concatenate([[1.0], -probability])
    length = 4 * len(probability)
    while True:
        length = min(length, left + 1)
        earned, begun = np.zeros(length), np.ones(length)
        earned[1 : len(reward) + 1] = np.cumsum(reward)[: max(length - 1, 0)]
        earned[len(reward) + 1 :] = reward.sum()
        solution = np.array([signal.lfilter([1.0], feedback, source) for source in (earned, begun)])
        window = solution[:, -len(probability) - 1 :]
        steady = np.abs(np.diff(window) - rates[:, None]).max(initial=0.0) < 1e-12
        if length == left + 1 or steady:
            reward_left, tasks_left = solution[:, -1] + rates * (left + 1 - length)
            return Totals(float(reward_left), float(tasks_left))
        length *= 2


def _indices(table: Table) -> range:
    return range(len(table.policies))
