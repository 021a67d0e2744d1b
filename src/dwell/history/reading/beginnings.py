"""Beginnings: when past tests began, where a log has dates."""

from dataclasses import dataclass

import numpy as np

from dwell.arrays import DateArray, IntArray
from dwell.history.reading.log import Log
from dwell.history.reading.quality import Faults
from dwell.history.reading.rows import Reader

# Columns that may have dates, those first that say it best.
DATED = ("date", "time", "period", "order")
_LATEST = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Beginnings:
    """When tests began.

    Attributes:
        times: When each did, in microseconds since 1970.
    """

    times: dict[str, int]

    def of(self, names: tuple[str, ...]) -> DateArray | None:
        """When these began; None if that is not known of some.

        Args:
            names: Tests, or treatments of tests that have several ("test / arm").

        Example:
            >>> Beginnings({"blue": 86_400_000_000}).of(("blue", "blue / arm 2")).astype("M8[D]")
            array(['1970-01-02', '1970-01-02'], dtype='datetime64[D]')
        """
        found = [self.times.get(name, self.times.get(name.rpartition(" / ")[0])) for name in names]
        known = [time for time in found if time is not None]
        return np.array(known, dtype="datetime64[us]") if len(known) == len(names) else None


def beginnings_of(log: Log) -> Beginnings | None:
    """When the tests of a log began: at their first rows. None of a log without dates.

    The columns of tests and dates are read for it once more.

    Args:
        log: The log.

    Example:
        >>> import pyarrow as pa
        >>> days = ["2024-01-02", "2024-01-01", "2024-01-04"]
        >>> table = pa.table({"test": ["blue", "red", "red"], "order": days, "value": [3, 4, 5]})
        >>> beginnings_of(Log(table)).of(("red", "blue")).astype("M8[D]").astype(str).tolist()
        ['2024-01-01', '2024-01-02']
    """
    for name in DATED:
        if name in log.columns:
            # Of dates it is known that they are some, whatever else a column may order rows by.
            ours = "date" if name == "date" else "order"
            columns = {"test": log.columns["test"], ours: log.columns[name]}
            reader = Reader(log.opened, columns, Faults(strict=True))
            first = _first(reader, ours)
            if first is not None:
                return Beginnings(dict(zip(reader.names, first.tolist(), strict=True)))
    return None


def _first(reader: Reader, column: str) -> IntArray | None:
    """When each test began; None if there are no dates in the column."""
    first = np.empty(0, dtype=np.int64)
    for rows in reader.parts():
        if column == "order" and reader.orders.kind != "time":
            return None
        first = np.append(first, np.full(len(reader.names) - len(first), _LATEST))
        np.minimum.at(first, rows["test"], rows[column])
    return first if len(first) else None
