"""Exchange: a request, the answer to it, and the error that an answer may be."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec

from dwell.errors import CannotWrite, Clash, DwellError, InvalidInput, MissingExtra, NotThere

T = TypeVar("T")
_PROBLEM = "urn:dwell:problem:"
# Of all other problems it is what was asked that is wrong.
_KINDS: dict[str, type[DwellError]] = {
    "not-there": NotThere,
    "clash": Clash,
    "no-store": CannotWrite,
    "not-installed": MissingExtra,
    "fault": DwellError,
}


class Request(NamedTuple):
    """What is asked.

    Attributes:
        method: The HTTP method.
        path: Where, below the API's address.
        body: What is sent, as JSON; None if nothing is.
        query: What stands behind the path.
        repeatable: Whether to ask twice is to ask once.
    """

    method: str
    path: str
    body: Mapping[str, object] | None = None
    query: Mapping[str, str] = {}
    repeatable: bool = True


class Response(NamedTuple):
    """What is answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """What is answered, having seen that it is no problem."""
        self.require_success()
        return msgspec.json.decode(self.body)

    def require_success(self) -> None:
        """Raise what the problem stands for, if it is one."""
        if self.status < 400:
            return
        problem, detail = self.problem()
        if problem is None:
            raise DwellError(
                f"the answer is {self.status} and not one of dwell's; see that the address leads "
                "to dwell serve"
            )
        raise _KINDS.get(problem, InvalidInput)(detail)

    def problem(self) -> tuple[str | None, str]:
        """The name of a problem and what it is about; None for what is no problem of ours."""
        try:
            fields = msgspec.json.decode(self.body, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None, ""
        kind = str(fields.get("type", ""))
        if not kind.startswith(_PROBLEM):
            return None, ""
        return kind.removeprefix(_PROBLEM), str(fields.get("detail") or fields.get("title") or "")


# A verb: it yields what it asks, is sent what is answered, and returns what was wanted.
Steps = Generator[Request, Response, T]


def path_of(*parts: str) -> str:
    """A path of words and names.

    Example:
        >>> path_of("programmes", "a/b c", "tasks")
        '/programmes/a%2Fb%20c/tasks'
    """
    return "".join(f"/{quote(part, safe='')}" for part in parts)
