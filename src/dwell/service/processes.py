"""Processes that serve the same, kept in number until they are told to stop."""

import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Thread
from time import sleep
from types import FrameType

from dwell.errors import DwellError

# A process of its own from the start: threads and connections of this one are not carried over.
_CONTEXT = get_context("spawn")
_LOG = logging.getLogger("dwell.service")
_READY = b"ready"
_PAUSE = 1.0  # seconds until one that could not start is replaced
_SIGNALS = (signal.SIGINT, signal.SIGTERM)

Work = Callable[[Callable[[], None]], None]


class _Worker:
    """A process at work, and a line to it."""

    def __init__(self, work: Work) -> None:
        self.line, other = _CONTEXT.Pipe()
        self.process: BaseProcess = _CONTEXT.Process(target=_run, args=(work, other))
        self.process.start()
        other.close()
        self.ready = False


class Workers:
    """Processes that do the same. One that is killed is replaced.

    Args:
        work: What each does; it is given what to call once it is ready.
        count: How many there are.
        patience: How many seconds they may take to stop.
    """

    def __init__(self, work: Work, count: int, patience: float) -> None:
        self._work, self._count, self._patience = work, count, patience
        self._signalled, self._signals = _CONTEXT.Pipe(duplex=False)
        self._stopping = self._announced = False

    def run(self, ready: Callable[[], None]) -> None:
        """Keep them at work until a signal says to stop.

        Args:
            ready: Is called once, when all of them are ready.
        """
        before = {each: signal.signal(each, self._stop) for each in _SIGNALS}
        workers: list[_Worker] = []
        try:
            workers = [_Worker(self._work) for _ in range(self._count)]
            while not self._stopping:
                self._look_after(workers)
                if not self._announced and all(worker.ready for worker in workers):
                    self._announced = True
                    ready()
        finally:
            self._end(workers)
            for each, handler in before.items():
                signal.signal(each, handler)

    def _stop(self, _signal: int, _frame: FrameType | None) -> None:
        self._stopping = True
        self._signals.send_bytes(b"")

    def _look_after(self, workers: list[_Worker]) -> None:
        """Wait until something happens to one of them, and see to it."""
        waiting = [worker.line for worker in workers if not worker.ready]
        happened = wait([self._signalled, *waiting, *(each.process.sentinel for each in workers)])
        for place, worker in enumerate(workers):
            if worker.line in happened and not worker.ready:
                with suppress(EOFError, OSError):
                    worker.ready = worker.line.recv_bytes() == _READY
            if worker.process.sentinel in happened and not self._stopping:
                workers[place] = self._replaced(worker)

    def _replaced(self, worker: _Worker) -> _Worker:
        worker.process.join()
        worker.line.close()
        status = worker.process.exitcode or 0
        if status >= 0 and not self._announced:  # it was not killed: the next would end as well
            raise DwellError("a worker could not start; why is said above")
        _LOG.warning("a worker ended (exit code %s); another takes its place", status)
        if not worker.ready:
            sleep(_PAUSE)
        return _Worker(self._work)

    def _end(self, workers: list[_Worker]) -> None:
        for worker in workers:
            worker.process.terminate()
        for worker in workers:
            worker.process.join(self._patience + 5.0)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.line.close()


def _run(work: Work, line: Connection) -> None:
    """What a worker's process does."""
    Thread(target=_outlive_nobody, args=(line,), daemon=True).start()
    try:
        work(lambda: line.send_bytes(_READY))
    except DwellError as error:
        _LOG.error("%s", error)
        sys.exit(1)


def _outlive_nobody(line: Connection) -> None:
    """Stop if whoever has started it was killed."""
    with suppress(EOFError, OSError):
        line.recv_bytes()
    os.kill(os.getpid(), signal.SIGTERM)
