"""What the API is sent and what it answers, field by field, about programmes and tasks."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from dwell.checks import LONGEST_CAP
from dwell.programme.advice import Advice
from dwell.programme.task import Status

_LONGEST_NAME = 200
_MOST_CAPS = 200
_MOST_NUMBERS = 1_000_000
_MOST_TELLINGS = 10_000

NameText = Annotated[str, Field(min_length=1, max_length=_LONGEST_NAME)]
Remark = Annotated[str, Field(max_length=_LONGEST_NAME)]
Decision = Literal["accept", "reject"]
Learner = Literal["empirical-bayes", "ladder", "fixed"]


class Sent(BaseModel):
    """What the API is sent: of the very types, with no field that is not known."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class SettingsDocument(BaseModel):
    """What can be set anew while a programme runs."""

    silence_days: float = Field(
        4.0,
        description="After so many days without data a task is listed as stalled.",
        examples=[4.0],
    )
    min_samples: int = Field(
        1, description="A task is not looked at before it has so many samples …", examples=[1]
    )
    min_days: int = Field(0, description="… nor before so many days are over …", examples=[7])
    full_weeks: bool = Field(
        False, description="… and then only when whole weeks are over.", examples=[False]
    )


class SettingsSent(Sent):
    """What is to be set anew; what is left out stays as it is."""

    silence_days: float | None = Field(
        None,
        gt=0.0,
        description="After so many days without data a task is listed as stalled; 4 to begin with.",
        examples=[7],
    )
    min_samples: int | None = Field(
        None,
        ge=1,
        le=10**15,
        description="A task that begins later is not looked at before it has so many samples …",
        examples=[1],
    )
    min_days: int | None = Field(
        None, ge=0, le=10**6, description="… nor before so many days are over …", examples=[7]
    )
    full_weeks: bool | None = Field(
        None, description="… and then only when whole weeks are over.", examples=[True]
    )

    @property
    def given(self) -> dict[str, Any]:
        """What was not left out."""
        return self.model_dump(exclude_none=True)


