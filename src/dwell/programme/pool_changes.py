"""Changes of the pool of ideas as a programme tells them: by the dates of its tests.

A learner counts tests as it learns from them, past ones first; tasks that were given up are none of
these. So when a test began is noted as it is learned from, and kept as long as a change may begin
with it: a learner tells few such tests apart, and what is kept does not grow.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, TypeGuard

from msgspec import Struct, field

from dwell.fitting.pool_change import ChangeDates, DatedChange, PoolChange
from dwell.learners.empirical_bayes import EmpiricalBayes
from dwell.learners.learner import Learner
from dwell.learners.pool_knowledge import PoolKnowledge
from dwell.programme.running import Running

if TYPE_CHECKING:
    from dwell.programme.state import State


class Beginning(Struct, frozen=True, omit_defaults=True):
    """When a test began.

    Attributes:
        at: When, in seconds since 1970.
        test: What it is called; empty for a past test.
    """

    at: float
    test: str = ""


class Calendar(Struct):
    """When tests were by which changes of the pool are dated.

    Attributes:
        begun: When a test began, by how many were learned from before it.
        shown: When a change was shown, by how many tests had been learned from.
    """

    begun: dict[int, Beginning] = field(default_factory=dict)
    shown: dict[int, float] = field(default_factory=dict)

    @classmethod
    def of_past(cls, dates: Mapping[int, float]) -> "Calendar":
        """Before there is a task.

        Args:
            dates: When past tests began.
        """
        return cls({number: Beginning(at) for number, at in dates.items()})

    def note(self, learner: Learner, tasks: Sequence[Running], at: float) -> None:
        """Note when tasks began that were learned from just now, and what they have shown.

        Args:
            learner: The learner, after it.
            tasks: The tasks, in the order in which it learned from them.
            at: When that was.
        """
        if not forgets(learner):
            return
        learned, points = learner.state, learner.state.turning_points
        before = learned.readings.tests - len(tasks)
        for number, task in enumerate(tasks, start=before):
            self.begun[number] = Beginning(task.begun_at, task.name)
        self.begun = {number: each for number, each in self.begun.items() if number in points}
        shown = [change.shown for change in learned.changes]
        kept = {number: each for number, each in self.shown.items() if number in shown}
        self.shown = kept | {number: at for number in shown if number > before}

    def dated(self, change: PoolChange, past: int) -> ChangeDates:
        """The dates of a change.

        Args:
            change: The change.
            past: How many tests are past ones.
        """
        first = self.begun.get(change.since)
        return ChangeDates(
            since=self._began(change.since),
            earliest=self._began(change.earliest),
            latest=self._began(change.latest),
            shown=self.shown.get(change.shown),
            test="" if first is None else first.test,
            past=past,
        )

    def _began(self, number: int) -> float | None:
        return self.begun[number].at if number in self.begun else None


def pool_changes(state: "State") -> tuple[DatedChange, ...]:
    """The changes of the pool that were shown, the latest last.

    Args:
        state: What the log of a programme comes to.
    """
    learner = state.learner
    if not forgets(learner):
        return ()
    past = 0 if learner.past is None else len(learner.past)
    return tuple(
        DatedChange(**asdict(change), dates=state.calendar.dated(change, past))
        for change in learner.state.changes
    )


def dated(known: PoolKnowledge, changes: Sequence[DatedChange]) -> PoolKnowledge:
    """What is known of the pool, with the dates of its latest change.

    Args:
        known: What the learner knows.
        changes: The changes that were shown to it.
    """
    if known.changed is None:
        return known
    return replace(known, changed=replace(known.changed, dates=changes[-1].dates))


def forgets(learner: Learner) -> TypeGuard[EmpiricalBayes]:
    """Whether a learner reckons with a pool that changes."""
    return isinstance(learner, EmpiricalBayes) and learner.drift
