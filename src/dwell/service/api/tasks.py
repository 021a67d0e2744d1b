"""Tasks over HTTP: begin, tell, correct, abandon, clear, read."""

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool

from dwell.errors import Clash
from dwell.programme.commands import checked_name
from dwell.programme.observations import Batch
from dwell.programme.task import Task
from dwell.programme.telling import Telling
from dwell.report.encode import plain
from dwell.report.programme import task_details
from dwell.service.access.callers import may
from dwell.service.api.chosen import (
    ChosenProgramme,
    ChosenTask,
    ProgrammeName,
    TaskName,
    desk_of,
)
from dwell.service.api.direct import DirectRoute, answered
from dwell.service.api.documents import (
    AbandonSent,
    AdviceDocument,
    AdvicesDocument,
    BatchSent,
    ClearSent,
    CorrectionSent,
    ObservedSent,
    RecordSent,
    TaskDocument,
    TasksDocument,
    TaskSent,
    TellingSent,
    TellingsSent,
    advice_document,
    advice_fields,
    task_document,
    task_fields,
)
from dwell.service.api.learned_documents import DetailsDocument
from dwell.service.names import API, PROGRAMME, TASK, usable_name
from dwell.service.parts import OnShelf, WithDelivery, delivery_of
from dwell.service.problems import CLASH, NOT_THERE, responses

router = APIRouter(prefix=API + PROGRAMME, tags=["Tasks"])
busy = APIRouter(prefix=API + PROGRAMME, tags=["Tasks"], route_class=DirectRoute)
_A_TASK = "the name of a task"


@router.get(
    "/tasks",
    operation_id="list_tasks",
    summary="List open tasks",
    dependencies=[may("read")],
    responses=responses(NOT_THERE),
)
def list_tasks(programme: ChosenProgramme, shelf: OnShelf) -> TasksDocument:
    """All tasks that are open, in the order in which they were begun, with what to do with each.

    Tasks that are over are found by their names, and in the events.
    """
    found = shelf.desk(programme).advice_on_all()
    return TasksDocument(
        tasks=[task_document(name, advice, status, forecast=True) for name, status, advice in found]
    )


@router.post(
    "/tasks",
    status_code=201,
    operation_id="begin_new_task",
    summary="Begin a task",
    dependencies=[may("tell")],
    responses=responses(NOT_THERE, CLASH),
)
def begin_new_task(programme: ChosenProgramme, sent: TaskSent) -> TaskDocument:
    """Begin a task, with the design that is right by what is known now.

    A name that was used is refused with 409. If the answer may get lost, begin it by `PUT` with a
    name of yours instead, which is safe to repeat.
    """
    name = None if sent.name is None else usable_name(_A_TASK, sent.name)
    begun = programme.begin(name)
    return task_document(begun.name, begun.advice, "running")


@busy.put(
    TASK,
    status_code=201,
    operation_id="begin_task",
    summary="Begin a task, or find it open",
    dependencies=[may("tell")],
    response_model=TaskDocument,
    responses={
        200: {"model": TaskDocument, "description": "It is open already: nothing was changed."},
        201: {"description": "It was begun."},
        **responses(NOT_THERE, CLASH),
    },
)
async def begin_task(request: Request, programme: ProgrammeName, task: TaskName) -> Response:
    """Begin a task by its name. To do it twice is to do it once.

    201 if it was begun now, 200 if it is open already, 409 if there was one and it is over.
    """
    name, desk = usable_name(_A_TASK, task), await desk_of(request, programme)
    try:
        return answered(task_fields(name, await desk.begin(name), "running"), 201)
    except Clash:
        # A name that was used stays used: what is there now is what was there then.
        found = await run_in_threadpool(lambda: _as_it_stands(desk.programme.task(name)))
        if found.status in ("finished", "abandoned"):
            raise
    return answered(found.model_dump())


@router.get(
    TASK,
    operation_id="read_task",
    summary="Read a task",
    dependencies=[may("read")],
    responses=responses(NOT_THERE),
)
def read_task(task: ChosenTask) -> TaskDocument:
    """A task, open or over, and what to do with it."""
    return _as_it_stands(task, forecast=True)


@busy.get(
    TASK + "/advice",
    operation_id="read_advice",
    summary="Ask what to do with a task",
    dependencies=[may("read")],
    response_model=AdviceDocument,
    responses=responses(NOT_THERE),
)
async def read_advice(request: Request, programme: ProgrammeName, task: TaskName) -> Response:
    """What to do with a task, and why."""
    desk = await desk_of(request, programme)
    advice = await desk.advice(checked_name(_A_TASK, task))
    return answered(advice_fields(task, advice, forecast=True))


