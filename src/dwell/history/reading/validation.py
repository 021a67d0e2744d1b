"""Validation: whole tests are looked over, and what a reader should know is counted."""

from dataclasses import dataclass

import numpy as np

from dwell.arrays import BoolArray, FloatArray, IntArray, Samples
from dwell.errors import NotOrdered
from dwell.fitting.sample_ratio import MISMATCH, sample_ratio_p_values
from dwell.history.reading.rows import Reader, Rows


@dataclass(frozen=True, slots=True)
class Validator:
    """Looks at rows that a reader has read.

    Attributes:
        reader: The reader: names of tests, faults, the kind of order.
        bounds: From where to where values may lie; None for any.
        ties: Whether users of a test may come at the same time.
        by_period: Whether users come in periods, to be compared within each.
        within_time: Whether users are compared within stretches of time, however arms are split.
        cumulative: Whether periods have all users since the first; None if nobody has said.
    """

    reader: Reader
    bounds: tuple[float, float] | None = None
    ties: bool = False
    by_period: bool = False
    within_time: bool = False
    cumulative: bool | None = None

    def names(self, numbers: IntArray) -> tuple[str, ...]:
        """What tests are called."""
        return tuple(self.reader.names[number] for number in numbers.tolist())

    def order(self, rows: Rows) -> None:
        """Refuse rows that come too late, and rows of one test (and arm) with the same order."""
        if "arm" in rows:
            for code in range(len(self.reader.labels)):
                places = np.flatnonzero(rows["arm"] == code)
                self._order({name: rows[name][places] for name in ("row", "test", "order")})
        else:
            self._order(rows)

    def _order(self, rows: Rows) -> None:
        same = rows["test"][1:] == rows["test"][:-1]
        orders = rows["order"]
        late = np.flatnonzero(same & (orders[1:] < orders[:-1])) + 1
        log = self.reader.source.name
        if len(late):
            raise NotOrdered(
                f"rows of a test must come in their order, got row {rows['row'][late[0]]} of "
                f"{log}, of test {self._name(rows, late[0])}, too late: order the log, or give "
                "sort=True"
            )
        twice = np.flatnonzero(same & (orders[1:] == orders[:-1])) + 1
        if len(twice) and not self.ties:
            self.reader.faults.add(
                "repeated rows",
                rows["row"][twice],
                f"rows of a test must differ in their order, got the same in rows "
                f"{rows['row'][twice[0] - 1]} and {rows['row'][twice[0]]} of {log}, both of test "
                f"{self._name(rows, twice[0])}",
            )

    def outside(self, values: FloatArray, rows: Rows) -> int:
        """How many values lie out of range."""
        if self.bounds is None or not len(values):
            return 0
        low, high = self.bounds
        if values.min() >= low and values.max() <= high:
            return 0
        places = np.flatnonzero((values < low) | (values > high))
        self._note(
            "values out of range",
            rows["row"][places],
            f"values should lie in [{low:g}, {high:g}], got {values[places[0]]:g}",
        )
        return len(places)

    def gaps(self, rows: Rows, starts: IntArray) -> int:
        """How many numbers are missing where at least half of those from first to last are there.

        Two rows of different arms may share a number. Times and the like have no gaps.
        """
        if self.reader.orders.kind != "whole" or not len(starts):
            return 0
        orders = rows["order"]
        ends = np.append(starts[1:], len(orders)) - 1
        if "arm" in rows:
            tests = rows["test"]
            sorted_by = np.lexsort((orders, tests))
            orders = orders[sorted_by]
            new = np.ones(len(orders), dtype=np.int64)
            new[1:] = (orders[1:] != orders[:-1]) | (tests[1:] != tests[:-1])
            there = np.add.reduceat(new, starts)
        else:
            there = ends - starts + 1
        # As floats: numbers from far apart do not wrap around.
        spans = orders[ends].astype(np.float64) - orders[starts].astype(np.float64) + 1.0
        missing = spans - there
        gapped = (missing > 0.0) & (missing < there)
        self._tests("gaps in the order", gapped, rows, starts, "rows numbered without gaps")
        return int(missing[gapped].sum())

    def short(self, lengths: IntArray, rows: Rows, starts: IntArray) -> int:
        """How many tests have fewer than two samples."""
        few = lengths < 2
        self._tests("short tests", few, rows, starts, "two samples or more")
        return int(few.sum())

    def constant(self, samples: Samples, lengths: IntArray, rows: Rows, starts: IntArray) -> int:
        """How many tests of two samples or more have samples that are all equal."""
        long = lengths >= 2
        if not long.any():
            return 0
        first = np.cumsum(lengths) - lengths
        changed = np.zeros(len(samples), dtype=np.bool_)
        changed[1:] = samples[1:] != samples[:-1]
        changed[first[lengths > 0]] = False
        equal = np.zeros(len(lengths), dtype=np.bool_)
        equal[long] = ~np.logical_or.reduceat(changed, first[long])
        return self.equal(equal, rows, starts)

    def equal(self, which: BoolArray, rows: Rows, starts: IntArray) -> int:
        """How many tests have samples that are all equal, as is known of each."""
        self._tests("constant tests", which, rows, starts, "samples that differ")
        return int(which.sum())

    def mismatched(
        self, controls: IntArray, treated: IntArray, rows: Rows, starts: IntArray
    ) -> int:
        """How many tests have arms of sizes that chance does not explain."""
        unequal = sample_ratio_p_values(controls, treated) < MISMATCH
        self._tests("sample-ratio mismatch", unequal, rows, starts, "arms of about equal size")
        return int(unequal.sum())

    def _tests(
        self, kind: str, which: BoolArray, rows: Rows, starts: IntArray, wanted: str
    ) -> None:
        if which.any():
            first = starts[which]
            self._note(
                kind,
                rows["row"][first],
                f"tests should have {wanted}, unlike test {self._name(rows, first[0])}",
            )

    def _note(self, kind: str, places: IntArray, sentence: str) -> None:
        where = f"{sentence} in row {places[0]} of {self.reader.source.name}"
        self.reader.faults.add(kind, places, where, fatal=False)

    def _name(self, rows: Rows, place: int) -> str:
        return self.reader.names[int(rows["test"][place])]
