"""PostgreSQL: the rows of a query, streamed from a cursor of the server by psycopg.

Columns keep the types that the server says they have, so that no batch differs from another:
whole numbers, fractions, truth values, dates and times; all others are read as text.
"""

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import psycopg
import pyarrow as pa
import pyarrow.compute as compute
from psycopg.conninfo import conninfo_to_dict
from psycopg.postgres import types
from psycopg.types.numeric import Int4BinaryLoader, Int8BinaryLoader

from dwell.errors import InvalidInput

_ROWS = 2**16
_SECONDS = 10  # to wait for a server, where the address does not say
# What libpq reads otherwise than it was meant it shows in its errors, a password's end perhaps.
_SIGN = r"(?:[^@/?%\s]|%(?!00)[0-9A-Fa-f]{2})"
_HOST = rf"(?:\[[0-9A-Fa-f:.]+\]|(?:(?![:,\[\]]){_SIGN})*)(?::\d*)?"
_OPTION = rf"\w+=(?:(?![&=]){_SIGN}|/)*"
_ADDRESS = re.compile(
    rf"postgres(?:ql)?://(?:{_SIGN}*@)?{_HOST}(?:,{_HOST})*(?:/{_SIGN}*)?"
    rf"(?:\?{_OPTION}(?:&{_OPTION})*)?"
)
# A semicolon at the end, with comments after it: no end of a text that is quoted or commented out.
_END = re.compile(r"""(?:;\s*(?:--[^'"$*\n]*(?:\n\s*|\Z))*)+\Z""")


class _Kind(NamedTuple):
    """How a column is read: what the server casts it to, and what Arrow then holds."""

    cast: str
    type: pa.DataType
    since: int | None = None  # of dates and times: where Arrow's zero lies before PostgreSQL's


_DAYS = int(np.datetime64("2000-01-01", "D").astype(np.int64))
_MICROSECONDS = _DAYS * 86_400_000_000
_TEXT = _Kind("::text", pa.large_string())
_KINDS = {
    types["bool"].oid: _Kind("", pa.bool_()),
    types["int2"].oid: _Kind("", pa.int64()),
    types["int4"].oid: _Kind("", pa.int64()),
    types["int8"].oid: _Kind("", pa.int64()),
    types["float4"].oid: _Kind("", pa.float64()),
    types["float8"].oid: _Kind("", pa.float64()),
    types["numeric"].oid: _Kind("::float8", pa.float64()),
    types["date"].oid: _Kind("", pa.date32(), _DAYS),
    types["timestamp"].oid: _Kind("", pa.timestamp("us"), _MICROSECONDS),
    types["timestamptz"].oid: _Kind("", pa.timestamp("us", "UTC"), _MICROSECONDS),
}


@dataclass(frozen=True, slots=True)
class PostgresQuery:
    """A query over PostgreSQL: each reading has a connection and a read-only transaction.

    Attributes:
        sql: The query: one select.
        address: Where the server is: `postgresql://user:password@host:port/database`.
        titles: The titles of the query's columns.
        oids: The server's numbers for their types.
        name: What to call it where it is refused.
    """

    sql: str
    address: str = field(repr=False)
    titles: tuple[str, ...]
    oids: tuple[int, ...]
    name: str = "the query"

    def batches(self, titles: Sequence[str]) -> Generator[pa.RecordBatch, None, None]:
        """Some columns of all rows, in their order."""
        with _connected(self.address) as connection, _faults():
            oids = dict(zip(self.titles, self.oids, strict=True))
            columns = [(title, _KINDS.get(oids.get(title, 0), _TEXT)) for title in titles]
            schema = pa.schema([(title, kind.type) for title, kind in columns])
            chosen = ", ".join(_quoted(title) + kind.cast for title, kind in columns)
            # All rows will be read: the plan that has the first ones soonest is not the best.
            connection.execute("set local cursor_tuple_fraction = 1")
            with connection.cursor("dwell", binary=True) as cursor:
                cursor.execute(_selected(chosen, self.sql).encode())
                while rows := cursor.fetchmany(_ROWS):
                    # Twice as fast as zip(*rows), which makes an iterator for each row.
                    arrays = [
                        _array(list(map(itemgetter(place), rows)), kind)
                        for place, (_, kind) in enumerate(columns)
                    ]
                    yield pa.record_batch(arrays, schema=schema)


