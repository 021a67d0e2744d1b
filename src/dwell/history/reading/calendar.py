"""Calendar: how long past tests of batches took, in days or in periods."""

from dataclasses import dataclass

import numpy as np

from dwell.arrays import FloatArray
from dwell.history.reading.log import Log
from dwell.history.reading.quality import Faults
from dwell.history.reading.rows import Reader

_DAY = 86_400_000_000  # microseconds


@dataclass(frozen=True, slots=True)
class Calendar:
    """How long tests took.

    Attributes:
        unit: What is counted: days where periods are dates, or else periods.
        lengths: How many of them each test took, from its first to its last.
    """

    unit: str
    lengths: dict[str, float]

    def of(self, names: tuple[str, ...]) -> FloatArray | None:
        """How long these tests took; None if that is not known of some.

        Args:
            names: Tests, or treatments of tests that have several ("test / arm").

        Example:
            >>> Calendar("days", {"blue": 14.0}).of(("blue", "blue / arm 2")).tolist()
            [14.0, 14.0]
        """
        found = [self.lengths.get(name, self._of_test(name)) for name in names]
        known = [length for length in found if length is not None]
        return np.array(known) if len(known) == len(names) else None

    def _of_test(self, name: str) -> float | None:
        return self.lengths.get(name.rpartition(" / ")[0])


def calendar_of(log: Log) -> Calendar | None:
    """The calendar of a log that has periods; None of another, or if they are not whole numbers.

    The columns of tests and periods are read for it once more.

    Args:
        log: The log.

    Example:
        >>> import pyarrow as pa
        >>> days = ["2024-01-01", "2024-01-02", "2024-01-01", "2024-01-04"]
        >>> ones = {"n": [9] * 4, "mean": [0.1] * 4, "variance": [1.0] * 4}
        >>> table = pa.table({"test": ["blue", "blue", "red", "red"], "period": days} | ones)
        >>> calendar_of(Log(table))
        Calendar(unit='days', lengths={'blue': 2.0, 'red': 4.0})
    """
    if log.form != "batches":
        return None
    columns = {name: log.columns[name] for name in ("test", "period")}
    reader = Reader(log.opened, columns, Faults(strict=True))
    first, last, distinct = np.empty(0), np.empty(0), np.empty(0)
    for rows in reader.parts():
        new = len(reader.names) - len(first)
        first, last = np.append(first, [np.inf] * new), np.append(last, [-np.inf] * new)
        np.minimum.at(first, rows["test"], rows["order"])
        np.maximum.at(last, rows["test"], rows["order"])
        distinct = np.union1d(distinct, rows["order"])
    if reader.orders.kind not in ("time", "whole"):
        return None
    dates = reader.orders.kind == "time"
    unit = _DAY if dates else 1
    # A period lasts as long as it mostly is to the next: weeks count as seven days.
    steps = np.sort(np.diff(distinct))
    step = float(steps[(len(steps) - 1) // 2]) / unit if len(steps) else 1.0
    lengths = (last - first) / unit + step
    return Calendar(
        "days" if dates else "periods", dict(zip(reader.names, lengths.tolist(), strict=True))
    )
