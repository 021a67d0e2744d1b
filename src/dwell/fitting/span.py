"""Spans of tests: how many there are of each kind, and what they say of the pool of ideas."""

from dataclasses import dataclass

import numpy as np

from dwell.arrays import FloatArray, IntArray

_ROUNDING = 1e-9


@dataclass(slots=True)
class Span:
    """Tests in a row.

    Attributes:
        start: How many tests came before.
        tests: How many there are; a fraction counts where they have faded.
        kinds: Of what kinds.
        counts: How many of each.
        evidence: How likely they are under each shape of the pool, as logarithms.
        counted: How likely they seemed to be of the present pool when it was last fitted; 1 before.
        doubtful: Whether they may be from before or after the latest change that was shown.
    """

    start: int
    tests: float
    kinds: IntArray
    counts: FloatArray
    evidence: FloatArray
    counted: float = 1.0
    doubtful: bool = False

    @classmethod
    def at(cls, start: int, shapes: int) -> "Span":
        """A span that begins, still without a test."""
        return cls(start, 0.0, np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(shapes))

    def count(self, kinds: IntArray, counts: FloatArray) -> None:
        """Count so many tests of each of these kinds."""
        together = np.concatenate([self.kinds, kinds])
        self.kinds, places = np.unique(together, return_inverse=True)
        self.counts = np.bincount(places, np.concatenate([self.counts, counts])).astype(float)

    def add(self, kinds: IntArray) -> None:
        """Count tests of these kinds."""
        self.count(kinds, np.ones(len(kinds)))
        self.tests += len(kinds)

    def fits(self, shapes: int) -> bool:
        """Whether it can be a span of a learner that knows so many shapes."""
        return (
            len(self.kinds) == len(self.counts)
            and len(self.evidence) == shapes
            and min(self.kinds.min(initial=0), self.counts.min(initial=0.0)) >= 0
            and bool(np.isfinite(self.evidence).all())
            and 0.0 <= self.counted <= 1.0 + _ROUNDING
        )

    def join(self, later: "Span") -> None:
        """Let the tests that follow be part of it."""
        self.count(later.kinds, later.counts)
        together = max(1.0, self.tests + later.tests)
        self.counted += (later.counted - self.counted) * later.tests / together
        self.tests += later.tests
        self.evidence = self.evidence + later.evidence

    def fade(self, left: float) -> None:
        """Let each test be worth this much of what it was."""
        self.tests *= left
        self.counts = left * self.counts
        self.evidence = left * self.evidence
