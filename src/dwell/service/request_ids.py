"""The id of the request that is being answered, by which its answer and its log are found."""

from contextvars import ContextVar

_current: ContextVar[str | None] = ContextVar("request_id", default=None)


def begin_request(identity: str) -> None:
    """Let what follows, in this task and in threads that it starts, be of a request."""
    _current.set(identity)


def request_id() -> str | None:
    """The id of the request that is being answered here; None where none is."""
    return _current.get()
