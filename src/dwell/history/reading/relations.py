"""Relations: rows that DuckDB or a data frame hold, as a stream of Arrow batches."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import pyarrow as pa

from dwell import checks
from dwell.errors import InvalidInput
from dwell.history.reading.quality import in_one_line

_ROWS = 2**17


@dataclass(frozen=True, slots=True)
class _Relation:
    """A DuckDB relation: its result is never held as a whole."""

    relation: duckdb.DuckDBPyRelation
    name: str

    @property
    def titles(self) -> tuple[str, ...]:
        return tuple(self.relation.columns)

    def batches(self, titles: Sequence[str]) -> Generator[pa.RecordBatch, None, None]:
        quoted = ", ".join('"' + title.replace('"', '""') + '"' for title in titles)
        try:
            # Closed at once if it is not read to its end: its connection can have one open only.
            with self.relation.select(quoted).to_arrow_reader(_ROWS) as reader:
                yield from reader
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            raise _failed(self.name, error) from None


@dataclass(frozen=True, slots=True)
class _Frame:
    """A data frame that narwhals knows; an Arrow table is one."""

    frame: nw.DataFrame[Any] | nw.LazyFrame[Any]
    name: str = "the table"

    @property
    def titles(self) -> tuple[str, ...]:
        return tuple(self.frame.collect_schema().names())

    def batches(self, titles: Sequence[str]) -> Generator[pa.RecordBatch, None, None]:
        chosen = self.frame.select(list(titles))
        if isinstance(chosen, nw.LazyFrame):
            chosen = chosen.collect("pyarrow")
        try:
            table = chosen.to_arrow()
        except (pa.ArrowException, TypeError, OverflowError):
            # A column of mixed objects: as text, so that what is no number can be named.
            table = chosen.with_columns(nw.all().cast(nw.String)).to_arrow()
        yield from table.to_batches(_ROWS)


def table_of(source: object) -> _Relation | _Frame:
    """A DuckDB relation or a data frame to read from."""
    if isinstance(source, duckdb.DuckDBPyRelation):
        return _Relation(source, "the relation")
    try:
        frame = nw.from_native(source, pass_through=False)  # type: ignore[call-overload]  # what it refuses is the check
    except TypeError:
        raise InvalidInput(
            "a log must be a path, an Arrow table, a data frame, a DuckDB relation or a Query, got "
            f"{checks.shown(source)}"
        ) from None
    return _Frame(frame)


def queried(sql: str, database: str | Path | None) -> _Relation:
    """A query over a DuckDB file, or over none."""
    try:
        if database is None:
            connection = duckdb.connect()
        else:
            connection = duckdb.connect(str(database), read_only=True)
    except (duckdb.Error, OSError) as error:
        raise _failed("the query", error) from None
    try:
        # What is no select would be run at once: as text in another query it is only understood.
        connection.sql("select * from query('" + sql.replace("'", "''") + "')")
        relation = connection.sql(sql)
    except (duckdb.Error, OSError) as error:
        raise _failed("the query", error, "be one select, whose columns are the log's") from None
    return _Relation(relation, "the query")


def _failed(name: str, error: Exception, demand: str = "give rows") -> InvalidInput:
    return InvalidInput(f"{name} must {demand}, got this fault: {in_one_line(error)}")
