"""The shelf: all programmes of a store, each opened once and kept open."""

from collections.abc import Callable
from copy import copy
from itertools import islice
from threading import Lock
from time import time
from typing import Any, Self

from dwell import checks
from dwell.errors import NotThere
from dwell.programme.events import Created
from dwell.programme.programme import Programme
from dwell.programme.stores.protocol import EventStore, programmes_in
from dwell.service.desk import Desk, Queues
from dwell.service.rule_changes import RuleChanges


class Shelf:
    """The programmes of a store, for many threads.

    Args:
        store: Where they are kept.
        clock: What tells the time, in seconds since 1970.

    Example:
        >>> from dwell import fixed
        >>> from dwell.programme.stores.memory import MemoryStore
        >>> shelf = Shelf(MemoryStore())
        >>> shelf.create("checkout", policies=fixed(1, 1)) is shelf.open("checkout")
        True
        >>> shelf.names()
        ['checkout']
    """

    def __init__(self, store: EventStore, clock: Callable[[], float] = time) -> None:
        self.store = store
        self.clock = clock
        self._opened: dict[str, Programme] = {}
        self._created: dict[str, Created] = {}
        self._desks: dict[str, Desk] = {}
        self._queues = Queues()
        self._rules: dict[str, RuleChanges] = {}
        self._lock = Lock()
        self._only: str | None = None

    def only(self, name: str) -> Self:
        """The same shelf, with no other programme on it."""
        narrow = copy(self)
        narrow._only = name
        return narrow

    def names(self) -> list[str]:
        """The names of all programmes, sorted."""
        return [name for name in programmes_in(self.store) if self._only in (None, name)]

    def create(self, name: str, **terms: Any) -> Programme:
        """Create a programme, by the terms of `Programme.create`."""
        self._require_mine(name)
        created = Programme.create(self.store, name, clock=self.clock, **terms)
        return self._kept(name, created)

    def open(self, name: str) -> Programme:
        """The programme of that name; who names another is not told what there is."""
        self._require_mine(name)
        if not name.isprintable():  # a log that is no programme's
            raise NotThere(f"there is no programme {name!r}")
        found = self._opened.get(name)
        if found is not None:
            return found
        try:
            return self._kept(name, Programme.open(self.store, name, clock=self.clock))
        except NotThere:
            raise NotThere(f"there is no programme {checks.shown(name)}; create it first") from None

    def ready(self, name: str) -> Programme | None:
        """The programme of that name if it is open: found at once."""
        self._require_mine(name)
        return self._opened.get(name)

    def desk(self, programme: Programme) -> Desk:
        """Where all come who tell it something, or ask for advice."""
        found = self._desks.get(programme.name)
        made = found or Desk(programme, self._queues, self.clock)
        return found or self._desks.setdefault(programme.name, made)

    def rules(self, programme: Programme) -> RuleChanges:
        """How its rule changed."""
        return self._rules.setdefault(programme.name, RuleChanges(programme))

    def created(self, name: str) -> Created:
        """How the programme of that name was created, which never changes."""
        if name not in self._created:
            [first] = islice(self.open(name).events(), 1)
            assert isinstance(first[1], Created)  # every log begins so
            self._created[name] = first[1]
        return self._created[name]

    def _kept(self, name: str, programme: Programme) -> Programme:
        """One object for all threads: a state is read once."""
        with self._lock:
            return self._opened.setdefault(name, programme)

    def _require_mine(self, name: str) -> None:
        if self._only not in (None, name):
            raise NotThere(f"there is no programme {name!r}")
