"""Tests since a date: rows of those that began then or later."""

from datetime import date

import numpy as np

from dwell.errors import InvalidInput
from dwell.history.reading.rows import Reader, Rows, run_starts


def rows_since(rows: Rows, reader: Reader, since: date) -> Rows:
    """The rows of tests that began on a day or later.

    Args:
        rows: Rows of whole tests, which follow one another.
        reader: What has read them.
        since: The day.

    Example:
        >>> import pyarrow as pa
        >>> from dwell.history.reading.log import Log
        >>> days = ["2024-01-02", "2024-01-03", "2024-01-04"]
        >>> table = pa.table({"test": ["blue", "blue", "red"], "order": days, "value": [3, 4, 5]})
        >>> [block.names for block in Log(table, since=date(2024, 1, 3)).blocks()]
        [('red',)]
    """
    if not len(rows["test"]):
        return rows
    column = _dated(rows, reader)
    starts = run_starts(rows["test"])
    began = np.minimum.reduceat(rows[column], starts)
    late = began >= np.datetime64(since, "us").astype(np.int64)
    if late.all():
        return rows
    kept = np.repeat(late, np.diff(np.append(starts, len(rows["test"]))))
    return {name: cells[kept] for name, cells in rows.items()}


def _dated(rows: Rows, reader: Reader) -> str:
    """The column that says when rows were."""
    if "date" in rows:
        return "date"
    if "clock" in rows and reader.clock.kind == "time":
        return "clock"
    if "order" in rows and reader.orders.kind == "time":
        return "order"
    raise InvalidInput(
        f"since needs a log that says when tests began, and {reader.source.name} has no dates: "
        "give a column of them (period, time or order; with counts, date), or leave since out"
    )
