"""Any prior by maximum likelihood: weights on a grid of values (Kiefer, Wolfowitz 1956).

The likelihood of weights w is concave. With L[i, j] the density of effect i at value j and f = L w,
they are best if and only if the gradient g_j = mean over i of L[i, j] / f_i is nowhere above 1; and
no weights have a log-likelihood per test that is higher by more than max_j g_j - 1.

Weights are found by the constrained Newton method (Wang 2007, On fast computation of the
non-parametric maximum likelihood estimate of a mixing distribution): values where the gradient
peaks join the support; new weights minimise the quadratic approximation |S w - 2|^2, with
S[i, j] = L[i, j] / f_i, by non-negative least squares; a line search keeps the likelihood rising;
values left with no weight leave.
"""

from typing import NamedTuple

import numpy as np
from scipy import linalg, optimize

from dwell.arrays import FloatArray, IntArray

_TOLERANCE = 1e-6
_MOST_ROUNDS = 500
_EM_ROUNDS = 5
_NEGLIGIBLE = 1e-10
_LEAST_STEPS, _MOST_STEPS = 300, 1000


class Mixture(NamedTuple):
    """Values and weights, and how likely the effects are under them.

    Attributes:
        values: The values, in order.
        weights: Their weights, which sum to 1.
        log_likelihood: Of all effects together.
        gap: How much more likely any weights on the grid could be at most, per test, on the log
            scale.
    """

    values: FloatArray
    weights: FloatArray
    log_likelihood: float
    gap: float


def fit_mixture(effects: FloatArray, standard_errors: FloatArray) -> Mixture:
    """The most likely prior of any shape, on a grid over the range of the effects.

    The grid has even steps of half a small error, 300 to 1,000 of them, and up to 300 of the
    effects. More tests than that with errors far below a step would need a finer one.

    Example:
        >>> found = fit_mixture(np.array([-1.0, -1.0, 1.0]), np.full(3, 0.1))
        >>> found.values.tolist(), found.weights.round(3).tolist()
        ([-1.0, 1.0], [0.667, 0.333])
    """
    grid = _grid(effects, standard_errors)
    # Each effect's densities are taken relative to the highest one, or they might all be 0; and in
    # place, as they fill the memory.
    likelihood = effects[:, None] - grid
    likelihood /= standard_errors[:, None]
    likelihood *= likelihood
    likelihood *= -0.5
    highest = likelihood.max(axis=1, keepdims=True)
    likelihood -= highest
    np.exp(likelihood, out=likelihood)
    support, weights, gap = _climb(likelihood)
    kept = weights > _NEGLIGIBLE
    support, weights = support[kept], weights[kept] / weights[kept].sum()
    offset = float(highest.sum() - np.log(standard_errors * np.sqrt(2.0 * np.pi)).sum())
    return Mixture(grid[support], weights, _height(likelihood[:, support], weights) + offset, gap)


def _grid(effects: FloatArray, standard_errors: FloatArray) -> FloatArray:
    """Even steps over the range, and effects themselves: where errors are small they are best."""
    ordered = np.sort(effects)
    small = float(np.quantile(standard_errors, 0.05))
    steps = int(np.clip(2.0 * np.ptp(effects) / small, _LEAST_STEPS, _MOST_STEPS))
    chosen = np.linspace(0, len(ordered) - 1, min(len(ordered), _LEAST_STEPS)).round().astype(int)
    return np.union1d(np.linspace(ordered[0], ordered[-1], steps), ordered[chosen])


def _climb(likelihood: FloatArray) -> tuple[IntArray, FloatArray, float]:
    """The support of the best weights, as columns; the weights; and how far from the best."""
    support = _cover(likelihood)
    weights = np.full(len(support), 1.0 / len(support))
    # A little EM is cheap, and all that effects far apart need.
    for _ in range(_EM_ROUNDS):
        shares = likelihood[:, support] * weights
        weights = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)
    gap = np.inf
    for _ in range(_MOST_ROUNDS):
        mixed = likelihood[:, support] @ weights
        gradient = (1.0 / mixed) @ likelihood / len(likelihood)
        gap = float(gradient.max()) - 1.0
        if gap <= _TOLERANCE:
            break
        support, weights = _joined(support, weights, _peaks(gradient))
        weights = _stepped(likelihood[:, support], weights)
        support, weights = support[weights > 0.0], weights[weights > 0.0]
    return support, weights, gap


def _cover(likelihood: FloatArray) -> IntArray:
    """Columns to begin with: each effect is likely under one of them."""
    hardest = likelihood.sum(axis=1).argsort()
    uncovered = np.ones(len(likelihood), dtype=bool)
    chosen = []
    while uncovered.any():
        row = hardest[uncovered[hardest].argmax()]
        chosen.append(likelihood[row].argmax())
        uncovered &= likelihood[:, chosen[-1]] < 0.1
    return np.unique(chosen)


def _peaks(gradient: FloatArray) -> IntArray:
    """Where the gradient is above 1 and no lower than on either side."""
    padded = np.concatenate([[-np.inf], gradient, [-np.inf]])
    peak = (gradient > 1.0) & (gradient >= padded[:-2]) & (gradient >= padded[2:])
    return np.flatnonzero(peak)


def _joined(support: IntArray, weights: FloatArray, new: IntArray) -> tuple[IntArray, FloatArray]:
    joined = np.union1d(support, new)
    spread = np.zeros(len(joined))
    spread[np.searchsorted(joined, support)] = weights
    return joined, spread


def _stepped(likelihood: FloatArray, weights: FloatArray) -> FloatArray:
    """Better weights on the same columns."""
    ratios = likelihood / (likelihood @ weights)[:, None]
    # |S w - 2| is |(S - 2) w| where weights sum to 1, which one more row asks for (Dax 1990). Only
    # the products of its columns matter, so that a square root of their matrix will do.
    excess = ratios - 2.0
    sizes, vectors = linalg.eigh(excess.T @ excess / len(likelihood))
    root = np.sqrt(np.maximum(sizes, 0.0))[:, None] * vectors.T
    system = np.vstack([root, np.ones(len(weights))])
    aim = np.append(np.zeros(len(weights)), 1.0)
    found, _ = optimize.nnls(system, aim)
    direction = found / found.sum() - weights
    rise = float(ratios.sum(axis=0) @ direction)
    # No effect may become less than a tenth as likely: the approximation does not reach farther.
    lost = -float((ratios @ direction).min())
    step = min(1.0, 0.9 / lost) if lost > 0.0 else 1.0
    before = _height(likelihood, weights)
    while step > 1e-12:
        stepped = np.maximum(weights + step * direction, 0.0)
        if _height(likelihood, stepped) >= before + 1e-3 * step * rise:
            shares: FloatArray = stepped / stepped.sum()
            return shares
        step /= 2.0
    return weights


def _height(likelihood: FloatArray, weights: FloatArray) -> float:
    return float(np.log(likelihood @ weights).sum())
