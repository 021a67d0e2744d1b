"""A task that is open: what it was told, and how far that brings its design."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from dwell.arrays import Samples
from dwell.learners.design import Design
from dwell.periods import Periods
from dwell.programme.events import Decided
from dwell.programme.minimum_run import MinimumRun, by_parts
from dwell.programme.observations import (
    Batch,
    Observations,
    Range,
    Values,
    arms_of,
    samples_of,
)
from dwell.programme.watch import Watch
from dwell.records import Records, at_period_ends
from dwell.sparse_policy import SparsePolicy


class Progress(NamedTuple):
    """How far a task has come.

    Attributes:
        samples: How many samples it has.
        stopped: After how many its policy stopped; None while it goes on.
        accepts: Whether the policy then accepted.
        wants: How many samples more until the next look, or until all is recorded.
        record: What it teaches, once nothing more is wanted.
    """

    samples: int
    stopped: int | None
    accepts: bool
    wants: int
    record: Records | None


@dataclass(slots=True)
class Running:
    """A task that is open, or that has finished and waits to be learned from.

    Attributes:
        name: What people call it.
        design: How it is run.
        known: What its samples look like.
        begun_at: When it was begun.
        told_at: When it was last told something.
        parts: What it was told, by key.
        decided: What was decided, once it is.
        held: Why its data are doubtful; empty if they are not.
        cleared: Whether somebody said that they are sound.
        finished: Whether it has given its record.
        run: When it may be looked at; None for any time.
    """

    name: str
    design: Design
    known: Range
    begun_at: float
    told_at: float
    parts: dict[str, Observations] = field(default_factory=dict)
    decided: Decided | None = None
    held: str = ""
    cleared: bool = False
    finished: bool = False
    run: MinimumRun | None = None
    _ahead: dict[str, Observations] | None = None  # what a fork alone was told
    _fork: "Running | None" = None  # the last one, which may have seen what comes next
    _samples: Samples | Periods | None = None
    _sampled: int = 0  # so many parts are in these samples
    _arms: tuple[int, int] | None = None
    _progress: Progress | None = None
    _watch: Watch | None = None

    @property
    def number(self) -> int:
        """Its number: tasks are counted in the order in which they were begun."""
        return self.design.number

    def __post_init__(self) -> None:
        if not self.parts:
            self._watch = Watch.first(self.design)
            self._progress = Progress(0, None, False, self._watch.wants, None)
            self._arms = 0, 0

    def fork(self) -> "Running":
        """A copy that goes on by itself; what was told before is shared, and not to change."""
        other: Running = object.__new__(Running)
        for put, value in zip(_PUT, _all_of(self), strict=True):
            put(other, value)
        other._ahead, other._fork, self._fork = {}, None, other
        return other

    def told_under(self, key: str) -> Observations | None:
        """What it was told under a key."""
        found = self.parts.get(key)
        return self._ahead.get(key) if found is None and self._ahead else found

    def told(self) -> Iterator[Observations]:
        """All that it was told, in order."""
        return (
            chain(self.parts.values(), self._ahead.values())
            if self._ahead
            else iter(self.parts.values())
        )

    @property
    def all_parts(self) -> dict[str, Observations]:
        """All that it was told, by key."""
        return {**self.parts, **self._ahead} if self._ahead else self.parts

    def next_key(self) -> str:
        """What is told without a key goes by this one."""
        return f"#{len(self.parts) + len(self._ahead or ()) + 1}"

    def tell(self, key: str, observations: Observations, at: float) -> None:
        """Add what was told."""
        fork, self._fork = self._fork, None
        if fork is not None and fork._has_seen(key, observations):
            self.parts[key], self.told_at, self._arms = observations, at, fork._arms
            self._samples, self._sampled = fork._samples, fork._sampled
            self._progress, self._watch = fork._progress, fork._watch
            return
        before, watch = self._progress, self._watch
        if not isinstance(observations, Values | Batch):
            (controls, treated), more = self.arms, arms_of([observations])
            self._arms = controls + more[0], treated + more[1]
        (self.parts if self._ahead is None else self._ahead)[key] = observations
        self.told_at = at
        # A watch sees each batch at its end: where that may be no look, all is seen anew.
        seen = None if self.run is not None else watch
        self._watch = after = None if seen is None else seen.after(observations)
        self._progress = None
        if after is not None and before is not None:
            stopped, accepts = before.stopped, before.accepts
            self._progress = Progress(after.drawn, stopped, accepts, after.wants, None)

    def _has_seen(self, key: str, observations: Observations) -> bool:
        """Whether a fork was told just that."""
        ahead = self._ahead or {}
        return len(ahead) == 1 and ahead.get(key) is observations

    def correct(self, key: str, observations: Observations) -> None:
        """Put something else in the place of what was told under a key."""
        self.parts = {**self.parts, key: observations}
        self._samples = self._arms = self._progress = self._watch = self._fork = None

    @property
    def arms(self) -> tuple[int, int]:
        """How many users the two arms have; none where there are no arms."""
        if self._arms is None:
            self._arms = arms_of(self.told())
        return self._arms

    @property
    def samples(self) -> Samples | Periods:
        """All samples so far, one by one or as sums over batches, up to the last look allowed."""
        if self.run is not None:
            return self.run.merged(self.all_parts, self.known)
        before, count = self._samples, len(self.parts) + len(self._ahead or ())
        if before is None or self._sampled < count:
            first = 0
            if isinstance(before, np.ndarray) and isinstance(next(self.told()), Values):
                first = self._sampled  # samples one by one are added to those before
            more = samples_of(islice(self.told(), first, None), self.known)
            if first and isinstance(before, np.ndarray) and isinstance(more, np.ndarray):
                more = np.concatenate([before, more])
            self._samples, self._sampled = more, count
            return more
        return before

    @property
    def pending(self) -> int:
        """How many samples it was told since the last look that was allowed."""
        if self.run is None:
            return 0
        return int(by_parts(self.all_parts, self.known).samples[0] - self.progress().samples)

    def progress(self) -> Progress:
        """How far what was told brings the task."""
        if self._progress is None:
            self._progress = self._found()
        return self._progress

    def _found(self) -> Progress:
        samples, design = self.samples, self.design
        sums = samples.sums if isinstance(samples, Periods) else samples
        if not len(sums):
            self._watch = Watch.first(design)._replace(users=sum(self.arms))
            return Progress(0, None, False, self._watch.wants, None)
        if isinstance(samples, Periods):
            drawn = int(samples.samples[0])
            records = _of_periods(design, samples)
        else:
            drawn = len(samples)
            records = design.so_far(samples)
        stopped, accepts = None, False
        if records.decisions[0, design.decider] >= 0:
            stopped = int(records.durations[0, design.decider])
            accepts = bool(design.accepted(records)[0])
        needed, undecided = int(records.drawn[0]), (records.decisions[0] < 0).tolist()
        if needed <= drawn and not any(undecided):
            complete = isinstance(samples, Periods) or design.oversamples
            record = design.record(samples) if complete else records
            return Progress(drawn, stopped, accepts, 0, record)
        total = float(np.cumsum(sums, dtype=np.float64)[-1])
        watch = Watch.over(design, undecided, needed, drawn, total, sum(self.arms))
        # How many samples are wanted beyond the cap depends on the periods that are to come.
        self._watch = None if design.oversamples and isinstance(samples, Periods) else watch
        return Progress(drawn, stopped, accepts, watch.wants, None)

    def decision(self, found: Progress, at: float) -> Decided:
        """What is decided where the policy has stopped, and what the sum was compared with."""
        assert found.stopped is not None
        samples, stopped = self.samples, found.stopped
        if self.run is not None:
            samples = by_parts(self.all_parts, self.known)
        if isinstance(samples, Periods):
            batches = int(np.searchsorted(np.cumsum(samples.counts), stopped)) + 1
            total = float(samples.sums[:batches].sum())
        else:
            batches, total = 0, float(samples[:stopped].sum())
        sparse = deciding(self.design)
        look = int(sparse.looks.searchsorted(stopped, side="right")) - 1
        capped = stopped >= sparse.cap
        upper, lower = float(sparse.upper[look]), float(sparse.lower[look])
        return Decided(
            at=at,
            task=self.number,
            decision="accept" if found.accepts else "reject",
            samples=stopped,
            total=total,
            limit=upper if capped or total >= upper else lower,
            batches=batches,
            capped=capped,
            counts=self.design.accepts,
        )


# What puts a value into each slot: sooner than by its name.
_PUT = tuple(Running.__dict__[name].__set__ for name in Running.__slots__)
_all_of = attrgetter(*Running.__slots__)


def deciding(design: Design) -> SparsePolicy:
    """The policy that decides, by its looks."""
    return design.policies.by_looks[design.decider]


def _of_periods(design: Design, periods: Periods) -> Records:
    return at_period_ends(
        periods,
        design.policies,
        extras=design.extras,
        oversamples=design.oversamples,
        least=design.least,
    )
