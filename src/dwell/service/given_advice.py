"""Advice as it was given: a forecast takes milliseconds, and is made once for what a task was told.

It is kept for tasks that are open, and made anew when a task was told more, something was corrected
or the pool of ideas was fitted to more tests.
"""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import NamedTuple

from dwell.errors import DwellError
from dwell.programme.advice import Advice, of_running
from dwell.programme.observations import Observations
from dwell.programme.outlook import fitted_by
from dwell.programme.programme import Programme
from dwell.programme.running import Running
from dwell.programme.state import State
from dwell.programme.task import Status, status_of

_FEW = 100  # tasks that are over may be remembered for a while


class _Given(NamedTuple):
    """Advice, and what it follows from."""

    advice: Advice
    parts: dict[str, Observations]
    told: int
    tests: int

    def is_like(self, other: "_Given") -> bool:
        """Whether another follows from the same: what is corrected is put in another `parts`."""
        alike = self.told == other.told and self.tests == other.tests
        return alike and self.parts is other.parts and self.advice == other.advice


class GivenAdvice:
    """Advice on tasks of a programme, from one look at its log for many.

    Args:
        programme: The programme.
        clock: What tells the time, in seconds since 1970.
    """

    def __init__(self, programme: Programme, clock: Callable[[], float]) -> None:
        self._programme, self._clock = programme, clock
        self._last: dict[str, _Given] = {}
        self._lock = Lock()

    def on_all(self) -> list[tuple[str, Status, Advice]]:
        """All open tasks in the order in which they were begun: where each stands, and advice."""
        with self._lock, self._programme.state() as state:
            now = self._clock()
            found = [
                (task.name, status_of(task, state.settings, now), self._on_open(state, task))
                for task in state.tasks.values()
                if not task.finished
            ]
        for _, _, advice in found:
            advice.sentence  # noqa: B018 - as below
        return found

    def on(self, tasks: Sequence[str]) -> Sequence[Advice | Exception]:
        """Advice on each, or why there is none."""
        with self._lock, self._programme.state() as state:
            found: dict[str, Advice] = {
                name: self._on_open(state, state.tasks[state.numbers[name]])
                for name in tasks
                if name in state.numbers
            }
            if len(self._last) > _FEW + 2 * len(state.numbers):
                self._last = {name: self._last[name] for name in state.numbers & self._last.keys()}
        for advice in found.values():
            advice.sentence  # noqa: B018 - made here, where nobody waits for the log
        return [found.get(name) or self._on_closed(name) for name in tasks]

    def _on_open(self, state: State, task: Running) -> Advice:
        advice = of_running(task, state.learner, state.counts, state.settings, self._clock())
        pool = fitted_by(state.learner)
        given = _Given(advice, task.parts, len(task.parts), 0 if pool is None else pool.tests)
        last = self._last.get(task.name)
        if last is not None and last.is_like(given):
            return last.advice
        self._last[task.name] = given
        return advice

    def _on_closed(self, task: str) -> Advice | Exception:
        """Of a task that is over: it is found in the log, if it is there."""
        try:
            return self._programme.task(task).advice
        except DwellError as error:
            return error
