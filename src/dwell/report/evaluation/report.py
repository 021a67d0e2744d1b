"""Evaluation of a log, and what to tell people about it."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from pathlib import Path

from dwell.arrays import FloatArray, IntArray
from dwell.checks import LONGEST_CAP
from dwell.files import write_whole
from dwell.history.reading.calendar import Calendar, calendar_of
from dwell.history.reading.log import Log
from dwell.history.replay.candidates import Candidate, named
from dwell.history.replay.current_rule import AtEnd, current_rule
from dwell.history.replay.evaluation import Approximate, Evaluation, Guaranteed, evaluated
from dwell.history.replay.replayed_log import ReplayedLog, replay_log
from dwell.history.replay.workers import Workers
from dwell.policies import AnyPolicy
from dwell.policy import Policy
from dwell.report.evaluation.answer import Answer, answer_of
from dwell.report.evaluation.change import LogChange, change_notes, log_change
from dwell.report.evaluation.setup_costs import setup_costs
from dwell.report.evaluation.totals import Totals, totals_of
from dwell.shown import Shown
from dwell.sparse_policy import SparsePolicy

_MANY = 200


@dataclass(frozen=True, slots=True)
class Method:
    """How figures are made of tests: see `evaluate`; and how far samples may lie from 0."""

    alpha: float = 0.05
    bound: float | None = None
    longest: int | None = None
    guaranteed: Guaranteed = "bernstein"
    approximate: Approximate = "normal"

    def on(self, replayed: ReplayedLog, setup_cost: float) -> Evaluation:
        """What policies would have earned."""
        return evaluated(
            replayed.replay,
            replayed.current,
            setup_cost=setup_cost,
            alpha=self.alpha,
            bound=self.bound,
            longest=self.longest,
            guaranteed=self.guaranteed,
            approximate=self.approximate,
        )


@dataclass(frozen=True, eq=False, repr=False)
class Report(Shown):
    """What policies would have earned on past tests.

    Attributes:
        replayed: What each policy would have done in each test.
        found: What that is worth, with intervals.
        current: The current rule, in words.
        setup_cost: What a test costs besides its samples; None if nobody said. Then `found` is
            without any, there is no answer, and `by_setup_cost` is what to look at.
        method: How `found` was made.
        calendar: How long tests took; None if the log does not say.
        changed: The latest change of the pool of ideas that the log shows; None if it shows none,
            or has no dates.
    """

    replayed: ReplayedLog
    found: Evaluation
    current: str
    setup_cost: float | None = 0.0
    method: Method = Method()
    calendar: Calendar | None = None
    changed: LogChange | None = None

    @property
    def answer(self) -> Answer | None:
        """Change the rule, keep it, or nothing earns; None if nobody said what a test costs."""
        return answer_of(self)

    @property
    def totals(self) -> Totals | None:
        """What the best policy means for all tests together; None if none earned anything."""
        return totals_of(self)

    def at(self, setup_cost: float) -> "Report":
        """The same tests at another set-up cost; nothing is read again.

        Args:
            setup_cost: What each test costs besides its samples, in samples.
        """
        found = self.method.on(self.replayed, setup_cost)
        return replace(self, found=found, setup_cost=found.setup_cost)

    @cached_property
    def by_setup_cost(self) -> tuple["Report", ...]:
        """The same at set-up costs from 0 to ten lengths of a test, without guaranteed intervals.

        Where a set-up cost was given, it is one of them.
        """
        length = float(self.replayed.replay.lengths.mean())
        asked, plain = self.setup_cost, replace(self, method=replace(self.method, bound=None))
        return tuple(
            self if cost == asked else plain.at(cost) for cost in setup_costs(length, asked)
        )

    @property
    def best(self) -> AnyPolicy | None:
        """The policy that is advised, with an entry per sample if it is short enough; or None."""
        if self.found.best is None:
            return None
        policy = self.found.policies[self.found.best]
        if isinstance(policy, SparsePolicy) and policy.cap <= LONGEST_CAP:
            return policy.dense()
        return policy

    @property
    def candidate(self) -> Candidate | None:
        """The same, with its name and its advice."""
        return None if self.found.best is None else self.replayed.candidates[self.found.best]

    @property
    def withheld(self) -> str | None:
        """Why nothing is advised, though figures are there; None if something is."""
        return self.replayed.quality.withheld

    @property
    def table(self) -> dict[str, list[object]]:
        """A list for each column, an entry per policy: any data frame can be made of it."""
        found, approximate, guaranteed = self.found, self.found.approximate, self.found.guaranteed
        columns: dict[str, FloatArray | IntArray] = {
            "cap": self.replayed.replay.caps,
            "reward": found.reward,
            "cost": found.cost,
            "roi": found.roi,
            "roi_low": approximate.roi_low,
            "roi_high": approximate.roi_high,
            "gain": found.roi - found.current.roi,
            "gain_low": approximate.gain_low,
            "gain_high": approximate.gain_high,
            "lead": found.lead,
            "lead_low": approximate.lead_low,
            "lead_high": approximate.lead_high,
            "accept_rate": found.accept_rate,
            "saved": found.saved,
            "truncated": found.truncated,
        }
        if guaranteed is not None:
            columns |= {
                "roi_guaranteed_low": guaranteed.roi_low,
                "roi_guaranteed_high": guaranteed.roi_high,
                "lead_guaranteed_low": guaranteed.lead_low,
                "lead_guaranteed_high": guaranteed.lead_high,
            }
        if guaranteed is not None and isfinite(guaranteed.current.low):
            columns |= {
                "gain_guaranteed_low": guaranteed.gain_low,
                "gain_guaranteed_high": guaranteed.gain_high,
            }
        names: list[object] = [each.name for each in self.replayed.candidates]
        indistinguishable: list[object] = [
            k in approximate.indistinguishable for k in range(len(names))
        ]
        lists = {name: list(column.tolist()) for name, column in columns.items()}
        return {"policy": names, **lists, "indistinguishable": indistinguishable}

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each thing that a reader should know."""
        notes = (*change_notes(self), *self.replayed.notes)
        if self.found.tests >= _MANY:
            return notes
        few = "approximate intervals are made for hundreds of tests, and there are "
        return (*notes, f"{few}{self.found.tests:,}")

    def to_html(self, path: str | Path) -> None:
        """Write a page about it that needs no network: whole, or not at all.

        Args:
            path: The file to write.
        """
        from dwell.report.evaluation.page import page_of

        write_whole(Path(path), page_of(self), "path")


