"""Answers go out in as few packets as they can, and no later than they would."""

import asyncio
import socket
from collections.abc import Callable
from urllib.parse import urlsplit

from dwell.programme.stores.memory import MemoryStore
from dwell.service.access.joined import Joined
from dwell.service.app import create_app
from tests.serving import served


class Written(asyncio.Transport):
    """A transport that keeps what it is to send."""

    def __init__(self) -> None:
        super().__init__()
        self.packets: list[bytes] = []
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.closed
        self.packets.append(bytes(data))

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


def after(do: Callable[[Joined, Written], None]) -> Written:
    """What was sent once a loop has come round."""
    transport = Written()

    async def done() -> None:
        do(Joined(transport, asyncio.get_running_loop()), transport)
        await asyncio.sleep(0)

    asyncio.run(done())
    return transport


def test_what_is_written_in_one_step_is_one_packet() -> None:
    """In order; a part of nothing changes nothing."""

    def do(joined: Joined, written: Written) -> None:
        for part in (b"head ", b"", b"body"):
            joined.write(part)
        assert written.packets == []

    assert after(do).packets == [b"head body"]


def test_a_long_answer_does_not_wait_to_be_whole() -> None:
    """Or all of a download would be in memory before any of it is sent."""

    def do(joined: Joined, written: Written) -> None:
        joined.write(b"head ")
        joined.write(b"b" * 2**17)
        assert written.packets == [b"head " + b"b" * 2**17]
        joined.write(b"end")

    assert after(do).packets[1:] == [b"end"]


def test_who_closes_a_connection_has_said_what_they_wrote() -> None:
    """And what is written when the other side has gone is dropped."""

    def closes(joined: Joined, written: Written) -> None:
        joined.write(b"last words")
        joined.close()
        assert written.packets == [b"last words"]
        assert joined.is_closing()

    assert after(closes).packets == [b"last words"]

    def gone(joined: Joined, written: Written) -> None:
        joined.write(b"too late")
        written.close()

    assert after(gone).packets == []


def test_an_answer_of_the_service_is_one_packet() -> None:
    """Head and body."""
    with served(create_app(store=MemoryStore())) as url:
        found = urlsplit(url)
        with socket.create_connection((found.hostname, found.port or 0), timeout=10.0) as caller:
            for _ in range(3):
                caller.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                head, _, body = caller.recv(65536).partition(b"\r\n\r\n")
                assert head.startswith(b"HTTP/1.1 200 OK")
                assert f"content-length: {len(body)}".encode() in head
                assert body
