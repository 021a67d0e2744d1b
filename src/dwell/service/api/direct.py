"""Direct routes: the calls that are made most, answered with as little ado as there can be.

FastAPI describes them as it does all others; to prepare a call takes it longer than these take to
answer. What is sent is read here at once, by its model. Where anything is amiss with it, the call
is left to FastAPI, which says what.
"""

from collections.abc import Callable
from typing import Any, get_type_hints

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.types import Message, Receive, Scope, Send

from dwell.service.api.documents import Sent

_AS_JSON = (b"content-type", b"application/json")


class DirectRoute(APIRoute):
    """A route whose function takes the request, what its path names and perhaps what is `sent`.

    The function answers with a `Response`, such as `answered` makes.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, endpoint, **options)
        self._thorough = self.app
        self._sent: type[Sent] | None = get_type_hints(endpoint).get("sent")
        self._checks = [needed.dependency for needed in self.dependencies if needed.dependency]
        self.app = self._answer

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, given = Request(scope, receive), dict(scope["path_params"])
        if self._sent is not None:
            body = await request.body()
            try:
                if _AS_JSON not in scope["headers"]:
                    raise ValueError
                given["sent"] = self._sent.model_validate_json(body)
            except ValueError:
                await self._thorough(scope, _again(body), send)
                return
        for check in self._checks:
            await check(request)
        response: Response = await self.endpoint(request=request, **given)
        await response(scope, receive, send)


def _again(body: bytes) -> Receive:
    """A body that was received, once more."""

    async def received() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return received


def answered(document: BaseModel, status: int = 200) -> Response:
    """A document as an answer."""
    return Response(document.model_dump_json(), status, media_type="application/json")
