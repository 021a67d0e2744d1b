"""PostgreSQL as a log's source: the same rows as from elsewhere, and nothing but read."""

import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import duckdb
import numpy as np
import psycopg
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest

from dwell import InvalidInput, MissingExtra, check
from dwell.history.reading.log import Log
from dwell.history.reading.sources import Query, opened
from tests.blocks import sample_blocks
from tests.pages import blocks
from tests.postgres import PASSWORD, guarded
from tests.refusals import refused

RNG = np.random.default_rng(0)
LENGTHS = [40, 1, 300, 7]
NAMES = ["12", "blue", "ä, \"b\" 'c'", "7%"]
RAW = pa.table(
    {
        "test": np.repeat(NAMES, LENGTHS),
        "order": np.concatenate([np.arange(1, length + 1) for length in LENGTHS]),
        "value": RNG.normal(size=sum(LENGTHS)) * 10.0 ** RNG.integers(-30, 30, sum(LENGTHS)),
    }
)
CREATED = 'create table log (test text, "order" int, value float8)'
EMPTY = "select null::text as test, 1 as order, 0.5 as value where false"


@pytest.fixture
def server(postgres: str) -> Iterator[str]:
    """The server with the log in it, and as empty as before afterwards."""
    with psycopg.connect(postgres) as connection:
        connection.execute(CREATED.encode())
        with connection.cursor().copy("copy log from stdin") as copy:
            for row in RAW.to_pylist():
                copy.write_row((row["test"], row["order"], row["value"]))
    yield postgres
    with psycopg.connect(postgres) as connection:
        connection.execute("drop schema public cascade; create schema public")


def count(address: str, sql: str) -> int:
    """A single number from the server."""
    with psycopg.connect(address) as connection:
        row = connection.execute(sql.encode()).fetchone()
    assert row is not None
    return int(row[0])


def read(source: object, **options: Any) -> list[tuple[tuple[str, ...], list[int], bytes]]:
    """Every block: names, lengths and the samples' bits."""
    return [
        (block.names, block.lengths.tolist(), block.samples.tobytes())
        for block in sample_blocks(Log(source, **options), 100)
    ]


def test_postgres_gives_the_same_blocks_as_other_sources(server: str, tmp_path: Path) -> None:
    """Names, lengths and samples, to the last bit."""
    with duckdb.connect(str(tmp_path / "log.duckdb")) as connection:
        connection.from_arrow(RAW).create("log")
    arrow_csv.write_csv(RAW, tmp_path / "log.csv")
    expected = read(RAW)
    assert len(expected) > 1
    assert read(tmp_path / "log.csv") == expected
    assert read(Query("select * from log", tmp_path / "log.duckdb")) == expected
    assert read(Query("select * from log", server)) == expected
    assert read(Query("select * from log", server.replace("postgresql:", "postgres:"))) == expected


def test_the_documented_query_is_one_of_postgres_too(postgres: str) -> None:
    """docs/how-to/warehouse.md: it runs as it stands; who bought twice is one user."""
    with psycopg.connect(postgres) as connection:
        connection.execute(
            "create table assignments as select 'blue' as experiment_id, i as user_id, "
            "case i % 2 when 0 then 'control' else 'treatment' end as variant, "
            "timestamp '2024-01-01 09:00' as assigned_at from generate_series(1, 6) as i"
        )
        connection.execute(
            "create table orders as select user_id, assigned_at as ordered_at, 1.5 as revenue "
            "from assignments, generate_series(1, 2) where user_id > 4"
        )
    [sql] = blocks("how-to/warehouse.md", "sql")
    inspection = check(Query(sql, postgres))
    assert (inspection.form, inspection.ordered, inspection.usable) == ("batches", True, True)
    with psycopg.connect(postgres) as connection:
        found = connection.execute(sql.encode()).fetchall()
        connection.execute("drop table assignments, orders")
    assert [(arm, n, float(mean)) for _, arm, _, n, mean, _ in found] == [
        ("control", 3, 1.0),
        ("treatment", 3, 1.0),
    ]


