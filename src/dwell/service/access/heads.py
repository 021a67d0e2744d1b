"""Heads of requests, before anybody knows who calls: none too large, none too slow.

The parser takes as many headers as come, for as long as they come. A head that never ends would
hold a connection for ever, and as much memory as somebody cares to send.
"""

from asyncio import TimerHandle, Transport
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from dwell.service.access.joined import Joined

MOST_BYTES = 64 * 1024
SECONDS = 20.0


class Heads(HttpToolsProtocol):
    """uvicorn's connection, which waits for the rest of a head only so long, and for so much."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._whole = False  # whether the last head is
        self._came = 0  # bytes, while it was not
        self._waiting: TimerHandle | None = None  # for the end of a head

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # uvicorn's
        """Somebody is there: they have to say what they want."""
        super().connection_made(Joined(transport, self.loop))
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is there any more."""
        self._wait_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; most heads come whole, and need not be waited for."""
        self._came += 0 if self._whole else len(data)
        super().data_received(data)
        if self._whole or self.transport.is_closing():
            return
        if self._came > MOST_BYTES:
            self._end(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        elif self._waiting is None:
            self._wait()

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        if self._whole:
            self._whole, self._came = False, 0

    def on_headers_complete(self) -> None:
        """A head is whole."""
        self._whole = True
        self._wait_no_more()
        if len(self.url) + sum(len(name) + len(text) for name, text in self.headers) > MOST_BYTES:
            raise ValueError("the head of a request is too large")  # the parser stops here
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Say that a request cannot be read, once."""
        self._wait_no_more()
        if not self.transport.is_closing():
            super().send_400_response(msg)

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(SECONDS, self._end, HTTPStatus.REQUEST_TIMEOUT)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _end(self, status: HTTPStatus) -> None:
        """Close the connection, and say why."""
        self._wait_no_more()
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:  # no answer is half sent
            head = f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-length: 0\r\n"
            self.transport.write(f"{head}connection: close\r\n\r\n".encode())
        self.transport.close()
