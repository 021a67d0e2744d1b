"""An application that is served while a test runs: uvicorn, in a thread of this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from time import monotonic, sleep
from typing import Any

import pytest
import uvicorn

from dwell.service.access.heads import Heads
from dwell.service.sockets import listening, url_of

_SECONDS = 30.0


@contextmanager
def served(app: Any, port: int = 0, **options: Any) -> Iterator[str]:
    """Serve an application on a port of 127.0.0.1; gives the address that it answers at.

    Args:
        app: An ASGI application.
        port: The port; 0 for one that is free.
        options: What else to tell uvicorn.
    """
    with listening("127.0.0.1", port) as bound:
        given: dict[str, Any] = {
            "log_config": None,  # what is logged goes where the test wants it
            "ws": "none",
            "http": Heads,
            "timeout_graceful_shutdown": 5,
            **options,
        }
        server = uvicorn.Server(uvicorn.Config(app, **given))
        thread = Thread(target=server.run, args=([bound],), daemon=True)
        thread.start()
        try:
            _wait(server, thread)
            yield url_of(bound)
        finally:
            server.should_exit = True
            thread.join(_SECONDS)
    assert not thread.is_alive(), "the server did not stop"


def _wait(server: uvicorn.Server, thread: Thread) -> None:
    """Until the server answers."""
    end = monotonic() + _SECONDS
    while not server.started:
        if not thread.is_alive() or monotonic() > end:
            pytest.fail("the server did not start")
        sleep(0.01)
