"""Users: rows of two arms as samples.

Where a test's arms are split evenly at all times, the first treated outcome minus the first
untreated one is a sample, and so on. Where arms differ in size by more than chance, where the
treated share changes with time, or where the log has periods, means are compared within short
stretches of time (or periods) instead, by all users.
"""

from dataclasses import dataclass

import numpy as np

from dwell.arrays import BoolArray, FloatArray, IntArray, starts_of
from dwell.fitting.sample_ratio import MISMATCH, sample_ratio_p_values
from dwell.history.reading.block import Block
from dwell.history.reading.blocks import PeriodBlock, SampleBlock, chosen
from dwell.history.reading.forms.arms import Comparisons, comparisons
from dwell.history.reading.forms.stretches import Stretches, compared, stretches_of
from dwell.history.reading.mixed_block import block_of
from dwell.history.reading.quality import Quality
from dwell.history.reading.rows import Rows
from dwell.history.reading.validation import Validator

# What the largest deviation from a constant split exceeds with a probability of 0.001, by
# Kolmogorov's law.
_DEVIATION = 1.9495


def users(rows: Rows, validator: Validator) -> Block:
    """Pairs where arms are split evenly at all times, and stretches of time elsewhere."""
    validator.order(rows)
    found = comparisons(rows, validator)
    told, starts = found.rows, found.starts
    timeline = _timeline(found, validator)
    controls, treated = timeline.controls, timeline.treated
    apart = timeline.uneven | validator.by_period | validator.within_time
    samples = _pairs(found, timeline, ~apart)
    stretches, unused = _stretched(timeline, apart, validator.by_period)
    periods = PeriodBlock(chosen(found.names, apart), *stretches)
    drawn = np.empty(len(starts), dtype=np.int64)
    drawn[~apart], drawn[apart] = samples.drawn, periods.drawn
    quality = Quality(
        tests=len(starts),
        samples=int(drawn.sum()),
        unpaired=unused + int(np.abs(controls - treated)[~apart].sum()),
        short_tests=validator.short(drawn, told, starts),
        constant_tests=validator.constant(samples.samples, samples.lengths, told, starts[~apart]),
        gaps=validator.gaps(told, starts),
        out_of_range=validator.outside(told["outcome"], told),
        controls=int(controls.sum()),
        treated=int(treated.sum()),
        mismatched=validator.mismatched(controls, treated, told, starts),
        within_time=0 if validator.by_period else int(apart.sum()),
        own_numbers=0 if validator.by_period else int((apart & timeline.numbered_apart).sum()),
    )
    halves = _halves(timeline, ~apart & ~timeline.numbered_apart)
    return block_of(apart, samples, periods, found.quality + quality + halves)


@dataclass(frozen=True, slots=True)
class _Timeline:
    """Users of comparisons, in the order of time.

    Attributes:
        tests: Which comparison each is of, counted from 0.
        sides: 1 for treated ones, 0 for others.
        times: When they came: users with the same came together.
        outcomes: Their outcomes.
        starts: Where each comparison's users start, and where those of the last one end.
        controls: How many users its control has …
        treated: … and its treatment.
        numbered_apart: Which have arms that are each numbered on their own.
    """

    tests: IntArray
    sides: IntArray
    times: IntArray
    outcomes: FloatArray
    starts: IntArray
    controls: IntArray
    treated: IntArray
    numbered_apart: BoolArray

    @property
    def within(self) -> IntArray:
        """Which user of its comparison each is, counted from 0."""
        return np.arange(len(self.tests)) - self.starts[self.tests]

    @property
    def uneven(self) -> BoolArray:
        """Which have arms that are not split evenly at all times, by more than chance."""
        unequal: BoolArray = sample_ratio_p_values(self.controls, self.treated) < MISMATCH
        if not len(unequal):
            return unequal
        sizes = np.diff(self.starts).astype(np.float64)
        share = self.treated / sizes
        so_far = np.cumsum(self.sides)
        so_far -= (so_far - self.sides)[self.starts[:-1]][self.tests]
        deviation = np.abs(so_far - (self.within + 1.0) * share[self.tests])
        # Of users who came together, nobody was first.
        deviation[:-1][(np.diff(self.tests) == 0) & (np.diff(self.times) == 0)] = 0.0
        scale = np.sqrt(sizes * share * (1.0 - share))
        largest = np.maximum.reduceat(deviation, self.starts[:-1])
        uneven: BoolArray = unequal | ((largest > _DEVIATION * scale) & ~self.numbered_apart)
        return uneven


