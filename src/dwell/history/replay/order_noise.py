"""Order noise: how far figures of counted tests hang on the orders of outcomes that were drawn.

Fixed sizes and the current rule are exact. Of others the mean over R orders is off by 1 / sqrt(R)
of what one order is: so many are drawn that this is a small part of the error that the tests
themselves leave, as it turns out on the same log.
"""

from math import ceil, sqrt
from typing import NamedTuple

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.history.replay.current_rule import CurrentOutcomes
from dwell.history.replay.looked_replay import AnyReplay, LookedReplay
from dwell.history.replay.promises import promises_of
from dwell.history.replay.scores import AllScores, Scores, error_of

# At a twenty-fifth another seed moves a gain by a tenth of its standard error once in 12 times.
_SHARE = 1.0 / 25.0
_TOLD = 0.1
_MOST, _MOST_GIVEN = 1_024, 64
_MARGIN = 1.1
# So many policies may be chosen at a set-up cost; so many more need not be far off.
_CHOSEN, _LEADING = 10, 25
# Set-up costs that count besides the one that is given, in mean lengths of a test.
_SETUPS = (0.0, 0.1, 1.0, 10.0)


class OrderNoise(NamedTuple):
    """What orders do to figures, and what to do about it.

    Attributes:
        share: The part of a gain's error that comes from the orders drawn: the largest, of policies
            that may be chosen.
        orders: How many are enough; no more than now where they are, or where no more are drawn.
        leading: The policies that it matters for, by number.
    """

    share: float
    orders: int
    leading: frozenset[int]

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence where figures hang on the orders more than they should."""
        if self.share <= _TOLD:
            return ()
        return (
            f"{self.share:.0%} of the error of leading policies comes from the orders of outcomes "
            "that were drawn: another seed gives slightly different figures",
        )


def order_noise(replay: AnyReplay, current: CurrentOutcomes, setup_cost: float) -> OrderNoise:
    """How far figures hang on orders.

    Args:
        replay: The policies on the tests.
        current: The current rule on the same tests.
        setup_cost: What each test costs besides its samples.
    """
    if not isinstance(replay, LookedReplay) or len(replay) < 2:
        return OrderNoise(0.0, 1, frozenset())
    promises = promises_of(replay)
    drawn = np.array([replay.durations(k).mean() for k in range(len(replay.policies))])
    earned = (
        np.array([replay.rewards(k).mean() for k in range(len(drawn))])
        if promises is None
        else promises.rewards
    )
    length = float(replay.lengths.mean())
    leading: set[int] = set()
    largest = 0.0
    for setup in {setup_cost, *(share * length for share in _SETUPS)}:
        ranked: IntArray = np.argsort(-earned / (drawn + setup), kind="stable")
        leading |= set(ranked[:_LEADING].tolist())
        share = _share(replay, current, setup, ranked[:_CHOSEN].tolist())
        largest = max(largest, share)
    orders = replay.orders
    if largest > _SHARE:
        most = _MOST if promises is not None else _MOST_GIVEN
        orders = max(orders, min(ceil(_MARGIN * orders * (largest / _SHARE) ** 2), most))
    return OrderNoise(largest, orders, frozenset(leading))


def _share(
    replay: LookedReplay, current: CurrentOutcomes, setup_cost: float, which: list[int]
) -> float:
    """The largest share of a gain's error, of some policies."""
    now = Scores(current.rewards, current.durations.astype(np.float64), None, setup_cost)
    theirs: FloatArray = now.influence
    scores = AllScores(replay, setup_cost)
    largest = 0.0
    for index in which:
        one = scores[index]
        rewards, samples, together = replay.moves[index].tolist()
        moved = rewards + one.ratio**2 * samples - 2.0 * one.ratio * together
        error = error_of(one.influence - theirs) * float(one.costs.sum())
        if error > 0.0:
            largest = max(largest, sqrt(max(moved, 0.0)) / error)
    return largest
