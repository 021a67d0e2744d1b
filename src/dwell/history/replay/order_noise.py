"""Order noise: how far figures of counted tests hang on the orders of outcomes that were drawn.

Fixed sizes and the current rule are exact. Of others the mean over R orders is off by 1 / sqrt(R)
of what one order is: so many are drawn that this is a small part of the error that the tests
themselves leave, as it turns out on the same log.
"""

from math import ceil, sqrt

import numpy as np

from dwell.history.replay.looked_replay import AnyReplay, LookedReplay
from dwell.history.replay.promises import promises_of
from dwell.history.replay.scores import AllScores, error_of

# At a thirtieth another seed moves a figure by a tenth of its standard error once in 30 times.
_SHARE = 1.0 / 30.0
_TOLD = 0.1
_MOST, _MOST_GIVEN = 2_048, 64
_MARGIN = 1.15
_LEADING = 10  # policies that may be chosen


def order_share(replay: AnyReplay, setup_cost: float) -> float:
    """The part of an ROI's error that comes from the orders drawn: the largest of leading ones.

    Args:
        replay: The policies on the tests.
        setup_cost: What each test costs besides its samples.
    """
    if not isinstance(replay, LookedReplay) or len(replay) < 2:
        return 0.0
    scores = AllScores(replay, setup_cost)
    promises = promises_of(replay)
    earned = promises.rewards if promises else np.array([one.rewards.mean() for one in scores])
    paid = np.array([one.costs.mean() for one in scores])
    largest = 0.0
    for index in np.argsort(-earned / paid, kind="stable")[:_LEADING].tolist():
        one = scores[index]
        rewards, samples, together = replay.moves[index].tolist()
        moved = rewards + one.ratio**2 * samples - 2.0 * one.ratio * together
        error = error_of(one.influence) * float(one.costs.sum())
        if error > 0.0:
            largest = max(largest, sqrt(max(moved, 0.0)) / error)
    return largest


def orders_wanted(replay: AnyReplay, setup_cost: float) -> int:
    """How many orders are enough; as many as there are, where these are or no more are drawn.

    Args:
        replay: The policies on the tests.
        setup_cost: What each test costs besides its samples.
    """
    if not isinstance(replay, LookedReplay):
        return 1
    share = order_share(replay, setup_cost)
    if share <= _SHARE:
        return replay.orders
    most = _MOST if replay.measured is not None else _MOST_GIVEN
    wanted = ceil(_MARGIN * replay.orders * (share / _SHARE) ** 2)
    return max(min(wanted, most), replay.orders)


def order_notes(replay: AnyReplay, setup_cost: float) -> tuple[str, ...]:
    """A sentence where figures hang on the orders more than they should.

    Args:
        replay: The policies on the tests.
        setup_cost: What each test costs besides its samples.
    """
    share = order_share(replay, setup_cost)
    if share <= _TOLD or not isinstance(replay, LookedReplay):
        return ()
    return (
        f"{share:.0%} of the error of leading policies comes from the {replay.orders:,} orders of "
        "outcomes that were drawn: another seed gives slightly different figures",
    )
