"""Plans and evaluations over HTTP: what the commands compute, and nothing that is kept."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Form, Response, UploadFile
from pydantic import Field

from dwell.service.access.callers import may
from dwell.service.api.documents import Sent
from dwell.service.names import API
from dwell.service.parts import WithSettings, WithWorkers
from dwell.service.problems import BUSY, NOTHING, responses
from dwell.service.uploads import kept

router = APIRouter(prefix=API, tags=["Calls"])
_LONGEST_TEXT = 2000
_MOST_COUNT = 10**15
Text = Annotated[str, Field(max_length=_LONGEST_TEXT)]


class PlanSent(Sent):
    """The terms of a plan: those of `dwell plan`, with its defaults."""

    prior: Text | None = Field(
        None,
        description="How ideas' values are spread: `Normal(mean, sd)`, `StudentT(mean, scale, "
        "df)`, `Atoms(value:weight, …)` or `Beta(a, b)`; by default `Normal(-0.0003, 0.0045)`.",
        examples=["Normal(-0.001, 0.01)"],
    )
    sd: float | None = Field(
        None,
        gt=0.0,
        description="The standard deviation of one sample, a treated user's outcome minus an "
        "untreated one's; by default 0.16.",
        examples=[0.3],
    )
    law: Text | None = Field(
        None,
        description="What a sample looks like, in place of `sd`: `Gaussian(sd)`; for tests of few "
        "samples also `Signs` or `Lift(base_rate)`.",
        examples=[None],
    )
    traffic_per_day: int | None = Field(
        None,
        ge=1,
        le=_MOST_COUNT,
        description="How many samples a day brings; by default 1,000.",
        examples=[1000],
    )
    min_days: int | None = Field(
        None,
        ge=0,
        le=_MOST_COUNT,
        description="No policy looks before; by default 1, and 0 under `Signs` and `Lift`.",
        examples=[1],
    )
    max_days: int | None = Field(
        None,
        ge=1,
        le=_MOST_COUNT,
        description="No test runs longer; by default 28.",
        examples=[28],
    )
    setup_cost: float | None = Field(
        None,
        ge=0.0,
        description="What each test costs besides its samples, in samples; by default 1,000.",
        examples=[5000],
    )
    price_per_sample: float | None = Field(
        None, ge=0.0, description="In money; by default 0.001.", examples=[0.001]
    )
    value_of_lift: float | None = Field(
        None,
        gt=0.0,
        description="What a value of 1 earns in a year, in money; by default 100,000.",
        examples=[100000],
    )
    rules: Annotated[list[Text], Field(max_length=50)] | None = Field(
        None,
        description="Which current rules to compare with, by their names in `dwell plan --help`; "
        "by default all.",
        examples=[["p05-two-sided", "msprt"]],
    )


_DOCUMENT: dict[str, Any] = {
    "schema": {
        "type": "object",
        "required": ["version", "rows"],
        "properties": {
            "version": {
                "type": "integer",
                "description": "The version of the document; a new field does not raise it.",
            },
            "rows": {
                "type": "array",
                "items": {"type": "object"},
                "description": "The figures, the best first.",
            },
        },
        "additionalProperties": True,
    },
    "example": {"version": 1, "rows": []},
}


def _answers(words: str) -> dict[int | str, dict[str, Any]]:
    """What is declared: a document of the command's, or a problem."""
    return {
        200: {"description": words, "content": {"application/json": _DOCUMENT}},
        **responses(BUSY, NOTHING),
    }


@router.post(
    "/plan",
    operation_id="make_plan",
    summary="Plan how to test",
    dependencies=[may("read")],
    response_class=Response,
    responses=_answers("What `dwell plan --json` prints; docs/json.md says what its fields are."),
)
def make_plan(workers: WithWorkers, sent: PlanSent) -> Response:
    """The best policy there is, the best simple one, and what current rules leave on the table.

    Terms that are left out have the defaults of `dwell plan`; `assumed` lists those that matter, as
    the command spells them. If nothing is worth testing, that is a problem of its own, with 422.
    """
    found = workers.compute("plan", sent.model_dump())
    return Response(found.document, media_type="application/json")


