"""Past: a log's tests, as candidates and the present rule would have run them."""

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dwell.errors import InvalidInput, NotOrdered
from dwell.history.batches import Batches
from dwell.history.candidates import Candidate, candidates
from dwell.history.end import AtEnd, Played
from dwell.history.log import Log
from dwell.history.partition import Block, parts_of, worked_through
from dwell.history.quality import Quality
from dwell.history.replay import Replay, replay, replay_periods
from dwell.history.sources import opened
from dwell.history.survey import Survey
from dwell.history.tests import Tests
from dwell.policies import Policies
from dwell.policy import Policy

Present = AtEnd | Policy


@dataclass(frozen=True, slots=True)
class Past:
    """Past tests, as policies would have run them.

    Attributes:
        candidates: The policies.
        replay: What each would have done in each test.
        present: What the present rule would have done.
        names: What the tests are called.
        quality: What was found in the log.
        left_out: How many tests were too short to be decided and scored.
        ordered: Whether the log's rows came in order; else they were sorted first.
    """

    candidates: tuple[Candidate, ...]
    replay: Replay
    present: Played
    names: tuple[str, ...]
    quality: Quality
    left_out: int
    ordered: bool = True

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each thing that a reader of results should know."""
        notes = self.quality.notes
        if self.left_out:
            notes += (
                f"{self.left_out:,} of {self.quality.tests:,} tests are left out: they are too "
                "short to be decided on some samples and scored on others",
            )
        if not self.ordered:
            notes += ("rows did not come in order, and were sorted first",)
        return notes


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a log is worked through.

    Attributes:
        partitions: In how many parts, where it can be read in parts.
        executor: Who works on the parts; None for this process alone.
        advance: Told the share of the work that is done.
    """

    partitions: int = 32
    executor: Executor | None = None
    advance: Callable[[float], None] = lambda _: None


def read(
    log: Log,
    tried: tuple[Candidate, ...] | None,
    present: Present,
    *,
    min_samples: int = 1,
    reading: Reading,
) -> Past:
    """Run candidates on a log's tests.

    Args:
        log: The log; one that is not in order is sorted first.
        tried: The candidates; None for the usual ones, to make which the log is read once more.
        present: What is done today.
        min_samples: No usual candidate looks before it has drawn this many.
        reading: How to work through the log.
    """
    try:
        return _read(log, tried, present, min_samples, reading)
    except NotOrdered:
        if log.sort:
            raise
    found = _read(replace(log, sort=True), tried, present, min_samples, reading)
    return replace(found, ordered=False)


def _read(
    log: Log,
    tried: tuple[Candidate, ...] | None,
    present: Present,
    min_samples: int,
    reading: Reading,
) -> Past:
    parts = parts_of(log, reading.partitions)
    steps = len(parts) * (2 if tried is None else 1)
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        reading.advance(done / steps)

    if tried is None:
        survey = Survey.joined(worked_through(parts, _survey, reading.executor, advance))
        _require_tests(len(survey.visible), log)
        tried = candidates(survey.longest, sd=survey.sd, min_samples=min_samples)
    run = _Run(Policies(each.policy for each in tried), present)
    found = list(worked_through(parts, run, reading.executor, advance))
    _refuse_repeated([name for part in found for name in part.read], log)
    names = tuple(name for part in found for name in part.names)
    _require_tests(len(names), log)
    quality = sum((part.quality for part in found), Quality())
    return Past(
        tried,
        found[0].replay.joined(*(part.replay for part in found[1:])),
        found[0].present.joined(*(part.present for part in found[1:])),
        names,
        quality,
        quality.tests - len(names),
    )


class _Part(NamedTuple):
    """What was found in a block: the tests that were read, and those that can be judged."""

    read: tuple[str, ...]
    names: tuple[str, ...]
    replay: Replay
    present: Played
    quality: Quality


@dataclass(frozen=True, slots=True)
class _Run:
    """Policies and the present rule, to be run on blocks of tests."""

    policies: Policies
    present: Present

    def __call__(self, block: Block) -> _Part:
        judged = _judged(block)
        if isinstance(self.present, AtEnd):
            present = self.present.played(judged)
        else:
            alone = _replayed(judged, Policies.of(self.present))
            present = Played(
                alone.durations(0).astype(np.int64),
                alone.accepts(0).astype(np.float64),
                alone.rewards(0),
                int(alone.caps[0]),
            )
        replayed = _replayed(judged, self.policies)
        return _Part(block.names, judged.names, replayed, present, block.quality)


def _survey(block: Block) -> Survey:
    return Survey.of(_judged(block))


def _replayed(block: Block, policies: Policies) -> Replay:
    if isinstance(block, Batches):
        return replay_periods(block, policies)
    return replay(block.samples, block.lengths, policies)


def _judged(block: Block) -> Block:
    """The tests that can be decided on some samples (or periods) and scored on others."""
    long = block.lengths >= 2
    if long.all():
        return block
    names = tuple(name for name, fits in zip(block.names, long.tolist(), strict=True) if fits)
    kept = np.repeat(long, block.lengths)
    if isinstance(block, Batches):
        columns = (block.counts[kept], block.sums[kept], block.variances[kept])
        return Batches(names, block.lengths[long], *columns)
    return Tests(names, block.lengths[long], block.samples[kept])


def _require_tests(count: int, log: Log) -> None:
    if count < 2:
        periods = "periods" if log.form == "batches" else "samples"
        raise InvalidInput(
            f"{opened(log.source).name} must have 2 tests or more of 2 {periods} or more each, got "
            f"{count}"
        )


def _refuse_repeated(names: Sequence[str], log: Log) -> None:
    """Refuse a test that is found in two parts: its rows do not follow one another."""
    if len(set(names)) < len(names):
        again = Counter(names).most_common(1)[0][0]
        raise NotOrdered(
            f"rows of a test must follow one another, got test {again} in two places of "
            f"{opened(log.source).name}: order the log, or give sort=True"
        )
