"""SQL in files: the queries of a store by name, and its numbered migrations."""

from functools import cache
from importlib.resources import files
from typing import NamedTuple


class Migration(NamedTuple):
    """A step from one format of a database to the next."""

    number: int
    sql: str


@cache
def migrations(store: str) -> tuple[Migration, ...]:
    """The migrations of a store, in order.

    Example:
        >>> [migration.number for migration in migrations("sqlite")]
        [1, 2, 3]
    """
    found = [
        Migration(int(file.name.partition("_")[0]), file.read_text(encoding="utf-8"))
        for file in (files(__package__) / "sql" / store).iterdir()
        if file.name[0].isdigit()
    ]
    return tuple(sorted(found))


@cache
def queries(store: str) -> dict[str, str]:
    """The queries of a store, by the name in the comment above each.

    Example:
        >>> queries("sqlite")["names"]
        'select name from programme order by name;'
    """
    text = (files(__package__) / "sql" / store / "queries.sql").read_text(encoding="utf-8")
    found = {}
    for block in text.split("-- name: ")[1:]:
        name, _, sql = block.partition("\n")
        found[name.strip()] = sql.strip()
    return found