class ProgrammeSent(Sent):
    """A programme to create: `law` and `cap`, or `caps`."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"name": "checkout", "law": "Lift(0.1)", "cap": 20000, "setup_cost": 2000},
                {"name": "search", "caps": "1:256:x2"},
            ]
        }
    )

    name: NameText = Field(
        description="What to call it: 1 to 200 characters in one line.", examples=["checkout"]
    )
    learner: Learner | None = Field(
        None,
        description="What chooses the policies: `empirical-bayes`, the default where `law` is "
        "given, `ladder`, the default elsewhere, or `fixed`.",
        examples=["empirical-bayes"],
    )
    law: Annotated[str, Field(max_length=100)] | None = Field(
        None,
        description="What a sample looks like: `Signs`, `Lift(base_rate)` or `Gaussian(sd)`.",
        examples=["Lift(0.1)"],
    )
    cap: int | None = Field(
        None,
        ge=1,
        le=LONGEST_CAP,
        description="The most samples of a test, with `law`.",
        examples=[20000],
    )
    caps: (
        Annotated[str, Field(max_length=2000)]
        | Annotated[
            list[Annotated[int, Field(ge=1, le=LONGEST_CAP)]],
            Field(min_length=1, max_length=_MOST_CAPS),
        ]
        | None
    ) = Field(
        None,
        description="The most samples that each policy may draw, without `law`: a list of whole "
        "numbers, or a text such as `1,2,4` or `1:256:x2`.",
        examples=["1:256:x2", [1, 4, 16]],
    )
    setup_cost: float = Field(
        20.0, ge=0.0, description="What a test costs besides its samples.", examples=[2000]
    )
    drift: bool | None = Field(
        None,
        description="Whether a pool of ideas that changes is reckoned with, where `law` is given: "
        "then an earlier pool is forgotten, and people are told; by default it is.",
        examples=[False],
    )
    settings: SettingsSent | None = Field(
        None, description="What can be set anew later.", examples=[{"silence_days": 7}]
    )


class ProgrammeRowDocument(BaseModel):
    """A programme, and what became of its tasks."""

    model_config = ConfigDict(from_attributes=True)

    programme: str = Field(description="Its name.", examples=["checkout"])
    running: int = Field(description="How many tasks are open.", examples=[9])
    shipped: int = Field(description="How many were decided to ship.", examples=[12])
    dropped: int = Field(description="How many were decided to drop.", examples=[31])
    abandoned: int = Field(description="How many were given up.", examples=[1])


class ProgrammesDocument(BaseModel):
    """All programmes."""

    programmes: list[ProgrammeRowDocument] = Field(description="By name.")


class ProgrammeDocument(ProgrammeRowDocument):
    """A programme."""

    begun: int = Field(description="How many tasks were begun.", examples=[53])
    finished: int = Field(description="How many have given their record.", examples=[43])
    samples: int = Field(description="How many samples these took.", examples=[310442])
    learner: str = Field(description="What chooses its policies.", examples=["empirical-bayes"])
    law: str | None = Field(
        description="What a sample looks like; null if nobody said.", examples=["Lift(0.1)"]
    )
    cap: int | None = Field(
        description="The most samples of a test; null if there is no such limit.", examples=[20000]
    )
    setup_cost: float = Field(
        description="What a test costs besides its samples.", examples=[2000.0]
    )
    drift: bool = Field(
        description="Whether a pool of ideas that changes is reckoned with.", examples=[True]
    )
    settings: SettingsDocument = Field(description="What can be set anew.")


class AdviceDocument(BaseModel):
    """What to do with a task, and why."""

    task: str = Field(description="The task's name.", examples=["blue-button"])
    wants: int = Field(
        description="How many samples to draw before asking again; 0 when nothing more is wanted.",
        examples=[502],
    )
    decision: Decision | None = Field(
        description="`accept` (ship) or `reject` (drop), once the policy has stopped; null before. "
        "It never changes.",
        examples=[None],
    )
    done: bool = Field(description="Whether nothing more is wanted.", examples=[False])
    held: bool = Field(
        description="Whether advice is withheld, as its data are doubtful.", examples=[False]
    )
    to_go: float | None = Field(
        description="How many samples more until it is decided, on average; null where nothing is "
        "known of that, and in answers to what was told or done: read the advice, then it is "
        "computed.",
        examples=[1830.4],
    )
    ships: float | None = Field(
        description="How likely it ships then; null in the same way.", examples=[0.48]
    )
    sentence: str = Field(
        description="What to do, and why.",
        examples=["Keep testing: between the limits after 502 samples, at most 19,498 to go"],
    )


class TaskDocument(AdviceDocument):
    """A task, and what to do with it."""

    status: Status = Field(
        description="Where it stands: `running`, `decided` (it runs on to learn), `held` (its data "
        "are doubtful), `stalled` (silent for long), `finished` or `abandoned`.",
        examples=["running"],
    )


class TasksDocument(BaseModel):
    """Tasks that are open."""

    tasks: list[TaskDocument] = Field(description="In the order in which they were begun.")


class AdvicesDocument(BaseModel):
    """Advice on many tasks."""

    advice: list[AdviceDocument] = Field(
        description="On each that was told something, in that order, as it is after all of it."
    )


class TaskSent(Sent):
    """A task to begin."""

    name: NameText | None = Field(
        None,
        description="What to call it: 1 to 200 characters in one line; by default by its number.",
        examples=["blue-button"],
    )


class BatchSent(Sent):
    """Samples, or outcomes of one arm, of which only sums are known."""

    n: int = Field(ge=0, le=10**15, description="How many there are.", examples=[500])
    sum: float = Field(description="Their sum.", examples=[51])
    sum_squares: float | None = Field(
        None, ge=0.0, description="The sum of their squares, if it is known.", examples=[51]
    )


Numbers = Annotated[list[float], Field(max_length=_MOST_NUMBERS)]


class ObservedSent(Sent):
    """What was observed: `values`, or both `control` and `treatment`."""

    values: Numbers | BatchSent | None = Field(
        None,
        description="Samples, what a treated user did minus what an untreated one did: one by one, "
        "or a batch of them.",
        examples=[[1, -1, 1], {"n": 500, "sum": 12}],
    )
    control: Numbers | BatchSent | None = Field(
        None,
        description="Outcomes of untreated users: one by one, or a batch of them.",
        examples=[[0, 1], {"n": 500, "sum": 51}],
    )
    treatment: Numbers | BatchSent | None = Field(
        None,
        description="Outcomes of treated users, in the same way.",
        examples=[[1, 1], {"n": 505, "sum": 49}],
    )


class TellingSent(ObservedSent):
    """What a task is told."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "control": {"n": 500, "sum": 51},
                    "treatment": {"n": 505, "sum": 49},
                    "key": "2026-03-02",
                },
                {"values": [1, -1, 1], "key": "2026-03-02"},
            ]
        }
    )

    key: NameText | None = Field(
        None,
        description="A name for this telling, which makes it safe to repeat: the same again under "
        "the same key changes nothing, something else is refused. It must not begin with #.",
        examples=["2026-03-02"],
    )


