"""Promises: what policies earn if accepted tests are worth what all of their samples say.

A law of values, in units of each test's noise, is fitted to the tests, and each test is worth the
mean of its value given the law and all of its samples. A policy that accepts some of them is then
promised the sum of theirs. Given all samples of a test its value has nothing more to do with what a
policy did there, so this is right on average if the law is; and as no single sample scores, it is
much less noisy than a score by what follows a decision.
"""

from dataclasses import dataclass

import numpy as np

from dwell.arrays import BoolArray, FloatArray
from dwell.history.replay.looked_replay import LookedReplay, Measured


@dataclass(frozen=True, slots=True)
class Promises:
    """Policies and what tests measured.

    Attributes:
        replay: The policies on the tests.
        measured: What the tests measured.
    """

    replay: LookedReplay
    measured: Measured

    @property
    def rewards(self) -> FloatArray:
        """What each policy is promised per test, by the law of all tests."""
        [worth] = self.measured.worth(np.ones((1, len(self.replay)), dtype=np.bool_))
        count = len(self.replay.policies)
        return np.array([float((self.replay.accepts(k) * worth).mean()) for k in range(count)])

    def by_group(self, parts: BoolArray, count: int) -> FloatArray:
        """What is promised in groups of tests: by part, policy and group.

        Args:
            parts: Which tests the law of each part is fitted to.
            count: How many groups tests are dealt out to, in turn.
        """
        worth = self.measured.worth(parts)
        found = np.empty((len(parts), len(self.replay.policies), count))
        for group in range(count):
            accepted = self.replay.accepted[group::count].T.astype(np.float64)
            there = np.ascontiguousarray(worth[:, group::count])
            np.einsum("kn,pn->pk", accepted, there, out=found[:, :, group])
        return found

    def measured_by_group(self, count: int) -> FloatArray:
        """What accepted tests measured, their noise included: by policy and group."""
        effects, accepted = self.measured.effects, self.replay.accepted
        groups = [effects[group::count] @ accepted[group::count] for group in range(count)]
        return np.column_stack(groups).astype(np.float64)


def promises_of(replay: object) -> Promises | None:
    """What policies are promised; None where nobody knows what the tests measured.

    Args:
        replay: Policies on tests.
    """
    if isinstance(replay, LookedReplay) and replay.measured is not None:
        return Promises(replay, replay.measured)
    return None
