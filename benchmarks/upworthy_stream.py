"""Real headline tests as a stream: what can be seen of each test at its looks, and its score."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dwell import Policies, Policy
from dwell.arrays import BoolArray, FloatArray, IntArray
from dwell.learners.design import Design
from dwell.periods import Periods, scan_periods
from dwell.policies import AnyPolicy
from dwell.records import Records

BATCH = 250  # pairs from look to look
SCORED = 0.2  # the last part of each test, for scoring only
_KEPT = BATCH // 2  # pairs at least for an estimate after the last look, where one is asked for


@dataclass(frozen=True, slots=True)
class Tests:
    """Tests, an entry each.

    Attributes:
        arms: Impressions and clicks of control and of treatment.
        lengths: How many pairs there are.
        usable: How many of them come before those that only score.
    """

    arms: tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]
    lengths: IntArray
    usable: IntArray

    @classmethod
    def read(cls, path: Path) -> "Tests":
        """The tests of a file."""
        rows = np.loadtxt(path, delimiter=",", skiprows=1, dtype=np.int64)
        return cls.of((rows[:, 2], rows[:, 3]), (rows[:, 4], rows[:, 5]))

    @classmethod
    def of(
        cls, control: tuple[IntArray, IntArray], treatment: tuple[IntArray, IntArray]
    ) -> "Tests":
        """Tests from impressions and clicks of both arms."""
        lengths = np.minimum(control[0], treatment[0])
        usable = lengths - np.ceil(SCORED * lengths).astype(np.int64)
        return cls((control, treatment), lengths, usable)

    def __len__(self) -> int:
        return len(self.lengths)

    def held_out(self) -> "Tests":
        """A half of the tests, drawn once and for all."""
        kept = np.random.default_rng(99).permutation(len(self)) % 2 == 1
        control, treatment = ((shown[kept], clicked[kept]) for shown, clicked in self.arms)
        return Tests.of(control, treatment)

    def shuffled(self, rng: np.random.Generator, null: bool) -> "Tests":
        """The tests in random order; if null, the clicks of each fall to its arms at random."""
        order = rng.permutation(len(self))
        (control, clicks), (treatment, more) = (
            (shown[order], clicked[order]) for shown, clicked in self.arms
        )
        if null:
            both = clicks + more
            clicks = rng.hypergeometric(both, control + treatment - both, control)
            more = both - clicks
        return Tests.of((control, clicks), (treatment, more))


class Stream:
    """All tests once, in random order, and the clicks of each in random order.

    Attributes:
        samples: The pairs at each look, a row per test; the last look repeats where there are no
            more.
        totals: The sums of these pairs.
        noise: The standard deviation of a pair as it seems at each look.
        last: The look at which a test ends, an entry per test.
        score: The mean of the pairs that only score.
    """

    def __init__(self, tests: Tests, rng: np.random.Generator, null: bool = False):
        tests = tests.shuffled(rng, null)
        ends = np.cumsum(tests.lengths)
        starts = ends - tests.lengths
        observations, clicked = np.zeros((2, ends[-1]), dtype=np.int8)
        for arm, sign in zip(tests.arms, (-1, 1), strict=True):
            places = _clicks(tests, arm, starts, rng)
            observations[places] += sign
            clicked[places] += 1
        # Where each test stands in the line of observations, and sums up to each of them.
        self._starts, self._usable = starts, tests.usable
        self._observations = observations
        self._sums = np.concatenate([[0], np.cumsum(observations, dtype=np.int32)])
        clicks = np.concatenate([[0], np.cumsum(clicked, dtype=np.int32)])
        looks = -(-tests.usable.max() // BATCH)
        self.samples: IntArray = np.minimum(
            BATCH * np.arange(1, looks + 1), tests.usable[:, None]
        ).astype(np.int64)
        places = starts[:, None] + self.samples
        self.totals: FloatArray = (self._sums[places] - self._sums[starts][:, None]).astype(float)
        # One click at least: nobody knows a rate to be 0.
        rate = np.maximum(clicks[places] - clicks[starts][:, None], 1) / (2.0 * self.samples)
        self.noise: FloatArray = np.sqrt(2.0 * rate * (1.0 - rate))
        self.last: IntArray = -(-tests.usable // BATCH) - 1
        scored = tests.lengths - tests.usable
        self.score: FloatArray = (self._sums[ends] - self._sums[ends - scored]) / scored

    def __len__(self) -> int:
        return len(self.score)

    def batches(self, test: int) -> Periods:
        """What a test shows, batch by batch, in units of its noise as it seems by then."""
        seen = self.last[test] + 1
        counts = np.diff(self.samples[test, :seen], prepend=0)
        sums = np.diff(self.totals[test, :seen], prepend=0.0)
        return Periods(np.array([seen]), counts, sums).in_units_of(self.noise[test, :seen])

    def outcomes(self, policies: Policies, first: int, last: int) -> tuple[IntArray, BoolArray]:
        """How many pairs policies draw of tests `first` to `last`, and which they accept.

        Policies are in units of a test's noise. Where a test ends they decide as at their cap; all
        end early enough to leave some pairs for an estimate.
        """
        looks = np.maximum((self._usable[first:last] - _KEPT) // BATCH, 1)
        made = np.arange(self.samples.shape[1]) < looks[:, None]
        counts = np.diff(self.samples[first:last], axis=1, prepend=0)[made]
        sums = np.diff(self.totals[first:last], axis=1, prepend=0.0)[made]
        periods = Periods(looks, counts, sums).in_units_of(self.noise[first:last][made])
        outcomes = scan_periods(periods, policies)
        ahead = self._ahead(first, last, looks)[:, None] >= [_at_cap(policy) for policy in policies]
        accepted = np.where(outcomes.decisions < 0, ahead, outcomes.decisions == 1)
        return outcomes.durations, accepted

    def _ahead(self, first: int, last: int, looks: IntArray) -> FloatArray:
        """The sums at the last looks, in units of the noise."""
        tests = np.arange(first, last)
        found: FloatArray = self.totals[tests, looks - 1] / self.noise[tests, looks - 1]
        return found

    def records(self, design: Design, first: int, last: int) -> Records:
        """What tests `first` to `last` teach about the policies of a design.

        A policy's reward is estimated by the clicks of the pairs that follow its acceptance: as
        many as are asked for, or as many as there are.
        """
        stops, accepted = self.outcomes(design.policies, first, last)
        left = self._usable[first:last, None] - stops
        after = np.where(accepted, np.minimum(design.extras, left), 0)
        estimates = None
        if design.extras:
            begins = self._starts[first:last, None] + stops
            estimates = (self._sums[begins + after] - self._sums[begins]) / np.maximum(after, 1)
        drawn = (stops + after).max(axis=1)
        return Records(
            stops.astype(np.int32), accepted.astype(np.int8), estimates, drawn.astype(np.int64)
        )


def _at_cap(policy: AnyPolicy) -> float:
    assert isinstance(policy, Policy)
    return float(policy.upper[-1])


def _clicks(
    tests: Tests, arm: tuple[IntArray, IntArray], starts: IntArray, rng: np.random.Generator
) -> IntArray:
    """Where the clicks of an arm fall in the line of all observations."""
    found: list[IntArray] = []
    for impressions, clicks, start, length in zip(*arm, starts, tests.lengths, strict=True):
        places = rng.choice(impressions, clicks, replace=False, shuffle=False)
        found.append(start + places[places < length])
    return np.concatenate(found)
