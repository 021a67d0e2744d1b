"""Log: past tests in one of four forms, read a block of whole tests at a time.

| form | columns | a sample is |
|---|---|---|
| raw | test, order, value | a row |
| two-arm | test, arm, order, outcome | a treated outcome minus an untreated one |
| counts | test, n_c, x_c, n_t, x_t | the same, of sequences drawn to fit the counts |
| batches | test, period, n, mean, variance, and perhaps arm | known by sums over periods only |
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from math import isnan

import numpy as np

from dwell import checks
from dwell.errors import InvalidInput
from dwell.history import making
from dwell.history.batches import Batches
from dwell.history.blocks import whole_tests
from dwell.history.expansion import expanded
from dwell.history.findings import Findings
from dwell.history.forms import Form, understood
from dwell.history.inspector import Inspector
from dwell.history.ordering import in_order
from dwell.history.parquet_files import ParquetFiles
from dwell.history.rows import Reader, Rows
from dwell.history.sources import opened
from dwell.history.tests import Tests

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
            data frame that narwhals knows; a DuckDB relation; a `Query`.
        form: One of raw, two-arm, counts and batches; None to tell it by the columns.
        columns: The log's titles, where they differ from our names: `{"value": "revenue"}`.
        sort: Whether to put rows in order first, by DuckDB.
        memory: How much memory ordering may take.
        seed: What sequences are drawn from, for counts.
        bounds: From where to where values (outcomes, means) should lie; None for any.
        arms: The labels of control and treatment; None for the usual ones.

    Example:
        >>> import pyarrow as pa
        >>> table = pa.table({"test": ["blue", "blue", "red"], "order": [1, 2, 1], "x": [3, 4, 5]})
        >>> log = Log(table, columns={"value": "x"})
        >>> [(block.names, block.samples.tolist()) for block in log.tests(rows=2)]
        [(('blue',), [3.0, 4.0]), (('red',), [5.0])]
    """

    source: object
    form: Form | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    sort: bool = False
    memory: str = "1GB"
    seed: int = 0
    bounds: tuple[float, float] | None = None
    arms: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        checks.count("seed", self.seed, least=0)
        if self.bounds is not None:
            low, high = (checks.real("bounds", end) for end in self.bounds)
            if isnan(low) or isnan(high) or low >= high:
                raise InvalidInput(f"bounds must be a lower and an upper one, got {self.bounds}")
        if self.arms is not None and len({str(label).strip() for label in self.arms}) != 2:
            raise InvalidInput(f"arms must be two different labels, got {checks.shown(self.arms)}")
        source = opened(self.source)
        form, columns = understood(source.titles, self.form, self.columns, source.name)
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

    def tests(self, rows: int = BLOCK) -> Iterator[Tests]:
        """Blocks of tests whose samples are known one by one.

        Args:
            rows: How many rows (of counts: samples) a block may have; a test that alone has more
                is a block of its own.
        """
        if self.form == "batches":
            raise InvalidInput("a log of batches has no single samples: read its batches instead")
        return tests_of(self, checks.count("rows", rows), Findings(strict=True))

    def batches(self, rows: int = BLOCK) -> Iterator[Batches]:
        """Blocks of tests that are known by sums over periods.

        Args:
            rows: How many rows a block may have; a test that alone has more is a block of its own.
        """
        if self.form != "batches":
            raise InvalidInput(f"only a log of batches has batches, got one of form {self.form}")
        return batches_of(self, checks.count("rows", rows), Findings(strict=True))


def tests_of(log: Log, rows: int, findings: Findings) -> Iterator[Tests]:
    """Blocks of tests, and what is found while they are read."""
    inspector = _inspector(log, findings)
    reader = inspector.reader
    with closing(reader.parts()) as parts:
        if log.form == "counts":
            yield from expanded(parts, rows, inspector, log.seed)
        else:
            make = making.two_arm if log.form == "two-arm" else making.raw
            for block in _blocks(log, reader, parts, rows):
                yield make(block, inspector)


def batches_of(log: Log, rows: int, findings: Findings) -> Iterator[Batches]:
    """Blocks of batches, and what is found while they are read."""
    inspector = _inspector(log, findings)
    reader = inspector.reader
    with closing(reader.parts()) as parts:
        for block in _blocks(log, reader, parts, rows):
            yield making.batches(block, inspector)


def _inspector(log: Log, findings: Findings) -> Inspector:
    source = opened(log.source)
    before = source.before if isinstance(source, ParquetFiles) else 0
    return Inspector(Reader(source, log.columns, findings, log.arms, read=before), log.bounds)


def _blocks(log: Log, reader: Reader, parts: Iterator[Rows], rows: int) -> Iterator[Rows]:
    ordered = in_order(parts, log.memory) if log.sort else parts
    return whole_tests(ordered, rows, reader.names, reader.source.name)
