"""Evaluation of a log, and what to tell people about it."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from dwell.arrays import FloatArray, IntArray
from dwell.errors import InvalidInput
from dwell.files import write_whole
from dwell.history.candidates import Candidate, named
from dwell.history.end import AtEnd
from dwell.history.evaluation import Evaluation, Rough, Sure, evaluated
from dwell.history.log import Log
from dwell.history.past import Past, Reading, read
from dwell.policies import AnyPolicy
from dwell.policy import Policy

_MANY = 200


@dataclass(frozen=True, slots=True)
class Report:
    """What policies would have earned on past tests.

    Attributes:
        past: What each policy would have done in each test.
        found: What that is worth, and how sure we are.
        present: What is done today, in words.
    """

    past: Past
    found: Evaluation
    present: str

    @property
    def best(self) -> AnyPolicy | None:
        """The policy with the highest ROI; None if none earns anything."""
        return None if self.found.best is None else self.found.policies[self.found.best]

    @property
    def candidate(self) -> Candidate | None:
        """The same, with its name and its advice."""
        return None if self.found.best is None else self.past.candidates[self.found.best]

    @property
    def table(self) -> dict[str, list[object]]:
        """A list for each column, an entry per policy: any data frame can be made of it."""
        found, rough, sure = self.found, self.found.rough, self.found.sure
        columns: dict[str, FloatArray | IntArray] = {
            "cap": self.past.replay.caps,
            "reward": found.reward,
            "cost": found.cost,
            "roi": found.roi,
            "roi_low": rough.roi_low,
            "roi_high": rough.roi_high,
            "gain": found.roi - found.present.roi,
            "gain_low": rough.gain_low,
            "gain_high": rough.gain_high,
            "lead": found.roi - found.roi.max(),
            "lead_low": rough.lead_low,
            "lead_high": rough.lead_high,
            "accept_rate": found.accept_rate,
            "saved": found.saved,
            "cut": found.cut,
        }
        if sure is not None:
            columns |= {
                "roi_surely_low": sure.roi_low,
                "roi_surely_high": sure.roi_high,
                "gain_surely_low": sure.gain_low,
                "gain_surely_high": sure.gain_high,
                "lead_surely_low": sure.lead_low,
                "lead_surely_high": sure.lead_high,
            }
        names: list[object] = [each.name for each in self.past.candidates]
        alike: list[object] = [k in rough.alike for k in range(len(names))]
        lists = {name: list(column.tolist()) for name, column in columns.items()}
        return {"policy": names, **lists, "alike": alike}

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each thing that a reader should know."""
        if self.found.tests >= _MANY:
            return self.past.notes
        few = f"rough intervals are made for hundreds of tests, and there are {self.found.tests:,}"
        return (*self.past.notes, few)

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
    setup_cost: float = 0.0,
    *,
    present: AtEnd | Policy | None = None,
    min_samples: int = 1,
    alpha: float = 0.05,
    sure: Sure = "bernstein",
    rough: Rough = "normal",
    partitions: int = 32,
    executor: Executor | None = None,
    advance: Callable[[float], None] = lambda _: None,
) -> Report:
    """What each stopping policy would have earned on past tests.

    Args:
        log: A `Log`, or where one is: a path, a table, a data frame or a `Query`.
        policies: What to try, perhaps by name; None for bands of several widths, fixed sizes and
            group-sequential tests that fit the log, for which it is read twice.
        setup_cost: What each test costs besides its samples, in samples.
        present: What is done today, to compare with: a policy, or each test to its end, which is
            the default.
        min_samples: No usual policy looks before it has drawn this many.
        alpha: The probability that some interval misses.
        sure: Which intervals to give where samples have known bounds: bernstein or betting.
        rough: Which to give that hold roughly, for many tests: normal or bootstrap.
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
        >>> report.candidate.name, report.found.present.roi < report.found.corrected.roi
        ('band 1 to 34', True)
    """
    past_log = log if isinstance(log, Log) else Log(log)
    tried = None if policies is None else named(policies)
    present = AtEnd() if present is None else present
    if not isinstance(present, AtEnd | Policy):
        raise InvalidInput(f"present must be a policy or AtEnd(z), got {present!r}")
    past = read(
        past_log,
        tried,
        present,
        min_samples=min_samples,
        reading=Reading(partitions=partitions, executor=executor, advance=advance),
    )
    found = evaluated(
        past.replay,
        past.present,
        setup_cost=setup_cost,
        alpha=alpha,
        bound=None if past.quality.out_of_range else past_log.bound,
        sure=sure,
        rough=rough,
    )
    words = present.name if isinstance(present, AtEnd) else f"the present policy, cap {present.cap}"
    return Report(past, found, words)
