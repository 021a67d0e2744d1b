"""The current rule: what teams do now, which candidates are compared with.

Most run each test to its end and ship it if it is far enough ahead. All samples of a test then
decide, and none is left to score the decision on. So each sample is left out in turn: the others
decide, and it scores. Given the idea's value all samples have the same law, so the mean over all of
them is unbiased for what the rule earns with one sample less.
"""

from dataclasses import dataclass
from math import nextafter
from typing import Protocol

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray, IntArray
from dwell.errors import InvalidInput
from dwell.families import fixed
from dwell.history.reading.block import Block
from dwell.history.replay.replay import replay_block
from dwell.parsing import whole
from dwell.policy import Policy
from dwell.sparse_policy import SparsePolicy

_SIGNIFICANT = 1.959964  # standard errors: 5 %, two-sided


@dataclass(frozen=True, slots=True)
class CurrentOutcomes:
    """The current rule on past tests.

    Attributes:
        durations: How many samples it drew in each.
        accepts: Whether it accepted, or how often of the times that it was asked.
        rewards: Unbiased estimates of what it earned.
        cap: The most samples that it draws in any test, also in those to come; None if that is not
            known: the longest test so far is no bound.
    """

    durations: IntArray
    accepts: FloatArray
    rewards: FloatArray
    cap: int | None

    def joined(self, *others: "CurrentOutcomes") -> "CurrentOutcomes":
        """These tests and others, one after another."""
        parts = (self, *others)
        caps = [part.cap for part in parts]
        return CurrentOutcomes(
            np.concatenate([part.durations for part in parts]),
            np.concatenate([part.accepts for part in parts]),
            np.concatenate([part.rewards for part in parts]),
            None if None in caps else max(cap for cap in caps if cap is not None),
        )


class CurrentRule(Protocol):
    """What is done now."""

    @property
    def name(self) -> str:
        """What to call the rule."""

    def on(self, block: Block) -> CurrentOutcomes:
        """The rule on a block of tests."""


@dataclass(frozen=True, slots=True)
class AtEnd:
    """Run each test to its end; ship it if it is more than z standard errors ahead.

    Attributes:
        z: How many; 0 to ship all that is ahead, 1.96 for what is significant at 5 %.

    Example:
        >>> import numpy as np
        >>> from dwell.history.reading.blocks import SampleBlock
        >>> block = SampleBlock(("blue",), np.array([3]), np.array([2.0, 1.0, -2.0]))
        >>> outcomes = AtEnd().on(block)
        >>> outcomes.accepts.round(2).tolist(), outcomes.rewards.round(2).tolist()
        ([0.33], [-0.67])
    """

    z: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "z", checks.not_negative("z", self.z))

    @property
    def name(self) -> str:
        """What to call the rule."""
        if not self.z:
            return "to the end, ship if ahead"
        return f"to the end, ship if {self.z:.3g} standard errors ahead"

    def on(self, block: Block) -> CurrentOutcomes:
        """The rule on a block of tests."""
        accepts, rewards = block.leave_one_out(self.z)
        return CurrentOutcomes(block.drawn, accepts, rewards, None)


@dataclass(frozen=True, slots=True)
class ByPolicy:
    """Run a policy as any candidate is run."""

    policy: Policy | SparsePolicy

    @property
    def name(self) -> str:
        """What to call the rule."""
        return f"the current policy, cap {self.policy.cap}"

    def on(self, block: Block) -> CurrentOutcomes:
        """The rule on a block of tests."""
        alone = replay_block(block, self.policy)
        return CurrentOutcomes(
            alone.durations(0).astype(np.int64),
            alone.accepts(0).astype(np.float64),
            alone.rewards(0),
            None if alone.in_periods else int(alone.caps[0]),
        )


def current_rule(given: AtEnd | Policy | SparsePolicy | None) -> CurrentRule:
    """A rule that was given: a policy, or each test to its end, which is meant by None.

    Example:
        >>> current_rule(None).name
        'to the end, ship if ahead'
    """
    if isinstance(given, Policy | SparsePolicy):
        return ByPolicy(given)
    if given is not None and not isinstance(given, AtEnd):
        raise InvalidInput(f"current must be a policy or AtEnd(z), got {given!r}")
    return given or AtEnd()


def parse_current(name: str, text: str) -> AtEnd | Policy | SparsePolicy:
    """The current rule as a person types it: ahead, significant, or a number of samples.

    Args:
        name: What the text was given as, for a refusal.
        text: The text.

    Example:
        >>> parse_current("--current", "ahead"), parse_current("--current", "64").cap
        (AtEnd(z=0.0), 64)
    """
    if text in ("ahead", "significant"):
        return AtEnd(0.0 if text == "ahead" else _SIGNIFICANT)
    try:
        size = whole(name, text)
        above_zero = nextafter(0.0, 1.0)
        if size <= checks.LONGEST_CAP:
            return fixed(size, above_zero)
        return SparsePolicy.fixed(size, above_zero)
    except InvalidInput:
        raise InvalidInput(
            f"{name} must be ahead, significant or a whole number of samples from 1 to 2^53, got "
            f"{checks.shown(text)}"
        ) from None
