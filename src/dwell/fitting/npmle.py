"""Any prior by maximum likelihood: weights on a grid of values (Kiefer, Wolfowitz 1956).

The likelihood of weights w is concave. With L[i, j] the density of effect i at value j and f = L w,
they are best if and only if the gradient g_j = mean over i of L[i, j] / f_i is nowhere above 1; and
no weights have a log-likelihood per test that is higher by more than max_j g_j - 1.

Weights are found by the constrained Newton method (Wang 2007, On fast computation of the
non-parametric maximum likelihood estimate of a mixing distribution): values where the gradient
peaks join the support; new weights minimise the quadratic approximation |S w - 2|^2, with
S[i, j] = L[i, j] / f_i, by non-negative least squares; a line search keeps the likelihood rising;
values left with no weight leave.

`climb` does this for any likelihood of tests under values, with kinds of tests that came several
times; `fit_mixture` for effects with normal errors. Products are einsums: libraries of matrices do
them by threads, which on a busy machine wait for one another far longer than they work.
"""

from typing import NamedTuple

import numpy as np
import scipy  # its part `optimize` is loaded when it is first used
from scipy import linalg

from dwell.arrays import FloatArray, IntArray

_TOLERANCE = 1e-6
_MOST_ROUNDS = 500
_EM_ROUNDS, _NNLS_ROUNDS = 5, 100
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


class Climbed(NamedTuple):
    """The best weights on the columns of a likelihood.

    Attributes:
        support: The columns that have weight.
        weights: Their weights, which sum to 1.
        height: The log-likelihood of all tests together.
        gap: How much higher it could be at most, per test.
    """

    support: IntArray
    weights: FloatArray
    height: float
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
    found = climb(likelihood)
    kept = found.weights > _NEGLIGIBLE
    weights = found.weights[kept] / found.weights[kept].sum()
    offset = float(highest.sum() - np.log(standard_errors * np.sqrt(2.0 * np.pi)).sum())
    return Mixture(grid[found.support[kept]], weights, found.height + offset, found.gap)


def _grid(effects: FloatArray, standard_errors: FloatArray) -> FloatArray:
    """Even steps over the range, and effects themselves: where errors are small they are best."""
    ordered = np.sort(effects)
    small = float(np.quantile(standard_errors, 0.05))
    steps = int(np.clip(2.0 * np.ptp(effects) / small, _LEAST_STEPS, _MOST_STEPS))
    chosen = np.linspace(0, len(ordered) - 1, min(len(ordered), _LEAST_STEPS)).round().astype(int)
    return np.union1d(np.linspace(ordered[0], ordered[-1], steps), ordered[chosen])


def climb(
    likelihood: FloatArray, counts: FloatArray | None = None, start: Climbed | None = None
) -> Climbed:
    """The best weights on the columns of a likelihood.

    Args:
        likelihood: A row per kind of test, a column per value; no row is all 0.
        counts: How many tests there are of each kind; one by default.
        start: Where to begin: what was found for a likelihood that is much the same.

    Example:
        >>> found = climb(np.array([[1.0, 0.5, 0.0], [0.0, 0.5, 1.0]]), np.array([3.0, 1.0]))
        >>> found.support.tolist(), found.weights.round(3).tolist()
        ([0, 2], [0.75, 0.25])
    """
    counts = np.ones(len(likelihood)) if counts is None else counts
    shares = counts / counts.sum()
    if start is None:
        support = _cover(likelihood)
        weights = np.full(len(support), 1.0 / len(support))
        # A little EM is cheap, and all that effects far apart need.
        for _ in range(_EM_ROUNDS):
            parts = likelihood[:, support] * weights
            parts /= parts.sum(axis=1, keepdims=True)
            weights = np.einsum("i,ij->j", shares, parts)
    else:
        support, weights = start.support, start.weights
    gap = np.inf
    for _ in range(_MOST_ROUNDS):
        mixed = np.einsum("ij,j->i", likelihood[:, support], weights)
        gradient = np.einsum("i,ij->j", shares / mixed, likelihood)
        gap = float(gradient.max()) - 1.0
        if gap <= _TOLERANCE:
            break
        support, weights = _joined(support, weights, _peaks(gradient))
        weights = _stepped(likelihood[:, support], shares, weights)
        support, weights = support[weights > 0.0], weights[weights > 0.0]
    height = float(counts.sum()) * _height(likelihood[:, support], shares, weights)
    return Climbed(support, weights, height, gap)


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


def _stepped(likelihood: FloatArray, shares: FloatArray, weights: FloatArray) -> FloatArray:
    """Better weights on the same columns."""
    ratios = likelihood / np.einsum("ij,j->i", likelihood, weights)[:, None]
    # |S w - 2| is |(S - 2) w| where weights sum to 1, which one more row asks for (Dax 1990). Only
    # the products of its columns matter, so that a square root of their matrix will do.
    excess = np.sqrt(shares)[:, None] * (ratios - 2.0)
    sizes, vectors = linalg.eigh(np.einsum("ij,ik->jk", excess, excess))
    root = np.sqrt(np.maximum(sizes, 0.0))[:, None] * vectors.T
    system = np.vstack([root, np.ones(len(weights))])
    aim = np.append(np.zeros(len(weights)), 1.0)
    try:
        found, _ = scipy.optimize.nnls(system, aim, maxiter=_NNLS_ROUNDS * len(weights))
    except RuntimeError:
        # Columns that are nearly alike may keep it busy for ever: a step of EM will do, from where
        # those that joined have some weight.
        begun = np.where(weights > 0.0, weights, 0.01)
        found = begun * np.einsum("i,ij->j", shares, ratios)
    direction = found / found.sum() - weights
    rise = float(np.einsum("i,ij,j->", shares, ratios, direction))
    # No effect may become less than a tenth as likely: the approximation does not reach farther.
    lost = -float(np.einsum("ij,j->i", ratios, direction).min())
    step = min(1.0, 0.9 / lost) if lost > 0.0 else 1.0
    before = _height(likelihood, shares, weights)
    while step > 1e-12:
        stepped = np.maximum(weights + step * direction, 0.0)
        if _height(likelihood, shares, stepped) >= before + 1e-3 * step * rise:
            better: FloatArray = stepped / stepped.sum()
            return better
        step /= 2.0
    return weights


def _height(likelihood: FloatArray, shares: FloatArray, weights: FloatArray) -> float:
    """The log-likelihood per test."""
    mixed = np.einsum("ij,j->i", likelihood, weights)
    return float(np.einsum("i,i->", shares, np.log(mixed)))
