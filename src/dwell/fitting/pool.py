"""The pool of ideas, fitted to tests: the most likely weights, and weights that are as plausible.

Given its value, the likelihood of a test is a function of its samples and their sum, whatever the
rule that stopped it; so all tests count, as they are. With L[i, j] the likelihood of test i at
value j, weights w are found by expectation-maximisation with a few pseudo-tests: tests that were
never run and say what the normal laws say that explain the others best. What else could be true is
drawn by a weighted bootstrap: tests and pseudo-tests count as often as gamma variables say.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.fitting.moved import moved
from dwell.kernels.pool_fit import climb, maximise

# How many tests the normal laws are worth, how many plausible pools are drawn, by how many steps.
# Chosen on the worlds that `dwell bench learners` marks so.
PSEUDO_TESTS = 5.0
_MOVED_TESTS = 40.0  # what a pool that has moved is worth at most: see docs/drift.md
DRAWS = 64
_STEPS, _DRAW_STEPS = 60, 25
_OWN_SHARE = 0.7  # of the draws that begin at laws in proportion to how likely these are
# How much of a law is in what a draw begins with: of few tests; of many, divided by their number.
_NEAR_LAWS, _NEAR_LAWS_OF_MANY, _MANY = 0.5, 40.0, 200
# Normal laws differ in sd by this factor, and have means of so many sds.
_SPREAD = 1.5  # of the logarithm of the sd, around the usual one
_WIDER, _LEANS = 1.68, (-2.0, -1.0, -0.5, -0.2, 0.0, 0.2, 0.5)
_LEAST, _SMALLEST = 1e-250, 1e-300


@dataclass(frozen=True, slots=True)
class PoolFit:
    """What tests say of the pool.

    Attributes:
        weights: The weight of each value of the grid.
        draws: Weights that are plausible too, a row each.
        readings: By which reading of the tests each of them is drawn.
        explained: The weights that the normal laws give which explain the tests.
    """

    weights: FloatArray
    draws: FloatArray
    readings: IntArray
    explained: FloatArray


class Plausible(NamedTuple):
    """Numbers of tests of each kind, of which one row is right: as many as pools are drawn.

    Attributes:
        counts: The numbers.
        readings: By which reading of the tests each row counts them; by the first nothing changed.
        faded: How many tests each row has forgotten bit by bit; 0 where it does not.
        values: The values that pools have weights of.
        former: The weights of each value in the pool if nothing changed; None before any is fitted.
    """

    counts: FloatArray
    readings: IntArray
    faded: FloatArray
    values: FloatArray
    former: FloatArray | None


class Laws(NamedTuple):
    """Laws of the pool to begin with.

    Attributes:
        weights: The weight of each value of the grid, a row per law.
        chances: How likely each law is before there is any test.
        groups: They come in so many groups of equal size, of which tests tell at most one to hold.
    """

    weights: FloatArray
    chances: FloatArray
    groups: int = 1


class Spreads(NamedTuple):
    """How far values may spread.

    Attributes:
        narrowest: The least sd of the pool, about the error of the longest test.
        usual: The sd that is thought of first.
        widest: The largest sd.
    """

    narrowest: float
    usual: float
    widest: float


def normal_laws(values: FloatArray, spreads: Spreads) -> Laws:
    """Normal laws on a grid of values, to begin with.

    Args:
        values: The grid.
        spreads: How far values may spread.
    """
    narrowest, usual, widest = spreads
    cells = np.gradient(values)
    count = max(2, round(np.log(widest / narrowest) / np.log(_WIDER)) + 1)
    kinds = [(sd, lean) for sd in np.geomspace(narrowest, widest, count) for lean in _LEANS]
    rows = [cells * np.exp(-0.5 * (values / sd - lean) ** 2) for sd, lean in kinds]
    # No value is impossible, however far out: a test may come that nothing else explains.
    weights: FloatArray = np.maximum(rows, _LEAST)
    weights /= weights.sum(axis=1, keepdims=True)
    chances = np.exp([-0.5 * (np.log(sd / usual) / _SPREAD) ** 2 for sd, lean in kinds])
    return Laws(weights, chances / chances.sum())


def _any_of_groups(laws: Laws, chances: FloatArray) -> FloatArray:
    """How likely laws are before there is any test, but for which group holds."""
    if laws.groups == 1:
        return laws.chances
    before, now = (each.reshape(laws.groups, -1) for each in (laws.chances, chances))
    shares = now.sum(axis=1, keepdims=True) / before.sum(axis=1, keepdims=True)
    found: FloatArray = (shares * before).ravel()
    return found


class Likeliest(NamedTuple):
    """The pool that explains tests best.

    Attributes:
        weights: The weight of each value.
        explained: The weights that the laws give, by how likely these are.
        chances: How likely that is.
    """

    weights: FloatArray
    explained: FloatArray
    chances: FloatArray


def likeliest(
    likelihood: FloatArray, counts: FloatArray, laws: Laws, start: FloatArray | None
) -> Likeliest:
    """The pool that explains tests and pseudo-tests best.

    Args:
        likelihood: A row per kind of test, a column per value.
        counts: How many tests there are of each kind.
        laws: Laws of the pool to begin with.
        start: Weights of an earlier fit, if there are any.
    """
    explained_as = np.log(np.maximum(np.einsum("ij,hj->hi", likelihood, laws.weights), _SMALLEST))
    evidence = np.einsum("hi,i->h", explained_as, counts) + np.log(laws.chances)
    chances = np.exp(evidence - evidence.max())
    chances /= chances.sum()
    explained = chances @ laws.weights
    weights = explained.copy() if start is None else 0.8 * start + 0.2 * explained
    if counts.any():
        by_value = np.ascontiguousarray(likelihood.T)
        climb(by_value, counts, PSEUDO_TESTS * explained, weights, _STEPS // 3)
    return Likeliest(weights, explained, chances)


def fit_pool(
    log_likelihood: FloatArray,
    counts: FloatArray,
    laws: Laws,
    start: FloatArray | None,
    rng: np.random.Generator,
    plausible: Plausible | None = None,
) -> PoolFit:
    """Fit the pool to tests.

    Args:
        log_likelihood: A row per kind of test, a column per value; the greatest of each row is 0.
        counts: How many tests there are of each kind.
        laws: Laws of the pool to begin with.
        start: Weights of an earlier fit, if there are any.
        rng: What the draws are drawn with.
        plausible: Other numbers of tests of each kind; None if the numbers are known.
    """
    likelihood, tests = np.exp(log_likelihood), float(counts.sum())
    weights, explained, chances = likeliest(likelihood, counts, laws, start)
    likely = _OWN_SHARE * chances + (1.0 - _OWN_SHARE) * _any_of_groups(laws, chances)
    begun = laws.weights[rng.choice(len(likely), DRAWS, p=likely)]
    worth = np.full(DRAWS, PSEUDO_TESTS)
    if plausible is None:
        known, readings = np.broadcast_to(counts, (DRAWS, len(counts))), np.zeros(DRAWS, np.int64)
    else:
        known, readings = plausible.counts, plausible.readings
        if plausible.former is not None:
            # Whatever changes, the pool as all tests have it is as good a guess as any law.
            begun[readings > 0] = plausible.former
            # Bit by bit, that pool has moved; it is worth as many tests as were forgotten.
            worth = np.clip(plausible.faded, PSEUDO_TESTS, _MOVED_TESTS)
            for reading in np.unique(readings[plausible.faded > 0.0]).tolist():
                rows = readings == reading
                latest = known[np.argmax(rows)]
                begun[rows] = moved(plausible.former, plausible.values, likelihood, latest)
    begun = begun.T
    pseudo = rng.gamma(np.maximum(worth * begun, _SMALLEST))
    counted = rng.gamma(np.ascontiguousarray(known.T))
    # What a pool begins with is forgotten slowly, and many tests say more than any law.
    near = _NEAR_LAWS if tests < _MANY else _NEAR_LAWS_OF_MANY / tests
    # The kernel goes from pool to pool: so these lie side by side.
    draws = np.ascontiguousarray(near * begun + (1.0 - near) * weights[:, None])
    maximise(likelihood, counted, pseudo, draws, _DRAW_STEPS)
    return PoolFit(weights, np.ascontiguousarray(draws.T), readings, explained)