class TaskTellingSent(TellingSent):
    """What one of several tasks is told."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"task": "blue-button", "values": [1, -1, 1], "key": "2026-03-02"}]
        }
    )

    task: NameText = Field(description="The task's name.", examples=["blue-button"])


class TellingsSent(Sent):
    """What many tasks are told: all of it or nothing."""

    tellings: list[TaskTellingSent] = Field(
        max_length=_MOST_TELLINGS,
        description="In this order; a task may come several times.",
        examples=[
            [
                {"task": "blue-button", "values": [1, -1], "key": "monday"},
                {"task": "red-button", "values": [0, 1], "key": "monday"},
            ]
        ],
    )


class CorrectionSent(ObservedSent):
    """What a task should have been told under a key."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"key": "2026-03-02", "values": [1, -1, -1]}]}
    )

    key: NameText = Field(
        description="The key that something else was told under.", examples=["2026-03-02"]
    )


class AbandonSent(Sent):
    """Why a task is given up."""

    reason: Remark = Field(
        "", description="Why, for whoever reads the log.", examples=["the split was broken"]
    )


class ClearSent(Sent):
    """Why doubtful data are sound."""

    note: Remark = Field(
        "", description="Why, for whoever reads the log.", examples=["bots were taken out"]
    )


class RecordSent(Sent):
    """What people did about a decision."""

    done: Literal["shipped", "dropped"] = Field(
        description="What they did; it may be other than what was advised.", examples=["shipped"]
    )
    note: Remark = Field("", description="Why, for whoever reads the log.", examples=["launched"])


def advice_document(task: str, advice: Advice, *, forecast: bool = False) -> AdviceDocument:
    """Advice on a task, with what to expect of it if that is wanted: it takes milliseconds."""
    return AdviceDocument(**advice_fields(task, advice, forecast=forecast))


def task_document(
    task: str, advice: Advice, status: Status, *, forecast: bool = False
) -> TaskDocument:
    """A task as it stands, with what to expect of it if that is wanted."""
    return TaskDocument(**task_fields(task, advice, status, forecast=forecast))


def task_fields(
    task: str, advice: Advice, status: Status, *, forecast: bool = False
) -> dict[str, Any]:
    """The fields of a `TaskDocument`, for who answers in a hurry."""
    return {**advice_fields(task, advice, forecast=forecast), "status": status}


def advice_fields(task: str, advice: Advice, *, forecast: bool = False) -> dict[str, Any]:
    """The fields of an `AdviceDocument`, in its order, for who answers in a hurry."""
    expected = advice.forecast if forecast else None
    return {
        "task": task,
        "wants": advice.wants,
        "decision": advice.decision,
        "done": advice.done,
        "held": advice.held,
        "to_go": None if expected is None else expected.samples,
        "ships": None if expected is None else expected.ships,
        "sentence": advice.sentence if forecast else advice.verdict,
    }
