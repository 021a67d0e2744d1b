"""Telling tasks what was observed, many at once, and the advice that follows."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dwell.errors import InvalidInput
from dwell.programme.advice import Advice, of_abandoned, of_finished, of_running
from dwell.programme.closed import Closed
from dwell.programme.commands import Tell, TellAll, finished, require_same
from dwell.programme.events import Abandoned
from dwell.programme.journal import Journal
from dwell.programme.observations import Batch, observed
from dwell.programme.running import Running
from dwell.programme.state import State

Observed = Iterable[float] | Batch | None


class Telling(NamedTuple):
    """What a task is told.

    Attributes:
        task: Its name.
        values: Samples, or a `Batch` of them; or else …
        control: … outcomes of untreated users, or a `Batch` of them, and …
        treatment: … those of treated users.
        key: A name for this telling, so that the same again changes nothing.
    """

    task: str
    values: Observed = None
    control: Observed = None
    treatment: Observed = None
    key: str | None = None


def tell_all(journal: Journal, tellings: Iterable[Telling]) -> list[Advice]:
    """Tell tasks something, in one transaction: all of it or nothing.

    Args:
        journal: The programme's log.
        tellings: What to tell, in order.

    Returns:
        Advice on each, as it is after all of them.
    """
    given, now = list(tellings), journal.clock()
    wanted: list[Tell] = []
    running: dict[str, Running | None] = {}  # None if a task is not open: it may be over
    with journal.known() as state:
        known = state.known
        for name, values, control, treatment, key in given:
            told = observed(values, control=control, treatment=treatment, known=known)
            wanted.append(Tell(now, name, told, key))
            running[name] = state.tasks.get(state.numbers.get(name, 0))
    closed = _closed_among(journal, [each for each in wanted if running[each.task] is None])
    still_open = [each for each in wanted if each.task not in closed] if closed else wanted
    try:
        with journal.carried_out(TellAll(tuple(still_open))) as state:
            advice = {
                name: _advised(journal, state, name, task, now) for name, task in running.items()
            }
            return [advice[each.task] for each in wanted]
    except InvalidInput:
        if _closed_among(journal, wanted).keys() == closed.keys():
            raise
    return tell_all(journal, given)  # another process has ended some of them meanwhile


def _closed_among(journal: Journal, wanted: Sequence[Tell]) -> dict[str, Closed]:
    """The tasks that are over, having seen that they are told nothing new."""
    closed: dict[str, Closed] = {}
    for each in wanted:
        found = closed.get(each.task) or Closed.of(journal, each.task)
        if found is not None:
            told = None if each.key is None else found.told(journal, each.key)
            if told is None:
                raise finished(each.task)
            require_same(told, each)
            closed[each.task] = found
    return closed


def _advised(journal: Journal, state: State, task: str, told: Running | None, now: float) -> Advice:
    """What to do with a task that was told; if that was its end, it is not sought in the log."""
    if told is not None and told.finished:
        return of_running(told, state.learner, state.counts, state.settings, now)
    return advice_on(journal, state, task, now)


def advice_on(journal: Journal, state: State, task: str, now: float) -> Advice:
    """What to do with a task, open or over."""
    if task in state.numbers:
        running = state.tasks[state.numbers[task]]
        return of_running(running, state.learner, state.counts, state.settings, now)
    over = Closed.require(journal, task)
    decided = over.decided(journal)
    if isinstance(over.end, Abandoned):
        return of_abandoned(decided, over.end)
    return of_finished(decided, state.known)
