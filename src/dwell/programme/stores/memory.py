"""Logs in memory, for tests and notebooks: they last as long as the store."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from threading import Lock

from dwell.errors import Conflict, KeyTaken
from dwell.programme.stores.protocol import Entry, Snapshot


@dataclass(slots=True)
class _Log:
    bodies: list[str] = field(default_factory=list)
    keys: dict[str, int] = field(default_factory=dict)
    snapshot: Snapshot | None = None


class MemoryStore:
    """Logs in memory.

    Example:
        >>> store = MemoryStore()
        >>> store.append("checkout", 0, [Entry("first", key="a"), Entry("second")])
        >>> list(store.read("checkout", after=1)), store.find("checkout", "a")
        (['second'], 'first')
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._logs: dict[str, _Log] = {}

    def names(self) -> list[str]:
        """The names of all logs, sorted."""
        return sorted(self._logs)

    def append(
        self, name: str, after: int, entries: Sequence[Entry], snapshot: str | None = None
    ) -> None:
        """Append entries, all or none."""
        with self._lock:
            log = self._logs.get(name, _Log())
            if len(log.bodies) != after:
                raise Conflict(f"{name} has {len(log.bodies)} events, not {after}")
            keys: dict[str, int] = {}
            for place, entry in enumerate(entries, start=after):
                if entry.key is not None:
                    if entry.key in log.keys or entry.key in keys:
                        raise KeyTaken(entry.key)
                    keys[entry.key] = place
            self._logs[name] = log
            log.bodies += (entry.body for entry in entries)
            log.keys |= keys
            if snapshot is not None:
                log.snapshot = Snapshot(after, snapshot)

    def latest(self, name: str) -> Snapshot | None:
        """The last snapshot of a log."""
        log = self._logs.get(name)
        return None if log is None else log.snapshot

    def read(self, name: str, after: int = 0) -> Iterator[str]:
        """The entries after a position, in order."""
        log = self._logs.get(name)
        return iter([] if log is None else log.bodies[after:])

    def find(self, name: str, key: str) -> str | None:
        """The entry with a key."""
        log = self._logs.get(name)
        return None if log is None or key not in log.keys else log.bodies[log.keys[key]]
