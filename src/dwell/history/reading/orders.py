"""Orders of the outcomes of a test that is known by counts, as rules would see them."""

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.history.reading.looking import Looking
from dwell.kernels.counted_sizes import at_sizes, room
from dwell.kernels.orders import looks_of, over_orders, place_arms

_COUNTABLE = 10**9  # users among whom NumPy draws without replacement
_RARE = 1e-3
# Up to so many ones are placed one by one; of more, numbers between looks are drawn.
_MOST_PLACED, _MOST_USERS = 4_096, 2**22
# Orders of rules that do not lead.
_FEW = 32


class Orders:
    """Rules on tests, over orders of their outcomes.

    Args:
        looking: The rules, and over how many orders.
    """

    def __init__(self, looking: Looking):
        self._looking = looking
        self._sizes, self._shapes, self._limits = looking.sizes, looking.shapes, looking.limits
        once = np.array([rule.looks_once for rule in looking.rules], dtype=np.bool_)
        leads = np.full(len(once), looking.leading is None)
        leads[list(looking.leading or ())] = True
        self._once, self._often = np.flatnonzero(once), ~once
        self._leads = leads

    def run(
        self,
        users: IntArray,
        ones: IntArray,
        visible: int,
        even: bool,
        key: int,
        seed: int,
        found: FloatArray,
    ) -> FloatArray:
        """All rules on one test.

        Args:
            users: How many users control and treatment have.
            ones: How many of each converted.
            visible: How many samples rules may see.
            even: Whether each sample is a user of each arm.
            key: A number for the test, by its name …
            seed: … with which orders are drawn.
            found: Filled with means over orders, a row per rule.

        Returns:
            How far means of rewards and samples vary with the orders that are drawn, a row per
            rule: their variances, and the covariance.
        """
        grid, noise = self._looking.grid, self._looking.noise
        drawn = np.empty(len(grid) + 1, dtype=np.int64)
        arms = np.empty((len(grid) + 1, 2), dtype=np.int64)
        count = looks_of(users, visible, even, grid, drawn, arms)
        drawn, arms = drawn[:count], arms[:count]
        countable = int(users.max()) < _COUNTABLE
        if countable:
            chances = np.empty((2, room(users, ones)))
            rows = self._once
            at_sizes(
                users, ones, drawn, arms, *noise, self._sizes, self._limits, rows, chances, found
            )
        moves = np.zeros((len(found), 3))
        often = self._often | (not countable)
        leading, others = np.flatnonzero(often & self._leads), np.flatnonzero(often & ~self._leads)
        if not len(leading) + len(others):
            return moves
        before = self._before(users, ones, arms, key, seed)
        for rows, told in ((leading, before), (others, before[:_FEW])):
            means, spread = np.empty((len(rows), 4)), np.empty((len(rows), 3))
            over_orders(
                users,
                ones,
                drawn,
                arms,
                told,
                *noise,
                self._sizes[rows],
                self._shapes,
                self._limits[rows],
                means,
                spread,
            )
            found[rows] = means
            moves[rows] = spread / max(len(told) - 1, 1)
        return moves

    def _before(
        self, users: IntArray, ones: IntArray, arms: IntArray, key: int, seed: int
    ) -> IntArray:
        """How many ones of each arm come before each look, by order."""
        orders = self._looking.orders
        before = np.empty((orders, 2, len(arms)), dtype=np.int64)
        rare = np.minimum(ones, users - ones).max()
        if rare <= _MOST_PLACED and users.max() <= _MOST_USERS:
            mixed = (key ^ (seed * 0x9E3779B97F4A7C15)) & (2**64 - 1)
            place_arms(users, ones, arms, np.array([mixed], dtype=np.uint64), before)
            return before
        rng = np.random.Generator(np.random.Philox(key=np.array([seed, key], dtype=np.uint64)))
        for arm in range(2):
            parts = np.append(np.diff(arms[:, arm], prepend=0), users[arm] - arms[-1, arm])
            for order in range(orders):
                fallen = ones_by_stretch(parts, int(ones[arm]), rng)
                before[order, arm] = np.cumsum(fallen)[:-1]
        return before


def ones_by_stretch(sizes: IntArray, ones: int, rng: np.random.Generator) -> IntArray:
    """How many of so many ones fall into each stretch, all orders being equally likely.

    Exact up to 10^9 users; beyond, within a thousandth of its standard deviation.

    Args:
        sizes: How many users each stretch has.
        ones: How many of all users convert.
        rng: What they are drawn from.

    Example:
        >>> found = ones_by_stretch(np.array([10, 10, 20]), 12, np.random.default_rng(0))
        >>> found.sum(), bool((found <= [10, 10, 20]).all())
        (np.int64(12), True)
    """
    users = int(sizes.sum())
    if users < _COUNTABLE:
        return rng.multivariate_hypergeometric(sizes, ones, method="marginals")
    found = np.zeros(len(sizes), dtype=np.int64)
    for place, size in enumerate(sizes.tolist()):
        found[place] = _ones_among(size, users, ones, rng)
        users, ones = users - size, ones - int(found[place])
    return found


def _ones_among(size: int, users: int, ones: int, rng: np.random.Generator) -> int:
    """How many of the ones are among the first `size` of so many users."""
    if size == users or not ones:
        return ones
    rare, share = min(ones, users - ones), size / users
    if users < _COUNTABLE:
        drawn = int(rng.hypergeometric(rare, users - rare, size))
    elif rare <= _RARE * users:
        drawn = int(rng.binomial(rare, share))
    else:
        variance = rare * share * (1.0 - share) * ((users - rare) / (users - 1))
        drawn = round(rare * share + float(np.sqrt(variance)) * float(rng.standard_normal()))
    drawn = min(max(drawn, size - (users - rare), 0), size, rare)
    return drawn if rare == ones else size - drawn