@router.get(
    TASK + "/details",
    operation_id="read_details",
    summary="See where a task stands between its limits",
    dependencies=[may("read")],
    responses=responses(NOT_THERE),
)
def read_details(task: ChosenTask) -> DetailsDocument:
    """What its idea is worth if it stopped now, and where it was at each look."""
    return DetailsDocument.model_validate(plain(task_details(task)))


@busy.post(
    TASK + "/tellings",
    operation_id="tell_task",
    summary="Tell a task what was observed",
    dependencies=[may("tell")],
    response_model=AdviceDocument,
    responses=responses(NOT_THERE, CLASH),
)
async def tell_task(
    request: Request, programme: ProgrammeName, task: TaskName, sent: TellingSent
) -> Response:
    """Tell a task what was observed; when this answers, it is durable.

    With a `key` it is safe to repeat: the same again changes nothing and answers with the advice
    on the task; something else under that key is refused with 409. What many tell at the same time
    is written together.
    """
    told = Telling(checked_name(_A_TASK, task), **_observed(sent), key=sent.key)
    advice = await (await desk_of(request, programme)).tell(told)
    if advice.decision is not None:
        delivery_of(request).wake()
    return answered(advice_fields(task, advice))


@router.post(
    "/tellings",
    operation_id="tell_tasks",
    summary="Tell many tasks at once",
    dependencies=[may("tell")],
    responses=responses(NOT_THERE, CLASH),
)
def tell_tasks(
    programme: ChosenProgramme, delivery: WithDelivery, sent: TellingsSent
) -> AdvicesDocument:
    """Tell many tasks at once, in one transaction: all of it or nothing.

    With keys it is safe to repeat.
    """
    tellings = [
        Telling(checked_name(_A_TASK, each.task), **_observed(each), key=each.key)
        for each in sent.tellings
    ]
    advice = programme.tell(tellings)
    if any(each.decision is not None for each in advice):
        delivery.wake()
    pairs = zip(tellings, advice, strict=True)
    return AdvicesDocument(advice=[advice_document(told.task, given) for told, given in pairs])


@router.post(
    TASK + "/corrections",
    operation_id="correct_task",
    summary="Correct what a task was told",
    dependencies=[may("tell")],
    responses=responses(NOT_THERE, CLASH),
)
def correct_task(task: ChosenTask, sent: CorrectionSent) -> AdviceDocument:
    """Say that what was told under a key was something else. It is safe to repeat.

    What is learned follows, unless the task was learned from already: then the correction is kept
    in the log alone. A decision that was given stays.
    """
    key = checked_name("a key", sent.key)
    return advice_document(task.name, task.correct(key, **_observed(sent)))


@router.post(
    TASK + "/abandon",
    operation_id="abandon_task",
    summary="Give a task up",
    dependencies=[may("tell")],
    responses=responses(NOT_THERE, CLASH),
)
def abandon_task(task: ChosenTask, sent: AbandonSent) -> TaskDocument:
    """Give a task up: nothing is learned from it, and none waits for it. It is safe to repeat.

    Abandon for reasons outside the data: to abandon what looks bad biases what is learned.
    """
    task.abandon(sent.reason)
    return _as_it_stands(task)


@router.post(
    TASK + "/clear",
    operation_id="clear_task",
    summary="Say that doubtful data are sound",
    dependencies=[may("tell")],
    responses=responses(NOT_THERE, CLASH),
)
def clear_task(task: ChosenTask, sent: ClearSent) -> AdviceDocument:
    """Say that the data of a task on hold are sound after all; 409 if it is not on hold."""
    return advice_document(task.name, task.clear(sent.note))


@router.post(
    TASK + "/record",
    operation_id="record_decision",
    summary="Say what people did about a decision",
    dependencies=[may("tell")],
    responses=responses(NOT_THERE, CLASH),
)
def record_decision(task: ChosenTask, sent: RecordSent) -> TaskDocument:
    """Say that a decided task was shipped or dropped: dwell advises, people ship.

    The same again changes nothing; something else is refused with 409. Nothing is learned from it.
    """
    task.record(sent.done, sent.note)
    return _as_it_stands(task)


def _as_it_stands(task: Task, *, forecast: bool = False) -> TaskDocument:
    return task_document(task.name, task.advice, task.status, forecast=forecast)


def _observed(sent: ObservedSent) -> dict[str, Any]:
    """What was observed, as a task takes it."""
    return {
        name: Batch(told.n, told.sum, told.sum_squares) if isinstance(told, BatchSent) else told
        for name in ("values", "control", "treatment")
        for told in [getattr(sent, name)]
    }
