"""EventStore: all that a programme asks of whatever keeps its log.

A log is a list of texts, counted from 1 without gaps. What they say is no concern of a store.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol, runtime_checkable


class Entry(NamedTuple):
    """What is appended to a log.

    Attributes:
        body: The text.
        key: What it can be found by, at most once in a log; None if it is not to be found.
    """

    body: str
    key: str | None = None


class Snapshot(NamedTuple):
    """What a log comes to, as a text.

    Attributes:
        position: Up to which entry.
        body: The text.
    """

    position: int
    body: str


class EventStore(Protocol):
    """Logs by name. Every method can be called from many threads and processes at once."""

    def names(self) -> list[str]:
        """The names of all logs, sorted."""
        ...

    def append(
        self, name: str, after: int, entries: Sequence[Entry], snapshot: str | None = None
    ) -> None:
        """Append entries, all or none, and return once they are durable.

        Args:
            name: Which log; the first entries make it.
            after: How many entries it has, as far as the caller knows.
            entries: What to append.
            snapshot: What its first `after` entries come to, to be kept in place of the last one.

        Raises:
            Conflict: If it has more or fewer entries.
            KeyTaken: If an entry of it has the key of one of these.
        """
        ...

    def latest(self, name: str) -> Snapshot | None:
        """The last snapshot of a log."""
        ...

    def read(self, name: str, after: int = 0) -> Iterator[str]:
        """The entries after a position, in order; none of a log that is not there."""
        ...

    def find(self, name: str, key: str) -> str | None:
        """The entry with a key."""
        ...


@runtime_checkable
class Queueing(Protocol):
    """A store in which those who write to one log can wait for one another."""

    def turn(self, name: str) -> AbstractContextManager[None]:
        """Wait until nobody else writes to a log; until the block ends, nobody else will.

        What is appended in the block is durable when it ends, and not there if it fails.

        Args:
            name: Which log.
        """
        ...


def programmes_in(store: EventStore) -> list[str]:
    """The names of all programmes of a store, sorted.

    A log whose name cannot be printed is no programme's: what else has to be kept is kept there.
    """
    return [name for name in store.names() if name.isprintable()]
