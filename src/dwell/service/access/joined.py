"""Joined: a connection by which the head and the body of an answer go out together.

The server writes one, then the other. Sent one by one they would call the system twice, and wake
whoever waits for them twice.
"""

from asyncio import AbstractEventLoop, Transport
from typing import Any

_MOST_HELD = 64 * 1024  # bytes: a long answer is sent as it comes


class Joined(Transport):
    """A transport that sends what is written in one step of a loop at the end of it.

    Args:
        transport: What it is sent by.
        loop: The loop.
    """

    def __init__(self, transport: Transport, loop: AbstractEventLoop) -> None:
        super().__init__()
        self._transport, self._loop = transport, loop
        self._held: list[bytes | bytearray | memoryview] = []
        self._size = 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Have something be sent, soon."""
        if not self._held:
            self._loop.call_soon(self._send)
        self._held.append(data)
        self._size += len(data)
        if self._size > _MOST_HELD:
            self._send()

    def _send(self) -> None:
        held, self._held, self._size = self._held, [], 0
        if held and not self._transport.is_closing():
            self._transport.write(b"".join(held))

    def close(self) -> None:
        """Send what was written, and close the connection."""
        self._send()
        self._transport.close()

    def is_closing(self) -> bool:
        """Whether it is closed, or about to be."""
        return self._transport.is_closing()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """What is known of the connection."""
        return self._transport.get_extra_info(name, default)

    def pause_reading(self) -> None:
        """Receive nothing for a while."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Go on receiving."""
        self._transport.resume_reading()
