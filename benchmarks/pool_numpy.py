"""`best_limits` against the same recursion in NumPy, one matrix product per look.

The rival has our idea, a walk without drift that serves all values at once, and our beginning. Its
rows are all sums that count, where ours are those between the limits; it takes the limits to be
points of its lattice, so that it is right to three digits, ours to five.
"""

from collections.abc import Iterator

import numpy as np

from benchmarks.duel import Asked, Duel
from dwell.arrays import FloatArray
from dwell.pools.classes import Pool
from dwell.pools.limits import PoolOptimum, best_limits

_BATCH, _LOOKS, _SETUP_COST = 250, 80, 1000.0
_NOISE = np.array([0.1, 0.13, 0.16, 0.2, 0.25])
_POINTS_PER_STEP, _REACH = 3.0, 8.0


class Rows:
    """Likelihoods on a lattice of sums, made once: they do not depend on the price."""

    def __init__(self, pool: Pool):
        n = _BATCH * np.arange(1.0, _LOOKS + 1.0)[:, None, None]
        most = int(_REACH * np.sqrt(_LOOKS) * _POINTS_PER_STEP)
        self.sums: FloatArray = np.arange(-most, most + 1) * np.sqrt(_BATCH) / _POINTS_PER_STEP
        z = (self.sums - self.sums[:, None]) / np.sqrt(_BATCH)
        self.moves: FloatArray = np.exp(-0.5 * z**2) / (_POINTS_PER_STEP * np.sqrt(2.0 * np.pi))
        self.shares = pool.shares
        self.masses, self.promises = [], []
        for noise, values, weights in zip(pool.noise, pool.values, pool.weights, strict=True):
            drifts = values / noise
            likely = np.exp(drifts * (self.sums[:, None] - 0.5 * n * drifts))
            self.masses.append(likely @ weights)
            self.promises.append(likely @ (weights * values))

    def best(self, price: float) -> float:
        """The best ROI, from a price to begin with."""
        while True:
            reward, cost = 0.0, _SETUP_COST
            for share, mass, promise in zip(self.shares, self.masses, self.promises, strict=True):
                earned, samples = self._induct(price, mass, promise)
                reward, cost = reward + share * earned, cost + share * samples
            roi = reward / cost
            if abs(roi / price - 1.0) < 3e-3:
                return roi
            price = roi

    def _induct(self, price: float, mass: FloatArray, promise: FloatArray) -> tuple[float, float]:
        """Reward and samples of the limits that are best at a price of a sample."""
        reward, samples = np.maximum(promise[-1], 0.0), np.zeros(len(self.sums))
        for look in range(_LOOKS - 2, -1, -1):
            onward, more = (self.moves @ np.column_stack([reward, samples])).T
            more = more + _BATCH * mass[look]
            at_once = np.maximum(promise[look], 0.0)
            stops = onward - price * more <= at_once
            reward, samples = np.where(stops, at_once, onward), np.where(stops, 0.0, more)
        start = self.moves[len(self.sums) // 2]
        return float(start @ reward), float(start @ samples) + _BATCH


def duels() -> Iterator[Duel]:
    steps = np.linspace(-4.0, 4.0, 61)
    weights = np.exp(-0.5 * steps**2)
    values = 0.0225 * _NOISE[:, None] * steps - 0.001
    pool = Pool.of(values, weights / weights.sum(), _NOISE)
    looks = _BATCH * np.arange(1, _LOOKS + 1)

    def ours() -> PoolOptimum:
        return best_limits(pool, looks, _SETUP_COST)

    # Four fifths of what is to be found: a fair beginning, where ours finds its own.
    start = 0.8 * ours().roi
    rows = Rows(pool)
    np.testing.assert_allclose(rows.best(start), ours().roi, rtol=3e-3)
    yield Duel(
        name="pool/numpy-rows",
        ours=ours,
        rival=lambda: Rows(pool).best(start),
        work=1,
        unit="optimum",
        asked=Asked(5.0),
    )
    yield Duel(
        name="pool/numpy-rows/likelihoods-known",
        ours=ours,
        rival=lambda: rows.best(start),
        work=1,
        unit="optimum",
    )
