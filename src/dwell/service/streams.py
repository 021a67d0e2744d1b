"""Streams: events that are sent for as long as somebody listens, or until the service stops."""

from asyncio import FIRST_COMPLETED, Event, ensure_future, wait

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ACCEPT, _EVENTS = b"accept", b"text/event-stream"


class Streams:
    """An application whose streams of events can be ended.

    A stream is told that nobody listens any more, which it has to heed anyway.

    Args:
        app: The application.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._over: Event | None = None

    def end(self) -> None:
        """End all streams; to be called where they run."""
        self._ending().set()

    def _ending(self) -> Event:
        self._over = self._over or Event()
        return self._over

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        accepted = dict(scope.get("headers", [])).get(_ACCEPT, b"")
        if scope["type"] != "http" or _EVENTS not in accepted:
            await self._app(scope, receive, send)
            return
        over, started, complete = self._ending(), False, False

        async def listening() -> Message:
            asked, ended = ensure_future(receive()), ensure_future(over.wait())
            try:
                await wait((asked, ended), return_when=FIRST_COMPLETED)
                return asked.result() if asked.done() else {"type": "http.disconnect"}
            finally:
                asked.cancel()
                ended.cancel()

        async def sending(message: Message) -> None:
            nonlocal started, complete
            started = True
            complete = message["type"] == "http.response.body" and not message.get("more_body")
            await send(message)

        await self._app(scope, listening, sending)
        if over.is_set() and started and not complete:
            await send({"type": "http.response.body"})
