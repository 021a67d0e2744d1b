"""The clients of `benchmarks.load`: each begins tests, tells them of their days and reads advice.

Where it is asked what a service bears, clients must take little of the processors that they share
with it: `LeanClient` sends bytes over a connection that is kept, and reads of an answer no more
than it needs. Where something is killed, it is asked what `dwell.AsyncClient` makes of it.
"""

import asyncio
import random
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from time import perf_counter
from typing import NamedTuple, Protocol
from urllib.parse import quote, urlsplit

import uvloop

from dwell import AsyncClient, Batch
from dwell.client.drivers import Async
from dwell.client.programme import RemoteProgramme

_TELLINGS = 12  # of a test at most
_READS = 0.4  # as many of the tellings are followed by a look
_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)\r\n", re.IGNORECASE)


@dataclass
class Tally:
    """What clients were answered.

    Attributes:
        end: When they are to stop.
        seconds: How long each request took, by what it was.
        told: Tellings that were acknowledged: programme, task and key.
        errors: What was raised instead.
    """

    end: float
    seconds: dict[str, list[float]] = field(
        default_factory=lambda: {"begin": [], "tell": [], "read": []}
    )
    told: list[tuple[str, str, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def requests(self) -> int:
        """How many requests were answered."""
        return sum(map(len, self.seconds.values()))

    def percentile(self, share: float) -> float:
        """The time that such a share of requests took at most, in milliseconds."""
        every = sorted(each for kind in self.seconds.values() for each in kind)
        return 1000.0 * every[min(len(every) - 1, int(share * len(every)))]


class Arm(NamedTuple):
    """What an arm measured in a day; and that as JSON."""

    batch: Batch
    json: bytes


@lru_cache
def days() -> list[Arm]:
    """What arms may measure in a day: drawn beforehand, as clients have other things to do."""
    draw = random.Random(0)
    sizes = [draw.randrange(190, 210) for _ in range(1000)]
    measured = [(n, sum(draw.random() < 0.1 for _ in range(n))) for n in sizes]
    return [Arm(Batch(n, hits), b'{"n":%d,"sum":%d}' % (n, hits)) for n, hits in measured]


class TestsOne(Protocol):
    """A client that has one test at a time."""

    async def begin(self, task: str) -> None:
        """Begin the next test."""

    async def tell(self, control: Arm, treatment: Arm, key: str) -> bool:
        """Tell it what was observed; whether it is done."""

    async def read(self) -> None:
        """Read the advice on it."""


class LeanClient(asyncio.Protocol):
    """A connection that is kept: a request, then its answer. What is no success is an error.

    Args:
        host: What the service goes by.
        programme: The name of a programme.
    """

    def __init__(self, host: str, programme: str) -> None:
        self._host, self._tasks = host, f"/api/v1/programmes/{quote(programme)}/tasks/"
        self._tell = self._look = self._received = b""
        self._transport: asyncio.WriteTransport
        self._answer: asyncio.Future[tuple[bytes, bytes]] | None = None

    @classmethod
    @asynccontextmanager
    async def at(cls, url: str, programme: str) -> AsyncIterator["LeanClient"]:
        """A client of the service at an address."""
        host = urlsplit(url).netloc
        name, _, port = host.rpartition(":")
        loop, client = asyncio.get_running_loop(), cls(host, programme)
        client._transport, _ = await loop.create_connection(lambda: client, name, int(port))
        try:
            yield client
        finally:
            client._transport.close()

    async def begin(self, task: str) -> None:
        """Begin a test, and write what its requests begin with."""
        path, host = self._tasks + task, f"HTTP/1.1\r\nhost: {self._host}\r\n"
        self._tell = (
            f"POST {path}/tellings {host}content-type: application/json\r\ncontent-length: "
        ).encode()
        self._look = f"GET {path}/advice {host}\r\n".encode()
        await self._asked(f"PUT {path} {host}content-length: 0\r\n\r\n".encode())

    async def tell(self, control: Arm, treatment: Arm, key: str) -> bool:
        """Tell it what was observed; whether it is done."""
        told = (control.json, treatment.json, key.encode())
        body = b'{"control":%b,"treatment":%b,"key":"%b"}' % told
        return b'"done":true' in await self._asked(
            b"%b%d\r\n\r\n%b" % (self._tell, len(body), body)
        )

    async def read(self) -> None:
        """Read the advice on it."""
        await self._asked(self._look)

    async def _asked(self, request: bytes) -> bytes:
        """The body of the answer."""
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        head, body = await self._answer
        if not head.startswith(b"HTTP/1.1 20"):
            raise RuntimeError(f"{head[:12].decode()}: {body[:300].decode()}")
        return body

    def data_received(self, data: bytes) -> None:
        """A part of an answer, mostly all of it."""
        self._received += data
        head, whole, body = self._received.partition(b"\r\n\r\n")
        length = _LENGTH.search(head + b"\r\n") if whole else None
        if self._answer and length and len(body) >= int(length[1]):
            self._received = b""
            self._answer.set_result((head, body))

    def connection_lost(self, error: Exception | None) -> None:
        """Whoever waits for an answer waits in vain."""
        if self._answer and not self._answer.done():
            self._answer.set_exception(error or ConnectionError("the connection was closed"))


class LibraryClient:
    """A client of `dwell.AsyncClient`, which asks again where it is not answered."""

    def __init__(self, programme: RemoteProgramme[Async]) -> None:
        self._programme = programme

    @classmethod
    @asynccontextmanager
    async def at(cls, url: str, programme: str) -> AsyncIterator["LibraryClient"]:
        """A client of the service at an address."""
        async with AsyncClient(url, patience=60.0) as client:
            yield cls(await client.programme(programme))

    async def begin(self, task: str) -> None:
        """Begin the next test."""
        self._task = await self._programme.begin(task)

    async def tell(self, control: Arm, treatment: Arm, key: str) -> bool:
        """Tell it what was observed; whether it is done."""
        told = await self._task.tell(control=control.batch, treatment=treatment.batch, key=key)
        return told.done

    async def read(self) -> None:
        """Read the advice on it."""
        await self._task.advice


At = Callable[[str, str], AbstractAsyncContextManager[TestsOne]]


def crowd(at: At, url: str, clients: int, programmes: int, tally: Tally) -> None:
    """Have many clients at work at once, until it is time to stop."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_crowd(at, url, clients, programmes, tally))


async def _crowd(at: At, url: str, clients: int, programmes: int, tally: Tally) -> None:
    async def one(number: int) -> None:
        name = f"programme {number % programmes}"
        try:
            async with at(url, name) as client:
                await _work(client, number, name, tally)
        except Exception as error:  # whatever it is, it is one too many
            tally.errors.append(f"{type(error).__name__}: {error}")

    await asyncio.gather(*map(one, range(clients)))


async def _work(client: TestsOne, number: int, programme: str, tally: Tally) -> None:
    """What one client does: a test after another, each told day by day."""
    draw, arms = random.Random(number), days()
    begun, told, read = tally.seconds.values()
    for test in range(10**9):
        task = f"{number}-{test}"
        start = perf_counter()
        await client.begin(task)
        begun.append(perf_counter() - start)
        for day in range(_TELLINGS):
            if perf_counter() > tally.end:
                return
            key, control, treated = f"{day}", draw.choice(arms), draw.choice(arms)
            start = perf_counter()
            done = await client.tell(control, treated, key)
            told.append(perf_counter() - start)
            tally.told.append((programme, task, key))
            if draw.random() < _READS:
                start = perf_counter()
                await client.read()
                read.append(perf_counter() - start)
            if done:
                break
