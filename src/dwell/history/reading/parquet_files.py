"""Parquet: files of columns, read a piece at a time and in parts."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.parquet as parquet

from dwell.history.reading.quality import require_titles, unreadable

_ROWS = 2**18
_FEW = 2**12  # as many as it takes to find where a test begins


@dataclass(frozen=True, slots=True)
class ParquetFiles:
    """Parquet files, one after the other, or some of their rows.

    Attributes:
        name: What to call them where they are refused.
        paths: Where they are.
        before: How many rows of the log come before these.
        end: Before which row of the log, counted from 0, these end; None for the last row of all.
        skipped: How many rows of the log lie in files that come before these paths.
        footers: The footers that were read so far, with schemas and sizes: each is read once, when
            it is first needed.
    """

    name: str
    paths: tuple[Path, ...]
    before: int = 0
    end: int | None = None
    skipped: int = 0
    footers: dict[Path, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of the first one's columns."""
        return tuple(self._footer(self.paths[0]).schema.to_arrow_schema().names)

    def batches(
        self, titles: Sequence[str], rows: int = _ROWS
    ) -> Generator[pa.RecordBatch, None, None]:
        """Some columns of all rows, in the order of the files; at most so many rows at a time."""
        start = self.skipped
        for path in self.paths:
            footer = self._footer(path)
            try:
                schema = footer.schema.to_arrow_schema()
                require_titles(titles, schema.names, path)
                # Text comes as numbers of different texts, several times as fast.
                texts = [each.name for each in schema if pa.types.is_string(each.type)]
                with parquet.ParquetFile(path, metadata=footer, read_dictionary=texts) as file:
                    yield from self._between(file, titles, start, rows)
            except (pa.ArrowException, OSError) as error:
                raise unreadable(path, "Parquet", error) from None
            start += footer.num_rows
            if self.end is not None and start >= self.end:
                return

    def _footer(self, path: Path) -> Any:
        if path not in self.footers:
            try:
                self.footers[path] = parquet.read_metadata(path)
            except (pa.ArrowException, OSError) as error:
                raise unreadable(path, "Parquet", error) from None
        return self.footers[path]

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
        footers = [self._footer(path) for path in self.paths]
        ends = np.cumsum([0, *(size for footer in footers for size in _group_sizes(footer))])
        wanted = np.arange(1, count) * (ends[-1] / count)
        borders = [0]
        for border in np.unique(ends[np.searchsorted(ends, wanted)]).tolist():
            if borders[-1] < border < ends[-1]:
                borders.append(self._next_test(title, border))
        borders = [*dict.fromkeys(borders), int(ends[-1])]
        return tuple(self._part(before, end) for before, end in pairwise(borders))

    def _part(self, before: int, end: int) -> "ParquetFiles":
        """Some of the rows, with no more files than they lie in."""
        sizes = np.array([self._footer(path).num_rows for path in self.paths])
        ends = np.cumsum(sizes)
        inside = np.flatnonzero((ends > before) & (ends - sizes < end))
        first, last = (int(inside[0]), int(inside[-1])) if len(inside) else (0, 0)
        # Whoever reads a part may work in another folder.
        paths = {path: path.absolute() for path in self.paths[first : last + 1]}
        footers = {absolute: self._footer(path) for path, absolute in paths.items()}
        skipped = int(ends[first] - sizes[first])
        return ParquetFiles(self.name, tuple(paths.values()), before, end, skipped, footers)

    def _next_test(self, title: str, row: int) -> int:
        """Where the test after the row's own begins."""
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
