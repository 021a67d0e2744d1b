"""Programmes and tasks of a service: the verbs of `Programme` and `Task`, as steps."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from dwell import checks
from dwell.client.exchange import Request, Steps, path_of
from dwell.client.verbs import D, Handle, Reading, Verb
from dwell.errors import InvalidInput
from dwell.files import whole_file
from dwell.programme.advice import Advice
from dwell.programme.events import Event
from dwell.programme.observations import Batch
from dwell.programme.standings import PolicyStanding
from dwell.programme.state import Counts
from dwell.programme.task import Status
from dwell.programme.telling import Observed, Telling

_PAGE = "1000"  # events at a time


class RemoteTask(Handle[D]):
    """A test of a programme of a service. It keeps nothing but its name.

    Attributes:
        name: Its name.
    """

    def __init__(self, driver: D, programme: str, name: str) -> None:
        super().__init__(driver)
        self.name = name
        self._path = path_of("programmes", programme, "tasks", name)

    @Verb
    def tell(
        self,
        values: Observed = None,
        *,
        control: Observed = None,
        treatment: Observed = None,
        key: str | None = None,
    ) -> Steps[Advice]:
        """Tell it what was observed; when this returns, it is durable.

        Args:
            values: Samples, or a `Batch` of them; or else …
            control: … outcomes of untreated users, or a `Batch` of them, and …
            treatment: … those of treated users.
            key: A name for this telling; without one it is given one at random, so that it can be
                sent again and is told once.
        """
        told = _told(Telling(self.name, values, control, treatment, key))
        answer = yield Request("POST", f"{self._path}/tellings", told)
        return _advice(answer.json())

    @Verb
    def correct(
        self,
        key: str,
        values: Observed = None,
        *,
        control: Observed = None,
        treatment: Observed = None,
    ) -> Steps[Advice]:
        """Say that what was told under a key was something else.

        Args:
            key: The key that it was told under.
            values: What should have been told, as in `tell`.
            control: The same.
            treatment: The same.
        """
        told = _told(Telling(self.name, values, control, treatment, key))
        answer = yield Request("POST", f"{self._path}/corrections", told)
        return _advice(answer.json())

    @Verb
    def abandon(self, reason: str = "") -> Steps[None]:
        """Give it up: nothing is learned from it, and none waits for it.

        Args:
            reason: Why, for whoever reads the log.
        """
        answer = yield Request("POST", f"{self._path}/abandon", {"reason": reason})
        answer.require_success()

    @Verb
    def clear(self, note: str = "") -> Steps[Advice]:
        """Say that its doubtful data are sound after all.

        Args:
            note: Why, for whoever reads the log.
        """
        body = {"note": note}
        answer = yield Request("POST", f"{self._path}/clear", body, repeatable=False)
        return _advice(answer.json())

    @Reading
    def advice(self) -> Steps[Advice]:
        """What to do with it, and why."""
        answer = yield Request("GET", f"{self._path}/advice")
        return _advice(answer.json())

    @Reading
    def status(self) -> Steps[Status]:
        """Where it stands."""
        answer = yield Request("GET", self._path)
        status: Status = answer.json()["status"]
        return status

    def __repr__(self) -> str:
        return f"RemoteTask({self.name!r})"


class RemoteProgramme(Handle[D]):
    """A programme of a service, used as a `Programme` of this machine is.

    Attributes:
        name: Its name.
    """

    def __init__(self, driver: D, name: str) -> None:
        super().__init__(driver)
        self.name = name
        self._path = path_of("programmes", name)

    def _task(self, name: str) -> RemoteTask[D]:
        return RemoteTask(self._driver, self.name, name)

    @Verb
    def begin(self, name: str | None = None) -> Steps[RemoteTask[D]]:
        """Begin a task, or find it begun: to do it twice is to do it once.

        Args:
            name: What to call it; by default by its number.
        """
        if name is None:
            answer = yield Request("POST", f"{self._path}/tasks", {}, repeatable=False)
        else:
            answer = yield Request("PUT", self._path + path_of("tasks", name))
        return self._task(answer.json()["task"])

    @Verb
    def tell(self, tellings: Iterable[Telling | tuple[Any, ...]]) -> Steps[list[Advice]]:
        """Tell many tasks at once, in one transaction: all of it or nothing.

        Args:
            tellings: What to tell, in order: `(task, values)`, or a `Telling` with more to it.

        Returns:
            Advice on each, as it is after all of them.
        """
        given = [Telling(*each) for each in tellings]
        told = [{"task": each.task, **_told(each)} for each in given]
        answer = yield Request("POST", f"{self._path}/tellings", {"tellings": told})
        return [_advice(each) for each in answer.json()["advice"]]

    @Verb
    def change(self, *, silence_days: float) -> Steps[None]:
        """Change settings.

        Args:
            silence_days: After so many days without data a task is listed as stalled.
        """
        body = {"silence_days": checks.positive("silence_days", silence_days)}
        answer = yield Request("PATCH", f"{self._path}/settings", body)
        answer.require_success()

    @Verb
    def task(self, name: str) -> Steps[RemoteTask[D]]:
        """A task by its name, open or over.

        Args:
            name: Its name.
        """
        found = self._task(name)
        answer = yield Request("GET", found._path)
        answer.require_success()  # a name that is of no task is refused here
        return found

    @Verb
    def tasks(self) -> Steps[list[RemoteTask[D]]]:
        """The tasks that are open, in the order in which they were begun."""
        answer = yield Request("GET", f"{self._path}/tasks")
        return [self._task(each["task"]) for each in answer.json()["tasks"]]

    @Reading
    def counts(self) -> Steps[Counts]:
        """How many tasks were begun, and what became of them."""
        answer = yield Request("GET", self._path)
        return msgspec.convert(answer.json(), Counts)

    @Verb
    def policies(self) -> Steps[list[PolicyStanding]]:
        """The policies that it chooses among, and how each stands."""
        answer = yield Request("GET", f"{self._path}/policies")
        return msgspec.convert(answer.json()["policies"], list[PolicyStanding])

    @Verb
    def events(self, after: int = 0) -> Steps[list[tuple[int, Event]]]:
        """The events after a position, with their positions.

        Args:
            after: The position; 0 for all.
        """
        found: list[tuple[int, Event]] = []
        at: int | None = checks.count("after", after, least=0)
        while at is not None:
            query = {"after": str(at), "limit": _PAGE}
            page = (yield Request("GET", f"{self._path}/events", query=query)).json()
            for each in page["events"]:
                position = each.pop("position")
                found.append((position, msgspec.convert(each, Event)))
            at = page["next"]
        return found

    @Verb
    def export(self, path: str | Path) -> Steps[None]:
        """Write all finished tasks to a .csv or .parquet file that `dwell.evaluate` reads.

        Args:
            path: The file.
        """
        ending = Path(path).suffix.lower().removeprefix(".")
        if ending not in ("csv", "parquet"):
            raise InvalidInput(f"the file must end in .csv or .parquet, got {str(path)!r}")
        answer = yield Request("GET", f"{self._path}/export", query={"format": ending})
        answer.require_success()
        with whole_file(Path(path), "the file") as stream:
            stream.write(answer.body)

    def __repr__(self) -> str:
        return f"RemoteProgramme({self.name!r})"


def _told(telling: Telling) -> dict[str, object]:
    """What a task is told, as it is sent; what is wrong with it is for the service to say."""
    sent: dict[str, object] = {"key": uuid4().hex if telling.key is None else telling.key}
    for name in ("values", "control", "treatment"):
        observed = getattr(telling, name)
        if isinstance(observed, Batch):
            sent[name] = {"n": observed.n, "sum": observed.sum, "sum_squares": observed.sum_squares}
        elif observed is not None:
            sent[name] = _numbers(name, observed)
    return sent


def _numbers(name: str, given: Any) -> list[float]:
    listed = given.tolist() if hasattr(given, "tolist") else given
    if isinstance(listed, str) or not isinstance(listed, Iterable):
        raise InvalidInput(f"{name} must be a list of numbers, got {checks.shown(given)}")
    return [checks.moderate(f"each of {name}", each) for each in listed]


def _advice(fields: Any) -> Advice:
    """Advice as it was given; its sentence came whole."""
    kept = {name: fields[name] for name in ("wants", "decision", "done", "held")}
    return Advice(verdict=fields["sentence"], **kept)
