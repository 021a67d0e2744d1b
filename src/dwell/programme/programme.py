"""Programme: many tests at once, decided and learned from, over a log that loses nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from time import time
from typing import Any, Self

from msgspec.structs import replace
from numpy.typing import ArrayLike

from dwell import checks
from dwell.errors import Clash, Conflict, KeyTaken
from dwell.fitting.pool_change import DatedChange
from dwell.laws import Law
from dwell.learners.empirical_bayes import EmpiricalBayes
from dwell.learners.learner import Learner
from dwell.learners.lessons import Lesson
from dwell.learners.past_sums import PastSums
from dwell.learners.pool_knowledge import PoolKnowledge
from dwell.policies import AnyPolicy
from dwell.programme.advice import Advice
from dwell.programme.audit import audit
from dwell.programme.catching_up import CaughtUp, catch_up
from dwell.programme.commands import Begin, Change, checked_name
from dwell.programme.creation import creation
from dwell.programme.events import Event, Settings, Start, entry_of
from dwell.programme.export import export
from dwell.programme.journal import Journal, together
from dwell.programme.notices import Outbox
from dwell.programme.pool_changes import dated, pool_changes
from dwell.programme.posting import Address
from dwell.programme.rule_history import RuleChange, RuleHistory
from dwell.programme.standings import PolicyStanding, standings
from dwell.programme.state import Counts, State
from dwell.programme.stores.addresses import store_at
from dwell.programme.stores.protocol import EventStore
from dwell.programme.task import Task
from dwell.programme.telling import Telling, tell_all
from dwell.programme.verification import Verified, verified
from dwell.shown import Shown


class Programme(Shown):
    """A programme of tests: begin tasks, tell them what was observed, do what they advise.

    Make one with `create` or `open`. It can be used from many threads, and the same programme from
    many processes.

    Example:
        >>> from dwell import fixed
        >>> programme = Programme.create("memory:", "checkout", policies=[fixed(1, 1), fixed(3, 1)])
        >>> task = programme.begin("blue-button")
        >>> advice = task.tell([1, -1, 1], key="batch-1")
        >>> advice.decision, advice.done
        ('reject', True)
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._rules = RuleHistory(journal)
        with journal.state():  # what is not there is refused at once
            pass

    @classmethod
    def create(
        cls,
        store: str | EventStore,
        name: str,
        *,
        learner: str | Learner | None = None,
        policies: AnyPolicy | Iterable[AnyPolicy] | None = None,
        law: Law | None = None,
        cap: int | None = None,
        setup_cost: float = 0.0,
        past: PastSums | None = None,
        past_began: ArrayLike | None = None,
        drift: bool | None = None,
        start: Start | None = None,
        silence_days: float = 4.0,
        min_samples: int = 1,
        min_days: int = 0,
        full_weeks: bool = False,
        clock: Callable[[], float] = time,
    ) -> Self:
        """Create a programme.

        Args:
            store: Where its log is kept: `sqlite:///tests.db`, `postgresql://…`, or a store.
            name: Its name, by which it is opened again.
            learner: A learner's name, or a learner that was made with settings of its own; by
                default `"empirical-bayes"` if the law of samples is given, else `"ladder"`.
            policies: The policies to choose from, for learners that choose; by default, if law and
                cap are given, `scales(quarters(cap), …)` in the noise of the law.
            law: The law of samples.
            cap: The most samples of a test.
            setup_cost: What each task costs besides its samples.
            past: Past tests that a learner which fits the pool of ideas starts from.
            past_began: When these began, as dates, if they are in that order: a change of the pool
                among them is told by dates then.
            drift: Whether such a learner reckons with a pool that changes; by default as the
                learner does.
            start: What the learner knows already, for whoever reads the log; by default that it
                knows `past`.
            silence_days: After so many days without data a task is listed as stalled.
            min_samples: A task is not looked at before it has so many samples …
            min_days: … nor before so many days are over, by the keys that it is told under …
            full_weeks: … and then only when whole weeks are over.
            clock: What tells the time, in seconds since 1970.
        """
        created = creation(
            at=clock(),
            name=name,
            learner=learner,
            choices={"policies": policies, "law": law, "cap": cap, "past": past, "drift": drift},
            setup_cost=setup_cost,
            settings=Settings(
                silence_days=silence_days,
                min_samples=min_samples,
                min_days=min_days,
                full_weeks=full_weeks,
            ),
            start=start,
            past_began=past_began,
        )
        opened = store_at(store)
        try:
            opened.append(name, 0, [entry_of(created)])
        except Conflict:
            raise Clash(
                f"there is a programme {name!r} already; open it, or choose another name"
            ) from None
        return cls(Journal(opened, name, clock))

    @classmethod
    def open(cls, store: str | EventStore, name: str, *, clock: Callable[[], float] = time) -> Self:
        """Open a programme that was created.

        Args:
            store: Where its log is kept.
            name: Its name.
            clock: What tells the time, in seconds since 1970.
        """
        return cls(Journal(store_at(store), checked_name("the name of a programme", name), clock))

    @property
    def name(self) -> str:
        """Its name."""
        return self._journal.name

    def begin(self, name: str | None = None) -> Task:
        """Begin a task, with the design that is right by what is known now.

        Args:
            name: What to call it; by default by its number.
        """
        try:
            with self._journal.carried_out(Begin(self._journal.clock(), name)) as state:
                return Task(self._journal, next(reversed(state.tasks.values())).name)
        except KeyTaken:
            raise Clash(f"there was a task {name!r} already; choose another name") from None

    def tell(self, tellings: Iterable[Telling | tuple[Any, ...]]) -> list[Advice]:
        """Tell many tasks at once, in one transaction: all of it or nothing.

        Args:
            tellings: What to tell, in order: `(task, values)`, or a `Telling` with more to it.

        Returns:
            Advice on each, as it is after all of them.

        Example:
            >>> from dwell import fixed
            >>> programme = Programme.create("memory:", "checkout", policies=fixed(2, 1))
            >>> tasks = programme.begin("blue"), programme.begin("red")
            >>> [advice.wants for advice in programme.tell([("blue", [1]), ("red", [1, -1])])]
            [1, 0]
        """
        return tell_all(self._journal, [Telling(*each) for each in tellings])

    def catch_up(self, tellings: Iterable[Telling], *, so_far: bool = False) -> CaughtUp:
        """Tell tasks what is new, given all that is known of them; doing it twice changes nothing.

        Tasks that are new are begun, what was told otherwise is corrected, and tasks that are over
        are left alone.

        Args:
            tellings: All that is known of each task, in order, with keys.
            so_far: Whether each telling has a batch per arm of all users so far, of outcomes 0 or
                1, without a key: what is new is the difference to what the task was told.
        """
        return catch_up(self._journal, tellings, so_far=so_far)

    def outbox(self, url: str) -> Outbox:
        """What an address has not heard of: all decisions from when it was first asked for.

        Args:
            url: The address, http://… or https://….
        """
        return Outbox(self._journal, Address(url))

    def change(
        self,
        *,
        silence_days: float | None = None,
        min_samples: int | None = None,
        min_days: int | None = None,
        full_weeks: bool | None = None,
    ) -> None:
        """Change settings; what is not given stays.

        Args:
            silence_days: After so many days without data a task is listed as stalled.
            min_samples: A task that begins later is not looked at before it has so many samples …
            min_days: … nor before so many days are over …
            full_weeks: … and then only when whole weeks are over.
        """
        given = {
            "silence_days": silence_days,
            "min_samples": min_samples,
            "min_days": min_days,
            "full_weeks": full_weeks,
        }
        changed = {name: value for name, value in given.items() if value is not None}
        with self._journal.state() as state:
            settings = replace(state.settings, **changed)
        with self._journal.carried_out(Change(self._journal.clock(), settings)):
            pass

    @property
    def start(self) -> Start | None:
        """What its learner knew before the first task; None if nothing."""
        with self._journal.state() as state:
            return state.start

    @property
    def settings(self) -> Settings:
        """What can be set anew."""
        with self._journal.state() as state:
            return state.settings

    def task(self, name: str) -> Task:
        """A task by its name, open or over.

        Args:
            name: Its name.
        """
        task = Task(self._journal, name)
        task.status  # noqa: B018 - a name that is of no task is refused here
        return task

    def tasks(self) -> list[Task]:
        """The tasks that are open, in the order in which they were begun."""
        with self._journal.state() as state:
            open_tasks = [task for task in state.tasks.values() if not task.finished]
            return [Task(self._journal, task.name) for task in open_tasks]

    @contextmanager
    def state(self) -> Iterator[State]:
        """All that it comes to, for this thread alone: to look at many tasks at once.

        It is not to be changed, nor kept for longer.
        """
        with self._journal.state() as state:
            yield state

    @staticmethod
    def together(
        programmes: Iterable[Programme], *, turn: bool = False
    ) -> AbstractContextManager[None]:
        """Work on several programmes of a store at once, as one look at it or one transaction.

        Args:
            programmes: Which.
            turn: Whether they are to be told something: it is durable when the block ends.
        """
        return together((each._journal for each in programmes), turn=turn)

    @property
    def counts(self) -> Counts:
        """How many tasks were begun, and what became of them."""
        with self._journal.state() as state:
            return state.counts

    def policies(self) -> list[PolicyStanding]:
        """The policies that it chooses among, and how each stands."""
        with self._journal.state() as state:
            return standings(state.learner)

    def rules(self) -> tuple[RuleChange, ...]:
        """The rules that were in force, the present one last; none before a task was begun.

        The first call replays the log, later ones go on from there.
        """
        return self._rules.changes()

    def pool_changes(self) -> tuple[DatedChange, ...]:
        """The changes of the pool of ideas that were shown, the latest last: eight at most."""
        with self._journal.state() as state:
            return pool_changes(state)

    def pool_knowledge(self) -> PoolKnowledge | None:
        """What is known of the pool of ideas, its latest change by dates; None if none is fitted.

        Example:
            >>> from dwell import Signs
            >>> programme = Programme.create("memory:", "checkout", law=Signs(), cap=4, drift=True)
            >>> programme.pool_knowledge().sentences[0]
            'Nothing is known yet: there was no test.'
        """
        with self._journal.state() as state:
            changes, learner = pool_changes(state), self.learner()
        if not isinstance(learner, EmpiricalBayes):
            return None
        return dated(learner.pool_knowledge(), changes)

    def learner(self) -> Learner:
        """What was learned, as a learner of its own: nothing that happens to it comes back."""
        with self._journal.state() as state:
            return type(state.learner).from_json(state.learner.to_json())

    def events(self, after: int = 0) -> Iterator[tuple[int, Event]]:
        """The events after a position, with their positions.

        Args:
            after: The position; 0 for all.
        """
        return self._journal.events(checks.count("after", after, least=0))

    def export(self, path: str | Path) -> int:
        """Write all finished tasks to a .csv or .parquet file that `dwell.evaluate` reads.

        Args:
            path: The file.

        Returns:
            How many tasks these are.
        """
        return export(self._journal, Path(path))

    def audit(self) -> Iterator[tuple[str, Lesson]]:
        """What each test taught EmpiricalBayes, with its name: read out of the log.

        Example:
            >>> from dwell import Signs
            >>> programme = Programme.create("memory:", "checkout", law=Signs(), cap=4)
            >>> programme.begin("blue").tell([1, -1, -1, -1]).done
            True
            >>> [(name, lesson.decision, lesson.round) for name, lesson in programme.audit()]
            [('blue', 'reject', 0)]
        """
        return audit(self._journal)

    def verify(self) -> Verified:
        """Replay the whole log and compare; what does not agree is refused in a sentence."""
        return verified(self._journal)
