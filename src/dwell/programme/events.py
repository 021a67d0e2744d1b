"""Events: all that can happen to a programme, as its log keeps it.

Each kind has a version in its tag. A kind that changes gets a new tag and the old one stays, so
that every log can be read for ever; a tag that is not known is of a newer version of dwell.
"""

from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import force_setattr

from dwell import checks, wire
from dwell.errors import InvalidInput
from dwell.programme.minimum_run import MinimumRun
from dwell.programme.observations import Observations
from dwell.programme.path import Limits
from dwell.programme.stores.protocol import Entry

Decision = Literal["accept", "reject"]
Done = Literal["shipped", "dropped"]


class Settings(Struct, frozen=True, kw_only=True):
    """What can be set anew while a programme runs.

    Attributes:
        silence_days: After so many days without data a task is listed as stalled.
        min_samples: A task is not looked at before it has so many samples …
        min_days: … nor before so many days are over …
        full_weeks: … and then only when whole weeks are over. All three are for tasks that begin
            later: one that runs keeps its own.
    """

    silence_days: float = 4.0
    min_samples: int = 1
    min_days: int = 0
    full_weeks: bool = False

    def __post_init__(self) -> None:
        for name, checked in (
            ("silence_days", checks.positive("silence_days", self.silence_days)),
            ("min_samples", checks.count("min_samples", self.min_samples)),
            ("min_days", checks.count("min_days", self.min_days, least=0)),
        ):
            force_setattr(self, name, checked)
        if not isinstance(self.full_weeks, bool):
            raise InvalidInput(
                f"full_weeks must be True or False, got {checks.shown(self.full_weeks)}"
            )

    @property
    def minimum_run(self) -> MinimumRun | None:
        """The minimum run of a task that begins now; None if it may be looked at any time."""
        run = MinimumRun(self.min_samples, self.min_days, self.full_weeks)
        return None if run == MinimumRun() else run


class _Event(Struct, frozen=True, kw_only=True, tag_field="event", omit_defaults=True):
    """What happened.

    Attributes:
        at: When, in seconds since 1970.
    """

    at: float


