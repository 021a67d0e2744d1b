"""Workers: processes that make plans and evaluations, few at a time and none for too long."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from select import select
from threading import BoundedSemaphore, Lock
from time import monotonic
from typing import Any, Literal, NamedTuple
from weakref import finalize

from dwell import errors
from dwell.errors import DwellError
from dwell.service.problems import BUSY, TOO_LARGE, Refused

_PIECE = 2**16
_MOST_KEPT = 2**30  # bytes of a process that is kept for the next call


class Computed(NamedTuple):
    """What a call found.

    Attributes:
        document: The JSON that the command prints.
        page: The page that the command draws, if it was asked for.
    """

    document: str
    page: str | None


class Workers:
    """Processes that are started when they are needed, and kept for the next call.

    Args:
        most: How many calls may be worked on at once; others are refused.
        seconds: How long a call may take.
    """

    def __init__(self, most: int, seconds: float) -> None:
        self._most, self._seconds = most, seconds
        self._free = BoundedSemaphore(most)
        self._lock = Lock()
        self._idle: list[_Worker] = []
        finalize(self, _end, self._idle)

    def compute(
        self,
        call: Literal["plan", "evaluate"],
        asked: dict[str, Any],
        *,
        page: bool = False,
        advance: Callable[[float], None] = lambda _: None,
    ) -> Computed:
        """Have a call worked on.

        Args:
            call: Which.
            asked: The options of the command of that name; None for what was not given.
            page: Whether to draw the page as well.
            advance: Told the share of the work that is done.

        Raises:
            Refused: If as many are worked on as may be, or it takes too long or too much memory.
        """
        if not self._free.acquire(blocking=False):
            raise Refused(
                BUSY, f"{self._most} plans or evaluations are being made; try again in a while"
            )
        try:
            return self._computed({"call": call, "asked": asked, "page": page}, advance)
        finally:
            self._free.release()

    def _computed(self, call: dict[str, Any], advance: Callable[[float], None]) -> Computed:
        worker = self._ready()
        try:
            answer = worker.answer(call, monotonic() + self._seconds, advance)
        except BaseException:
            worker.end()
            raise
        if answer is None:
            worker.end()
            raise Refused(
                TOO_LARGE,
                f"this takes more than the {self._seconds:g} s or the memory that there is for it "
                "here; ask for less, or use the command on a machine of your own",
            )
        if answer["memory"] > _MOST_KEPT:
            worker.end()
        else:
            with self._lock:
                self._idle.append(worker)
        if "error" in answer:
            raise _error(answer)
        return Computed(answer["document"], answer["page"])

    def _ready(self) -> "_Worker":
        """A process that waits for a call."""
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.lives:
                    return worker
                worker.end()
        return _Worker()


class _Worker:
    """A process, and the lines to and from it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            # Not with the present folder among those that modules are looked for in.
            [sys.executable, "-P", "-m", "dwell.service.calls"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        self._read = b""

    @property
    def lives(self) -> bool:
        return self._process.poll() is None

    def answer(
        self, call: dict[str, Any], end: float, advance: Callable[[float], None]
    ) -> dict[str, Any] | None:
        """What a call comes to; None if that was too much for the process, or takes too long."""
        try:
            self._to.write(json.dumps(call).encode() + b"\n")
            self._to.flush()
        except BrokenPipeError:
            return None
        while (line := self._line(end)) is not None:
            said: dict[str, Any] = json.loads(line)
            if "share" not in said:
                return None if said.get("error") == "MemoryError" else said
            advance(said["share"])
        return None

    def _line(self, end: float) -> bytes | None:
        while b"\n" not in self._read:
            left = end - monotonic()
            if left <= 0.0 or not select([self._from], [], [], left)[0]:
                return None
            piece = os.read(self._from.fileno(), _PIECE)
            if not piece:
                return None
            self._read += piece
        line, _, self._read = self._read.partition(b"\n")
        return line

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        for stream in (self._to, self._from):
            with suppress(BrokenPipeError):
                stream.close()
        self._process.wait()


def _end(idle: list[_Worker]) -> None:
    """End processes that wait for a call."""
    while idle:
        idle.pop().end()


def _error(answer: dict[str, Any]) -> DwellError:
    """The error that ended a call, as it was raised there."""
    kind: type[DwellError] = getattr(errors, answer["error"], DwellError)
    return kind(answer["detail"])