def test_a_log_can_be_read_again_sorted_and_under_other_titles(server: str) -> None:
    """From one query, whose columns need not have our names."""
    query = Query(
        'select value as "the ""worth"" in %", test, "order" from log order by random()', server
    )
    log = Log(query, columns={"value": 'the "worth" in %'}, sort=True)
    first, second = (
        {
            name: block.samples[start : start + length].tolist()
            for block in sample_blocks(log)
            for name, start, length in zip(
                block.names, np.cumsum(block.lengths) - block.lengths, block.lengths, strict=True
            )
        }
        for _ in range(2)
    )
    assert first == second
    starts = np.cumsum([0, *LENGTHS])
    values = RAW["value"].to_pylist()
    for name, start, end in zip(NAMES, starts[:-1], starts[1:], strict=True):
        assert first[name] == values[start:end]


def test_many_rows_stream_in_batches_of_one_schema(postgres: str) -> None:
    """300,000 rows in five batches, though whole batches of a column hold nothing."""
    sql = """
        select i / 1000 as test, i as "order", case when i > 100000 then i / 4.0 end as value
        from generate_series(1, 300000) as i
    """
    source = opened(Query(sql, postgres))
    found = list(source.batches(["value", "order"]))
    assert [batch.num_rows for batch in found] == [2**16] * 4 + [300_000 - 2**18]
    table = pa.Table.from_batches(found)
    assert table.schema == pa.schema([("value", pa.float64()), ("order", pa.int64())])
    assert table["value"].null_count == 100_000
    assert table["order"].to_numpy().tolist() == list(range(1, 300_001))
    assert np.array_equal(table["value"][100_000:].to_numpy(), np.arange(100_001, 300_001) / 4)


@pytest.mark.parametrize(
    ("cell", "kind", "value"),
    [
        ("7::smallint", pa.int64(), 7),
        ("-7::int", pa.int64(), -7),
        ("9223372036854775807::bigint", pa.int64(), 2**63 - 1),
        ("0.5::real", pa.float64(), 0.5),
        ("0.1::float8", pa.float64(), 0.1),
        ("0.1::numeric(9, 3)", pa.float64(), 0.1),
        ("'Infinity'::numeric", pa.float64(), float("inf")),
        ("'-Infinity'::float8", pa.float64(), float("-inf")),
        ("true", pa.bool_(), True),
        ("'ä'::varchar", pa.large_string(), "ä"),
        ("''", pa.large_string(), ""),
        ("array[1, 2]", pa.large_string(), "{1,2}"),
        ("'00000000-0000-0000-0000-00000000000a'::uuid", pa.large_string(), f"{'0' * 8}-0000"),
        ("date '1999-12-31'", pa.date32(), "1999-12-31"),
        (
            "timestamp '2024-02-29 12:00:00.000001'",
            pa.timestamp("us"),
            "2024-02-29 12:00:00.000001",
        ),
        (
            "timestamptz '1969-07-20 20:17+02'",
            pa.timestamp("us", "UTC"),
            "1969-07-20 18:17:00+00:00",
        ),
        ("date 'infinity'", pa.date32(), None),
        ("timestamp '-infinity'", pa.timestamp("us"), None),
    ],
)
def test_a_column_keeps_its_type(postgres: str, cell: str, kind: Any, value: object) -> None:
    """Nulls too; infinity is a number, but no time."""
    source = opened(Query(f"select {cell} as x union all select null", postgres))
    [batch] = source.batches(["x"])
    assert batch.schema.field("x").type == kind
    first, last = batch.column("x").to_pylist()
    assert last is None
    if isinstance(value, str):
        assert str(first).startswith(value)
    else:
        assert first == value


@pytest.mark.parametrize(
    ("value", "got"),
    [
        ("null::float8", "None"),
        ("'NaN'::float8", "nan"),
        ("'NaN'::numeric", "nan"),
        ("'-Infinity'::float8", "-inf"),
        ("'Infinity'::numeric", "inf"),
        ("'far'", "'far'"),
    ],
)
def test_what_is_no_finite_number_is_refused_with_its_row(
    postgres: str, value: str, got: str
) -> None:
    """As from any other source."""
    sql = f"select 'a' as test, i as order, case i when 3 then {value} else '1' end as value"
    with refused("value in row 3", "the query", "finite number", f"got {got}"):
        read(Query(f"{sql} from generate_series(1, 5) as i", postgres))


