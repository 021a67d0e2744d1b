"""A task that is over: what its log has of it, found by keys."""

from typing import NamedTuple, Self

from dwell import checks
from dwell.errors import NotThere
from dwell.programme.events import (
    Abandoned,
    Begun,
    Decided,
    Finished,
    Told,
    begun_key,
    closed_key,
    decided_key,
    told_key,
)
from dwell.programme.journal import Journal
from dwell.programme.observations import Observations


class Closed(NamedTuple):
    """A task that is over, and gone from the state.

    Attributes:
        number: Its number.
        end: How it ended.
    """

    number: int
    end: Finished | Abandoned

    @classmethod
    def of(cls, journal: Journal, name: str) -> Self | None:
        """The task of that name; None if there is none, or it is open or waits."""
        with journal.known() as state:
            if name in state.numbers:
                return None
        begun = journal.find(begun_key(name))
        if not isinstance(begun, Begun):
            return None
        end = journal.find(closed_key(begun.task))
        return cls(begun.task, end) if isinstance(end, Finished | Abandoned) else None

    @classmethod
    def require(cls, journal: Journal, name: str) -> Self:
        """The task of that name, which is nowhere if it is not over."""
        found = cls.of(journal, name)
        if found is None:
            raise NotThere(f"there is no task {checks.shown(name)} in {journal.name!r}")
        return found

    def told(self, journal: Journal, key: str) -> Observations | None:
        """What it was told under a key."""
        told = journal.find(told_key(self.number, key))
        return told.observations if isinstance(told, Told) else None

    def decided(self, journal: Journal) -> Decided | None:
        """What was decided."""
        decided = journal.find(decided_key(self.number))
        return decided if isinstance(decided, Decided) else None
