"""The log of requests: a line of JSON each, and an id by which to find it.

A line has no token, cookie, query or body, and of the address only which route it was: what people
paste into the wrong place stays out of it.
"""

import json
import logging
import re
from datetime import UTC, datetime
from http import HTTPStatus
from inspect import isawaitable
from secrets import token_hex
from time import perf_counter
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dwell.service.request_ids import begin_request

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_access = logging.getLogger("dwell.access")
_faults = logging.getLogger("dwell.service")


class RequestLog:
    """Gives each request an id, writes a line about it, and answers where something is at fault."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        identity = given if _ID.fullmatch(given) else token_hex(8)
        begin_request(identity)
        began, status = perf_counter(), 0

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
                MutableHeaders(scope=message)["x-request-id"] = identity
            await send(message)

        try:
            await self._app(scope, receive, sent)
        except Exception as fault:
            _faults.exception("a fault in answering request %s", identity)
            if status:
                raise  # half an answer is there: the connection has to break
            await _answer(fault, scope, receive, sent)
        finally:
            ended = 1000.0 * (perf_counter() - began)
            _access.info(_line(scope, identity, status, ended))


async def _answer(fault: Exception, scope: Scope, receive: Receive, send: Send) -> None:
    """Say that something is wrong with us, by the application's own handler."""
    handler: Any = scope["app"].exception_handlers[Exception]
    answered = handler(Request(scope, receive), fault)
    response = await answered if isawaitable(answered) else answered
    await response(scope, receive, send)


def _line(scope: Scope, identity: str, status: int, milliseconds: float) -> dict[str, object]:
    caller = scope.get("state", {}).get("caller")
    return {
        "request_id": identity,
        "method": scope["method"] if scope["method"].isalpha() else None,
        "route": getattr(scope.get("route"), "path", None),
        "status": status or int(HTTPStatus.INTERNAL_SERVER_ERROR),
        "ms": round(milliseconds, 1),
        "token": None if caller is None else caller.token,
    }


class JsonLines(logging.Formatter):
    """Writes each record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """A record as a line."""
        said = record.msg if isinstance(record.msg, dict) else {"message": record.getMessage()}
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": time, "level": record.levelname.lower(), "log": record.name, **said}
        if record.exc_info:
            line["fault"] = self.formatException(record.exc_info)
        return json.dumps(line)


def logging_settings(level: str = "INFO") -> dict[str, Any]:
    """What `logging.config.dictConfig`, or uvicorn's `log_config`, is told: JSON on stderr."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": f"{__name__}.{JsonLines.__name__}"}},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "stream": "ext://sys.stderr",
                "formatter": "json",
            }
        },
        "loggers": {
            name: {"handlers": ["stderr"], "level": level, "propagate": False}
            for name in ("dwell", "uvicorn.error")
        }
        # It writes addresses with all that is in them; ours takes its place.
        | {"uvicorn.access": {"handlers": [], "level": "CRITICAL", "propagate": False}},
    }
