"""Which means a gambler's capital rules out, after each observation.

Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting", Thm. 3.
"""

from math import exp, inf, log

import numpy as np

from dwell.arrays import FloatArray
from dwell.kernels.compile import compiled

# c of the paper: a bet never risks more than this share of the capital.
MOST_RISKED = 0.5


@compiled
def log_capital(observations: FloatArray, bets: FloatArray, mean: float, goal: float) -> float:
    """The logarithm of the capital of bets that the mean is higher; inf if it reached the goal.

    Args:
        observations: In [0, 1].
        bets: What is bet at each, before the limit that keeps the capital positive.
        mean: The mean to bet against; above 0.
        goal: The logarithm of the capital at which to stop.
    """
    settled, product, factor_to_goal = 0.0, 1.0, exp(min(goal, 700.0))
    for i in range(len(observations)):
        product *= 1.0 + min(bets[i], MOST_RISKED / mean) * (observations[i] - mean)
        if product >= factor_to_goal:
            return inf
        if not 1e-100 < product < 1e100:
            settled += log(product)
            product, factor_to_goal = 1.0, exp(min(goal - settled, 700.0))
    return settled + log(product)


@compiled
def means_ruled_out(
    observations: FloatArray, bets: FloatArray, goal: float, resolution: float
) -> FloatArray:
    """How far bets rule out means from either end of [0, 1], after each observation.

    The capital of bets that the mean is higher falls as the mean they are laid against rises, since
    each of its factors does. So one mean just beyond those that are ruled out is enough to watch:
    as soon as the capital laid against it reaches the goal, all up to it are ruled out, and the
    next one is watched. Bets that the mean is lower are the same bets on 1 - observation.

    Args:
        observations: In [0, 1].
        bets: What is bet at each.
        goal: The logarithm of the capital that rules a mean out.
        resolution: Of the width that is left: how far beyond those ruled out to look, at most.

    Returns:
        A row per observation: all means below the first entry and all above 1 minus the second are
        ruled out.
    """
    sides = np.stack((observations, 1.0 - observations))
    reached = np.zeros((len(observations), 2))
    end = np.zeros(2)
    watched = np.full(2, 0.5 * resolution)
    capital = np.zeros(2)
    for n in range(len(observations)):
        for side in range(2):
            risked = min(bets[n], MOST_RISKED / watched[side])
            capital[side] += log(1.0 + risked * (sides[side, n] - watched[side]))
            while True:
                # No interval is narrower than 1 / n unless the observations have no common mean.
                width = max(1.0 - end[0] - end[1], 1.0 / (n + 1))
                if capital[side] >= goal and watched[side] < 1.0 - end[1 - side]:
                    end[side] = watched[side]
                elif watched[side] - end[side] <= resolution * width:
                    break
                watched[side] = end[side] + 0.5 * resolution * width
                capital[side] = log_capital(
                    sides[side, : n + 1], bets[: n + 1], watched[side], goal
                )
            reached[n, side] = end[side]
    return reached
