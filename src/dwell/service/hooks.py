"""Hooks: addresses that want to hear of a programme's decisions.

They are kept in a log of the same store whose name is no programme's, so that all processes see the
same ones. How far each has heard is in the programme's own log: see `dwell.programme.notices`.
"""

from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

import msgspec

from dwell.errors import CannotWrite, Conflict, NotThere
from dwell.programme.posting import Address
from dwell.programme.stores.protocol import Entry, EventStore

_LOG = "\x1fhooks"
_TRIES = 20


class Hook(msgspec.Struct, frozen=True, kw_only=True):
    """An address that wants to hear of a programme's decisions.

    Attributes:
        programme: The programme's name.
        url: The address, which may hold a secret.
        at: Since when, in seconds since 1970.
        removed: Whether it wants to hear no more: the log keeps that too.
    """

    programme: str
    url: str
    at: float
    removed: bool = False

    @property
    def id(self) -> str:
        """What it goes by where it is not to be shown."""
        return Address(self.url).digest

    @property
    def host(self) -> str:
        """What of the address can be shown."""
        return Address(self.url).host


class _Key(NamedTuple):
    programme: str
    hook: str


class Hooks:
    """The hooks of all programmes of a store, for many threads and processes.

    Args:
        store: Where they are kept.
        clock: What tells the time, in seconds since 1970.

    Example:
        >>> from dwell.programme.stores.memory import MemoryStore
        >>> hooks = Hooks(MemoryStore(), lambda: 0.0)
        >>> added = hooks.add("checkout", "https://example.com/secret")
        >>> [hook.host for hook in hooks.all()], hooks.remove("checkout", added.id).removed
        (['https://example.com'], True)
    """

    def __init__(self, store: EventStore, clock: Callable[[], float]) -> None:
        self._store, self._clock = store, clock
        self._lock = Lock()
        self._position = 0
        self._found: dict[_Key, Hook] = {}

    def all(self) -> list[Hook]:
        """All that want to hear, in the order in which they were added."""
        with self._lock:
            self._read_on()
            return list(self._found.values())

    def of(self, programme: str) -> list[Hook]:
        """Those of one programme."""
        return [hook for hook in self.all() if hook.programme == programme]

    def add(self, programme: str, url: str) -> Hook:
        """Have an address hear; to add it twice is to add it once."""
        wanted = Hook(programme=programme, url=Address(url).url, at=self._clock())
        return self._written(lambda: self._found.get(_Key(programme, wanted.id)), wanted)

    def remove(self, programme: str, hook: str) -> Hook:
        """Let an address hear no more."""
        found = next((each for each in self.of(programme) if each.id == hook), None)
        if found is None:
            raise NotThere(f"there is no hook {hook!r} of {programme!r}; list those there are")
        gone = msgspec.structs.replace(found, removed=True)
        return self._written(lambda: None if _Key(programme, hook) in self._found else gone, gone)

    def _written(self, there: Callable[[], Hook | None], wanted: Hook) -> Hook:
        """Append what is wanted, unless it is there by now."""
        for _ in range(_TRIES):
            with self._lock:
                self._read_on()
                found = there()
                if found is not None:
                    return found
                try:
                    body = msgspec.json.encode(wanted).decode()
                    self._store.append(_LOG, self._position, [Entry(body)])
                except Conflict:
                    continue
                self._read_on()
                return wanted
        raise CannotWrite("others change hooks without a break; try again")

    def _read_on(self) -> None:
        for body in self._store.read(_LOG, self._position):
            hook = msgspec.json.decode(body, type=Hook)
            key = _Key(hook.programme, hook.id)
            if hook.removed:
                self._found.pop(key, None)
            else:
                self._found.setdefault(key, hook)
            self._position += 1
