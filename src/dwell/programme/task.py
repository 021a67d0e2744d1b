"""Task: a test of a programme, by its name."""

from typing import Literal

from dwell import checks
from dwell.errors import Clash, InvalidInput, KeyTaken, NotThere
from dwell.programme.advice import Advice, silence
from dwell.programme.closed import Closed
from dwell.programme.commands import Abandon, Clear, Command, Correct, Note, Record
from dwell.programme.events import Abandoned, Done, Recorded, Settings, recorded_key
from dwell.programme.journal import Journal
from dwell.programme.minimum_run import MinimumRun, by_parts
from dwell.programme.observations import Observations, observed, samples_of
from dwell.programme.outlook import Outlook, Worth, fitted_by
from dwell.programme.path import Path, path_of
from dwell.programme.running import Running, deciding
from dwell.programme.state import State
from dwell.programme.telling import Observed, Telling, advice_on, tell_all
from dwell.shown import Shown

Status = Literal["running", "decided", "held", "stalled", "finished", "abandoned"]


class Task(Shown):
    """A test of a programme. It keeps nothing but its name: what it says is up to date.

    Attributes:
        name: Its name.
    """

    def __init__(self, journal: Journal, name: str) -> None:
        self._journal = journal
        self.name = name

    def tell(
        self,
        values: Observed = None,
        *,
        control: Observed = None,
        treatment: Observed = None,
        key: str | None = None,
    ) -> Advice:
        """Tell it what was observed; when this returns, it is durable.

        Args:
            values: Samples, or a `Batch` of them; or else …
            control: … outcomes of untreated users, or a `Batch` of them, and …
            treatment: … those of treated users.
            key: A name for this telling. The same again under the same key changes nothing;
                something else is refused.
        """
        [advice] = tell_all(self._journal, [Telling(self.name, values, control, treatment, key)])
        return advice

    def correct(
        self,
        key: str,
        values: Observed = None,
        *,
        control: Observed = None,
        treatment: Observed = None,
    ) -> Advice:
        """Say that what was told under a key was something else.

        What is learned follows, unless the task was learned from already: then the correction is
        kept in the log alone. A decision that was given stays.

        Args:
            key: The key that it was told under.
            values: What should have been told, as in `tell`.
            control: The same.
            treatment: The same.
        """
        journal = self._journal
        with journal.known() as state:
            known = state.known
        told = observed(values, control=control, treatment=treatment, known=known)
        now, closed = journal.clock(), Closed.of(journal, self.name)
        command: Command = Correct(now, self.name, key, told)
        if closed is not None:
            if closed.told(journal, key) is None:
                raise NotThere(f"task {self.name!r} was told nothing under the key {key!r}")
            command = Note(now, closed.number, key, told)
        with journal.carried_out(command) as state:
            return advice_on(journal, state, self.name, now)

    def abandon(self, reason: str = "") -> None:
        """Give it up: nothing is learned from it, and none waits for it.

        Args:
            reason: Why, for whoever reads the log.
        """
        closed = Closed.of(self._journal, self.name)
        if closed is None:
            with self._journal.carried_out(Abandon(self._journal.clock(), self.name, reason)):
                return
        if not isinstance(closed.end, Abandoned):
            raise Clash(f"task {self.name!r} is finished and cannot be abandoned any more")

    def clear(self, note: str = "") -> Advice:
        """Say that its doubtful data are sound after all.

        Args:
            note: Why, for whoever reads the log.
        """
        now = self._journal.clock()
        with self._journal.carried_out(Clear(now, self.name, note)) as state:
            return advice_on(self._journal, state, self.name, now)

    def record(self, done: Done, note: str = "") -> None:
        """Say what people did about its decision: advice is given once, and people ship.

        The same again changes nothing; something else is refused. Nothing is learned from it.

        Args:
            done: "shipped" or "dropped"; it may be other than what was advised.
            note: Why, for whoever reads the log.
        """
        if done not in ("shipped", "dropped"):
            raise InvalidInput(f"done must be shipped or dropped, got {checks.shown(done)}")
        journal = self._journal
        number = self._decided_number()
        try:
            if journal.find(recorded_key(number)) is None:
                with journal.carried_out(Record(journal.clock(), number, done, note)):
                    return
        except KeyTaken:  # somebody else said so meanwhile
            pass
        recorded = journal.find(recorded_key(number))
        assert isinstance(recorded, Recorded)
        if recorded.done != done:
            raise Clash(f"task {self.name!r} was recorded as {recorded.done} already")

    def _decided_number(self) -> int:
        """Its number, if it is decided."""
        with self._journal.state() as state:
            if self.name in state.numbers:
                task = state.tasks[state.numbers[self.name]]
                number, decided = task.number, task.decided
            else:
                closed = Closed.require(self._journal, self.name)
                number, decided = closed.number, closed.decided(self._journal)
        if decided is None:
            raise Clash(
                f"task {self.name!r} is not decided, so that there is nothing to record; if it has "
                "ended, abandon it"
            )
        return number

    @property
    def advice(self) -> Advice:
        """What to do with it, and why."""
        with self._journal.state() as state:
            return advice_on(self._journal, state, self.name, self._journal.clock())

    def worth(self) -> Worth | None:
        """What its idea is worth by what is known now; None if it was told nothing.

        Where the learner fits a pool of ideas, that is the mean of the value given the pool, even
        before there are samples.
        """
        with self._journal.state() as state:
            parts, _ = self._told(state)
            samples = samples_of(parts.values(), state.known)
            return Outlook(samples, fitted_by(state.learner)).worth()

    def path(self) -> Path:
        """Where it was at each look, with the limits there and those that lie ahead.

        Of a task that is over, the whole log is read.
        """
        journal = self._journal
        with journal.state() as state:
            (parts, run), known = self._told(state), state.known
            if self.name in state.numbers:
                task = state.tasks[state.numbers[self.name]]
                policy, decided = deciding(task.design), task.decided
            else:
                closed = Closed.require(journal, self.name)
                policy, decided = closed.policy(state.learner), closed.decided(journal)
        decided_after = None if decided is None else decided.samples
        if run is None:
            return path_of(samples_of(parts.values(), known), policy, known.law, decided_after)
        periods, allowed = by_parts(parts, known), run.allowed(parts)
        return path_of(periods, policy, known.law, decided_after, allowed)

    def _told(self, state: State) -> tuple[dict[str, Observations], MinimumRun | None]:
        """All that it was told, open or over, and when it may be looked at."""
        if self.name in state.numbers:
            task = state.tasks[state.numbers[self.name]]
            return task.parts, task.run
        closed = Closed.require(self._journal, self.name)
        return closed.parts(self._journal), closed.begun.run

    @property
    def status(self) -> Status:
        """Where it stands."""
        with self._journal.state() as state:
            if self.name not in state.numbers:
                end = Closed.require(self._journal, self.name).end
                return "abandoned" if isinstance(end, Abandoned) else "finished"
            task = state.tasks[state.numbers[self.name]]
            return status_of(task, state.settings, self._journal.clock())


def status_of(task: Running, settings: Settings, now: float) -> Status:
    """Where a task stands that is open, or waits to be learned from."""
    if task.finished:
        return "finished"
    if task.held:
        return "held"
    if silence(task, settings, now):
        return "stalled"
    return "running" if task.decided is None else "decided"
