"""Delivery: decisions posted to the hooks of their programmes, by a thread of its own.

A decision that was made here is posted at once; what was made elsewhere, or could not be posted, is
looked for now and then. An address hears of each at least once, under an id that never changes.
"""

import logging
from collections.abc import Callable, Iterable
from functools import partial
from threading import Event, Thread
from time import monotonic

from dwell.errors import DwellError
from dwell.programme.posting import Post, post
from dwell.service.hooks import Hook, Hooks
from dwell.service.shelf import Shelf

_SECONDS = 15.0  # from one look around to the next
_PAUSE = 0.2  # seconds at least: what is decided meanwhile is looked for together
_LONGEST_PAUSE = 600.0  # until an address that takes nothing is tried again
# A try now; the next one when one looks around again, so that nobody waits for an address.
_ONCE: Post = partial(post, timeout=5.0, waits=())
_log = logging.getLogger("dwell.hooks")


class Delivery:
    """Posts decisions while it runs.

    Args:
        shelf: The programmes.
        hooks: Who wants to hear.
        post: What posts.
        seconds: From one look around to the next.
        clock: What tells how long something took.
    """

    def __init__(
        self,
        shelf: Shelf,
        hooks: Hooks,
        post: Post = _ONCE,
        *,
        seconds: float = _SECONDS,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._shelf, self._hooks, self._post = shelf, hooks, post
        self._seconds, self._clock = seconds, clock
        self._woken, self._ended = Event(), Event()
        self._waits: dict[Hook, tuple[float, float]] = {}  # until when, and for how long
        self._thread: Thread | None = None

    def start(self) -> None:
        """Begin to post."""
        self._thread = Thread(target=self._run, name="dwell hooks", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Look around at once: something was decided."""
        self._woken.set()

    def end(self) -> None:
        """Post no more; what is left is posted by whoever comes next."""
        self._ended.set()
        self._woken.set()
        if self._thread is not None:
            self._thread.join(1.0)  # a thread that waits for an address is not waited for

    def _run(self) -> None:
        while not self._ended.is_set():
            self._woken.clear()
            try:
                self.look_around()
            except DwellError as error:  # such as a store that does not answer for a while
                _log.warning("hooks cannot be looked at: %s", error)
            self._ended.wait(_PAUSE)
            self._woken.wait(self._seconds)

    def look_around(self) -> None:
        """Post all that is due."""
        for hook in self._due(self._hooks.all()):
            if self._ended.is_set():
                return
            sent = self._shelf.open(hook.programme).outbox(hook.url).send(self._post)
            if not sent.problem:
                self._waits.pop(hook, None)
                continue
            _, before = self._waits.get(hook, (0.0, self._seconds / 2))
            pause = min(2.0 * before, _LONGEST_PAUSE)
            self._waits[hook] = self._clock() + pause, pause
            _log.warning(
                "%d decisions of %r could not be posted to %s: %s",
                *(sent.left, hook.programme, hook.host, sent.problem),
            )

    def _due(self, hooks: Iterable[Hook]) -> list[Hook]:
        now = self._clock()
        return [hook for hook in hooks if self._waits.get(hook, (0.0, 0.0))[0] <= now]
