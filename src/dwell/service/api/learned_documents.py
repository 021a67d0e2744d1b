"""What the API answers about what was learned, field by field."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from dwell.service.api.documents import ProgrammeRowDocument


class PolicyDocument(BaseModel):
    """How a policy stands."""

    model_config = ConfigDict(extra="allow")

    cap: int = Field(description="The most samples that it may draw.", examples=[256])
    status: Literal["chosen", "candidate", "eliminated"] = Field(
        description="Whether it is what is run, may be the best, or was eliminated.",
        examples=["chosen"],
    )
    roi: float | None = Field(
        description="The estimate of its ROI; null if there is none.", examples=[0.0021]
    )
    roi_low: float | None = Field(
        description="The lower end of its interval; null if there is none.", examples=[0.0013]
    )
    roi_high: float | None = Field(
        description="The upper end of its interval; null if there is none.", examples=[0.0034]
    )


class PoliciesDocument(BaseModel):
    """The policies of a programme."""

    policies: list[PolicyDocument] = Field(description="By their caps.")


class RuleChangeDocument(BaseModel):
    """A rule that came into force."""

    at: float = Field(
        description="When the first task was begun by it, in seconds since 1970.",
        examples=[1772443384.2],
    )
    task: str = Field(description="That task's name.", examples=["blue-button"])
    sentence: str = Field(
        description="The rule.", examples=["draw 64 samples, and ship if their sum is at least 1"]
    )


class FigureDocument(BaseModel):
    """A number that is not known exactly."""

    model_config = ConfigDict(from_attributes=True)

    estimate: float = Field(description="What it seems to be.", examples=[0.04])
    low: float = Field(description="Where its 95 % interval begins.", examples=[0.02])
    high: float = Field(description="Where it ends.", examples=[0.07])


class ChangedDocument(BaseModel):
    """The latest change of the pool of ideas that was shown."""

    model_config = ConfigDict(from_attributes=True)

    since: str | None = Field(
        description="When the first test after it began; null if that is not known, as of past "
        "tests without dates, and so in the next two.",
        examples=["2026-03-03"],
    )
    earliest: str | None = Field(
        description="The same if it came as early as it may have …", examples=["2026-02-10"]
    )
    latest: str | None = Field(description="… or as late.", examples=["2026-03-20"])
    shown: str | None = Field(
        description="When it was shown; null if past tests showed it.", examples=["2026-04-02"]
    )
    test: int = Field(
        description="The number of that first test, in the order in which tests were learned from, "
        "past ones first.",
        examples=[412],
    )
    task: str | None = Field(
        description="Its name; null for a past test.", examples=["blue-button"]
    )
    shipped_before: FigureDocument = Field(
        description="Which share of ideas the rule in force would have shipped before …"
    )
    shipped_now: FigureDocument = Field(description="… and ships now.")
    earned_before: FigureDocument = Field(
        description="What a test would have earned by that rule before …"
    )
    earned_now: FigureDocument = Field(description="… and earns now.")
    sentence: str = Field(
        description="The same for people.",
        examples=[
            "The pool of ideas has changed since 3 March 2026, when blue-button began (between 10 "
            "February and 20 March 2026): the rule in force ships 4 % of ideas (2 to 7 %) where it "
            "would have shipped 16 % (12 to 21 %) before, and a test earns 0.0004 (0 to 0.001) "
            "where it would have earned 0.0031 (0.002 to 0.0044). False alarms: at most 5 %."
        ],
    )


class RuleDocument(BaseModel):
    """The rule in force, and how it changed."""

    sentence: str | None = Field(
        description="The rule that the next task is begun by; null if nothing was begun yet and "
        "the programme was told no law.",
        examples=["draw 64 samples, and ship if their sum is at least 1"],
    )
    knowledge: list[str] = Field(
        description="What is known of the pool of ideas and what the rule earns, in sentences, if "
        "the programme was told a law; the most important one first.",
        examples=[["Nothing is known yet: there was no test."]],
    )
    changed: ChangedDocument | None = Field(
        description="The latest change of the pool of ideas; null if none was shown."
    )
    changes: list[RuleChangeDocument] = Field(
        description="All rules that were in force, the present one last."
    )


class EventDocument(BaseModel):
    """What happened. Each kind of event has fields of its own besides."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {
                    "position": 3,
                    "event": "told 1",
                    "at": 1772443384.2,
                    "task": 1,
                    "observations": {"type": "values", "values": [1, -1]},
                    "key": "monday",
                }
            ]
        },
    )

    position: int = Field(description="Its place in the log, counted from 1.", examples=[3])
    event: str = Field(
        description="What kind it is, with the version of its form: `created 1`, `begun 1`, "
        "`told 1`, `corrected 1`, `decided 1`, `finished 1`, `amended 1`, `abandoned 1`, "
        "`held 1`, `cleared 1`, `recorded 1`, `notified 1` or `settings changed 1`.",
        examples=["told 1"],
    )
    at: float = Field(description="When, in seconds since 1970.", examples=[1772443384.2])


