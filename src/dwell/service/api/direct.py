"""Direct routes: the calls that are made most, answered with as little ado as there can be.

FastAPI describes them, and could answer them, as all others; to find a route and to prepare a call
takes it longer than these take to answer. They are found and called before it is asked. Where
anything is amiss with what is sent, the call is left to FastAPI, which says what.
"""

from collections.abc import Callable, Iterable
from typing import Any, get_type_hints

import msgspec
from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dwell.errors import DwellError
from dwell.service.access.refusals import refuse
from dwell.service.api.documents import Sent

_AS_JSON = (b"content-type", b"application/json")


class DirectRoute(APIRoute):
    """A route whose function takes the request, what its path names and perhaps what is `sent`.

    The function answers with a `Response`, such as `answered` makes.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, endpoint, **options)
        self._sent: type[Sent] | None = get_type_hints(endpoint).get("sent")
        self._checks = [needed.dependency for needed in self.dependencies if needed.dependency]

    def named(self, path: str) -> dict[str, Any] | None:
        """What a path names; None if it is not one of this route."""
        found = self.path_regex.match(path)
        if found is None:
            return None
        known = self.param_convertors
        return {name: known[name].convert(text) for name, text in found.groupdict().items()}

    async def answer(self, scope: Scope, receive: Receive, send: Send, otherwise: ASGIApp) -> None:
        """Answer a request, or let it be answered otherwise if what is sent is not as it should."""
        given = scope["path_params"].copy()
        try:
            if self._sent is not None:
                body = await _received(receive)
                try:
                    if _AS_JSON not in scope["headers"]:
                        raise ValueError
                    given["sent"] = self._sent.model_validate_json(body)
                except ValueError:
                    await otherwise(scope, _again(body), send)
                    return
            request = Request(scope)
            for check in self._checks:
                await check(request)
            response: Response = await self.endpoint(request=request, **given)
        except (DwellError, HTTPException) as error:
            await refuse(error, scope, receive, send)
        else:
            await response(scope, receive, send)


class Directly:
    """Answers calls of direct routes, and passes on whatever else is asked for.

    Args:
        app: What it is passed on to.
        routes: The routes.
    """

    def __init__(self, app: ASGIApp, routes: Iterable[BaseRoute]) -> None:
        self._app = app
        self._routes: dict[str, list[DirectRoute]] = {}
        for route in routes:
            assert isinstance(route, DirectRoute)  # as their router makes them
            for method in route.methods or ():
                self._routes.setdefault(method, []).append(route)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if not scope.get("root_path"):
            for route in self._routes.get(scope.get("method", ""), ()):
                if (named := route.named(scope["path"])) is not None:
                    scope["route"], scope["path_params"] = route, named
                    await route.answer(scope, receive, send, self._app)
                    return
        await self._app(scope, receive, send)


async def _received(receive: Receive) -> bytes:
    """The body of a request, all of it."""
    parts, more = list[bytes](), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


def _again(body: bytes) -> Receive:
    """A body that was received, once more."""

    async def received() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return received


class _Json(Response):
    """JSON as an answer, with no other header than it needs."""

    def __init__(self, body: bytes, status: int) -> None:
        self.body, self.status_code, self.background = body, status, None
        self.raw_headers = [(b"content-length", b"%d" % len(body)), _AS_JSON]


def answered(document: dict[str, Any], status: int = 200) -> Response:
    """The fields of a document as an answer."""
    return _Json(msgspec.json.encode(document), status)
