"""How the service stops, and who works for it."""

from collections.abc import AsyncIterator
from threading import Event, Thread
from time import monotonic
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.responses import StreamingResponse

from dwell.errors import DwellError
from dwell.service.processes import Workers
from dwell.service.serving import Server
from dwell.service.sockets import listening, url_of

_SECONDS = 30.0


def application(telling: Event, go_on: Event) -> FastAPI:
    """A stream without end, and a request that takes as long as it is told to."""
    app = FastAPI()

    @app.get("/live")
    async def _() -> StreamingResponse:
        async def events() -> AsyncIterator[str]:
            import asyncio

            while True:
                yield "data: 1\n\n"
                await asyncio.sleep(0.01)

        return StreamingResponse(events(), media_type="text/event-stream")

    @app.post("/tell")
    def _() -> str:
        telling.set()
        assert go_on.wait(_SECONDS)
        return "told"

    return app


def test_streams_end_and_what_is_being_told_is_told() -> None:
    """To stop ends a stream at once and whole, and waits for a request that is being answered."""
    telling, go_on, ready = Event(), Event(), Event()
    answers: list[Any] = []
    with listening("127.0.0.1", 0) as bound, httpx2.Client(base_url=url_of(bound)) as client:
        server = Server(application(telling, go_on), ready.set)
        serving = Thread(target=server.run, args=([bound],), daemon=True)
        serving.start()
        assert ready.wait(_SECONDS)
        request = Thread(target=lambda: answers.append(client.post("/tell").json()), daemon=True)
        request.start()
        assert telling.wait(_SECONDS)
        with client.stream("GET", "/live", headers={"accept": "text/event-stream"}) as stream:
            lines = stream.iter_lines()
            assert next(lines) == "data: 1"
            server.should_exit = True
            list(lines)  # it is over, with nothing cut off
        assert serving.is_alive()  # as long as the other is not answered
        go_on.set()
        for thread in (request, serving):
            thread.join(_SECONDS)
            assert not thread.is_alive()
    assert answers == ["told"]


def test_a_port_is_shared_by_workers_alone() -> None:
    """Somebody else who is there is not joined."""
    with listening("127.0.0.1", 0) as other, pytest.raises(ValueError, match="is taken"):
        listening("127.0.0.1", other.getsockname()[1], shared=True)


def _fail(_: Any) -> None:
    raise DwellError("there is no store")


def test_workers_that_cannot_start_end_the_service() -> None:
    """They are not started again and again."""
    begun = monotonic()
    with pytest.raises(DwellError, match="could not start"):
        Workers(_fail, count=1, patience=1.0).run(lambda: None)
    assert monotonic() - begun < _SECONDS