@router.post(
    "/evaluate",
    operation_id="evaluate_log",
    summary="Evaluate past tests",
    dependencies=[may("read")],
    response_class=Response,
    responses=_answers(
        "What `dwell evaluate --json` prints; docs/json.md says what its fields are."
    ),
)
def evaluate_log(
    workers: WithWorkers,
    settings: WithSettings,
    log: Annotated[
        UploadFile,
        File(
            description="The log, in one of the forms that `dwell evaluate` reads: CSV, perhaps "
            "compressed by gzip, or Parquet."
        ),
    ],
    setup_cost: Annotated[
        float | None,
        Form(
            ge=0.0,
            description="What it takes to build and launch an idea, in samples; without it there "
            "is no answer, but a table over set-up costs.",
            examples=[1000],
        ),
    ] = None,
    current: Annotated[
        str,
        Form(
            max_length=30,
            description="The current rule: `ahead`, `significant` or a number of samples.",
            examples=["ahead"],
        ),
    ] = "ahead",
    min_samples: Annotated[
        int,
        Form(ge=1, le=_MOST_COUNT, description="No policy looks before it has as many."),
    ] = 1,
    alpha: Annotated[
        float, Form(gt=0.0, lt=1.0, description="How often an interval may miss.")
    ] = 0.05,
    longest: Annotated[
        int | None,
        Form(ge=1, le=_MOST_COUNT, description="No test has more samples, nor ever will."),
    ] = None,
    guaranteed: Annotated[
        Literal["bernstein", "betting"],
        Form(description="Which intervals to give that hold for any number of tests."),
    ] = "bernstein",
    approximate: Annotated[
        Literal["normal", "bootstrap"],
        Form(description="Which to give that hold for many tests."),
    ] = "normal",
    form: Annotated[
        Literal["raw", "two-arm", "counts", "batches"] | None,
        Form(description="What a row of the log is; by default that is told by the columns."),
    ] = None,
    columns: Annotated[
        str | None,
        Form(
            max_length=_LONGEST_TEXT,
            description="Titles of columns where they differ.",
            examples=["value=revenue,test=id"],
        ),
    ] = None,
    bounds: Annotated[
        str | None,
        Form(
            max_length=100,
            description="Where values (outcomes, means) lie: then there are guaranteed intervals.",
            examples=["-1,1"],
        ),
    ] = None,
    arms: Annotated[
        str | None,
        Form(
            max_length=_LONGEST_TEXT,
            description="Which arms to compare, the control first.",
            examples=["control,treatment"],
        ),
    ] = None,
    cumulative: Annotated[
        bool | None,
        Form(description="Whether batches have all users since the first period."),
    ] = None,
    since: Annotated[
        str | None,
        Form(
            max_length=30,
            description="Only tests that began on this day or later.",
            examples=["2026-03-31"],
        ),
    ] = None,
    seed: Annotated[
        int, Form(ge=0, le=_MOST_COUNT, description="What sequences are drawn from, for counts.")
    ] = 0,
) -> Response:
    """What stopping policies would have earned on past tests: to change the rule, or to keep it.

    The log is read, and kept nowhere. It may have 64 MB, unpacked, unless the service was told
    otherwise; two evaluations or plans are made at once, and others are asked to come again (503).
    """
    asked: dict[str, Any] = {
        "setup_cost": setup_cost,
        "current": current,
        "min_samples": min_samples,
        "alpha": alpha,
        "longest": longest,
        "guaranteed": guaranteed,
        "approximate": approximate,
        "form": form,
        "columns": columns,
        "bounds": bounds,
        "arms": arms,
        "cumulative": cumulative,
        "since": since,
        "seed": seed,
    }
    with kept(log.file, settings.largest_upload) as path:
        found = workers.compute("evaluate", {"path": str(path), **asked})
    return Response(found.document, media_type="application/json")
