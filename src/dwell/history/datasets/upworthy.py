"""Upworthy: the published CSV of the Upworthy Research Archive as a log of counts.

Matias, Munger, Aubin Le Quere, Ebersole (2021), The Upworthy Research Archive, Scientific Data
8:195. The file has a row for each package, a headline with an image that readers may click; a test
is all packages with one clickability_test_id. Its authors report that readers were not assigned at
random in tests from 25 June 2013 to 10 January 2014.
"""

from dataclasses import dataclass
from glob import escape
from pathlib import Path

import duckdb

from dwell import checks
from dwell.errors import InvalidInput
from dwell.history.reading.quality import unreadable
from dwell.history.reading.sources import opened

_FIRST_FAULTY, _LAST_FAULTY = "2013-06-25", "2014-01-10"
_COLUMNS = {
    "test": "clickability_test_id",
    "created": "created_at",
    "shown": "impressions",
    "clicked": "clicks",
}
# The largest number is that which a log of counts takes.
_WHOLE = "regexp_full_match({0}, '[0-9]+') and try_cast({0} as bigint) <= 9007199254740992"
_DEMANDS = {
    "test": ("name a test", "test <> ''"),
    "created": ("be a time", "try_cast(created as timestamp) is not null"),
    "shown": ("be a whole number >= 0 and at most 2^53", _WHOLE.format("shown")),
    "clicked": ("be a whole number >= 0 and at most 2^53", _WHOLE.format("clicked")),
}
_TESTS = """
create table tests as
with packages as (
    select *, row_number() over (partition by test order by place) as nth from archive
),
arms as (
    select
        test,
        min(place) as place,
        count(*) as packages,
        any_value(created::timestamp) filter (nth = 1) as created,
        any_value(shown::bigint) filter (nth = 1) as n_c,
        any_value(clicked::bigint) filter (nth = 1) as x_c,
        any_value(shown::bigint) filter (nth = 2) as n_t,
        any_value(clicked::bigint) filter (nth = 2) as x_t
    from packages
    group by test
)
select
    *,
    case
        when created::date between $first::date and $last::date then 'faulty'
        when packages = 1 then 'alone'
        when least(n_c, n_t) < $least then 'small'
        else 'kept'
    end as fate
from arms
order by created, place
"""


@dataclass(frozen=True, slots=True)
class Archive:
    """Tests of the archive, and what was left out.

    Attributes:
        relation: A row per test, in order of time, with the columns test, n_c, x_c, n_t, x_t and
            date: impressions and clicks of the package listed first (control) and second
            (treatment), and when that test was created.
        notes: How many tests and packages were left out, and why.
    """

    relation: duckdb.DuckDBPyRelation
    notes: tuple[str, ...]


def upworthy(path: str | Path, least: int = 500) -> Archive:
    """Read the archive, to be given to a log: `Log(upworthy(path).relation)`.

    Args:
        path: The file of packages, as it was published.
        least: Tests with an arm of fewer impressions are left out.
    """
    path = Path(path)
    least = checks.count("least", least, least=0)
    if not path.is_file():
        raise InvalidInput(f"{path} must be the archive's file of packages, got no file there")
    titles = opened(path).titles
    for title in _COLUMNS.values():
        if titles.count(title) != 1:
            raise InvalidInput(
                f"{path} must have a row per package, with one column {title} as in the Upworthy "
                f"Research Archive, got {checks.shown(', '.join(titles)) if titles else 'none'}"
            )
    connection = duckdb.connect()
    try:
        _read(connection, path, titles)
        _check(connection, path)
        span = {"first": _FIRST_FAULTY, "last": _LAST_FAULTY}
        connection.execute(_TESTS, {**span, "least": least})
    except (duckdb.Error, OSError) as error:
        raise unreadable(path, "CSV", error) from None
    # In the order of the table, which is that of time.
    kept = connection.sql(
        "select test, n_c, x_c, n_t, x_t, created::date as date from tests where fate = 'kept'"
    )
    return Archive(kept, _notes(connection, least))


def _read(connection: duckdb.DuckDBPyConnection, path: Path, titles: tuple[str, ...]) -> None:
    """All packages in the order of the file, their cells as text."""
    # Columns go by their places: the first has no title. Without parallel=False, which would drop
    # all that follows a quote that is never closed, and say nothing.
    cells = connection.read_csv(
        escape(str(path.absolute())),
        header=True,
        columns={f"c{place}": "varchar" for place in range(len(titles))},
        auto_detect=False,
        delimiter=",",
        quotechar='"',
        escapechar='"',
    )
    needed = (f"trim(c{titles.index(title)}) as {name}" for name, title in _COLUMNS.items())
    cells.select(f"row_number() over () as place, {', '.join(needed)}").create("archive")


def _check(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    for name, (demand, fits) in _DEMANDS.items():
        bad = f"select place, {name} from archive where not coalesce({fits}, false)"
        for row, cell in connection.execute(f"{bad} order by place limit 1").fetchall():
            raise InvalidInput(
                f"{_COLUMNS[name]} in row {row} of {path} must {demand}, got {checks.shown(cell)}"
            )
    bad = "select place, clicked, shown from archive where clicked::bigint > shown::bigint"
    for row, clicks, impressions in connection.execute(f"{bad} order by place limit 1").fetchall():
        raise InvalidInput(
            f"clicks in row {row} of {path} must be at most impressions, got {clicks} of "
            f"{impressions}"
        )


def _notes(connection: duckdb.DuckDBPyConnection, least: int) -> tuple[str, ...]:
    fates = dict(connection.execute("select fate, count(*) from tests group by fate").fetchall())
    [(extra,)] = connection.execute(
        "select coalesce(sum(packages - 2), 0)::bigint from tests where fate = 'kept'"
    ).fetchall()
    reasons = (
        (
            fates.get("faulty", 0),
            f"tests created from {_FIRST_FAULTY} to {_LAST_FAULTY}, when the archive's authors "
            "report a fault in the randomisation",
        ),
        (fates.get("alone", 0), "tests of one package, which has nothing to be compared with"),
        (fates.get("small", 0), f"tests with an arm of under {least:,} impressions"),
        (extra, "packages after the first two of their test"),
    )
    return tuple(f"{number:,} left out: {reason}" for number, reason in reasons if number)
