"""Notices: decisions of a programme, told to whoever wants to hear of each.

How far an address has heard is an event of the log: it outlives the process, and whoever comes next
goes on from there. An address hears of a decision at least once, of each in the order in which they
were given, and by an id that never changes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

import msgspec
from msgspec import Struct

from dwell.programme.advice import reason
from dwell.programme.commands import Notify
from dwell.programme.events import Begun, Decided, Decision
from dwell.programme.journal import Journal
from dwell.programme.observations import Range
from dwell.programme.posting import Address, Post, post


class Notice(Struct, frozen=True, kw_only=True):
    """A decision, as an address hears of it; docs/json.md says what its fields are."""

    version: int = 1
    id: str
    programme: str
    task: str
    decision: Decision
    samples: int
    sentence: str
    at: float
    position: int

    @property
    def body(self) -> str:
        """The JSON."""
        return msgspec.json.encode(self).decode()


def notice_of(programme: str, task: str, position: int, decided: Decided, known: Range) -> Notice:
    """The notice of a decision.

    Args:
        programme: The programme's name.
        task: The task's name.
        position: The decision's position in the log.
        decided: The decision.
        known: What samples look like.

    Example:
        >>> decided = Decided(at=0, task=1, decision="reject", samples=9, total=-9, limit=-3)
        >>> notice_of("checkout", "blue button", 7, decided, Range()).id
        'checkout/blue%20button/7'
    """
    return Notice(
        id="/".join(quote(each, safe="") for each in (programme, task, str(position))),
        programme=programme,
        task=task,
        decision=decided.decision,
        samples=decided.samples,
        sentence=reason(decided, known),
        at=decided.at,
        position=position,
    )


@dataclass(frozen=True, slots=True)
class Sent:
    """What an address has heard of, and what not.

    Attributes:
        posted: The ids of the decisions that it has now heard of.
        left: How many it has not: they are sent the next time.
        problem: Why not.
    """

    posted: tuple[str, ...]
    left: int
    problem: str


class Outbox:
    """What an address has not heard of yet. Made first, it misses nothing that follows.

    Attributes:
        address: Where notices go.
    """

    def __init__(self, journal: Journal, address: Address) -> None:
        self._journal = journal
        self.address = address
        with journal.state() as state:
            position = state.position
        self._heard(position, from_now_on=True)

    def due(self) -> list[Notice]:
        """The decisions that it has not heard of, in the order in which they were given."""
        journal = self._journal
        with journal.state() as state:
            heard, known = state.notified[self.address.digest], state.known
            names = {number: task.name for number, task in state.tasks.items()}
        found = []
        for position, event in journal.events(heard):
            if isinstance(event, Begun):
                names[event.task] = event.name
            elif isinstance(event, Decided):
                if event.task not in names:
                    names[event.task] = next(_names(journal, event.task))
                name = names[event.task]
                found.append(notice_of(journal.name, name, position, event, known))
        return found

    def send(self, post: Post = post) -> Sent:
        """Post all that is due, until one is not taken; each that is taken is remembered at once.

        Args:
            post: What posts.
        """
        due, posted, problem = self.due(), [], ""
        for notice in due:
            problem = post(self.address, notice.body, key=notice.id)
            if problem:
                break
            self._heard(notice.position)
            posted.append(notice.id)
        return Sent(tuple(posted), len(due) - len(posted), problem)

    def _heard(self, position: int, *, from_now_on: bool = False) -> None:
        now, to = self._journal.clock(), self.address.digest
        with self._journal.carried_out(Notify(now, to, position, from_now_on)):
            pass


def _names(journal: Journal, task: int) -> Iterator[str]:
    """The name that a task was begun with: the log is read up to there."""
    for _, event in journal.events_of(task):
        if isinstance(event, Begun):
            yield event.name
