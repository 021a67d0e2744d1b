"""CAPE's exploration, task by task (Algorithm 1, lines 1 to 5)."""

from math import sqrt

import numpy as np

from dwell.arrays import Decisions, Durations, FloatArray, IntArray
from dwell.kernels.compile import compiled


@compiled
def explore_and_eliminate(
    durations: Durations,
    decisions: Decisions,
    estimates: FloatArray,
    explored: int,
    first_test: int,
    last: int,
    duration_sums: FloatArray,
    reward_sums: FloatArray,
    eliminated_at: IntArray,
    caps: IntArray,
    logarithm: float,
    bound: float,
    setup_cost: float,
) -> int:
    """Take in records one by one until the plan changes or the exploration ends.

    Args:
        durations: A row per task, a column per policy up to the longest candidate.
        decisions: Whether each policy would have accepted.
        estimates: Unbiased estimates of the value, one per policy or one for all.
        explored: How many tasks were explored before (n - 1).
        first_test: The first task after which policies may be eliminated.
        last: The last task to explore (N_ex).
        duration_sums: Sums over the tasks so far; brought up to date.
        reward_sums: The same for the rewards.
        eliminated_at: The task at which each was eliminated, 0 for a candidate; brought up to date.
        caps: The policies' caps (D_k).
        logarithm: ln(4 K N_ex / delta).
        bound: Observations lie in [-bound, bound].
        setup_cost: What each task costs besides its samples.

    Returns:
        How many records were taken in. The rest were drawn under a plan that no longer stands.
    """
    width = durations.shape[1]
    for row in range(len(durations)):
        n = explored + row + 1
        for k in range(width):
            duration_sums[k] += durations[row, k]
        if estimates.shape[1] == 1:
            estimate = estimates[row, 0]
            for k in range(width):
                reward_sums[k] += decisions[row, k] * estimate
        else:
            for k in range(width):
                reward_sums[k] += decisions[row, k] * estimates[row, k]
        if n >= first_test and _eliminate(
            n, width, duration_sums, reward_sums, eliminated_at, caps, logarithm, bound, setup_cost
        ):
            candidates = 0
            for k in range(width):
                candidates += eliminated_at[k] == 0
            # The longest candidate is gone, or all but one are: the plan changes.
            if eliminated_at[width - 1] > 0 or candidates == 1:
                return row + 1
        if n == last:
            return row + 1
    return len(durations)


@compiled
def _eliminate(
    n: int,
    width: int,
    duration_sums: FloatArray,
    reward_sums: FloatArray,
    eliminated_at: IntArray,
    caps: IntArray,
    logarithm: float,
    bound: float,
    setup_cost: float,
) -> bool:
    """Eliminate the candidates whose best case is below another's worst case (line 5, C'_n)."""
    error = sqrt(logarithm / (2.0 * n))
    least_cost = 1.0 + setup_cost
    # The best worst case when the policy to beat earns something, and when it loses.
    to_beat_earning, to_beat_losing = -np.inf, -np.inf
    for k in range(width):
        if eliminated_at[k] == 0:
            reward = reward_sums[k] / n - 2.0 * bound * error
            cost = setup_cost + duration_sums[k] / n
            spread = (caps[k] - 1) * error
            to_beat_earning = max(to_beat_earning, reward / (cost + spread))
            to_beat_losing = max(to_beat_losing, reward / max(cost - spread, least_cost))
    changed = False
    for k in range(width):
        if eliminated_at[k] == 0:
            reward = reward_sums[k] / n + 2.0 * bound * error
            cost = setup_cost + duration_sums[k] / n
            spread = (caps[k] - 1) * error
            if reward >= 0.0:
                hopeless = reward / max(cost - spread, least_cost) < to_beat_earning
            else:
                hopeless = reward / (cost + spread) < to_beat_losing
            if hopeless:
                eliminated_at[k] = n
                changed = True
    return changed
