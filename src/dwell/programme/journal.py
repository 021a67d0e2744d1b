"""Journal: the log of one programme and the state that it comes to, kept up to date.

A command is decided on the state as it was last seen and appended where that ended. If the log has
grown meanwhile, what is new is read and the command decided anew: in turn, where the store lets
writers queue, from then on and until nobody else writes.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from random import uniform
from threading import RLock
from time import monotonic, sleep

from dwell.errors import CannotWrite, Conflict, InvalidInput, NotThere
from dwell.programme.commands import Command, decide
from dwell.programme.events import Event, entry_of, event_of
from dwell.programme.state import State, fold, restored
from dwell.programme.stores.protocol import Addition, EventStore, Queueing, Turn, programmes_in

_SECONDS = 60.0  # to try again while others write
_FIRST_PAUSE, _LONGEST_PAUSE = 0.001, 0.05  # seconds until that, at most
EVERY = 1000  # events from one snapshot to the next, or more …
_BYTES = 128  # … so that no event pays for more of a snapshot: about as much as it is long


class Journal:
    """A log and its state, for many threads.

    Attributes:
        store: Where the log is kept.
        name: Which one it is.
        clock: What tells the time, in seconds since 1970.
    """

    def __init__(self, store: EventStore, name: str, clock: Callable[[], float]) -> None:
        self.store = store
        self._queue = store if isinstance(store, Queueing) else None  # asked once: it takes long
        self.name = name
        self.clock = clock
        self._writing = RLock()  # of whoever may write; it is taken before the other
        self._lock = RLock()  # of whoever has the state
        self._state: State | None = None
        self._looks = 0  # within one another, of the thread that has the lock
        self._turn: list[Addition] | None = None  # of that thread: what is to be appended in it
        self._crowded = False  # whether others wrote when this one last did
        self._every = EVERY  # events from one snapshot to the next, by how long the last one was

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
        with self._writing, self._lock:
            yield self._carried_out(command)

    def _carried_out(self, command: Command) -> State:
        end, pause = monotonic() + _SECONDS, _FIRST_PAUSE
        while self._turn is None:
            try:
                if self._crowded and self._queue:
                    return self._in_turn(command)
                return self._at_once(command)
            except Conflict:
                self._crowded = True
                if monotonic() > end:
                    raise CannotWrite(
                        f"others have written to {self.name!r} without a break for "
                        f"{_SECONDS:g} s; try again"
                    ) from None
            if not self._queue:
                # Whoever loses waits a little, so that not all try again at once.
                sleep(uniform(0.0, pause))
                pause = min(2.0 * pause, _LONGEST_PAUSE)
                self._read_on()
        return self._at_once(command)

    def _at_once(self, command: Command) -> State:
        """Decide on the state as it was last seen; a Conflict if the log has grown since."""
        state = self._state or self._read_on()
        events = self._decided(state, command)
        self._append(state, events)
        self._apply(events)
        return state

    def _in_turn(self, command: Command) -> State:
        """Wait for the others, read what they wrote, decide and append: so nobody tries twice."""
        before = 0 if self._state is None else self._state.position
        with together([self], turn=True), self.known() as state:
            self._crowded = state.position > before
            return self._at_once(command)

    def _decided(self, state: State, command: Command) -> list[Event]:
        """What follows from a command; it is refused by nothing that is out of date."""
        try:
            return decide(state, command)
        except InvalidInput:
            if self._turn is not None:  # nobody else writes
                raise
            before = state.position
            self._read_on()
            if state.position == before:
                raise
        return decide(state, command)

    def _append(self, state: State, events: list[Event]) -> None:
        if events:
            position = state.position
            kept = self._snapshot(state, position + len(events))
            added = Addition(self.name, position, [entry_of(event) for event in events], kept)
            if self._turn is None:
                self.store.append(*added)
            else:
                self._turn.append(added)

    def _snapshot(self, state: State, end: int) -> str | None:
        """What is kept of a state before the log grows; one writer passes each multiple.

        The longer a snapshot is, the rarer it is: per event as much is kept as of a short one.
        """
        if state.position // self._every == end // self._every:
            return None
        body, self._every = state.to_json(), EVERY
        while _BYTES * self._every < len(body):
            self._every *= 2
        return body if state.position // self._every != end // self._every else None

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

    @contextmanager
    def _looked_at(self, added: list[Addition] | None = None) -> Iterator[None]:
        """Let all within be one look, or one turn in which something is to be added."""
        self._looks, self._turn = self._looks + 1, added
        try:
            yield
        finally:
            self._looks, self._turn = self._looks - 1, None

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


@contextmanager
def together(journals: Iterable[Journal], *, turn: bool = False) -> Iterator[None]:
    """Work on several logs of a store at once, for this thread alone.

    A look at one of them within the block shows all that was there when it began. In a turn nobody
    else writes to them, and what is carried out is one transaction: durable when the block ends,
    and not there if it fails. Logs of a store that knows no turns go on by themselves.

    Args:
        journals: The logs.
        turn: Whether something is to be written.
    """
    every = sorted(journals, key=lambda each: each.name)
    store, taken = every[0]._queue, Turn({}, [])
    if store is None:
        yield
        return
    with ExitStack() as held:
        # In an order that all keep to, so that no two wait for one another.
        after: dict[str, int] = {}
        for each in every:
            if turn:
                held.enter_context(each._writing)
            with each.known() as state:
                after[each.name] = state.position
                if not (turn and store.waits):  # else states are there for others meanwhile
                    held.enter_context(each.known())
        try:
            with store.turn(after) if turn else nullcontext(Turn(store.news(after), [])) as taken:
                for each in every:
                    state = held.enter_context(each.known())
                    seen = state.position - after[each.name]  # by others who looked meanwhile
                    each._apply(map(event_of, taken.news.get(each.name, [])[seen:]))
                    held.enter_context(each._looked_at(taken.added if turn else None))
                yield
        except BaseException:
            for each in every:
                if any(each.name == addition.name for addition in taken.added):
                    each._state = None  # it is ahead of the log, which has none of it
            raise
