"""`oracle` against backward induction in NumPy, one row of it per number of samples.

The rival does the same Dinkelbach iteration from the same beginning. Each of its steps works on all
sums that d samples can have, at once; ours only on those between the boundaries.
"""

from collections.abc import Iterator

import numpy as np

from benchmarks.duel import Asked, Duel
from dwell import Beta, Signs, World
from dwell.optimum import Optimum, oracle

_A, _B, _CAP, _SETUP_COST = 8.0, 12.0, 2000, 100.0


def over_all_sums(start: float) -> float:
    """The best ROI, from a price to begin with."""
    price = start
    while True:
        reward, cost = _induct(price)
        roi = float(reward / (_SETUP_COST + cost))
        if not roi > price * (1.0 + 1e-12):
            return roi
        price = roi


def _induct(price: float) -> tuple[float, float]:
    """Reward and number of samples of the policy that is best at a price of a sample."""
    plus = np.arange(_CAP + 1.0)  # how many samples were +1
    reward = np.maximum(0.0, (_A - _B + 2.0 * plus - _CAP) / (_A + _B + _CAP))
    cost = np.zeros(_CAP + 1)
    for d in range(_CAP - 1, -1, -1):
        chance = (_A + plus[: d + 1]) / (_A + _B + d)
        mean = 2.0 * chance - 1.0
        onward = chance * reward[1:] + (1.0 - chance) * reward[:-1]
        samples = 1.0 + chance * cost[1:] + (1.0 - chance) * cost[:-1]
        at_once = np.maximum(0.0, mean)
        stops = (onward - price * samples <= at_once) & (d > 0)
        reward, cost = np.where(stops, at_once, onward), np.where(stops, 0.0, samples)
    return float(reward[0]), float(cost[0])


def duels() -> Iterator[Duel]:
    world = World(Beta(_A, _B), Signs())

    def ours() -> Optimum:
        return oracle(world, _CAP, _SETUP_COST)

    # What the best policy with half the cap earns: a fair beginning, which ours finds by itself.
    start = oracle(world, _CAP // 2, _SETUP_COST).roi
    np.testing.assert_allclose(over_all_sums(start), ours().roi, rtol=1e-9)
    yield Duel(
        name="oracle/numpy-rows",
        ours=ours,
        rival=lambda: over_all_sums(start),
        work=1,
        unit="optimum",
        asked=Asked(3.0),
    )
