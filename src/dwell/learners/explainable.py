"""A rule that people can say, and what it costs to run that instead of the best boundaries.

The family is `plan`'s: two limits in standard errors that shrink evenly to 0, and fixed sizes. It
is searched for a pool of ideas as fitted, so that what it earns less than the best is known.
"""

from dataclasses import dataclass, replace
from itertools import product
from math import sqrt
from typing import NamedTuple

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.errors import InvalidInput
from dwell.families import dropped_in_words, fixed, shrinking
from dwell.fitting.dependence import effective_samples
from dwell.kernels.pool_lattice import walk_signs
from dwell.policy import Policy
from dwell.pools.best import GridPool, PoolBest
from dwell.pools.classes import Limits, fates
from dwell.pools.normal import NormalPool
from dwell.pools.signs import SignsPool

_SHIP = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5)
_DROP = (-0.5, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0)
# Limits that are tried at every length, and how many of the best rules are then made better.
_COARSE = tuple(product(range(1, len(_SHIP), 2), range(0, len(_DROP), 2)))
_REFINED = 8
_MOST_LENGTHS = 16
_ROUNDING = 1e-9


class Simple(NamedTuple):
    """One of the family. A standard error is that of the samples so far, dependence included.

    Attributes:
        length: After how many samples its limits have shrunk to 0.
        ship: The upper limit before the first sample, in standard errors above 0; None for a fixed
            size, at the end of which what is above 0 is shipped.
        drop: The lower one, in standard errors below 0.
    """

    length: int
    ship: float | None = None
    drop: float = 0.0

    def policy(self, looks: IntArray, sd: float) -> Policy:
        """Its boundaries, if one may look after given numbers of samples."""
        if self.ship is None:
            return fixed(self.length, float(np.nextafter(0.0, 1.0)))
        within = looks[looks <= self.length]
        return shrinking(self.length, within, ship=self.ship, drop=self.drop, sd=sd)

    @property
    def words(self) -> str:
        """The rule, in words.

        Example:
            >>> Simple(9).words
            'draw 9 samples, and ship what is above 0'
            >>> print(*Simple(40, 2.0, 0.5).words.split("; "), sep=chr(10))
            at first ship what is 2 standard errors above 0, and drop what is 0.5 below
            both limits shrink evenly, to 0 after 40 samples, when what is above 0 is shipped
        """
        if self.ship is None:
            samples = f"{self.length:,} sample{'' if self.length == 1 else 's'}"
            return f"draw {samples}, and ship what is above 0"
        dropped = dropped_in_words(self.drop, f"{abs(self.drop):g}")
        return (
            f"at first ship what is {self.ship:g} standard errors above 0, and drop {dropped}; "
            f"both limits shrink evenly, to 0 after {self.length:,} samples, when what is above 0 "
            "is shipped"
        )


@dataclass(frozen=True, slots=True)
class Explained:
    """A rule that people can say.

    Attributes:
        rule: Its boundaries, what they do to each value, and their ROI under the fitted pool.
        words: The rule, in words.
        lost: Which share of the ROI of the best boundaries it does not earn; 0 if these earn
            nothing.
    """

    rule: PoolBest
    words: str
    lost: float


def explainable(
    pool: GridPool,
    weights: FloatArray,
    setup_cost: float,
    *,
    best: PoolBest,
    factor: float = 1.0,
    discount: float = 0.0,
) -> Explained:
    """The best rule for a pool that people can say.

    A few limits are tried at many lengths; then those of the best are made better step by step.

    Args:
        pool: What can be said of pools from tests.
        weights: Of the pool's values.
        setup_cost: What each test costs besides its samples.
        best: The best boundaries for it, to compare with.
        factor: How many samples of a test are worth an independent one.
        discount: Accepting is worth the value less this.

    Example:
        >>> pool = SignsPool(cap=64)
        >>> normal = pool.laws.weights[17]
        >>> found = explainable(pool, normal, 20.0, best=pool.best(normal, 20.0))
        >>> found.words.split("; ")[0], round(found.lost, 2)
        ('at first ship what is 2 standard errors above 0, and drop what is 1.5 below', 0.01)
    """
    tried: dict[Simple, PoolBest] = {}
    terms = _terms(pool, factor)

    def earned(rule: Simple) -> float:
        if rule not in tried:
            found = terms.figures(rule)
            tried[rule] = replace(found, roi=float(found.roi_under(weights, setup_cost, discount)))
        return tried[rule].roi

    for length in terms.lengths:
        earned(Simple(length))
        if length > terms.looks[0]:  # else there is one look only
            for place in _COARSE:
                earned(_rule(length, place))
    for rule in sorted(tried, key=earned)[-_REFINED:]:
        better = rule
        while better.ship is not None:
            place = _SHIP.index(better.ship), _DROP.index(better.drop)
            top = max((_rule(rule.length, near) for near in _neighbours(place)), key=earned)
            if earned(top) <= earned(better):
                break
            better = top
    chosen = max(tried, key=lambda rule: tried[rule].roi)
    found = tried[chosen]
    lost = 1.0 - found.roi / best.roi if best.roi > 0.0 else 0.0
    stretched = chosen._replace(length=found.policy.cap)
    return Explained(found, stretched.words, max(0.0, lost))


