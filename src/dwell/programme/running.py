"""A task that is open: what it was told, and how far that brings its design."""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dwell.arrays import Samples
from dwell.learners.design import Design
from dwell.outcomes import scan
from dwell.periods import Periods, scan_periods
from dwell.policies import AnyPolicy
from dwell.policy import Policy
from dwell.programme.events import Decided
from dwell.programme.minimum_run import MinimumRun, by_parts
from dwell.programme.observations import Observations, Range, Values, samples_of
from dwell.records import Records, at_period_ends, unfinished, until_stopped
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
    _samples: Samples | Periods | None = None
    _progress: Progress | None = None

    @property
    def number(self) -> int:
        """Its number: tasks are counted in the order in which they were begun."""
        return self.design.number

    def fork(self) -> "Running":
        """A copy that goes on by itself."""
        return replace(self, parts=dict(self.parts))

    def next_key(self) -> str:
        """What is told without a key goes by this one."""
        return f"#{len(self.parts) + 1}"

    def tell(self, key: str, observations: Observations, at: float) -> None:
        """Add what was told."""
        before, more = self._samples, samples_of([observations], self.known)
        if isinstance(observations, Values) and not isinstance(before, Periods | None):
            assert not isinstance(more, Periods)
            self._samples = np.append(before, more)
        else:
            self._samples = None
        self.parts[key] = observations
        self.told_at = at
        self._progress = None

    def correct(self, key: str, observations: Observations) -> None:
        """Put something else in the place of what was told under a key."""
        self.parts = {**self.parts, key: observations}
        self._samples = self._progress = None

    @property
    def samples(self) -> Samples | Periods:
        """All samples so far, one by one or as sums over batches, up to the last look allowed."""
        if self.run is not None:
            return self.run.merged(self.parts, self.known)
        if self._samples is None:
            self._samples = samples_of(self.parts.values(), self.known)
        return self._samples

    @property
    def pending(self) -> int:
        """How many samples it was told since the last look that was allowed."""
        if self.run is None:
            return 0
        return int(by_parts(self.parts, self.known).samples[0] - self.progress().samples)

    def progress(self) -> Progress:
        """How far what was told brings the task."""
        if self._progress is None:
            self._progress = self._found()
        return self._progress

    def _found(self) -> Progress:
        samples, design = self.samples, self.design
        if isinstance(samples, Periods):
            drawn = int(samples.samples[0])
            records = _of_periods(design, samples)
        else:
            drawn = len(samples)
            records = _of_row(design, samples)
        stopped, accepts = None, False
        if records.decisions[0, design.decider] >= 0:
            stopped = int(records.durations[0, design.decider])
            accepts = bool(design.accepted(records)[0])
        if not unfinished(records, drawn)[0]:
            return Progress(drawn, stopped, accepts, 0, design.record(samples))
        return Progress(drawn, stopped, accepts, _wanted(design, records, drawn), None)

    def decision(self, found: Progress, at: float) -> Decided:
        """What is decided where the policy has stopped, and what the sum was compared with."""
        assert found.stopped is not None
        samples, stopped = self.samples, found.stopped
        if self.run is not None:
            samples = by_parts(self.parts, self.known)
        if isinstance(samples, Periods):
            batches = int(np.searchsorted(np.cumsum(samples.counts), stopped)) + 1
            total = float(samples.sums[:batches].sum())
        else:
            batches, total = 0, float(samples[:stopped].sum())
        sparse = deciding(self.design)
        look = int(np.searchsorted(sparse.looks, stopped, side="right")) - 1
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


def deciding(design: Design) -> SparsePolicy:
    """The policy that decides, by its looks."""
    return _sparse(design.policies[design.decider])


def _of_row(design: Design, samples: Samples) -> Records:
    """What is known of a task so far; of one that goes on, without an estimate of its value."""
    row = samples[np.newaxis]
    if not design.oversamples:
        return until_stopped(row, design.policies, design.extras, least=design.least)
    outcomes = scan(row, design.policies)
    return Records(outcomes.durations, outcomes.decisions, None, np.array([design.samples]))


def _of_periods(design: Design, periods: Periods) -> Records:
    if not len(periods.counts):
        outcomes = scan_periods(periods, design.policies)
        durations = outcomes.durations.astype(np.int32)
        return Records(durations, outcomes.decisions, None, np.array([1]))
    return at_period_ends(
        periods,
        design.policies,
        extras=design.extras,
        oversamples=design.oversamples,
        least=design.least,
    )


def _wanted(design: Design, records: Records, drawn: int) -> int:
    """How many samples more until the policy that decides looks again, or until all is recorded."""
    going = np.flatnonzero(records.decisions[0] < 0).tolist()
    if not going:
        return int(records.drawn[0]) - drawn
    if design.decider in going:
        going = [design.decider]
    return min(_next_look(design.policies[each], drawn) for each in going) - drawn


def _next_look(policy: AnyPolicy, drawn: int) -> int:
    """After how many samples a policy looks that has seen so many."""
    looks = _sparse(policy).looks
    place = int(np.searchsorted(looks, drawn, side="right"))
    return int(looks[place]) if place < len(looks) else drawn + 1


@lru_cache(maxsize=64)
def _sparse(policy: AnyPolicy) -> SparsePolicy:
    sparse = SparsePolicy.of(policy) if isinstance(policy, Policy) else policy
    assert isinstance(sparse, SparsePolicy)  # no other has a form in JSON
    return sparse