def postgres_query(sql: str, address: str) -> PostgresQuery:
    """A query that the server has understood.

    Example:
        >>> postgres_query("select 1", "postgresql://reader:pass/word@host/shop")
        Traceback (most recent call last):
        dwell.errors.InvalidInput: the address of a PostgreSQL database must be ...
    """
    with _connected(address) as connection, _faults():
        columns = _described(connection, sql)
    titles = tuple(each.name for each in columns)
    return PostgresQuery(sql, address, titles, tuple(each.type_code for each in columns))


def _settings(address: str) -> dict[str, Any]:
    try:
        if _ADDRESS.fullmatch(address):
            return dict(conninfo_to_dict(address))
    except (psycopg.Error, UnicodeError):
        pass  # what it says may show the password
    raise InvalidInput(
        "the address of a PostgreSQL database must be of the form "
        "postgresql://user:password@host:port/database?option=value, got one that cannot be read: "
        "write special characters of its parts as in %40 for @ and %2F for /"
    )


@contextmanager
def _connected(address: str) -> Iterator[psycopg.Connection]:
    """A connection that can only read, closed however it is left."""
    settings: dict[str, Any] = {"connect_timeout": _SECONDS} | _settings(address)
    try:
        connection = psycopg.connect(**settings | {"client_encoding": "utf8"})
    except (psycopg.Error, UnicodeError) as error:
        raise InvalidInput(
            "the query must have a PostgreSQL database that can be reached, got this fault: "
            + _fault(error)
        ) from None
    with closing(connection):
        connection.read_only = True
        # Times as the whole numbers that they are sent as: quick, and infinity is one too.
        connection.adapters.register_loader("date", Int4BinaryLoader)
        connection.adapters.register_loader("timestamp", Int8BinaryLoader)
        connection.adapters.register_loader("timestamptz", Int8BinaryLoader)
        yield connection


def _described(connection: psycopg.Connection, sql: str) -> list[psycopg.Column]:
    """A query's columns."""
    # A binary cursor sends one statement only, and nothing that writes can stand in brackets.
    with connection.cursor(binary=True) as cursor:
        cursor.execute(_selected("*", sql).encode() + b" limit 0")
        return cursor.description or []


def _selected(chosen: str, sql: str) -> str:
    return f"select {chosen} from (\n{_END.sub('', sql)}\n) as query"


def _quoted(title: str) -> str:
    return '"' + title.replace('"', '""') + '"'


def _array(cells: Sequence[Any], kind: _Kind) -> pa.Array:
    if kind.since is None:
        return pa.array(cells, kind.type)
    width = np.int32 if pa.types.is_date32(kind.type) else np.int64
    whole = pa.array(cells, pa.from_numpy_dtype(width))
    # Infinity is no time.
    ends = pa.array([np.iinfo(width).min, np.iinfo(width).max], whole.type)
    finite = compute.if_else(compute.is_in(whole, ends), None, whole)
    return compute.add_checked(finite, pa.scalar(kind.since, whole.type)).cast(kind.type)


@contextmanager
def _faults() -> Iterator[None]:
    try:
        yield
    except (psycopg.Error, pa.ArrowException, UnicodeError) as error:
        raise InvalidInput(
            f"the query must be one select that gives rows, got this fault: {_fault(error)}"
        ) from None


def _fault(error: Exception) -> str:
    """What is wrong, in one line: the server's own words where it has said something."""
    said = error.diag.message_primary if isinstance(error, psycopg.Error) else None
    line = (said or str(error)).partition("\n")[0].strip().replace(". ", "; ")
    return line if len(line) <= 200 else f"{line[:100]}…{line[-100:]}"
