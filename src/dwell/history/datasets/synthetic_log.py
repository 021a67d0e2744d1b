"""Synthetic logs: tests that nobody ran, for demos and to try large logs.

It is drawn and written a part at a time. A longer log begins with the shorter one of the same seed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet

from dwell import checks
from dwell.arrays import IntArray, starts_of
from dwell.errors import InvalidInput
from dwell.files import whole_file
from dwell.history.datasets.synthetic_tests import TESTS, Recipe
from dwell.history.reading.columns import Form
from dwell.history.reading.rows import Rows, between, joined
from dwell.laws import Gaussian, Lift
from dwell.priors import Normal, Prior

ENDINGS = (".csv", ".parquet")
STEPS = 100
PRIOR, LAW = Normal(-0.0003, 0.0045), Lift(0.05)
# Rows that are drawn at once; and rows that are written at once, as a row group of Parquet.
_PIECE, _GROUP = 2**18, 2**20
_ARMS = pa.array(["control", "treatment"])


@dataclass(frozen=True, slots=True)
class Generated:
    """What was written.

    Attributes:
        tests: How many tests.
        rows: How many rows they have.
        notes: What to know about them, in sentences.
    """

    tests: int
    rows: int
    notes: tuple[str, ...] = ()


def generate(
    path: str | Path,
    *,
    form: Form = "raw",
    tests: int | None = None,
    rows: int | None = None,
    length: int = 2000,
    prior: Prior = PRIOR,
    law: Lift | Gaussian = LAW,
    seed: int = 0,
    faults: float = 0.0,
    advance: Callable[[], None] | None = None,
) -> Generated:
    """Write a log of tests that nobody ran, whole or not at all.

    Args:
        path: The file, whose name ends in .csv or .parquet.
        form: One of raw, two-arm, counts and batches.
        tests: How many tests; 1000 where rows are not given either.
        rows: Go on until there are as many rows, to the end of a test.
        length: The median of tests' lengths, in samples: pairs of outcomes where there are arms.
        prior: What ideas are worth; it is truncated to the law's range.
        law: What a sample looks like: `Lift(base_rate)` or `Gaussian(sd)`.
        seed: The same seed gives the same file.
        faults: The share of tests with a fault that a log's quality counts: arms of unequal size,
            or gaps in the order of raw samples.
        advance: Called after each hundredth of the work.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     generate(Path(folder, "log.parquet"), form="counts", tests=3)
        Generated(tests=3, rows=3, notes=())
    """
    recipe = Recipe(form=form, length=length, prior=prior, law=law, seed=seed, faults=faults)
    if tests is not None and rows is not None:
        raise InvalidInput(f"give tests or rows, not both, got {tests} and {rows}")
    if rows is None:
        tests = checks.count("tests", 1000 if tests is None else tests)
    else:
        rows = checks.count("rows", rows)
    made = written = steps = 0
    with _written(Path(path)) as write:
        for group in _groups(_pieces(recipe, tests, rows)):
            write(_table(group))
            made = int(group["test"][-1]) + 1
            written += len(group["test"])
            done = made / tests if tests else written / (rows or 1)
            while steps < int(STEPS * min(done, 1.0)):
                steps += 1
                if advance is not None:
                    advance()
    return Generated(made, written, recipe.notes)


def _pieces(recipe: Recipe, tests: int | None, rows: int | None) -> Iterator[Rows]:
    """Rows of so many tests, or of as many as have so many rows."""
    before = 0
    for number in count():
        block, rng = recipe.block(number)
        starts = starts_of(recipe.sizes(block))
        if rows is None:
            left = (tests or 0) - number * TESTS
        else:
            left = int(np.searchsorted(starts, rows - before))
        end = int(starts[min(left, TESTS)])
        for first in range(0, end, _PIECE):
            # All of the piece, though not all is needed: what is drawn must not depend on that.
            last = min(first + _PIECE, int(starts[-1]))
            ends: IntArray = np.clip(starts, first, last)
            local = np.repeat(np.arange(TESTS), np.diff(ends))
            within = np.arange(first, last) - starts[local]
            piece = {"test": local + number * TESTS} | recipe.rows(block, local, within, rng)
            yield between(piece, 0, end - first)
        before += end
        if left <= TESTS:
            return


def _groups(pieces: Iterator[Rows]) -> Iterator[Rows]:
    """Pieces, put together where they are small."""
    held: list[Rows] = []
    for piece in pieces:
        held.append(piece)
        if sum(len(each["test"]) for each in held) >= _GROUP:
            yield joined(held)
            held = []
    if held:
        yield joined(held)


def _table(rows: Rows) -> pa.Table:
    """Rows with their tests' and arms' names, each kept once."""
    first, last = int(rows["test"][0]), int(rows["test"][-1])
    names = pa.array([f"test-{number + 1:06d}" for number in range(first, last + 1)])
    columns: dict[str, Any] = rows | {"test": _named(rows["test"] - first, names)}
    if "arm" in rows:
        columns["arm"] = _named(rows["arm"], _ARMS)
    return pa.table(columns)


def _named(places: Any, names: pa.Array) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(places.astype(np.int32)), names)


@contextmanager
def _written(path: Path) -> Iterator[Callable[[pa.Table], None]]:
    """Gives what writes to a file: under another name, until it is whole."""
    if path.suffix.lower() not in ENDINGS:
        raise InvalidInput(f"a log's name must end in {' or '.join(ENDINGS)}, got {str(path)!r}")
    with whole_file(path, "file") as stream:
        writer = _Writer(stream, path.suffix.lower())
        try:
            yield writer.write
        except BaseException:
            with suppress(OSError, pa.ArrowException):
                writer.close()
            raise
        writer.close()


class _Writer:
    """Tables of one kind, one after the other, as CSV or Parquet."""

    def __init__(self, stream: BinaryIO, ending: str) -> None:
        self._stream = stream
        self._ending = ending
        self._writer: Any = None

    def write(self, table: pa.Table) -> None:
        """Add a table."""
        if self._writer is None:
            self._writer = self._opened(table.schema)
        # As one piece: as a row group of Parquet.
        self._writer.write_table(table, table.num_rows)

    def close(self) -> None:
        """Write what ends the file."""
        if self._writer is not None:
            self._writer.close()

    def _opened(self, schema: pa.Schema) -> Any:
        if self._ending == ".parquet":
            numbered = {"order": "DELTA_BINARY_PACKED"} if "order" in schema.names else None
            others = [name for name in schema.names if name != "order"]
            return parquet.ParquetWriter(
                self._stream,
                schema,
                use_dictionary=others,
                column_encoding=numbered,
                store_schema=False,  # names are read as text, as from other files
            )
        self._stream.write(f"{','.join(schema.names)}\n".encode())
        return arrow_csv.CSVWriter(
            self._stream,
            schema,
            # No name needs quotes, and half of the rows' length would be quotes.
            write_options=arrow_csv.WriteOptions(include_header=False, quoting_style="none"),
        )
