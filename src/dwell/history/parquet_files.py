"""Parquet: files of columns, read a piece at a time and in parts."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.parquet as parquet

from dwell.arrays import IntArray
from dwell.history.faults import faulty, require_titles

_ROWS = 2**18
_FEW = 2**12  # as many as it takes to find where a test begins


@dataclass(frozen=True, slots=True)
class ParquetFiles:
    """Parquet files, one after the other, or some of their rows.

    Attributes:
        name: What to call them where they are refused.
        paths: Where they are.
        titles: The titles of the first one's columns.
        before: How many rows come before these.
        end: Before which row, counted from 0, these end; None for the last row of all.
    """

    name: str
    paths: tuple[Path, ...]
    titles: tuple[str, ...]
    before: int = 0
    end: int | None = None

    def batches(
        self, titles: Sequence[str], rows: int = _ROWS
    ) -> Generator[pa.RecordBatch, None, None]:
        """Some columns of all rows, in the order of the files; at most so many rows at a time."""
        start = 0
        for path in self.paths:
            try:
                schema = parquet.read_schema(path)
                require_titles(titles, schema.names, path)
                # Text comes as numbers of different texts, several times as fast.
                texts = [each.name for each in schema if pa.types.is_string(each.type)]
                with parquet.ParquetFile(path, read_dictionary=texts) as file:
                    yield from self._between(file, titles, start, rows)
                    start += file.metadata.num_rows
            except (pa.ArrowException, OSError) as error:
                raise faulty(path, "Parquet", error) from None
            if self.end is not None and start >= self.end:
                return

    def _between(
        self, file: Any, titles: Sequence[str], start: int, rows: int
    ) -> Generator[pa.RecordBatch, None, None]:
        """Our rows of a file before which there are `start` rows."""
        sizes = np.array(_group_sizes(file.metadata), dtype=np.int64)
        ends = start + np.cumsum(sizes)
        starts = ends - sizes
        end = start + file.metadata.num_rows if self.end is None else self.end
        groups = np.flatnonzero((ends > self.before) & (starts < end))
        if not len(groups):
            return
        at = int(starts[groups[0]])
        for batch in file.iter_batches(
            rows, row_groups=groups.tolist(), columns=list(titles), use_threads=False
        ):
            yield batch[max(0, self.before - at) : max(0, end - at)]
            at += batch.num_rows
            if at >= end:
                return

    def divided(self, title: str, count: int) -> tuple["ParquetFiles", ...]:
        """At most so many parts, each with all rows of its tests where those follow one another.

        Args:
            title: The column that says which test a row is of.
            count: How many parts.
        """
        ends = self._group_ends()
        wanted = np.arange(1, count) * (ends[-1] / count)
        cuts = [0]
        for cut in np.unique(ends[np.searchsorted(ends, wanted)]).tolist():
            if cuts[-1] < cut < ends[-1]:
                cuts.append(self._next_test(title, cut))
        cuts = [*dict.fromkeys(cuts), int(ends[-1])]
        # Whoever reads a part may work in another folder.
        whole = replace(self, paths=tuple(path.absolute() for path in self.paths))
        return tuple(replace(whole, before=before, end=end) for before, end in pairwise(cuts))

    def _group_ends(self) -> IntArray:
        """Where groups of rows end, all files together; and 0."""
        sizes = [0]
        for path in self.paths:
            try:
                sizes += _group_sizes(parquet.read_metadata(path))
            except (pa.ArrowException, OSError) as error:
                raise faulty(path, "Parquet", error) from None
        return np.cumsum(sizes)

    def _next_test(self, title: str, row: int) -> int:
        """Where a test begins that is the next one but the row's own."""
        at, test = row, None
        for batch in replace(self, before=row, end=None).batches([title], rows=_FEW):
            column = batch.column(0)
            if pa.types.is_dictionary(column.type):
                column = column.dictionary_decode()
            test = column[0] if test is None and len(column) else test
            different = compute.index(compute.equal(column, test).fill_null(False), False).as_py()
            if different >= 0:
                return int(at + different)
            at += batch.num_rows
        return at


def _group_sizes(metadata: Any) -> list[int]:
    return [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