def _timeline(found: Comparisons, validator: Validator) -> _Timeline:
    rows, tests = found.rows, found.numbers
    count = len(found.starts)
    treated = np.bincount(tests, rows["arm"], count).astype(np.int64)
    controls = np.bincount(tests, minlength=count) - treated
    times = rows.get("clock", rows["order"])
    numbered_apart = np.zeros(count, dtype=np.bool_)
    if "clock" not in rows and validator.reader.orders.kind == "whole":
        first, apart = _numbered_apart(rows, (controls, treated))
        numbered_apart = apart
        if apart.any():
            # How far each is in its own arm, as a share; times the size of both arms.
            others = np.where(rows["arm"] == 1, controls[tests], treated[tests])
            shares = (2 * (times - first[tests]) + 1) * others
            times = np.where(apart[tests], shares, times)
    late = (np.diff(times) < 0) & (np.diff(tests) == 0)
    places = np.lexsort((times, tests)) if late.any() else np.arange(len(tests))
    return _Timeline(
        tests[places],
        rows["arm"][places].astype(np.int64),
        times[places],
        rows["outcome"][places],
        np.append(found.starts, len(tests)),
        controls,
        treated,
        numbered_apart,
    )


def _numbered_apart(rows: Rows, sizes: tuple[IntArray, IntArray]) -> tuple[IntArray, BoolArray]:
    """The first number of each comparison, and whether each arm has all numbers from there on."""
    firsts, dense = [], np.ones(len(sizes[0]), dtype=np.bool_)
    for side, size in enumerate(sizes):
        there = size >= 2
        orders = np.append(rows["order"][rows["arm"] == side], 0)
        start = np.cumsum(size) - size
        first, last = orders[start], orders[np.maximum(start + size - 1, 0)]
        dense &= there & (last - first == size - 1)
        firsts.append(first)
    return firsts[0], dense & (firsts[0] == firsts[1])


def _pairs(found: Comparisons, timeline: _Timeline, which: BoolArray) -> SampleBlock:
    """The first treated outcome minus the first untreated one, and so on."""
    rows, tests = found.rows, found.numbers
    lengths = np.minimum(timeline.controls, timeline.treated)
    kept = []
    for side, sizes in enumerate((timeline.controls, timeline.treated)):
        places = np.flatnonzero(rows["arm"] == side)
        within = np.arange(len(places)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        partnered = (within < lengths[tests[places]]) & which[tests[places]]
        kept.append(rows["outcome"][places[partnered]])
    with np.errstate(over="ignore"):  # what is not finite is refused where policies are run
        samples = kept[1] - kept[0]
    return SampleBlock(chosen(found.names, which), lengths[which], samples)


def _stretched(timeline: _Timeline, which: BoolArray, by_period: bool) -> tuple[Stretches, int]:
    """Stretches of some comparisons, and how many users are in none."""
    mine = which[timeline.tests]
    sides, outcomes = timeline.sides[mine], timeline.outcomes[mine]
    tests = (np.cumsum(which) - 1)[timeline.tests[mine]]
    if by_period:
        stretches = _periods(tests, timeline.times[mine], sides)
    else:
        stretches = stretches_of(sides, starts_of(np.diff(timeline.starts)[which]))
    used = stretches >= 0
    columns = (tests[used], stretches[used], sides[used], outcomes[used])
    return compared(*columns, int(which.sum())), int((~used).sum())


def _periods(tests: IntArray, times: IntArray, sides: IntArray) -> IntArray:
    """The number of each user's period; -1 where it has one arm only."""
    new = np.ones(len(tests), dtype=np.int64)
    new[1:] = (np.diff(tests) != 0) | (np.diff(times) != 0)
    periods = np.cumsum(new) - 1
    users, treated = np.bincount(periods), np.bincount(periods, sides)
    both = (treated > 0) & (treated < users)
    return np.where(both, np.cumsum(both) - 1, -1)[periods]


def _halves(timeline: _Timeline, which: BoolArray) -> Quality:
    """Users in the first and the second half of comparisons, the same number of each."""
    sizes = np.diff(timeline.starts)
    halves = np.where(which, 2 * (sizes // 4), 0)
    half, within = halves[timeline.tests], timeline.within
    late = within >= sizes[timeline.tests] - half
    return Quality(
        early=int(halves.sum()),
        early_treated=int(timeline.sides[within < half].sum()),
        late=int(halves.sum()),
        late_treated=int(timeline.sides[late].sum()),
    )