class Start(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a learner knew before the first task.

    Attributes:
        tests: From how many past tests it has learned, or as how many a prior counts.
        source: Where past tests were read: a file, say.
        left_out: How many past tests were too short to learn from.
        prior: The prior, where there were no past tests.
        began: When past tests began, in seconds since 1970, by how many came before: of those that
            a change of the pool may begin with, where that is known.
    """

    tests: int
    source: str = ""
    left_out: int = 0
    prior: str = ""
    began: dict[int, float] = {}


class Created(_Event, frozen=True, kw_only=True, tag="created 1"):
    """A programme was created, with a learner in types that JSON knows.

    Attributes:
        name: Its name.
        learner: The learner.
        settings: What can be set anew.
        dwell: The version that created it.
        start: What the learner knows already; None if it begins with nothing.
    """

    name: str
    learner: dict[str, Any]
    settings: Settings
    dwell: str
    start: Start | None = None


class Begun(_Event, frozen=True, kw_only=True, tag="begun 1"):
    """A task was begun with its design.

    Attributes:
        task: Its number.
        name: Its name.
        design: The design, in types that JSON knows.
        limits: The limits that decide, where the learner computes them and does not keep them.
        run: When it may be looked at; None for any time.
    """

    task: int
    name: str
    design: dict[str, Any]
    limits: Limits | None = None
    run: MinimumRun | None = None


class Told(_Event, frozen=True, kw_only=True, tag="told 1"):
    """A task was told something."""

    task: int
    observations: Observations
    key: str | None = None


class Corrected(_Event, frozen=True, kw_only=True, tag="corrected 1"):
    """What was told under a key was something else."""

    task: int
    key: str
    observations: Observations


class Decided(_Event, frozen=True, kw_only=True, tag="decided 1"):
    """A task's policy stopped.

    Attributes:
        task: Its number.
        decision: What was decided.
        samples: After how many samples.
        total: Their sum.
        limit: What the sum was compared with.
        batches: After how many batches, where there are any.
        capped: Whether the policy had reached its cap.
        counts: Whether the policy's decision counted; if not, everything is rejected.
    """

    task: int
    decision: Decision
    samples: int
    total: float
    limit: float
    batches: int = 0
    capped: bool = False
    counts: bool = True


class Finished(_Event, frozen=True, kw_only=True, tag="finished 1"):
    """A task has given its record.

    Attributes:
        task: Its number.
        samples: How many samples it has.
        record: Its `Records`; from a log, in types that JSON knows.
    """

    task: int
    samples: int
    record: Any


class Amended(_Event, frozen=True, kw_only=True, tag="amended 1"):
    """The record of a finished task, not yet learned from, follows a correction."""

    task: int
    record: Any


class Abandoned(_Event, frozen=True, kw_only=True, tag="abandoned 1"):
    """A task was given up."""

    task: int
    reason: str = ""


class Held(_Event, frozen=True, kw_only=True, tag="held 1"):
    """Data of a task are doubtful."""

    task: int
    reason: str


class Cleared(_Event, frozen=True, kw_only=True, tag="cleared 1"):
    """Somebody says that they are sound."""

    task: int
    note: str = ""


class Recorded(_Event, frozen=True, kw_only=True, tag="recorded 1"):
    """People did something about a decision, and said so.

    Attributes:
        task: Its number.
        done: What they did; it may be other than what was decided.
        note: Why, for whoever reads the log.
    """

    task: int
    done: Done
    note: str = ""


class SettingsChanged(_Event, frozen=True, kw_only=True, tag="settings changed 1"):
    """Settings were changed."""

    settings: Settings


class Notified(_Event, frozen=True, kw_only=True, tag="notified 1"):
    """An address has heard of all decisions up to a position.

    Attributes:
        to: The address, by a digest: what it holds may be secret.
        upto: The position.
    """

    to: str
    upto: int


Event = (
    Created
    | Begun
    | Told
    | Corrected
    | Decided
    | Finished
    | Amended
    | Abandoned
    | Held
    | Cleared
    | Recorded
    | SettingsChanged
    | Notified
)
_TAGS = {kind.__struct_config__.tag for kind in Event.__args__}
_decoder = msgspec.json.Decoder(Event)
_encoder = msgspec.json.Encoder(enc_hook=wire.listed)


def begun_key(name: str) -> str:
    """What the beginning of a task is found by."""
    return f"begun {name}"


def told_key(task: int, key: str) -> str:
    """What a task was told under a key is found by this."""
    return f"told {task} {key}"


def decided_key(task: int) -> str:
    """What a task's decision is found by."""
    return f"decided {task}"


def closed_key(task: int) -> str:
    """What the end of a task is found by."""
    return f"closed {task}"


def recorded_key(task: int) -> str:
    """What people did about a task's decision is found by this."""
    return f"recorded {task}"


def entry_of(event: Event) -> Entry:
    """An event as a log keeps it: keys see to it that some things happen once.

    Example:
        >>> entry_of(Abandoned(at=0.0, task=7))
        Entry(body='{"event":"abandoned 1","at":0.0,"task":7}', key='closed 7')
    """
    return Entry(_encoder.encode(event).decode(), _key_of(event))


def _key_of(event: Event) -> str | None:
    match event:
        case Told(key=None):
            return None
        case Told(task=task, key=str(given)):
            return told_key(task, given)
        case Begun(name=name):
            return begun_key(name)
        case Decided(task=task):
            return decided_key(task)
        case Finished(task=task) | Abandoned(task=task):
            return closed_key(task)
        case Recorded(task=task):
            return recorded_key(task)
    return None


def event_of(body: str) -> Event:
    """The event that a log keeps.

    Example:
        >>> event_of('{"event": "praised 3"}')
        Traceback (most recent call last):
        dwell.errors.InvalidInput: the log has an event 'praised 3' of a newer version ...
    """
    try:
        event: Event = _decoder.decode(body)
        return event
    except msgspec.DecodeError:
        pass
    try:
        tag = msgspec.json.decode(body)["event"]
    except (msgspec.DecodeError, LookupError, TypeError):
        tag = None
    if isinstance(tag, str) and tag not in _TAGS:
        raise InvalidInput(
            f"the log has an event {tag!r} of a newer version of dwell; upgrade dwell"
        )
    raise InvalidInput(
        f"the log is damaged: it has an event that reads {body[:60]!r}; restore it from a copy"
    )
