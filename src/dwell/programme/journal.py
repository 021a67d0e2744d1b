"""Journal: the log of one programme and the state that it comes to, kept up to date.

A command is decided on the state as it was last seen and appended where that ended. If the log has
grown meanwhile, what is new is read and the command decided anew: in turn, where the store lets
writers queue, from then on and until nobody else writes.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from random import uniform
from threading import RLock
from time import monotonic, sleep

from dwell.errors import CannotWrite, Conflict, InvalidInput, NotThere
from dwell.programme.commands import Command, decide
from dwell.programme.events import Event, entry_of, event_of
from dwell.programme.state import State, fold, restored
from dwell.programme.stores.protocol import EventStore, Queueing, programmes_in

_SECONDS = 60.0  # to try again while others write
_FIRST_PAUSE, _LONGEST_PAUSE = 0.001, 0.05  # seconds until that, at most
EVERY = 1000  # events from one snapshot to the next


class Journal:
    """A log and its state, for many threads.

    Attributes:
        store: Where the log is kept.
        name: Which one it is.
        clock: What tells the time, in seconds since 1970.
    """

    def __init__(self, store: EventStore, name: str, clock: Callable[[], float]) -> None:
        self.store = store
        self.name = name
        self.clock = clock
        self._lock = RLock()
        self._state: State | None = None
        self._looks = 0  # within one another, of the thread that has the lock
        self._crowded = False  # whether others wrote when this one last did

    @contextmanager
    def state(self) -> Iterator[State]:
        """The state after all events so far, for this thread alone.

        A look within a look shows the same: so much can be asked at the price of one.
        """
        with self._lock:
            state = self._state if self._looks else None
            self._looks += 1
            try:
                yield state or self._read_on()
            finally:
                self._looks -= 1

    @contextmanager
    def known(self) -> Iterator[State]:
        """The state as it was last seen, for this thread alone."""
        with self._lock:
            yield self._state or self._read_on()

    @contextmanager
    def carried_out(self, command: Command) -> Iterator[State]:
        """Append what follows from a command; it is durable when the state is there."""
        with self._lock:
            yield self._carried_out(command)

    def _carried_out(self, command: Command) -> State:
        end, pause = monotonic() + _SECONDS, _FIRST_PAUSE
        while True:
            try:
                if self._crowded and isinstance(self.store, Queueing):
                    return self._in_turn(self.store, command)
                return self._at_once(command)
            except Conflict:
                self._crowded = True
                if monotonic() > end:
                    raise CannotWrite(
                        f"others have written to {self.name!r} without a break for "
                        f"{_SECONDS:g} s; try again"
                    ) from None
            if not isinstance(self.store, Queueing):
                # Whoever loses waits a little, so that not all try again at once.
                sleep(uniform(0.0, pause))
                pause = min(2.0 * pause, _LONGEST_PAUSE)
                self._read_on()

    def _at_once(self, command: Command) -> State:
        """Decide on the state as it was last seen; a Conflict if the log has grown since."""
        state = self._state or self._read_on()
        events = self._decided(state, command)
        self._append(state, events)
        self._apply(events)
        return state

    def _in_turn(self, store: Queueing, command: Command) -> State:
        """Wait for the others, read what they wrote, decide and append: so nobody tries twice."""
        before = 0 if self._state is None else self._state.position
        with store.turn(self.name):
            state = self._read_on()
            self._crowded = state.position > before
            events = decide(state, command)
            self._append(state, events)
        self._apply(events)
        return state

    def _decided(self, state: State, command: Command) -> list[Event]:
        """What follows from a command; it is refused by nothing that is out of date."""
        try:
            return decide(state, command)
        except InvalidInput:
            before = state.position
            self._read_on()
            if state.position == before:
                raise
        return decide(state, command)

    def _append(self, state: State, events: list[Event]) -> None:
        if events:
            position = state.position
            kept = state.to_json() if _is_due(state, position + len(events)) else None
            self.store.append(self.name, position, [entry_of(event) for event in events], kept)

    def _apply(self, events: Iterable[Event]) -> None:
        """Bring the state to where it is after events that are in the log."""
        try:
            self._state = fold(self._state, events)
        except BaseException:
            self._state = None  # it was left half-way: the log has all of it
            raise

    def _read_on(self) -> State:
        """Bring the state up to date."""
        if self._state is None:
            snapshot = self.store.latest(self.name)
            self._state = None if snapshot is None else restored(snapshot.body)
        after = 0 if self._state is None else self._state.position
        self._apply(map(event_of, self.store.read(self.name, after)))
        if self._state is None:
            there = ", ".join(map(repr, programmes_in(self.store))) or "none"
            raise NotThere(
                f"there is no programme {self.name!r}; create it, or open one of those there are: "
                f"{there}"
            )
        return self._state

    def events(self, after: int = 0) -> Iterator[tuple[int, Event]]:
        """The events after a position, with their positions."""
        for position, body in enumerate(self.store.read(self.name, after), start=after + 1):
            yield position, event_of(body)

    def events_of(self, task: int) -> Iterator[tuple[int, Event]]:
        """The events of one task, with their positions."""
        mention = f'"task":{task}'
        for position, body in enumerate(self.store.read(self.name, 0), start=1):
            if mention in body:  # what is not about it need not be decoded
                event = event_of(body)
                if getattr(event, "task", None) == task:
                    yield position, event

    def find(self, key: str) -> Event | None:
        """The event with a key."""
        body = self.store.find(self.name, key)
        return None if body is None else event_of(body)


def _is_due(state: State, end: int) -> bool:
    """Whether a snapshot is kept; of all that write, one passes each multiple: it keeps one.

    The more a snapshot holds, the rarer it is: it takes a constant time per event.
    """
    if state.position // EVERY == end // EVERY:
        return False
    every, parts = EVERY, sum(len(task.parts) for task in state.tasks.values())
    while every < parts:
        every *= 2
    return state.position // every != end // every
