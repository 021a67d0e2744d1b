"""Rows: a log's Arrow batches as checked arrays, and these as blocks of whole tests.

Tests go by numbers, in the order of their first appearance.
"""

import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dwell import checks
from dwell.arrays import BoolArray, FloatArray, IntArray
from dwell.errors import NotOrdered
from dwell.history.reading.columns import (
    Column,
    Orders,
    dates,
    decoded,
    is_text,
    labels,
    missing,
    numbers,
)
from dwell.history.reading.quality import Faults
from dwell.history.reading.sources import Source

# By our names for columns; "row" counts rows from 1 and "test" tests from 0.
Rows = dict[str, NDArray[Any]]
# Labels of arms that need not be named; which is a test's control is told by all that it has.
_UNDERSTOOD = re.compile(
    r"control|false|true|treatment|treated|[a-ht]|\d{1,3}"
    r"|(?:treatment|treated|variant|variation|arm|t|v)[ _-]?(?:\d{1,3}|[a-h])"
)
_DECIMAL_COMMA = re.compile(r"'\s*[+-]?\d*,\d+\s*'")
_LARGEST = 2**53  # up to here floats know whole numbers
# From where numbers may lie, where not anywhere; and which must be whole.
_LEAST = {"n_c": 0, "x_c": 0, "n_t": 0, "x_t": 0, "n": 0, "variance": 0}
_WHOLE = frozenset({"n_c", "x_c", "n_t", "x_t", "n"})
# What is not known of a period with so many users or fewer.
_NOT_OF_FEW = {"mean": 0, "variance": 1}


def joined(parts: list[Rows]) -> Rows:
    """Rows one after the other."""
    if len(parts) == 1:
        return parts[0]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def between(rows: Rows, first: int, end: int) -> Rows:
    """Some of the rows."""
    return {name: column[first:end] for name, column in rows.items()}


def run_starts(values: IntArray) -> IntArray:
    """Where runs of equal values start."""
    changes = np.flatnonzero(values[1:] != values[:-1]) + 1
    return np.concatenate([np.zeros(min(1, len(values)), dtype=np.int64), changes])


@dataclass(slots=True)
class Reader:
    """Reads a source once, in order; fatal faults are raised or noted, and those rows left out.

    Attributes:
        source: Where the rows come from.
        columns: The source's titles, by our names.
        faults: What is wrong.
        arms: The labels of the control and of one treatment or more; None for the usual ones.
        labels: The labels of arms, in the order of their first appearance.
        names: What tests are called, in the order of their first appearance.
        orders: How the column order, or period of batches, is read.
        clock: How the column time, or period of users, is read.
        read: How many rows of the log were read or come before the source's first.
    """

    source: Source
    columns: Mapping[str, str]
    faults: Faults
    arms: tuple[str, ...] | None = None
    labels: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    orders: Orders = field(default_factory=Orders)
    read: int = 0
    clock: Orders = field(default_factory=Orders)
    _numbers: dict[str, int] = field(default_factory=dict)
    _codes: dict[str, int] = field(default_factory=dict)

    def parts(self) -> Generator[Rows, None, None]:
        """All rows, a part at a time."""
        with closing(self.source.batches(list(dict.fromkeys(self.columns.values())))) as batches:
            for batch in batches:
                if batch.num_rows:
                    yield self._checked(batch)

    def _checked(self, batch: pa.RecordBatch) -> Rows:
        before = self.read
        self.read += batch.num_rows
        rows: Rows = {"row": np.arange(before + 1, self.read + 1)}
        wrong = np.zeros(batch.num_rows, dtype=np.bool_)
        for ours, title in self.columns.items():
            column = batch.column(title)
            bad: BoolArray | None
            if ours == "test":
                rows[ours], bad = self._tests(column)
                demand = "must name a test"
            elif ours == "arm":
                rows[ours], bad = self._arms(column)
                demand = "must be control or treatment: name the labels by arms, the control first"
            elif ours == "date":
                rows[ours], bad = dates(column)
                demand = "must be a date such as 2026-03-31: mend it, or leave the column out"
            elif ours in ("order", "time", "period"):
                orders = self.orders if ours == self._ordered_by else self.clock
                rows["order" if ours == self._ordered_by else "clock"], bad = orders.read(column)
                demand = f"must be a {_kind(orders)}"
            else:
                rows[ours], bad, demand = self._numbers_in(ours, column, rows)
            if bad is not None:
                self._note(title, column, bad, before, demand)
                wrong |= bad
        return {name: column[~wrong] for name, column in rows.items()} if wrong.any() else rows

    @property
    def _ordered_by(self) -> str:
        """The column that says what came first."""
        return next(name for name in ("order", "time", "period") if name in self.columns)

    def _numbers_in(
        self, ours: str, column: Column, rows: Rows
    ) -> tuple[FloatArray, BoolArray | None, str]:
        """A column of numbers, where they are not what they must be, and what they must be."""
        found, bad = numbers(column)
        demand = "must be a finite number"
        if ours in _LEAST:
            bad = _unfit(found, _LEAST[ours], ours in _WHOLE)
            demand = f"must be a number >= {_LEAST[ours]}"
            if ours in _WHOLE:
                demand = f"must be a whole number >= {_LEAST[ours]} and at most 2^53"
        if bad is not None and ours in _NOT_OF_FEW:
            # A period of nobody has no mean, and one of a single user no variance: as SQL has it.
            bad &= ~((rows["n"] <= _NOT_OF_FEW[ours]) & missing(column))
        return found, bad if bad is not None and bad.any() else None, demand

    def _note(self, title: str, column: Column, bad: BoolArray, before: int, demand: str) -> None:
        places = np.flatnonzero(bad)
        got = checks.shown(decoded(column)[int(places[0])].as_py())
        head, _, advice = demand.partition(": ")
        if _DECIMAL_COMMA.fullmatch(got):
            advice = "write numbers with a decimal point"
        sentence = (
            f"{title} in row {before + places[0] + 1} of {self.source.name} {head}, got {got}"
        )
        self.faults.add(
            f"{title} {head}",
            places + before + 1,
            f"{sentence}: {advice}" if advice else sentence,
        )

    def _tests(self, column: Column) -> tuple[IntArray, BoolArray | None]:
        """Numbers of tests: each run of equal names is looked up once."""
        starts = _changes(column)
        encoded = labels(column.take(pa.array(starts))).dictionary_encode()
        numbered = np.array([self._number(each) for each in encoded.dictionary.to_pylist()] + [-1])
        places = encoded.indices.fill_null(len(numbered) - 1).to_numpy(zero_copy_only=False)
        ends = np.append(starts[1:], len(column))
        tests = np.repeat(numbered[places], ends - starts)
        bad = tests < 0
        return tests, bad if bad.any() else None

    def _number(self, value: object) -> int:
        """A test's number; -1 for no name."""
        name = str(value).strip()
        if value is None or value != value or not name:
            return -1
        number = self._numbers.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(name)
        return number

    def _arms(self, column: Column) -> tuple[IntArray, BoolArray | None]:
        """Numbers of labels; -1 for one that is not understood."""
        encoded = column if _is_dictionary(column) else labels(column).dictionary_encode()
        codes = np.array([self._code(each) for each in encoded.dictionary.to_pylist()] + [-1])
        places = encoded.indices.fill_null(len(codes) - 1).to_numpy(zero_copy_only=False)
        found = codes[places]
        bad = found < 0
        return found, bad if bad.any() else None

    def _code(self, value: object) -> int:
        """A label's number; the usual labels may be in small letters or large ones."""
        label = str(value).strip()
        key = label if self.arms is not None else label.lower()
        if value is None or not label:
            return -1
        if self.arms is None and not _UNDERSTOOD.fullmatch(key):
            return -1
        code = self._codes.setdefault(key, len(self.labels))
        if code == len(self.labels):
            self.labels.append(label)
        return code


