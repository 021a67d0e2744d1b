"""Patience: what is done if nobody answers, or somebody says to come back later.

A request is sent again only if to ask twice is to ask once, or if it cannot have been heard.
"""

from __future__ import annotations

from collections.abc import Generator
from random import uniform
from time import monotonic
from typing import NamedTuple, TypeVar

from dwell.client.exchange import Request, Response, Steps
from dwell.errors import CannotWrite

T = TypeVar("T")
_FIRST_WAIT, _LONGEST_WAIT = 0.05, 5.0
_COME_BACK = 429  # too many requests: none was heard
_NOT_NOW = (502, 503, 504)


class Pause(NamedTuple):
    """Wait so many seconds."""

    seconds: float


class NoAnswer(NamedTuple):
    """Nobody has answered.

    Attributes:
        reason: Why.
        heard: Whether the request may have been heard all the same.
    """

    reason: str
    heard: bool


Answer = Response | NoAnswer | None
Effects = Generator[Request | Pause, Answer, T]


def patiently(steps: Steps[T], seconds: float) -> Effects[T]:
    """The steps of a verb, each request sent until it is answered.

    Args:
        steps: The verb.
        seconds: How long to try, for each request.
    """
    try:
        request = next(steps)
        while True:
            request = steps.send((yield from _answered(request, seconds)))
    except StopIteration as end:
        value: T = end.value
        return value


def _answered(request: Request, seconds: float) -> Effects[Response]:
    end, wait = monotonic() + seconds, _FIRST_WAIT
    while True:
        answer = yield request
        assert answer is not None  # a request is answered, or it is said that it was not
        if isinstance(answer, Response) and not _later(request, answer):
            return answer
        if isinstance(answer, NoAnswer) and answer.heard and not request.repeatable:
            raise CannotWrite(
                f"{answer.reason}; it is not known whether this was heard: look before you repeat "
                f"it ({request.method} {request.path})"
            )
        pause = max(uniform(0.5, 1.0) * wait, _asked_to_wait(answer))
        if monotonic() + pause > end:
            if isinstance(answer, Response):
                return answer
            raise CannotWrite(f"{answer.reason}, for {seconds:g} s; see that dwell serve runs")
        yield Pause(pause)
        wait = min(2.0 * wait, _LONGEST_WAIT)


def _later(request: Request, answer: Response) -> bool:
    """Whether an answer says to come back, and it is right to."""
    return answer.status == _COME_BACK or (answer.status in _NOT_NOW and request.repeatable)


def _asked_to_wait(answer: Response | NoAnswer) -> float:
    """How many seconds it was asked to wait, if it was."""
    if isinstance(answer, NoAnswer):
        return 0.0
    asked = answer.headers.get("retry-after", "")
    return float(asked) if asked.isdecimal() else 0.0
