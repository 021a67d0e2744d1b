"""Live updates: parts of pages, sent to whoever has them open as soon as a log has grown.

For each programme that somebody looks at, one task looks at its log about once a second. When that
has grown, each page that is open is drawn once, whoever looks at it, and the parts that changed are
sent to all.
"""

from asyncio import Queue, Task, create_task, sleep, wait_for
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from json import dumps
from logging import getLogger
from time import monotonic

from anyio import to_thread

from dwell.errors import DwellError
from dwell.service.problems import BUSY, Refused

LOOK_SECONDS, BEAT_SECONDS, DRAW_SECONDS = 1.0, 15.0, 60.0
_MOST_BEHIND = 8  # messages that somebody has not taken yet
_log = getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    """A page in parts.

    Attributes:
        position: How many events it is drawn from.
        title: Its title.
        data: Until when there are data, in words.
        lists: Which parts stand in lists, in order, by the ids of these.
        parts: The parts by their ids.
    """

    position: int
    title: str
    data: str
    lists: dict[str, list[str]]
    parts: dict[str, str]

    def message(self, before: "Parts | None") -> str:
        """What to send to a page that is like another; all of it if that is not known."""
        known, listed = ({}, {}) if before is None else (before.parts, before.lists)
        changed = {name: html for name, html in self.parts.items() if known.get(name) != html}
        lists = {name: ids for name, ids in self.lists.items() if listed.get(name) != ids}
        told = {"title": self.title, "data": self.data, "lists": lists, "parts": changed}
        return event("parts", dumps(told), self.position)


def event(kind: str, data: str, position: int) -> str:
    r"""A server-sent event; a browser that comes again says which it had last.

    Example:
        >>> event("beat", "{}", 7)
        'event: beat\nid: 7\ndata: {}\n\n'
    """
    return f"event: {kind}\nid: {position}\ndata: {data}\n\n"


Draw = Callable[[], Parts]


@dataclass(slots=True, eq=False)
class _Page:
    """A page that somebody has open."""

    draw: Draw
    last: Parts | None = None
    readers: set["Queue[str]"] = field(default_factory=set)


@dataclass(slots=True, eq=False)
class _Watched:
    """A programme that somebody looks at."""

    position: Callable[[], int]
    pages: dict[str, _Page] = field(default_factory=dict)
    task: "Task[None] | None" = None


class Live:
    """Pages that are open, and how they are kept up to date.

    Args:
        most: How many may be open at once.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._open = 0
        self._watched: dict[str, _Watched] = {}

    async def follow(
        self, programme: str, page: str, position: Callable[[], int], draw: Draw, at: int
    ) -> AsyncIterator[str]:
        """What to send to a page, for as long as it is open.

        Args:
            programme: Which programme it is about.
            page: Which page of it.
            position: How many events the log has; this is asked for about once a second.
            draw: Draws the page.
            at: How many events it was drawn from when it was opened.
        """
        queue: Queue[str] = Queue(_MOST_BEHIND)
        watched = self._watched.setdefault(programme, _Watched(position))
        shown = watched.pages.setdefault(page, _Page(draw))
        shown.readers.add(queue)
        self._open += 1
        if watched.task is None:
            watched.task = create_task(self._watch(watched))
        try:
            # What others have open may be older than what was just read.
            if shown.last is None or shown.last.position < at:
                shown.last = await to_thread.run_sync(draw)
            if shown.last.position != at:
                yield shown.last.message(None)
            else:
                yield event("beat", "{}", at)
            while True:
                try:
                    yield await wait_for(queue.get(), BEAT_SECONDS)
                except TimeoutError:
                    yield event("beat", "{}", shown.last.position if shown.last else at)
        finally:
            self._open -= 1
            shown.readers.discard(queue)
            if not shown.readers:
                watched.pages.pop(page, None)
            if not watched.pages:
                if watched.task is not None:
                    watched.task.cancel()
                self._watched.pop(programme, None)

    def require_place(self) -> None:
        """Refuse one page more than may be open."""
        if self._open >= self._most:
            raise Refused(BUSY, f"{self._most} pages are open here already; reload now and then")

    async def _watch(self, watched: _Watched) -> None:
        """Look at a log, and draw pages anew when it has grown, or when a minute is over."""
        drawn = monotonic()
        while True:
            await sleep(LOOK_SECONDS)
            # A store that does not answer for a while is asked again; pages say by themselves that
            # they are not live.
            try:
                position = await to_thread.run_sync(watched.position)
                pages = [page for page in watched.pages.values() if page.last is not None]
                late = monotonic() - drawn >= DRAW_SECONDS
                if late:
                    drawn = monotonic()
                for page in pages:
                    if late or (page.last is not None and page.last.position != position):
                        await self._send(page)
            except DwellError as error:
                _log.warning("a page could not be drawn: %s", type(error).__name__)

    async def _send(self, page: _Page) -> None:
        before, page.last = page.last, await to_thread.run_sync(page.draw)
        if before is not None and before == page.last:
            return
        message = page.last.message(before)
        for queue in list(page.readers):
            if queue.full():  # who has not taken what was sent gets all of it instead
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait(page.last.message(None))
            else:
                queue.put_nowait(message)
