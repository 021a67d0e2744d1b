"""Drivers: how requests are sent, one waiting for each, one letting others work meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from time import sleep
from typing import Any, NamedTuple, TypeVar

import msgspec

from dwell.client.exchange import Request, Response, Steps
from dwell.client.patience import Answer, NoAnswer, Pause, patiently
from dwell.errors import InvalidInput, MissingExtra

try:
    import httpx2
except ModuleNotFoundError:
    raise MissingExtra("dwell.Client needs httpx2: pip install 'dwell[client]'") from None

T = TypeVar("T")
_API = "/api/v1"
_SECONDS = 30.0  # for one answer


class Connection(NamedTuple):
    """Where the service is, and who asks.

    Attributes:
        url: Its address.
        token: What is shown to it.
        patience: How many seconds to try, for each request.
    """

    url: str
    token: str | None
    patience: float

    def asked(self, request: Request) -> dict[str, Any]:
        """A request as the library takes it, with a whole address: none is to be put together."""
        asked: dict[str, Any] = {
            "method": request.method,
            "url": f"{self.url.rstrip('/')}{_API}{request.path}",
        }
        if request.query:
            asked["params"] = dict(request.query)
        if request.body is not None:
            asked["content"] = msgspec.json.encode(request.body)
            asked["headers"] = {"content-type": "application/json"}
        return asked

    def options(self) -> dict[str, Any]:
        """What the library that sends requests is told."""
        if not self.url.startswith(("http://", "https://")):
            raise InvalidInput(
                f"url must be the address of a service, such as http://127.0.0.1:8000, got "
                f"{self.url!r}"
            )
        shown = {} if self.token is None else {"authorization": f"Bearer {self.token}"}
        return {
            "headers": {"accept": "application/json", **shown},
            "timeout": _SECONDS,
            # To read all certificates there are takes longer than many requests.
            "verify": self.url.startswith("https://"),
        }


class Sync:
    """Sends a request and waits for the answer."""

    def __init__(self, connection: Connection) -> None:
        self._http = httpx2.Client(**connection.options())
        self._connection = connection

    def run(self, steps: Steps[T]) -> T:
        """What a verb comes to."""
        effects, answer = patiently(steps, self._connection.patience), None
        try:
            while True:
                answer = self._done(effects.send(answer))
        except StopIteration as end:
            value: T = end.value
            return value

    def _done(self, effect: Request | Pause) -> Answer:
        if isinstance(effect, Pause):
            sleep(effect.seconds)
            return None
        try:
            return _response(self._http.request(**self._connection.asked(effect)))
        except httpx2.TransportError as error:
            return _no_answer(self._connection.url, error)

    def close(self) -> None:
        """Close all connections."""
        self._http.close()


class Async:
    """Sends a request and lets others work until the answer is there."""

    def __init__(self, connection: Connection) -> None:
        self._http = httpx2.AsyncClient(**connection.options())
        self._connection = connection

    async def run(self, steps: Steps[T]) -> T:
        """What a verb comes to."""
        effects, answer = patiently(steps, self._connection.patience), None
        try:
            while True:
                answer = await self._done(effects.send(answer))
        except StopIteration as end:
            value: T = end.value
            return value

    async def _done(self, effect: Request | Pause) -> Answer:
        if isinstance(effect, Pause):
            await asyncio.sleep(effect.seconds)
            return None
        try:
            return _response(await self._http.request(**self._connection.asked(effect)))
        except httpx2.TransportError as error:
            return _no_answer(self._connection.url, error)

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()


def _response(answered: httpx2.Response) -> Response:
    headers: Mapping[str, str] = answered.headers
    return Response(answered.status_code, headers, answered.content)


def _no_answer(url: str, error: httpx2.TransportError) -> NoAnswer:
    said = str(error) or type(error).__name__
    never = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
    return NoAnswer(f"there is no answer from {url} ({said})", not isinstance(error, never))