@pytest.mark.parametrize("end", [";", " ; ", " -- all of it", ";\n-- all of it; really\n", ""])
def test_a_query_may_end_as_people_end_it(postgres: str, end: str) -> None:
    """With a semicolon, a comment or both."""
    assert opened(Query("select ';--' as a, 1 as a, 2" + end, postgres)).titles == (
        *("a", "a", "?column?"),
    )
    assert opened(Query("select 1 as a" + end)).titles == ("a",)


def test_a_query_without_rows_has_titles_and_types(postgres: str) -> None:
    """It gives no block."""
    assert opened(Query(EMPTY, postgres)).titles == ("test", "order", "value")
    assert read(Query(EMPTY, postgres)) == []


WRITING = [
    "insert into log values ('a', 1, 2) returning *",
    "update log set value = 0 returning *",
    "delete from log returning *",
    "with gone as (delete from log returning *) select * from gone",
    "create table other (test text)",
    "select * into other from log",
    "drop table log",
    "select * from log; drop table log",
    "select * from log) as query; drop table log; --",
    "select * from log) as query; commit; drop table log; --",
    "select *, nextval('counter') from log",
    "explain select * from log",
    "",
]


@pytest.mark.parametrize("sql", WRITING)
def test_only_one_select_is_read_from_postgres(server: str, sql: str) -> None:
    """All else is refused in a sentence, and changes nothing."""
    with psycopg.connect(server) as connection:
        connection.execute("create sequence counter")
    with refused("the query", "one select"):
        read(Query(sql, server))
    assert count(server, "select count(*) from log where value <> 0") == len(RAW)
    assert count(server, "select count(*) from pg_tables where schemaname = 'public'") == 1
    assert count(server, "select last_value from counter where not is_called") == 1


@pytest.mark.parametrize(
    "sql",
    [
        "create table other (test text)",
        "insert into log values (1)",
        "copy (select 1) to '{}'",
        "with x as (copy (select 1) to '{}') select 1 as test",
        "select 1; copy (select 1) to '{}'",
        "select 1; select 2",
        "selec 1",
        "",
    ],
)
@pytest.mark.parametrize("stored", [True, False])
def test_only_one_select_is_read_from_duckdb(sql: str, stored: bool, tmp_path: Path) -> None:
    """All else is refused in a sentence, and writes no file."""
    database = tmp_path / "log.duckdb" if stored else None
    if stored:
        duckdb.connect(str(database)).execute("create table log (test int)").close()
    with refused("the query", "one select"):
        Log(Query(sql.format(tmp_path / "new.csv"), database))
    assert not (tmp_path / "new.csv").exists()


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("selec 1", "selec"),
        ("select * from nowhere", "nowhere"),
        ("select missing from log", "missing"),
        ('select test, "order", 1 / ("order" - 30) as value from log', "division by zero"),
        ('select test, "order", 1e400 as value from log', "out of range"),
        ("select 'a' as test, timestamp '294276-12-31' as \"order\", 1 as value", "overflow"),
        ("select '\ud800' as test", "surrogates"),
    ],
)
def test_a_faulty_query_is_refused_with_its_fault(server: str, sql: str, named: str) -> None:
    """Whether it shows at once or while rows are read."""
    with refused("the query", named):
        read(Query(sql, server))


def test_an_ambiguous_column_is_refused(postgres: str) -> None:
    """As in a file."""
    with refused("one column 'value'", "2"):
        Log(Query("select 1 as test, 1 as order, 1 as value, 2 as value", postgres))


def test_a_server_that_cannot_be_reached_is_refused() -> None:
    """In a sentence that says where it was looked for, and not with what password."""
    with refused("PostgreSQL", "can be reached", "/nowhere"):
        Log(Query("select 1", "postgresql://me:sesame@/shop?host=/nowhere"))


