"""What routes are about: the programme and the task that a path names."""

from typing import Annotated

from fastapi import Depends, Path, Request
from fastapi.concurrency import run_in_threadpool

from dwell.programme.commands import checked_name
from dwell.programme.programme import Programme
from dwell.programme.task import Task
from dwell.service.desk import Desk
from dwell.service.parts import shelf_of

ProgrammeName = Annotated[
    str,
    Path(
        description="The programme's name, percent-encoded; a slash in it as %2F.",
        examples=["checkout"],
    ),
]
TaskName = Annotated[
    str,
    Path(
        description="The task's name, percent-encoded; a slash in it as %2F.",
        examples=["blue-button"],
    ),
]


async def _programme(request: Request, programme: ProgrammeName) -> Programme:
    # What is open is found without a thread; what is not may have a long log to be read.
    shelf = shelf_of(request)
    found = shelf.ready(programme)
    return await run_in_threadpool(shelf.open, programme) if found is None else found


ChosenProgramme = Annotated[Programme, Depends(_programme)]


async def desk_of(request: Request, programme: str) -> Desk:
    """Where all come who tell a programme something, or ask for advice.

    Routes that are asked for most call this by themselves: to be given it would take FastAPI
    longer than to find it.
    """
    shelf = shelf_of(request)
    found = shelf.ready(programme)
    return shelf.desk(await _programme(request, programme) if found is None else found)


def _task(programme: ChosenProgramme, task: TaskName) -> Task:
    return programme.task(checked_name("the name of a task", task))


ChosenTask = Annotated[Task, Depends(_task)]
