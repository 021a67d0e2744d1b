"""Log: past tests in one of four forms, read a block of whole tests at a time.

| form | columns | a sample is |
|---|---|---|
| raw | test, order, value | a row |
| two-arm | test, arm, order, outcome, perhaps time or period | two users: see `users` |
| counts | test, n_c, x_c, n_t, x_t, perhaps date | the same, of sequences that fit the counts |
| batches | test, period, n, mean, variance, and perhaps arm | known by sums over periods only |
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date
from math import isnan

import numpy as np

from dwell import checks
from dwell.errors import InvalidInput
from dwell.history.reading.block import Block
from dwell.history.reading.columns import Form, understood_columns
from dwell.history.reading.forms.counts import counts
from dwell.history.reading.forms.makers import MAKERS
from dwell.history.reading.ordering import in_order
from dwell.history.reading.parquet_files import ParquetFiles
from dwell.history.reading.quality import Faults
from dwell.history.reading.rows import Reader, Rows, whole_tests
from dwell.history.reading.since import rows_since
from dwell.history.reading.sources import Source, opened
from dwell.history.reading.validation import Validator

# Large enough to be fast, small enough to stay in the cache.
BLOCK = 2**18


@dataclass(frozen=True, slots=True)
class Log:
    """A log of past tests, and how it is to be read.

    Rows of a test must follow one another and come in their order, within each arm; tests come in
    the order of their first rows. What cannot be used is refused with its row, counted from 1;
    what can be used, but should be known, is counted in each block's `quality`.

    Attributes:
        source: A path to a CSV or Parquet file, a folder or a pattern of them; an Arrow table; any
            data frame that narwhals knows; a DuckDB relation; a `Query`. It is opened once, when
            the log is made.
        form: One of raw, two-arm, counts and batches; None to tell it by the columns.
        columns: The log's titles, where they differ from our names: `{"value": "revenue"}`.
        sort: Whether to put rows in order first, by DuckDB.
        memory: How much memory ordering may take.
        seed: What sequences are drawn from, for counts.
        bounds: From where to where values (outcomes, means) should lie; None for any.
        arms: The labels of the control and of one treatment or more; rows of others are left out.
            None for the usual labels.
        cumulative: Whether batches have all users since the first period; None to refuse a log
            that looks so.
        since: Only tests that began on this day or later, where the log has dates; None for all.
        within_time: Whether users are compared within short stretches of time in all tests, and
            not only where arms are not split evenly at all times.

    Example:
        >>> import pyarrow as pa
        >>> table = pa.table({"test": ["blue", "blue", "red"], "order": [1, 2, 1], "x": [3, 4, 5]})
        >>> log = Log(table, columns={"value": "x"})
        >>> [(block.names, block.samples.tolist()) for block in log.blocks(rows=2)]
        [(('blue',), [3.0, 4.0]), (('red',), [5.0])]
    """

    source: object
    form: Form | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    sort: bool = False
    memory: str = "1GB"
    seed: int = 0
    bounds: tuple[float, float] | None = None
    arms: tuple[str, ...] | None = None
    cumulative: bool | None = None
    within_time: bool = False
    since: date | None = None

    def __post_init__(self) -> None:
        checks.count("seed", self.seed, least=0)
        if self.since is not None:
            checks.kind("since", self.since, date, "a datetime.date")
        if self.bounds is not None:
            low, high = (checks.real("bounds", end) for end in self.bounds)
            if isnan(low) or isnan(high) or low >= high:
                raise InvalidInput(f"bounds must be a lower and an upper one, got {self.bounds}")
        if self.arms is not None:
            arms = tuple(str(label).strip() for label in self.arms)
            if isinstance(self.arms, str) or not 2 <= len(arms) == len(set(arms)):
                raise InvalidInput(
                    "arms must be two different labels or more, the control's first, got "
                    f"{checks.shown(self.arms)}"
                )
            object.__setattr__(self, "arms", arms)
        source = opened(self.source)
        form, columns = understood_columns(source.titles, self.form, self.columns, source.name)
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "form", form)
        object.__setattr__(self, "columns", columns)

    @property
    def bound(self) -> float | None:
        """How far samples may lie from 0; None if nobody knows."""
        if self.form == "counts":
            return 1.0
        if self.bounds is None or not np.isfinite(self.bounds).all():
            return None
        low, high = self.bounds
        return high - low if "arm" in self.columns else max(-low, high)

    @property
    def opened(self) -> Source:
        """The source that it is read from."""
        return opened(self.source)

    def blocks(self, rows: int = BLOCK) -> Iterator[Block]:
        """All tests, a block at a time: of `PeriodBlock` for batches, of `SampleBlock` for others.

        Args:
            rows: How many rows (of counts: samples) a block may have; a test that alone has more
                is a block of its own.
        """
        return blocks_of(self, checks.count("rows", rows), Faults(strict=True))


def blocks_of(log: Log, rows: int, faults: Faults) -> Iterator[Block]:
    """Blocks of tests; what is wrong with them is noted while they are read."""
    source = log.opened
    before = source.before if isinstance(source, ParquetFiles) else 0
    reader = Reader(source, log.columns, faults, log.arms, read=before)
    in_periods = log.form == "two-arm" and "period" in log.columns
    validator = Validator(
        reader,
        log.bounds,
        ties=log.form == "two-arm" and "order" not in log.columns,
        by_period=in_periods,
        within_time=log.within_time,
        cumulative=log.cumulative,
    )
    with closing(reader.parts()) as parts:
        if log.form == "counts":
            wanted = (_wanted(part, reader, log.since) for part in parts)
            yield from counts(wanted, rows, validator, log.seed)
            return
        ordered = in_order(parts, log.memory) if log.sort else parts
        for block in whole_tests(ordered, rows, reader.names, source.name):
            wanted_of_block = _wanted(block, reader, log.since)
            if len(wanted_of_block["test"]):
                yield MAKERS[log.form](wanted_of_block, validator)


def _wanted(rows: Rows, reader: Reader, since: date | None) -> Rows:
    """The rows of tests that are asked for."""
    return rows if since is None else rows_since(rows, reader, since)
