"""Refusals: how a middleware says no, in the same words and pages as routes do."""

from http import HTTPStatus
from inspect import isawaitable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

Given = dict[bytes, bytes]  # headers of a request, the first of each name


async def refuse(error: Exception, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with an error, by the application's own handler: a problem, or a page for people."""
    handlers = scope["app"].exception_handlers
    handler: Any = next(handlers[kind] for kind in type(error).__mro__ if kind in handlers)
    answered = handler(Request(scope, receive), error)
    response = await answered if isawaitable(answered) else answered
    await response(scope, receive, send)


def refusal(status: HTTPStatus, detail: str, **headers: str) -> HTTPException:
    """An error with headers, whose names are written with underscores.

    Example:
        >>> refusal(HTTPStatus.TOO_MANY_REQUESTS, "wait", retry_after="1").headers
        {'Retry-After': '1'}
    """
    named = {name.replace("_", "-").title(): text for name, text in headers.items()}
    return HTTPException(status, detail, named)
