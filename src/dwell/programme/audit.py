"""Audit: what each task taught, read out of the log by replaying it."""

from collections.abc import Iterator

from dwell.errors import InvalidInput
from dwell.learners.empirical_bayes import EmpiricalBayes
from dwell.learners.lessons import Lesson
from dwell.programme.events import Begun
from dwell.programme.journal import Journal
from dwell.programme.state import State, apply


def audit(journal: Journal) -> Iterator[tuple[str, Lesson]]:
    """The name of each task that was learned from and what it taught, in the order of beginning.

    The log is the audit list: designs and records are in it, and the learner that they are replayed
    to says what it makes of each.

    Args:
        journal: The programme's log.
    """
    taught: list[Lesson] = []
    names: dict[int, str] = {}
    replayed: State | None = None
    for _, event in journal.events():
        first, replayed = replayed is None, apply(replayed, event)
        if first:
            _listen(replayed, taught)
        if isinstance(event, Begun):
            names[event.task] = event.name
        for lesson in taught:
            yield names.pop(lesson.number), lesson
        taught.clear()


def _listen(state: State, taught: list[Lesson]) -> None:
    """Let the learner say what it is taught."""
    if not isinstance(state.learner, EmpiricalBayes):
        raise InvalidInput(
            f"the learner of {state.name!r} is a {type(state.learner).__name__}: only of "
            "EmpiricalBayes can be told what each test taught; records are among the events"
        )
    state.learner.audit = taught.append