def _rule(length: int, place: tuple[int, int]) -> Simple:
    return Simple(length, _SHIP[place[0]], _DROP[place[1]])


def _neighbours(place: tuple[int, int]) -> list[tuple[int, int]]:
    """Limits that are one step wider or narrower, of which the upper is above the lower."""
    around = [(place[0] + up, place[1] + down) for up, down in product((-1, 0, 1), repeat=2)]
    return [
        (up, down)
        for up, down in around
        if 0 <= up < len(_SHIP) and 0 <= down < len(_DROP) and _SHIP[up] + _DROP[down] > 0.0
    ]


@dataclass(frozen=True, slots=True)
class _Terms:
    """What rules do to the values of a pool.

    Attributes:
        pool: The pool.
        factor: How many samples are worth an independent one.
        looks: After how many samples one may look: of signs, after how many independent ones.
        drawn: How many samples these are.
    """

    pool: SignsPool | NormalPool
    factor: float
    looks: IntArray
    drawn: IntArray

    @property
    def lengths(self) -> list[int]:
        """Lengths to try: some of the looks, on a growing scale."""
        places = np.geomspace(1, len(self.looks), min(len(self.looks), _MOST_LENGTHS)).round()
        return [int(look) for look in self.looks[np.unique(places.astype(int)) - 1]]

    def figures(self, rule: Simple) -> PoolBest:
        """What a rule does to each value; its ROI is left open."""
        pool, root = self.pool, sqrt(self.factor)
        if isinstance(pool, NormalPool):
            return met_by(pool, rule.policy(self.looks, pool.noise * root), self.factor)
        found = met_by(pool, rule.policy(self.looks, 1.0))
        if self.factor > 1.0:
            # As many samples as are worth those of the rule: the first counts in full.
            length = int(self.drawn[np.searchsorted(self.looks, rule.length)])
            policy = rule._replace(length=length).policy(self.drawn, root)
            samples = self.factor * (found.samples - 1.0) + 1.0
            found = replace(found, policy=policy, samples=samples)
        return found


def met_by(pool: GridPool, policy: Policy, factor: float = 1.0) -> PoolBest:
    """What any boundaries do to each value of a pool; their ROI is left at 0.

    Args:
        pool: What can be said of pools from tests.
        policy: The boundaries.
        factor: How many samples of a test are worth an independent one.

    Example:
        >>> met_by(SignsPool(cap=4), fixed(4, 1)).samples.round(6).max().item()
        4.0
    """
    values = pool.values
    looks = np.flatnonzero(np.isfinite(policy.lower) | np.isfinite(policy.upper)) + 1
    lower, upper = policy.lower[looks - 1], policy.upper[looks - 1]
    if isinstance(pool, NormalPool):
        noise = pool.noise * sqrt(factor)
        roots = noise * np.sqrt(looks)
        limits = Limits(looks, (lower / roots)[None, :], (upper / roots)[None, :])
        met = fates(values[None, :], np.array([noise]), limits)
        return PoolBest(policy, values, met.accept[0], met.samples[0], 0.0)
    # Of signs that depend on one another, by tests counted in independent ones.
    worth = np.floor(effective_samples(looks.astype(np.float64), factor) + _ROUNDING)
    counted, places = np.unique(worth.astype(np.int64), return_index=True)
    shares = counted / looks[places]
    low, high = np.full(counted[-1], -np.inf), np.full(counted[-1], np.inf)
    low[counted - 1] = _whole(lower[places] * shares)
    high[counted - 1] = _whole(upper[places] * shares)
    accepts, samples = np.empty(len(values)), np.empty(len(values))
    walk_signs(low, high, values, accepts, samples)
    return PoolBest(policy, values, accepts, factor * (samples - 1.0) + 1.0, 0.0)


def _whole(sums: FloatArray) -> FloatArray:
    """Sums that are whole numbers but for rounding are made so: ties then count as on paper."""
    whole = np.rint(sums)
    return np.where(np.isclose(sums, whole, rtol=0.0, atol=_ROUNDING), whole, sums)


def _terms(pool: GridPool, factor: float) -> _Terms:
    match pool:
        case NormalPool():
            return _Terms(pool, factor, pool.looks, pool.looks)
        case SignsPool():
            drawn = 1 + np.flatnonzero(pool.looks)
            worth = np.floor(effective_samples(drawn.astype(np.float64), factor) + _ROUNDING)
            looks, places = np.unique(worth.astype(np.int64), return_index=True)
            return _Terms(pool, factor, looks, drawn[places])
        case _:
            raise InvalidInput(
                f"rules in words need a pool of signs or of normal samples, got {pool!r}"
            )
