"""Serving: the application, in this process or in several, until it is told to stop.

To stop is to take no more callers, to end streams of events, and to wait a while for requests that
are being answered: what was told is told.
"""

import gc
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from logging.config import dictConfig

import uvicorn
from fastapi import FastAPI

from dwell.errors import InvalidInput
from dwell.programme.stores.addresses import store_at
from dwell.programme.stores.memory import MemoryStore
from dwell.programme.stores.protocol import EventStore
from dwell.service.access.heads import Heads
from dwell.service.access.loopback import require_safe
from dwell.service.access.request_log import logging_settings
from dwell.service.access.tokens import Tokens
from dwell.service.app import create_app
from dwell.service.demo.feed import calendar, feeding
from dwell.service.processes import Workers
from dwell.service.settings import Settings
from dwell.service.sockets import joining, listening, url_of
from dwell.service.streams import Streams

PATIENCE = 20  # seconds to wait for requests that are being answered
_MEMORY = "memory:"
_NEW_OBJECTS = 10_000  # until garbage is looked for among them

Ready = Callable[[str], None]


def serve(settings: Settings, ready: Ready, *, workers: int = 1, demo: bool = False) -> None:
    """Serve until a signal says to stop.

    Args:
        settings: What to start with.
        ready: Is called with the address, once it is listened on.
        workers: How many processes answer.
        demo: Whether to show a company that does not exist instead of what is in the store.
    """
    if workers > 1 and (demo or settings.store == _MEMORY):
        raise InvalidInput(
            f"workers must be 1 where programmes are kept in memory, got {workers}; give a store "
            "that processes can share, such as postgresql://…"
        )
    # What cannot be used is refused before anything is started.
    store = MemoryStore() if demo else store_at(settings.store)
    require_safe(settings, Tokens(store))
    # Who looks at the demo does not want to read who looks at it.
    dictConfig(logging_settings("WARNING" if demo else "INFO"))
    with listening(settings.host, settings.port, shared=workers > 1) as bound:
        if workers > 1:
            address = bound.family, bound.getsockname()
            Workers(partial(_work, settings, *address), workers, PATIENCE).run(
                partial(ready, url_of(bound))
            )
        else:
            app, at_work = (
                _demo(settings, store) if demo else (create_app(settings, store), nullcontext())
            )
            _settle()
            with at_work, _interrupted():
                Server(app, partial(ready, url_of(bound))).run([bound])


class Server(uvicorn.Server):
    """uvicorn, with streams that end when it stops.

    Args:
        app: The application.
        ready: Is called once it listens.
    """

    def __init__(self, app: FastAPI, ready: Callable[[], None]) -> None:
        self._streams, self._ready = Streams(app), ready
        super().__init__(
            uvicorn.Config(
                self._streams,
                access_log=False,  # requests are logged by the application
                log_config=None,
                http=Heads,
                server_header=False,
                timeout_graceful_shutdown=PATIENCE,
                ws="none",
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more callers, and let those that are there finish."""
        self._streams.end()
        await super().shutdown(sockets)


def _work(
    settings: Settings, family: int, address: tuple[object, ...], ready: Callable[[], None]
) -> None:
    """What one of several processes does."""
    dictConfig(logging_settings())
    with joining(family, address) as bound, _interrupted():
        app = create_app(settings)
        _settle()
        Server(app, ready).run([bound])


def _settle() -> None:
    """Have what is loaded by now not be looked through for garbage again and again.

    And nobody is told in the log by which thread, so that none need be found out.
    """
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)


def _demo(settings: Settings, store: EventStore) -> tuple[FastAPI, AbstractContextManager[None]]:
    """The application over a company's programme, and the company at work."""
    days = calendar()
    app = create_app(settings, store, days.time)
    return app, feeding(app.state.shelf, days)


@contextmanager
def _interrupted() -> Iterator[None]:
    """To be told to stop is no error; uvicorn says it again once it has stopped."""
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        signal.signal(signal.SIGTERM, before)
