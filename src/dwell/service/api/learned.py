"""What a programme has learned, over HTTP: policies, the rule in force, report, events, export."""

from itertools import islice
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Query
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from dwell.report.encode import VERSION, plain
from dwell.report.programme import (
    ChangeRow,
    change_row,
    headline,
    latest_change,
    programme_row,
    task_rows,
)
from dwell.service.access.callers import may
from dwell.service.api.chosen import ChosenProgramme
from dwell.service.api.learned_documents import (
    ChangedDocument,
    EventDocument,
    EventsDocument,
    PoliciesDocument,
    PolicyDocument,
    ReportDocument,
    RuleChangeDocument,
    RuleDocument,
)
from dwell.service.names import API, PROGRAMME
from dwell.service.parts import OnShelf
from dwell.service.problems import NOT_THERE, responses

router = APIRouter(prefix=API + PROGRAMME, tags=["What was learned"])
_MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
_FILE: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}


@router.get(
    "/policies",
    operation_id="list_policies",
    summary="List policies with estimates",
    dependencies=[may("read")],
    responses=responses(NOT_THERE),
)
def list_policies(programme: ChosenProgramme) -> PoliciesDocument:
    """The policies that the programme chooses among, and how each stands.

    A programme with a law computes its boundaries and has one policy: what is in force.
    """
    found = [PolicyDocument(**plain(each)) for each in programme.policies()]
    return PoliciesDocument(policies=found)


@router.get(
    "/rule",
    operation_id="read_rule",
    summary="Read the rule in force and how it changed",
    dependencies=[may("read")],
    responses=responses(NOT_THERE),
)
def read_rule(programme: ChosenProgramme, shelf: OnShelf) -> RuleDocument:
    """The rule that tests are begun by now, in a sentence, and those before it.

    The first call reads the whole log; of a programme without a law, or of single signs over more
    than 63 looks, it replays it, which takes about half a second for each 1,000 tests.
    """
    changes = [
        RuleChangeDocument(at=each.at, task=each.task, sentence=each.sentence)
        for each in shelf.rules(programme).all()
    ]
    known = programme.pool_knowledge()
    if known is not None:
        sentence: str | None = known.rule
    else:
        sentence = changes[-1].sentence if changes else None
    return RuleDocument(
        sentence=sentence,
        knowledge=[] if known is None else list(known.sentences),
        changed=_changed(None if known is None else change_row(known.changed)),
        changes=changes,
    )


@router.get(
    "/events",
    operation_id="list_events",
    summary="Read events, a page at a time",
    dependencies=[may("read")],
    responses=responses(NOT_THERE),
)
def list_events(
    programme: ChosenProgramme,
    after: Annotated[
        int,
        Query(ge=0, le=10**15, description="Only events after this position.", examples=[0]),
    ] = 0,
    limit: Annotated[
        int, Query(ge=1, le=1000, description="At most so many events.", examples=[100])
    ] = 100,
) -> EventsDocument:
    """What happened, in order. Give `next` as `after` to read on; it is null at the end.

    Events are never changed, so that a page that was full stays as it is.
    """
    found = list(islice(programme.events(after), limit + 1))
    events = [
        EventDocument.model_validate({"position": position, **plain(msgspec.to_builtins(event))})
        for position, event in found[:limit]
    ]
    return EventsDocument(events=events, next=events[-1].position if len(found) > limit else None)


@router.get(
    "/report",
    operation_id="read_report",
    summary="Read the report",
    dependencies=[may("read")],
    responses=responses(NOT_THERE),
)
def read_report(programme: ChosenProgramme) -> ReportDocument:
    """What is to be done, what became of all tasks, and how policies stand.

    It is what `dwell programme show --json` prints.
    """
    rows = task_rows(programme)
    about = {
        "version": VERSION,
        **plain(programme_row(programme)),
        "sentence": headline(programme, rows),
        "policies": plain(programme.policies()),
        "changed": _changed(latest_change(programme)),
        "rows": plain(rows),
    }
    return ReportDocument.model_validate(about)


@router.get(
    "/export",
    operation_id="export_programme",
    summary="Download finished tasks",
    dependencies=[may("read")],
    response_class=FileResponse,
    responses={
        200: {
            "description": "The file.",
            "content": {kind.partition(";")[0]: _FILE for kind in _MEDIA_TYPES.values()},
        },
        **responses(NOT_THERE),
    },
)
def export_programme(
    programme: ChosenProgramme,
    format: Annotated[
        Literal["csv", "parquet"], Query(description="Which kind of file.", examples=["csv"])
    ] = "csv",
) -> FileResponse:
    """All finished tasks as a log of past tests, which `dwell evaluate` reads.

    In CSV a name that a spreadsheet would take for a formula has an apostrophe before it.
    """
    folder = Path(mkdtemp(prefix="dwell-"))
    try:
        programme.export(folder / f"log.{format}")
    except BaseException:
        rmtree(folder)
        raise
    return FileResponse(
        folder / f"log.{format}",
        media_type=_MEDIA_TYPES[format],
        filename=f"{_file_name(programme.name)}.{format}",
        background=BackgroundTask(rmtree, folder),
    )


def _changed(row: ChangeRow | None) -> ChangedDocument | None:
    return None if row is None else ChangedDocument.model_validate(row)


def _file_name(name: str) -> str:
    """A name as that of a file anywhere: no folders, no quotes."""
    return "".join(each if each.isalnum() or each in "-_" else "-" for each in name)
