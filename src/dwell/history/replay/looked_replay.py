"""A replay at looks: rules of two limits on past tests, each test in units of its own noise.

All rules look at some of the same looks, and what is ahead where the part ends that rules may see
is shipped at the cost of that part: a rule whose cap is beyond it is the rule "at most four fifths
of what was planned". Scores are as in `replay`: by all that comes after a decision.

Of tests that are known by counts, figures are means over orders of their outcomes, and so are
numbers between 0 and 1 where others are one of the two.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dwell.arrays import BoolArray, FloatArray, IntArray
from dwell.fitting.shrunk import shrunk_effects
from dwell.history.reading.block import Block
from dwell.history.reading.counts_block import CountsBlock
from dwell.history.reading.looking import Looking
from dwell.history.replay.replay import Replay, replay_block
from dwell.policies import Policies

# Hundreds of rules on any number of tests: what is kept of each has seven digits.
Compact = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Measured:
    """What tests measured as a whole, an entry each.

    Attributes:
        effects: The mean of all samples.
        errors: Its standard error.
        sds: The standard deviation of one sample.
    """

    effects: FloatArray
    errors: FloatArray
    sds: FloatArray
    _worth: dict[tuple[int, bytes], FloatArray] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def worth(self, parts: BoolArray) -> FloatArray:
        """What each test (a column) is worth, under laws fitted to parts of the tests (rows).

        It is found once: an evaluation at another set-up cost asks for the same.
        """
        key = len(parts), np.packbits(parts).tobytes()
        if key not in self._worth:
            effects, errors = self.effects / self.sds, self.errors / self.sds
            self._worth[key] = shrunk_effects(effects, errors, parts) * self.sds
        return self._worth[key]


@dataclass(frozen=True, slots=True)
class LookedReplay:
    """Tests as seen by policies, a row per test and a column per policy.

    Attributes:
        policies: The policies.
        caps: The most samples that each may draw.
        lengths: How many samples each test has.
        drawn: How many samples each draws.
        accepted: The share of orders in which it accepts.
        earned: Unbiased estimates of what it earns.
        ended: In how many tests, on average over orders, what it may see ends first.
        in_periods: Whether they look at ends of periods only.
        moves: By policy, over all tests: how far sums of what it earns and draws vary with the
            orders that were drawn (their variances, and the covariance).
        orders: Over how many orders tests are averaged; 1 where there is nothing to average.
        measured: What the tests measured; None where policies were given.
    """

    policies: Policies
    caps: IntArray
    lengths: IntArray
    drawn: Compact
    accepted: Compact
    earned: FloatArray
    ended: FloatArray
    in_periods: bool
    moves: FloatArray
    orders: int = 1
    measured: Measured | None = None

    def __len__(self) -> int:
        return len(self.lengths)

    def durations(self, index: int) -> FloatArray:
        """How many samples a policy draws in each test."""
        return self.drawn[:, index].astype(np.float64)

    def accepts(self, index: int) -> FloatArray:
        """In which share of orders it accepts."""
        return self.accepted[:, index].astype(np.float64)

    def rewards(self, index: int) -> FloatArray:
        """Unbiased estimates of what it earns in each test."""
        return self.earned[:, index]

    def truncated(self, index: int) -> FloatArray:
        """In how many tests what it may see ends before it has stopped."""
        return self.ended[index : index + 1]

    @property
    def largest(self) -> float:
        """The size of the largest reward, or mean of a test."""
        earned = float(np.abs(self.earned).max(initial=0.0))
        if self.measured is None:
            return earned
        return max(earned, float(np.abs(self.measured.effects).max(initial=0.0)))

    def joined(self, *others: "LookedReplay") -> "LookedReplay":
        """This replay and others of the same policies, one after another."""
        parts = (self, *others)
        drawn, accepted, earned = (
            _stacked([getattr(part, name) for part in parts])
            for name in ("drawn", "accepted", "earned")
        )
        told = [part.measured for part in parts if part.measured is not None]
        measured = (
            Measured(
                *(
                    np.concatenate([getattr(each, name) for each in told])
                    for name in ("effects", "errors", "sds")
                )
            )
            if told
            else None
        )
        return LookedReplay(
            self.policies,
            np.max([part.caps for part in parts], axis=0),
            np.concatenate([part.lengths for part in parts]),
            drawn,
            accepted,
            earned,
            np.sum([part.ended for part in parts], axis=0),
            any(part.in_periods for part in parts),
            np.sum([part.moves for part in parts], axis=0),
            self.orders,
            measured,
        )


AnyReplay = Replay | LookedReplay


def _stacked(parts: list[Any]) -> Any:
    """Rows of all parts; each column lies in one piece, for columns are what is asked for."""
    rows = sum(len(part) for part in parts)
    whole = np.empty((rows, parts[0].shape[1]), dtype=parts[0].dtype, order="F")
    return np.concatenate(parts, out=whole)


def look_at(block: Block, looking: Looking, policies: Policies) -> LookedReplay:
    """Run rules of two limits on a block of past tests.

    Args:
        block: The tests, each of two samples (or periods) or more.
        looking: The rules, and how they look.
        policies: The same rules on sums, to show.
    """
    found = block.looked(looking)
    drawn = found.drawn.astype(np.float32)
    return LookedReplay(
        policies,
        np.maximum(np.array(policies.caps), np.ceil(drawn.max(axis=0, initial=0.0)).astype(int)),
        block.drawn,
        drawn,
        found.accepts.astype(np.float32),
        found.rewards,
        found.ended.sum(axis=0),
        block.in_periods,
        found.moves,
        looking.orders,
        Measured(found.effects, found.errors, found.sds),
    )


def average_over_orders(block: CountsBlock, policies: Policies, orders: int) -> LookedReplay:
    """Run given policies on tests that are known by counts, over orders of their outcomes.

    Args:
        block: The tests.
        policies: The policies; none may be a Python function.
        orders: How many orders to draw.
    """
    shape = (len(block.names), len(policies))
    # Shipped, drawn and earned; and the squares of what is earned and drawn, and their product.
    sums = np.zeros((6, *shape))
    ended, caps = np.zeros(len(policies)), np.array(policies.caps)
    for ordered in block.orders(orders):
        found = replay_block(ordered, policies)
        caps = np.maximum(caps, found.caps)
        for k in range(len(policies)):
            stops, rewards = found.durations(k).astype(np.float64), found.rewards(k)
            ended[k] += int(found.truncated(k).sum())
            sums[:3, :, k] += np.stack([found.accepts(k), stops, rewards])
            sums[3:, :, k] += np.stack([rewards**2, stops**2, rewards * stops])
    sums /= orders
    accepted, drawn, earned = sums[:3]
    apart = sums[3:] - np.stack([earned**2, drawn**2, earned * drawn])
    return LookedReplay(
        policies,
        caps,
        block.drawn,
        drawn.astype(np.float32),
        accepted.astype(np.float32),
        earned,
        ended / orders,
        block.in_periods,
        apart.sum(axis=1).T / max(orders - 1, 1),
        orders,
    )
