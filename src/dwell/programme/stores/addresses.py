"""Stores by their addresses, as people write them."""

from pathlib import Path

from dwell import checks
from dwell.errors import InvalidInput, MissingExtra
from dwell.programme.stores.memory import MemoryStore
from dwell.programme.stores.protocol import EventStore

_SQLITE, _POSTGRES = "sqlite:///", ("postgresql://", "postgres://")


def store_at(address: str | EventStore) -> EventStore:
    """The store at an address; a store is its own.

    Args:
        address: `sqlite:///tests.db`, `postgresql://user:password@host:port/database`, or `memory:`
            for a store that nobody else sees.

    Example:
        >>> store_at("memory:").names()
        []
        >>> store_at("tests.db")
        Traceback (most recent call last):
        dwell.errors.InvalidInput: the store must be sqlite:///FILE, ... or memory:, got 'tests.db'
    """
    if not isinstance(address, str):
        if not hasattr(address, "append"):
            raise _refusal(address)
        return address
    if address.startswith(_SQLITE) and address != _SQLITE:
        from dwell.programme.stores.sqlite import SqliteStore

        return SqliteStore(Path(address.removeprefix(_SQLITE)))
    if address.startswith(_POSTGRES):
        try:
            from dwell.programme.stores.postgres import PostgresStore
        except ImportError:
            raise MissingExtra(
                "psycopg is not installed, which PostgreSQL needs: pip install 'dwell[postgres]'"
            ) from None
        return PostgresStore(address)
    if address == "memory:":
        return MemoryStore()
    raise _refusal(address)


def _refusal(address: object) -> InvalidInput:
    return InvalidInput(
        "the store must be sqlite:///FILE, postgresql://user:password@host:port/database or "
        f"memory:, got {checks.shown(address)}"
    )