def evaluate(
    log: object,
    policies: AnyPolicy | Iterable[AnyPolicy] | Mapping[str, AnyPolicy] | None = None,
    setup_cost: float | None = None,
    *,
    current: AtEnd | Policy | SparsePolicy | None = None,
    min_samples: int = 1,
    alpha: float = 0.05,
    longest: int | None = None,
    guaranteed: Guaranteed = "bernstein",
    approximate: Approximate = "normal",
    partitions: int = 32,
    executor: Executor | None = None,
    advance: Callable[[float], None] = lambda _: None,
) -> Report:
    """What each stopping policy would have earned on past tests.

    Args:
        log: A `Log`, or where one is: a path, a table, a data frame or a `Query`.
        policies: What to try, perhaps by name; None for rules of two limits, fixed sizes and
            group-sequential tests that fit the log, for which it is read twice.
        setup_cost: What each test costs besides its samples, in samples; None if that is not
            known. Then there is no answer: look at the report's `by_setup_cost`.
        current: The current rule, to compare with: a policy, or each test to its end, which is the
            default.
        min_samples: No usual policy looks before it has drawn this many.
        alpha: The probability that some interval misses.
        longest: No test has more samples than this, nor ever will; None if nobody knows. Without
            it there are no guaranteed intervals for the current rule that runs tests to their end,
            for gains over it, nor on batches.
        guaranteed: Which intervals to give where samples have known bounds: bernstein or betting.
        approximate: Which to give that hold for many tests: normal or bootstrap.
        partitions: In how many parts to read a log of Parquet files.
        executor: Who reads them: threads, processes, or Dask's workers by `client.get_executor()`;
            None for this process alone. Results are the same to the last bit.
        advance: Told the share of the work that is done, now and then.

    Example:
        >>> import pyarrow as pa
        >>> import dwell
        >>> world = dwell.World(dwell.Normal(0.1, 0.3), dwell.Gaussian(1))
        >>> _, samples = world.sample(400, 50, rng=1)
        >>> columns = {"test": [i // 50 for i in range(20_000)], "order": [*range(50)] * 400}
        >>> log = pa.table(columns | {"value": samples.ravel()})
        >>> report = dwell.evaluate(log, setup_cost=20)
        >>> report.candidate.name, report.found.current.roi < report.found.corrected.roi
        ('ship 2, drop 2, 1 to 12, shrinking', True)
    """
    opened = log if isinstance(log, Log) else Log(log)
    rule = current_rule(current)
    supposed = 0.0 if setup_cost is None else setup_cost
    replayed = replay_log(
        opened,
        None if policies is None else named(policies),
        rule,
        min_samples=min_samples,
        setup_cost=supposed,
        workers=Workers(partitions=partitions, executor=executor, advance=advance),
    )
    method = Method(
        alpha=alpha,
        bound=None if replayed.quality.out_of_range else opened.bound,
        longest=longest,
        guaranteed=guaranteed,
        approximate=approximate,
    )
    found = method.on(replayed, supposed)
    return Report(
        replayed,
        found,
        rule.name,
        None if setup_cost is None else found.setup_cost,
        method,
        calendar_of(opened),
        log_change(opened, replayed.names),
    )
