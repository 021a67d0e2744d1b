"""Ordering: rows sorted by test and order, on disk where memory does not suffice."""

from collections.abc import Iterator
from tempfile import TemporaryDirectory

import pyarrow as pa

from dwell.errors import DwellError, InvalidInput
from dwell.history.reading.quality import in_one_line
from dwell.history.reading.rows import Rows

_ROWS = 2**17


def in_order(parts: Iterator[Rows], memory: str) -> Iterator[Rows]:
    """Rows by test, arm and order; tests stay in the order of their first appearance.

    Args:
        parts: The rows, a part at a time.
        memory: How much of it DuckDB may use, such as "1GB"; the rest goes to a temporary folder.

    Example:
        >>> import numpy as np
        >>> rows = {"row": np.array([1, 2]), "test": np.array([0, 0]), "order": np.array([9, 3])}
        >>> [part["order"].tolist() for part in in_order(iter([rows]), "100MB")]
        [[3, 9]]
    """
    import duckdb  # it takes long to load, and most logs are in order

    first = next(parts, None)
    if first is None:
        return
    schema = pa.schema([(name, pa.from_numpy_dtype(each.dtype)) for name, each in first.items()])
    refusals: list[DwellError] = []

    def batches() -> Iterator[pa.RecordBatch]:
        try:
            yield pa.record_batch(list(first.values()), schema=schema)
            for part in parts:
                yield pa.record_batch(list(part.values()), schema=schema)
        except DwellError as error:  # it would not come out of DuckDB as it is
            refusals.append(error)

    keys = [f'"{name}"' for name in ("test", "arm", "order", "clock", "row") if name in first]
    with TemporaryDirectory(prefix="dwell-") as folder:
        try:
            with duckdb.connect(
                config={"memory_limit": memory, "temp_directory": folder}
            ) as connection:
                log = pa.RecordBatchReader.from_batches(schema, batches())
                ordered = connection.from_arrow(log).order(", ".join(keys))
                for batch in ordered.to_arrow_reader(_ROWS):
                    if refusals:
                        break
                    yield {
                        name: batch.column(name).to_numpy(zero_copy_only=False) for name in first
                    }
        except duckdb.OutOfMemoryException:
            raise InvalidInput(f"the log cannot be sorted within {memory}: give more") from None
        except duckdb.Error as error:
            raise InvalidInput(
                f"the log cannot be sorted within {memory}: {in_one_line(error)}"
            ) from None
    if refusals:
        raise refusals[0] from None