def test_a_password_lets_in_or_is_never_shown(postgres: str) -> None:
    """Neither a wrong one in a refusal, nor a right one in a query's own text."""
    query = Query("select 1 as test", guarded(postgres, PASSWORD))
    source = opened(query)
    assert [batch.num_rows for batch in source.batches(["test"])] == [1]
    with pytest.raises(InvalidInput, match="password authentication failed") as caught:
        opened(Query("select 1 as test", guarded(postgres, "sesame@street")))
    for text in (str(caught.value), repr(query), repr(source)):
        assert "sesame" not in text


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:open/sesame@host/shop",
        "postgresql://me:open@sesame@host/shop",
        "postgresql://me:open?sesame@host/shop",
        "postgresql://me:open%sesame@host/shop",
        "postgresql://me:open%00sesame@host/shop",
        "postgresql://me:open sesame@host/shop",
        "postgresql://me:sesame@[host/shop",
        "postgresql://me:sesame@host:port/shop",
        "postgresql://me:sesame/shop",
        "postgresql://me@host/shop?password=open&sesame",
        "postgresql://me@host/shop?password=open=sesame",
        "postgresql://me:sesame@host/shop?unknown=1",
        "postgresql://me:sesame@host/shop?connect_timeout=soon",
        "postgresql://me:sesame@/shop?host=/nowhere&port=99999999",
        "postgresql:/me:sesame@host/shop",
        "postgresql+psycopg://me:sesame@host/shop",
        "mysql://me:sesame@host/shop",
        "host=/nowhere password=sesame",
        Path("postgresql://me:sesame@host/shop"),
    ],
)
def test_a_wrong_address_is_refused_without_its_password(address: str | Path) -> None:
    """In one sentence, whatever is wrong with it."""
    with refused("ostgre"):
        opened(Query("select 1", address))
    with pytest.raises(InvalidInput) as caught:
        opened(Query("select 1", address))
    assert "sesame" not in str(caught.value)


def test_reading_less_than_all_leaves_no_connection_behind(postgres: str) -> None:
    """Nor does opening a query, reading all of it, or a fault amid its rows."""
    with psycopg.connect(postgres, autocommit=True) as server:
        server.execute("create database apart")  # nobody else is connected to it
    postgres = postgres.replace("/postgres?", "/apart?")
    ours = (
        "select count(*) from pg_stat_activity "
        "where datname = current_database() and pid <> pg_backend_pid()"
    )
    sql = (
        "select 1 as test, i as order, 1 / (150000 - i) as value from generate_series(1, 200000) i"
    )
    source = opened(Query(sql, postgres))
    batches = source.batches(["order"])
    next(batches)
    assert count(postgres, ours) == 1
    batches.close()
    blocks = Log(Query(sql, postgres)).blocks()
    with refused("division by zero"):
        list(blocks)
    assert sum(batch.num_rows for batch in source.batches(["order"])) == 200_000
    end = monotonic() + 10.0
    while count(postgres, ours) and monotonic() < end:  # a server's process takes a while to end
        sleep(0.01)
    assert count(postgres, ours) == 0


def test_a_server_that_stops_amid_the_rows_is_refused(postgres: str) -> None:
    """In a sentence too."""
    source = opened(Query("select i as test from generate_series(1, 200000) i", postgres))
    batches = source.batches(["test"])
    next(batches)
    count(
        postgres,
        "select count(pg_terminate_backend(pid)) from pg_stat_activity "
        "where backend_type = 'client backend' and pid <> pg_backend_pid()",
    )
    with refused("the query", "terminat"):
        list(batches)


def test_without_psycopg_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries over DuckDB do without."""
    monkeypatch.delitem(sys.modules, "dwell.history.reading.postgres", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert opened(Query("select 1 as a")).titles == ("a",)
    with refused("psycopg", "pip install 'dwell[postgres]'", kind=MissingExtra):
        opened(Query("select 1 as a", "postgresql://host/shop"))
