"""Shapes that a pool of ideas may have: a list of laws, fixed beforehand, to predict tests by.

Which shape holds is learned from tests by Bayes' rule, so that what is predicted of the next test
has a likelihood of its own: stretches of tests can be compared by it. The shapes are normal laws,
narrow ones with a share of wins, and narrow ones with fat tails.
"""

from itertools import product

import numpy as np

from dwell.arrays import FloatArray
from dwell.fitting.pool import Laws, Spreads, normal_laws

# Of wins: which share of ideas they are, and how large, in sds of the others; of fat tails: which
# share of ideas has how many times the sd. Chosen on the worlds that `dwell bench learners` marks.
_SHARES, _SIZES, _LEANS = (0.02, 0.06, 0.18, 0.4), (3.0, 6.0, 12.0), (-1.0, 0.0)
_TAILS, _FATTER = (0.05, 0.2), 4.0
_NORMAL = 0.4  # how likely normal laws are before there is any test
_LEAST = 1e-250


def shapes(values: FloatArray, spreads: Spreads) -> Laws:
    """Shapes of a pool on a grid of values.

    Args:
        values: The grid.
        spreads: How far values may spread.

    Example:
        >>> found = shapes(np.linspace(-1, 1, 41), Spreads(0.05, 0.5, 1.0))
        >>> found.weights.shape[1], round(float(found.chances.sum()), 9)
        (41, 1.0)
    """
    plain = normal_laws(values, spreads)
    cells = np.gradient(values)

    def normal(mean: float, sd: float) -> FloatArray:
        cut = np.maximum(cells * np.exp(-0.5 * ((values - mean) / sd) ** 2), _LEAST)
        weights: FloatArray = cut / cut.sum()
        return weights

    spreads_of_most = np.geomspace(spreads.narrowest, spreads.widest, 8)[:5].tolist()
    fat = [
        (1.0 - share) * normal(0.0, sd) + share * normal(0.0, _FATTER * sd)
        for sd, share in product(spreads_of_most, _TAILS)
    ]
    wins = [
        (1.0 - share) * normal(lean * sd, sd) + share * normal(size * sd, size * sd / 4.0)
        for sd, size, share, lean in product(spreads_of_most, _SIZES, _SHARES, _LEANS)
    ]
    others = [*fat, *wins]
    return Laws(
        np.vstack([plain.weights, others]),
        np.append(_NORMAL * plain.chances, np.full(len(others), (1.0 - _NORMAL) / len(others))),
    )
