"""The log of requests: a line of JSON each, and an id by which to find it.

A line has no token, cookie, query or body, and of the address only which route it was: what people
paste into the wrong place stays out of it.
"""

import json
import logging
import re
from asyncio import get_running_loop
from contextlib import nullcontext
from datetime import UTC, datetime
from random import Random, SystemRandom
from typing import Any, TextIO

import msgspec
from starlette.types import Scope

from dwell.service.access.refusals import Given

_HEADER = b"x-request-id"
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
# Of ids that are no secrets: to ask the system for each would let other threads go first.
_draw = Random(SystemRandom().getrandbits(128))
_access = logging.getLogger("dwell.access")
_faults = logging.getLogger("dwell.service")


def identity_of(headers: Given) -> str:
    """The id of a request: what its sender calls it, or a new one."""
    given = headers.get(_HEADER, b"").decode("latin-1")
    return given if _ID.fullmatch(given) else f"{_draw.getrandbits(64):016x}"


def header_of(identity: str) -> tuple[bytes, bytes]:
    """The header that tells whoever asked the id of their request."""
    return _HEADER, identity.encode()


def log_fault(identity: str) -> None:
    """Write down what is wrong with us."""
    _faults.exception("a fault in answering request %s", identity)


def log_request(
    scope: Scope, route: str | None, identity: str, status: int, seconds: float
) -> None:
    """Write a line about a request that was answered."""
    if not _access.isEnabledFor(logging.INFO):
        return
    caller = scope.get("state", {}).get("caller")
    method = scope["method"]
    said = {
        "request_id": identity,
        "method": method if method.isalpha() else None,
        "route": route,
        "status": int(status),
        "ms": round(1000.0 * seconds, 1),
        "token": None if caller is None else caller.token,
    }
    # To find out where a line is written, as `info` does, takes longer than to write it.
    _access.handle(logging.LogRecord(_access.name, logging.INFO, __file__, 0, said, (), None))


class JsonLines(logging.Formatter):
    """Writes each record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """A record as a line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": at, "level": record.levelname.lower(), "log": record.name}
        if isinstance(record.msg, dict):  # of a request: there are many of these
            return msgspec.json.encode(line | record.msg).decode()
        line["message"] = record.getMessage()
        if record.exc_info:
            line["fault"] = self.formatException(record.exc_info)
        return json.dumps(line)


class Lines(logging.StreamHandler[TextIO]):
    """Writes lines to a stream: those of one round of an event loop at once.

    To write lets other threads go first, which takes longer than the line did.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._waiting: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, soon."""
        try:
            self._waiting.append(self.format(record))
            if len(self._waiting) == 1:
                get_running_loop().call_soon(self.flush)
        except RuntimeError:  # there is no such loop
            self.flush()
        except Exception:
            self.handleError(record)

    def flush(self) -> None:
        """Write what waits."""
        with self.lock or nullcontext():
            lines, self._waiting = self._waiting, []
            if lines:
                self.stream.write("\n".join((*lines, "")))
            super().flush()


def logging_settings(level: str = "INFO") -> dict[str, Any]:
    """What `logging.config.dictConfig`, or uvicorn's `log_config`, is told: JSON on stderr."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": f"{__name__}.{JsonLines.__name__}"}},
        "handlers": {
            "stderr": {
                "()": f"{__name__}.{Lines.__name__}",
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