def _kind(orders: Orders) -> str:
    words = {"whole": "whole number", "fraction": "finite number", "time": "time"}
    return f"{words[orders.kind or 'whole']}, as most of the first rows"


def _changes(column: Column) -> IntArray:
    """Where a column's value differs from the one before."""
    if _is_dictionary(column):
        return run_starts(column.indices.fill_null(-1).to_numpy(zero_copy_only=False))
    column = labels(column)
    if not is_text(column) and column.null_count == 0:
        values = column.to_numpy(zero_copy_only=False)
        if values.dtype.kind in "iu":
            return run_starts(values)
    encoded = column.dictionary_encode().indices.fill_null(-1)
    return run_starts(encoded.to_numpy(zero_copy_only=False))


def _is_dictionary(column: Column) -> bool:
    return bool(pa.types.is_dictionary(column.type))


def _unfit(found: FloatArray, least: int, whole: bool) -> BoolArray | None:
    fit = (found >= least) & np.isfinite(found)
    if whole:
        fit &= (found <= _LARGEST) & (found == np.floor(found))
    return None if fit.all() else ~fit


def whole_tests(parts: Iterable[Rows], size: int, names: Sequence[str], log: str) -> Iterator[Rows]:
    """Blocks of at most `size` rows, or of one longer test, for any parts that rows come in.

    Only a test that lies in several parts is put together anew; all else is passed on as it is.

    Args:
        parts: Rows, a part at a time.
        size: How many rows a block may have.
        names: What tests are called.
        log: What to call the log where it is refused.

    Example:
        >>> import numpy as np
        >>> rows = {"row": np.arange(1, 7), "test": np.array([0, 0, 0, 1, 2, 2])}
        >>> [block["row"].tolist() for block in whole_tests([rows], 2, "abc", "log.csv")]
        [[1, 2, 3], [4], [5, 6]]
    """
    held: list[Rows] = []
    last = -1
    for part in parts:
        tests = part["test"]
        if not len(tests):
            continue
        follows = int(tests[0] == last)
        last = _follows(part, last, names, log)
        starts = run_starts(tests)
        if held and not (follows and len(starts) == 1):
            ours = int(starts[1]) if follows else 0
            yield joined([*held, between(part, 0, ours)])
            held, starts = [], starts[follows:]
        if not held:
            yield from _without_last(part, starts, size)
        held.append(between(part, int(starts[-1]), len(tests)))
    if held:
        yield joined(held)


def _without_last(rows: Rows, starts: IntArray, size: int) -> Iterator[Rows]:
    """Blocks of all tests but the last."""
    first = 0
    while first < len(starts) - 1:
        fits = int(np.searchsorted(starts, starts[first] + size, side="right")) - 1
        end = min(max(fits, first + 1), len(starts) - 1)
        yield between(rows, int(starts[first]), int(starts[end]))
        first = end


def _follows(part: Rows, last: int, names: Sequence[str], log: str) -> int:
    """The last test of a part; tests are numbered as they appear, so numbers never fall."""
    tests = part["test"]
    falls = np.flatnonzero(tests[1:] < tests[:-1]) + 1
    if tests[0] < last or len(falls):
        place = 0 if tests[0] < last else int(falls[0])
        raise NotOrdered(
            f"rows of a test must follow one another, got test {names[tests[place]]} again in row "
            f"{part['row'][place]} of {log}: order the log, or give sort=True"
        )
    return int(tests[-1])
