"""EventStore: all that a programme asks of whatever keeps its log.

A log is a list of texts, counted from 1 without gaps. What they say is no concern of a store.
"""

from collections.abc import Iterator, Mapping, Sequence
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


class Addition(NamedTuple):
    """What is appended to one of several logs: the arguments of `EventStore.append`."""

    name: str
    after: int
    entries: Sequence[Entry]
    snapshot: str | None = None


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


class Turn(NamedTuple):
    """A while in which nobody else writes to some logs.

    Attributes:
        news: The entries of each log after a position, in order; of those logs that have any.
        added: What is to be appended when it ends; additions to the same log follow one another.
    """

    news: dict[str, list[str]]
    added: list[Addition]


@runtime_checkable
class Queueing(Protocol):
    """A store in which those who write can wait for one another, and work on many logs at once.

    Attributes:
        waits: Whether a turn may be long in coming, while others can read.
    """

    waits: bool

    def turn(self, after: Mapping[str, int]) -> AbstractContextManager[Turn]:
        """Wait until nobody else writes to some logs; until the block ends, nobody else will.

        What is added is durable when it ends: all of it, or nothing if it fails. Otherwise as
        `EventStore.append`.

        Args:
            after: A position of each log, after which it is read.
        """
        ...

    def news(self, after: Mapping[str, int]) -> dict[str, list[str]]:
        """The entries of some logs after a position of each, in order; of those that have any."""
        ...


def programmes_in(store: EventStore) -> list[str]:
    """The names of all programmes of a store, sorted.

    A log whose name cannot be printed is no programme's: what else has to be kept is kept there.
    """
    return [name for name in store.names() if name.isprintable()]
