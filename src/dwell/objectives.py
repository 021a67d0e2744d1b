"""The other objectives of the paper's appendix "Choice of Performance Measure", exactly.

g1 is the expected ratio of totals over a number of tasks, g2 the reward per sample under a budget
of samples, g3 the expected ratio of a single task. The first two tend to the ROI; the third does
not, and ranks policies badly.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log2

import numpy as np
import scipy  # its part `signal` is loaded when it is first used
from scipy import special

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
    likewise for the number of tasks begun. V is a line with the slope reward / cost and a rest that
    obeys the same recursion with a source that ends at the cap. By the renewal theorem the rest
    tends to the sum of that source over the mean duration; so the recursion is followed only until
    it is there.
    """
    samples = checks.count("samples", samples)
    durations = np.flatnonzero(profile.probability > 0.0) + 1
    period = int(np.gcd.reduce(durations))
    probability = profile.probability[period - 1 :: period]
    reward = profile.reward[period - 1 :: period]
    left = -(-samples // period)  # in periods
    stopped, duration_sums = (
        np.append(0.0, np.cumsum(mass))
        for mass in (probability, probability * np.arange(1, len(probability) + 1))
    )
    time = np.arange(1.0, len(stopped) + 1)
    totals = []
    for source in (np.append(0.0, np.cumsum(reward)), np.ones(len(stopped))):
        slope = source[-1] / duration_sums[-1]
        rest = source + slope * (stopped * time - duration_sums - time)
        limit = rest.sum() / duration_sums[-1]
        totals.append(float(slope * left + _renewed(rest, probability, left, limit, abs(slope))))
    return Totals(*totals)


def _renewed(
    source: FloatArray, probability: FloatArray, steps: int, limit: float, growth: float
) -> float:
    """U(steps) of U(t) = source(t) + sum over d < t of probability[d] U(t - d), from t = 1 on.

    The limit serves as soon as what it is off by is 1e-10 of a line that grows by `growth`.
    """
    length = 4 * len(source)
    while length < steps:
        solution = _recursion(source, probability, length)
        if np.abs(solution[-len(source) :] - limit).max() <= 1e-10 * growth * length:
            return limit
        length *= 2
    return float(_recursion(source, probability, steps)[-1])


def _recursion(source: FloatArray, probability: FloatArray, length: int) -> FloatArray:
    padded = np.zeros(max(length, len(source)))
    padded[: len(source)] = source
    solution: FloatArray = scipy.signal.lfilter(
        [1.0], np.append(1.0, -probability), padded[:length]
    )
    return solution


def _indices(table: Table) -> range:
    return range(len(table.policies))
