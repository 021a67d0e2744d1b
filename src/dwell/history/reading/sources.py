"""Sources: where a log comes from, as a stream of Arrow batches."""

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from glob import glob, has_magic
from pathlib import Path
from typing import Any, Protocol, TypeGuard, runtime_checkable

import duckdb
import narwhals as nw
import pyarrow as pa

from dwell import checks
from dwell.errors import InvalidInput, MissingExtra
from dwell.history.reading.csv_files import CsvFiles
from dwell.history.reading.parquet_files import ParquetFiles
from dwell.history.reading.quality import in_one_line

_ROWS = 2**17
_CSV = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
_PARQUET = (".parquet", ".pq")
# How an address or the settings of a database begin, and no file on a drive such as C:/.
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/+|(?:host|hostaddr|port|dbname|user|password)\s*=", re.I)


@runtime_checkable
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


def opened(source: object) -> Source:
    """A log to read from: a path, an Arrow table, a data frame, a DuckDB relation or a `Query`.

    What has been opened before is passed through, so that a log opens its source once.

    Example:
        >>> import pyarrow as pa
        >>> opened(pa.table({"test": [1], "order": [1], "value": [0.5]})).titles
        ('test', 'order', 'value')
    """
    if isinstance(source, str | Path):
        return _files(source)
    if isinstance(source, Source):  # opened before
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


def _files(path: str | Path) -> CsvFiles | ParquetFiles:
    """A file, all files of a folder, or those that a pattern such as `logs/*.parquet` fits.

    They are read in the order of their names, and their rows are counted through.
    """
    name = str(path)
    if not name.strip():
        raise InvalidInput("a log must be a file, a folder or a pattern of files, got ''")
    found = _found(Path(path))
    if all(each.name.lower().endswith(_CSV) for each in found):
        return CsvFiles(name, found)
    if not all(each.name.lower().endswith(_PARQUET) for each in found):
        raise InvalidInput(
            f"{name} must be files whose names end in {', '.join(_CSV)} or {', '.join(_PARQUET)}, "
            f"all of one kind, got {', '.join(each.name for each in found[:5])}{_advice(found)}"
        )
    return ParquetFiles(name, found)


def _advice(found: tuple[Path, ...]) -> str:
    """What to do with files of kinds that many people have."""
    endings = {each.suffix.lower() for each in found}
    if endings & {".xlsx", ".xls", ".ods"}:
        return ": save the sheet as CSV"
    if endings & {".gz", ".zip", ".bz2", ".zst", ".xz"}:
        return ": unpack it, or let the name of what gzip has compressed end in .csv.gz"
    if endings & {".json", ".jsonl", ".duckdb", ".db"}:
        return ": read it by a query"
    return ""


def _found(path: Path) -> tuple[Path, ...]:
    if path.is_dir():
        inside = sorted(each for each in path.rglob("*") if each.is_file())
        known = tuple(each for each in inside if each.name.lower().endswith(_CSV + _PARQUET))
        if not known:
            raise InvalidInput(f"{path} must hold CSV or Parquet files, got {len(inside)} others")
        return known
    if not path.exists() and has_magic(str(path)):
        matched = tuple(Path(each) for each in sorted(glob(str(path), recursive=True)))
        if not matched:
            raise InvalidInput(f"{path} must fit some files, got none")
        return matched
    if not path.is_file():
        raise InvalidInput(f"{path} must be a file, a folder or a pattern of files, got none there")
    return (path,)


def _is_postgres(database: object) -> TypeGuard[str]:
    return isinstance(database, str) and database.startswith(("postgresql://", "postgres://"))


def _postgres(sql: str, address: str) -> Source:
    try:
        from dwell.history.reading.postgres import postgres_query
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
        # What is no select would be run at once: as text in another query it is only understood.
        connection.sql("select * from query('" + query.sql.replace("'", "''") + "')")
        relation = connection.sql(query.sql)
    except (duckdb.Error, OSError) as error:
        raise _failed("the query", error, "be one select, whose columns are the log's") from None
    return _Relation(relation, "the query")


def _failed(name: str, error: Exception, demand: str = "give rows") -> InvalidInput:
    return InvalidInput(f"{name} must {demand}, got this fault: {in_one_line(error)}")
