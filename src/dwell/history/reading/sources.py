"""Sources: where a log comes from, as a stream of Arrow batches."""

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from glob import glob, has_magic
from pathlib import Path
from typing import Protocol, TypeGuard, runtime_checkable

import pyarrow as pa

from dwell.errors import InvalidInput, MissingExtra
from dwell.history.reading.csv_files import CsvFiles
from dwell.history.reading.parquet_files import ParquetFiles

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
    if isinstance(source, Query) and _is_postgres(source.database):
        return _postgres(source.sql, source.database)
    # DuckDB and narwhals take long to load, and files need neither.
    from dwell.history.reading.relations import queried, table_of

    if isinstance(source, Query):
        return queried(source.sql, source.database)
    return table_of(source)


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
