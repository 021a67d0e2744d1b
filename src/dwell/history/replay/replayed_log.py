"""A replayed log: its tests, as candidates and the current rule would have run them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from dwell import checks
from dwell.errors import InvalidInput, NotOrdered
from dwell.history.reading.block import Block
from dwell.history.reading.counts_block import CountsBlock
from dwell.history.reading.log import Log
from dwell.history.reading.looking import Looking
from dwell.history.reading.quality import Quality
from dwell.history.replay.candidates import Candidate, candidates, looks
from dwell.history.replay.current_rule import CurrentOutcomes, CurrentRule
from dwell.history.replay.looked_replay import AnyReplay, LookedReplay, average_over_orders, look_at
from dwell.history.replay.order_noise import order_noise
from dwell.history.replay.replay import Replay, replay_block
from dwell.history.replay.survey import Survey
from dwell.history.replay.workers import Workers, parts_of, worked_through
from dwell.policies import Policies

# How many orders of counted outcomes are drawn to see how many are wanted.
_FIRST_ORDERS, _FIRST_OF_GIVEN = 32, 8


@dataclass(frozen=True, slots=True)
class ReplayedLog:
    """Past tests, as policies would have run them.

    Attributes:
        candidates: The policies.
        replay: What each would have done in each test.
        current: What the current rule would have done.
        names: What the tests are called.
        quality: What was found in the log.
        left_out: How many tests were too short to be decided and scored.
        ordered: Whether the log's rows came in order; else they were sorted first.
        order_notes: Where figures hang on the orders of outcomes that were drawn.
    """

    candidates: tuple[Candidate, ...]
    replay: AnyReplay
    current: CurrentOutcomes
    names: tuple[str, ...]
    quality: Quality
    left_out: int
    ordered: bool = True
    order_notes: tuple[str, ...] = ()

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
        return notes + self.order_notes


def replay_log(
    log: Log,
    tried: tuple[Candidate, ...] | None,
    current: CurrentRule,
    *,
    min_samples: int = 1,
    setup_cost: float = 0.0,
    orders: int | None = None,
    workers: Workers,
) -> ReplayedLog:
    """Run candidates on a log's tests.

    Args:
        log: The log; one that is not in order is sorted first.
        tried: The candidates; None for the usual ones, to make which the log is read once more.
        current: What is done now.
        min_samples: No usual candidate looks before it has drawn this many.
        setup_cost: What each test costs besides its samples.
        orders: Over how many orders tests are averaged that are known by counts; None to draw so
            many that they hardly matter: as a first few show, for which the log is read once more.
        workers: How to work through the log.
    """
    setup_cost = checks.not_negative("set-up cost", setup_cost)
    first = orders or (_FIRST_ORDERS if tried is None else _FIRST_OF_GIVEN)
    counted = log.form == "counts" and orders is None
    plan = _Plan(tried, current, min_samples, first, workers.part(0.0, 0.2 if counted else 1.0))
    try:
        found = _read(log, plan)
    except NotOrdered:
        if log.sort:
            raise
        log = replace(log, sort=True)
        found = replace(_read(log, plan), ordered=False)
    if found.quality.drifts and not log.within_time:
        # In each test too little to be noticed; but pairs are not of one time.
        log = replace(log, within_time=True)
        found = replace(_read(log, plan), ordered=found.ordered)
    if counted:
        noise = order_noise(found.replay, found.current, setup_cost)
        if noise.orders > first:
            later = workers.part(0.2, 1.0)
            plan = replace(plan, orders=noise.orders, leading=noise.leading, workers=later)
            found = replace(_read(log, plan), ordered=found.ordered)
            noise = order_noise(found.replay, found.current, setup_cost)
        found = replace(found, order_notes=noise.notes)
    return found


@dataclass(frozen=True, slots=True)
class _Plan:
    """How a log is read: what is tried, and how it is worked through."""

    tried: tuple[Candidate, ...] | None
    current: CurrentRule
    min_samples: int
    orders: int
    workers: Workers
    leading: frozenset[int] | None = None


def _read(log: Log, plan: _Plan) -> ReplayedLog:
    tried, current, workers = plan.tried, plan.current, plan.workers
    parts = parts_of(log, workers.partitions)
    steps = len(parts) * (2 if tried is None else 1)
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        workers.advance(done / steps)

    looking = None
    if tried is None:
        surveys = list(worked_through(parts, _survey, workers.executor, advance))
        survey = Survey.joined(part for part, _ in surveys)
        surveyed = sum((quality for _, quality in surveys), Quality())
        _require_tests(len(survey.visible), surveyed, log)
        least = survey.least
        tried = candidates(survey.longest, sd=survey.sd, least=least, min_samples=plan.min_samples)
        rules = tuple(each.rule for each in tried if each.rule is not None)
        grid = looks(survey.longest, plan.min_samples)
        looking = Looking(rules, grid, survey.noise, plan.orders, plan.leading)
    run = _Run(Policies(each.policy for each in tried), current, looking, plan.orders)
    found = list(worked_through(parts, run, workers.executor, advance))
    _refuse_repeated([name for part in found for name in part.read], log)
    names = tuple(name for part in found for name in part.names)
    quality = sum((part.quality for part in found), Quality())
    _require_tests(len(names), quality, log)
    return ReplayedLog(
        tried,
        _joined([part.replay for part in found]),
        found[0].current.joined(*(part.current for part in found[1:])),
        names,
        quality,
        quality.tests - len(names),
    )


class _Part(NamedTuple):
    """What was found in a block: the tests that were read, and those that can be judged."""

    read: tuple[str, ...]
    names: tuple[str, ...]
    replay: AnyReplay
    current: CurrentOutcomes
    quality: Quality


@dataclass(frozen=True, slots=True)
class _Run:
    """Policies and the current rule, to be run on blocks of tests."""

    policies: Policies
    current: CurrentRule
    looking: Looking | None
    orders: int

    def __call__(self, block: Block) -> _Part:
        judged = block.long_enough()
        replayed: AnyReplay
        if self.looking is not None:
            replayed = look_at(judged, self.looking, self.policies)
        elif isinstance(judged, CountsBlock):
            replayed = average_over_orders(judged, self.policies, self.orders)
        else:
            replayed = replay_block(judged, self.policies)
        return _Part(block.names, judged.names, replayed, self.current.on(judged), block.quality)


def _joined(parts: Sequence[AnyReplay]) -> AnyReplay:
    """Parts of one log: all of them are of one kind."""
    plain = [part for part in parts if isinstance(part, Replay)]
    if plain:
        return plain[0].joined(*plain[1:])
    looked = [part for part in parts if isinstance(part, LookedReplay)]
    return looked[0].joined(*looked[1:])


def _survey(block: Block) -> tuple[Survey, Quality]:
    return Survey.of(block.long_enough()), block.quality


def _require_tests(count: int, quality: Quality, log: Log) -> None:
    """Refuse a log of which only the whole tells that it cannot be used."""
    if quality.refusal is not None:
        raise InvalidInput(f"{log.opened.name} cannot be used: {quality.refusal}")
    if count < 2:
        apart = quality.withheld
        advice = "" if apart is None else f", since {apart}: say what came when by a column time"
        raise InvalidInput(
            f"{log.opened.name} must have 2 tests or more of 2 samples (of batches: periods) or "
            f"more each, got {count}{advice}"
        )


def _refuse_repeated(names: Sequence[str], log: Log) -> None:
    """Refuse a test that is found in two parts: its rows do not follow one another."""
    if len(set(names)) < len(names):
        again = Counter(names).most_common(1)[0][0]
        raise NotOrdered(
            f"rows of a test must follow one another, got test {again} in two places of "
            f"{log.opened.name}: order the log, or give sort=True"
        )
