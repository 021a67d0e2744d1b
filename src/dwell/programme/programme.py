"""Programme: many tests at once, decided and learned from, over a log that loses nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import time
from typing import Any, Self

from dwell import checks
from dwell.errors import Clash, Conflict, KeyTaken
from dwell.laws import Law
from dwell.learners.learner import Learner
from dwell.policies import AnyPolicy
from dwell.programme.advice import Advice
from dwell.programme.catching_up import CaughtUp, catch_up
from dwell.programme.commands import Begin, Change, checked_name
from dwell.programme.creation import creation
from dwell.programme.events import Event, Settings, entry_of
from dwell.programme.export import export
from dwell.programme.journal import Journal
from dwell.programme.rule_history import RuleChange, RuleHistory
from dwell.programme.standings import PolicyStanding, standings
from dwell.programme.state import Counts, State
from dwell.programme.stores.addresses import store_at
from dwell.programme.stores.protocol import EventStore
from dwell.programme.task import Task
from dwell.programme.telling import Telling, tell_all
from dwell.programme.verification import Verified, verified


class Programme:
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
        silence_days: float = 4.0,
        clock: Callable[[], float] = time,
    ) -> Self:
        """Create a programme.

        Args:
            store: Where its log is kept: `sqlite:///tests.db`, `postgresql://…`, or a store.
            name: Its name, by which it is opened again.
            learner: A learner's name, or a learner that was made with settings of its own; by
                default `"empirical-bayes"` if the law of samples is given, else `"ladder"`.
            policies: The policies to choose from, for learners that choose.
            law: The law of samples, for learners that compute their boundaries.
            cap: The most samples of a test, for the same.
            setup_cost: What each task costs besides its samples.
            silence_days: After so many days without data a task is listed as stalled.
            clock: What tells the time, in seconds since 1970.
        """
        created = creation(
            at=clock(),
            name=name,
            learner=learner,
            choices={"policies": policies, "law": law, "cap": cap},
            setup_cost=setup_cost,
            silence_days=silence_days,
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

    def catch_up(self, tellings: Iterable[Telling]) -> CaughtUp:
        """Tell tasks what is new, given all that is known of them; doing it twice changes nothing.

        Tasks that are new are begun, what was told otherwise is corrected, and tasks that are over
        are left alone.

        Args:
            tellings: All that is known of each task, in order, with keys.
        """
        return catch_up(self._journal, tellings)

    def change(self, *, silence_days: float) -> None:
        """Change settings.

        Args:
            silence_days: After so many days without data a task is listed as stalled.
        """
        settings = Settings(silence_days=silence_days)
        with self._journal.carried_out(Change(self._journal.clock(), settings)):
            pass

    @property
    def settings(self) -> Settings:
        """What can be set anew, as it is now."""
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

    def verify(self) -> Verified:
        """Replay the whole log and compare; what does not agree is refused in a sentence."""
        return verified(self._journal)

    def __repr__(self) -> str:
        return f"Programme({self.name!r})"
