"""Advice as it was given: a forecast takes milliseconds, and is made once for what a task was told.

It is kept for tasks that are open, and made anew when a task was told more, something was corrected
or the pool of ideas was fitted to more tests.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

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
        self._last: dict[str, _Given] = {}  # for whoever has the programme's state

    def on_all(self) -> list[tuple[str, Status, Advice]]:
        """All open tasks in the order in which they were begun: where each stands, and advice."""
        with self._programme.state() as state:
            now = self._clock()
            found = [
                (task.name, status_of(task, state.settings, now), self._on_open(state, task))
                for task in state.tasks.values()
                if not task.finished
            ]
        for _, _, advice in found:
            advice.sentence  # noqa: B018 - as below
        return found

    def on_open(self, tasks: Sequence[str]) -> list[Advice | None]:
        """Advice on each, as far as they are open; `finished` makes what takes longer."""
        with self._programme.state() as state:
            numbers = state.numbers
            if len(self._last) > _FEW + 2 * len(numbers):
                self._last = {name: self._last[name] for name in numbers & self._last.keys()}
            return [
                self._on_open(state, state.tasks[numbers[name]]) if name in numbers else None
                for name in tasks
            ]

    def finished(self, task: str, advice: Advice | None) -> Advice:
        """Advice with its forecast; on a task that is over, which is found in the log."""
        advice = advice or self._programme.task(task).advice
        advice.sentence  # noqa: B018 - made here, where nobody waits for the log
        return advice

    def _on_open(self, state: State, task: Running) -> Advice:
        advice = of_running(task, state.learner, state.counts, state.settings, self._clock())
        pool = fitted_by(state.learner)
        given = _Given(advice, task.parts, len(task.parts), 0 if pool is None else pool.tests)
        last = self._last.get(task.name)
        if last is not None and last.is_like(given):
            return last.advice
        self._last[task.name] = given
        return advice
