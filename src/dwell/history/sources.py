"""Sources: where a log comes from, as a stream of Arrow batches."""

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeGuard

import duckdb
import narwhals as nw
import pyarrow as pa

from dwell import checks
from dwell.errors import InvalidInput, MissingExtra
from dwell.history.files import files
from dwell.history.parquet_files import ParquetFiles

_ROWS = 2**17
# How an address or the settings of a database begin, and no file on a drive such as C:/.
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/+|(?:host|hostaddr|port|dbname|user|password)\s*=", re.I)


class Source(Protocol):
    """Rows that can be read again and again."""

    @property
    def name(self) -> str:
        """What to call it where it is refused."""

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of its columns."""

    def batches(self, titles: Sequence[str]) -> Generator[pa.RecordBatch, None, None]:
        """Some columns of all rows, in their order."""


@dataclass(frozen=True, slots=True)
class Query:
    """An SQL query over DuckDB, which reads many other things too, or over PostgreSQL.

    Attributes:
        sql: The query: one select.
        database: A DuckDB file or the address of a PostgreSQL database, as in
            `postgresql://user:password@host:port/database`, opened to read only; none for queries
            over files.

    Example:
        >>> source = opened(Query("select 'blue' as test, 1 as order_, 0.5 as value"))
        >>> source.titles
        ('test', 'order_', 'value')
    """

    sql: str
    database: str | Path | None = field(default=None, repr=False)  # it may hold a password

    def __post_init__(self) -> None:
        address = _ADDRESS.match(str(self.database))
        if address and not _is_postgres(self.database):
            raise InvalidInput(
                "database must be a DuckDB file or the text of an address that begins with "
                f"postgresql://, got {address[0]}…: attach another database in DuckDB and give its "
                "relation"
            )


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
            # Closed at once if it is not read to its end: its connection can have but one open.
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


def opened(source: object) -> Source:
    """A log to read from: a path, an Arrow table, a data frame, a DuckDB relation or a `Query`.

    Example:
        >>> import pyarrow as pa
        >>> opened(pa.table({"test": [1], "order": [1], "value": [0.5]})).titles
        ('test', 'order', 'value')
    """
    if isinstance(source, str | Path):
        return files(source)
    if isinstance(source, ParquetFiles):  # some rows of them
        return source
    if isinstance(source, Query):
        if _is_postgres(source.database):
            return _postgres(source.sql, source.database)
        return _relation_of(source)
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


def _is_postgres(database: object) -> TypeGuard[str]:
    return isinstance(database, str) and database.startswith(("postgresql://", "postgres://"))


def _postgres(sql: str, address: str) -> Source:
    try:
        from dwell.history.postgres import postgres_query
    except ImportError:
        raise MissingExtra(
            "queries over PostgreSQL need psycopg: pip install 'dwell[postgres]'"
        ) from None
    return postgres_query(sql, address)


def _relation_of(query: Query) -> _Relation:
    try:
        if query.database is None:
            connection = duckdb.connect()
        else:
            connection = duckdb.connect(str(query.database), read_only=True)
    except (duckdb.Error, OSError) as error:
        raise _failed("the query", error) from None
    try:
        # Whatever is no select would be run at once: as text in another query it is but understood.
        connection.sql("select * from query('" + query.sql.replace("'", "''") + "')")
        relation = connection.sql(query.sql)
    except (duckdb.Error, OSError) as error:
        raise _failed("the query", error, "be one select, whose columns are the log's") from None
    return _Relation(relation, "the query")


def _failed(name: str, error: Exception, demand: str = "give rows") -> InvalidInput:
    fault = " ".join(str(error).split())[:200].replace(". ", "; ")
    return InvalidInput(f"{name} must {demand}, got this fault: {fault}")