class EventsDocument(BaseModel):
    """A page of events."""

    events: list[EventDocument] = Field(description="In order.")
    next: int | None = Field(
        description="Give this as `after` to read on; null if there are no more for now.",
        examples=[100],
    )


class TaskRowDocument(BaseModel):
    """A task, and what to do with it."""

    model_config = ConfigDict(extra="allow")

    task: str = Field(description="Its name.", examples=["blue-button"])
    status: str = Field(description="Where it stands.", examples=["running"])
    decision: str | None = Field(
        description="`accept` or `reject`, once it is decided.", examples=[None]
    )
    wants: int = Field(description="How many samples to draw before asking again.", examples=[502])
    done: bool = Field(description="Whether nothing more is wanted.", examples=[False])
    sentence: str = Field(
        description="What to do, and why.",
        examples=["Keep testing: the first look is after 502 samples"],
    )


class WorthDocument(BaseModel):
    """What an idea is worth by what is known now, with a 95 % interval."""

    model_config = ConfigDict(from_attributes=True)

    mean: float = Field(
        description="The mean of its value, given its samples and the pool of ideas; where no pool "
        "is fitted, the mean of its samples.",
        examples=[0.0012],
    )
    low: float | None = Field(
        description="Where the interval begins; null where nothing shows how noisy samples are.",
        examples=[-0.0031],
    )
    high: float | None = Field(description="Where it ends; null likewise.", examples=[0.0058])
    helps: float | None = Field(
        description="How likely its value is above 0; null where no pool is fitted.",
        examples=[0.77],
    )
    samples: int = Field(description="From how many samples of it.", examples=[502])
    tests: int | None = Field(
        description="To how many tests the pool was fitted; null where none is.", examples=[53]
    )


class LookDocument(BaseModel):
    """A look at a task."""

    model_config = ConfigDict(from_attributes=True)

    samples: int = Field(description="After how many samples.", examples=[502])
    position: float | None = Field(
        description="Where the task was; null if the look lies ahead.", examples=[0.71]
    )
    lower: float | None = Field(
        description="What is here or below is dropped; null if nothing is.", examples=[-1.2]
    )
    upper: float | None = Field(
        description="What is here or above is shipped; null if nothing is.", examples=[1.8]
    )


class PathDocument(BaseModel):
    """Where a task was at each look, and which limits lie ahead."""

    model_config = ConfigDict(from_attributes=True)

    unit: Literal["standard errors", "sum"] = Field(
        description="Of positions and limits.", examples=["standard errors"]
    )
    looks: list[LookDocument] = Field(
        description="The looks in order, those that lie ahead last; of very many, some."
    )
    decided_after: int | None = Field(
        description="After how many samples it was decided; null if it is not.", examples=[None]
    )


class DetailsDocument(BaseModel):
    """What is known of a task, and where it has been."""

    model_config = ConfigDict(from_attributes=True)

    worth: WorthDocument | None = Field(
        description="What if we stop now; null if nothing is known yet."
    )
    path: PathDocument = Field(description="The task between its limits.")


class ReportDocument(ProgrammeRowDocument):
    """A programme as it stands."""

    model_config = ConfigDict(extra="allow")

    version: int = Field(
        description="The version of this document; a new field does not raise it.", examples=[1]
    )
    sentence: str = Field(
        description="What is to be done, and what became of all tasks.",
        examples=[
            "checkout: 1 to ship, 9 keep testing; 53 tests begun so far: 12 to ship, 31 to drop, 1 "
            "abandoned."
        ],
    )
    policies: list[PolicyDocument] = Field(description="How policies stand.")
    changed: ChangedDocument | None = Field(
        description="The latest change of the pool of ideas; null if none was shown."
    )
    rows: list[TaskRowDocument] = Field(description="Open tasks, and what to do with each.")
