"""The limits that earn the most on a pool of ideas.

All classes of noise pay from one purse, so that the best limits of all follow from one price of a
sample: the ROI of the whole (see `dwell.optimum`, which finds the best policy of one class to more
digits; this is made to be computed anew after every few tests).
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from dwell import checks
from dwell.arrays import FloatArray, IntArray
from dwell.errors import NothingWorthTesting
from dwell.kernels.pool_induction import even_sums, induct_pool
from dwell.kernels.pool_walk import spacings_for
from dwell.pools.classes import Fates, Limits, Pool, checked_looks, fates

_FARTHEST_LIMIT = 34.0  # standard errors: nobody gets there
_MOST_ROUNDS = 50
_SMALL_GAIN = 3e-3  # what is left to gain is about the square of the last gain


@dataclass(frozen=True, slots=True, eq=False)
class PoolOptimum:
    """The limits that earn the most on a pool.

    Attributes:
        limits: The limits.
        fates: What they do to each value.
        roi: Reward per cost.
        reward: Expected value of what is accepted, per test.
        cost: Expected cost per test: set-up and samples.
    """

    limits: Limits
    fates: Fates
    roi: float
    reward: float
    cost: float


def best_limits(
    pool: Pool,
    looks: IntArray,
    setup_cost: float = 0.0,
    *,
    start: float | None = None,
    discount: float = 0.0,
) -> PoolOptimum:
    """The limits with the highest ROI over the whole pool.

    Args:
        pool: The pool.
        looks: After how many samples a test may be looked at, in increasing order.
        setup_cost: What each test costs besides its samples.
        start: A guess at the ROI, such as that of a similar pool: it saves time.
        discount: Accepting is worth the value less this.

    Example:
        >>> pool = Pool.of([-1, 1], [0.9, 0.1], noise=[2, 8])
        >>> best = best_limits(pool, np.array([8, 16, 32, 64]), setup_cost=20)
        >>> round(best.roi, 5), best.limits.upper.shape
        (0.00172, (2, 4))
    """
    looks = checked_looks(looks)
    setup_cost = checks.not_negative("set-up cost", setup_cost)
    classes = [_Class.of(pool, row, looks, discount) for row in range(len(pool.noise))]
    one_look = _one_look_roi(classes, pool.shares, looks, setup_cost)
    if not one_look > 0.0:
        raise NothingWorthTesting(
            "nothing is worth testing here: no value of the pool that a look could show is above 0"
        )
    # What a single look earns is the least that can be earned.
    price = one_look if start is None else max(one_look, checks.finite("start", start))
    best = _at_price(pool, classes, looks, setup_cost, price, discount)
    if not best.roi > 0.0:  # the guess was far too high: at such a price all is dropped at once
        price = one_look
        best = _at_price(pool, classes, looks, setup_cost, price, discount)
    for _ in range(_MOST_ROUNDS):
        if abs(best.roi / price - 1.0) < _SMALL_GAIN:
            break
        price = best.roi
        best = _at_price(pool, classes, looks, setup_cost, price, discount)
    return best


@dataclass(frozen=True, slots=True, eq=False)
class _Class:
    """A class in units of its noise, seen from a drift between the values above and below 0."""

    center: float
    drifts: FloatArray
    masses: FloatArray
    promises: FloatArray
    spacings: FloatArray
    even: FloatArray

    @classmethod
    def of(cls, pool: Pool, row: int, looks: IntArray, discount: float) -> "_Class":
        held = pool.weights[row] > 0.0
        values, masses = pool.values[row][held], pool.weights[row][held]
        scaled, values = values / pool.noise[row], values - discount
        below, above = scaled[values < 0.0], scaled[values > 0.0]
        # Where all values have one sign, there is nothing to find out: limits lie beyond all sums.
        if not len(above):
            center, even = 0.0, _FARTHEST_LIMIT * np.sqrt(looks)
        elif not len(below):
            center, even = 0.0, -_FARTHEST_LIMIT * np.sqrt(looks)
        else:
            center = 0.5 * (below.max() + above.min())
            # In units of the largest value nothing underflows.
            even = even_sums(looks, scaled - center, masses, masses * values / abs(values).max())
        drifts = scaled - center
        return cls(center, drifts, masses, masses * values, spacings_for(looks, drifts), even)

    def limits(self, looks: IntArray, price: float) -> tuple[FloatArray, FloatArray]:
        """The best limits on z at a price."""
        lower, upper = self.even.copy(), self.even.copy()
        if self.promises.min() < 0.0 < self.promises.max():
            induct_pool(
                looks,
                self.spacings,
                self.drifts,
                self.masses,
                self.promises,
                self.even,
                price,
                lower,
                upper,
            )
            # Far beyond all sums, where nobody is dropped, the two may pass one another.
            lower = np.minimum(lower, upper)
        roots = np.sqrt(looks)
        return lower / roots + self.center * roots, upper / roots + self.center * roots


def _at_price(
    pool: Pool,
    classes: list[_Class],
    looks: IntArray,
    setup_cost: float,
    price: float,
    discount: float,
) -> PoolOptimum:
    """The best limits if a sample costs so much, and what they earn."""
    lower, upper = zip(*(each.limits(looks, price) for each in classes), strict=True)
    limits = Limits(looks, np.array(lower), np.array(upper))
    found = fates(pool.values, pool.noise, limits)
    masses = pool.shares[:, None] * pool.weights
    reward = float((masses * found.accept * (pool.values - discount)).sum())
    cost = setup_cost + float((masses * found.samples).sum())
    return PoolOptimum(limits, found, reward / cost, reward, cost)


def _one_look_roi(
    classes: list[_Class], shares: FloatArray, looks: IntArray, setup_cost: float
) -> float:
    """The highest ROI of policies that look but once, at the same time in all classes."""
    rewards = np.zeros(len(looks))
    for share, each in zip(shares, classes, strict=True):
        z = (np.outer(looks, each.drifts) - each.even[:, None]) / np.sqrt(looks)[:, None]
        rewards += share * (special.ndtr(z) @ each.promises)
    return float(np.max(rewards / (setup_cost + looks)))
