"""Pages of programmes: all of them, and one."""

from http import HTTPStatus
from shlex import quote
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from markupsafe import Markup

from dwell.laws import Law
from dwell.programme.events import Done
from dwell.programme.programme import Programme
from dwell.report.drawings import leaf
from dwell.service.access.callers import may
from dwell.service.api.chosen import ChosenProgramme, ChosenTask
from dwell.service.names import PROGRAMME, in_path
from dwell.service.pages import words
from dwell.service.pages.overview import AllShown, Key, Overview
from dwell.service.pages.site import page
from dwell.service.pages.words import Unit
from dwell.service.parts import OnShelf

router = APIRouter(include_in_schema=False)
LONGEST_FIND = 200
TEST = PROGRAMME + "/tests/{task:name}"


def _all_shown(request: Request) -> AllShown:
    shown: AllShown = request.app.state.shown
    return shown


WithShown = Annotated[AllShown, Depends(_all_shown)]

# A picture of a figure, its number, its unit, and its interval or why there is none.
_Told = tuple[Markup | None, str, str, str]


class _Row(NamedTuple):
    """A programme among all."""

    name: str
    since: str
    ship: int
    drop: int
    running: int
    held: int
    roi: _Told
    gain: _Told
    rule: str


@router.get("/", dependencies=[may("read")])
def all_programmes(request: Request, shelf: OnShelf, shown: WithShown) -> HTMLResponse:
    """All programmes, and what waits in them."""
    now = shelf.clock()
    programmes = [shelf.open(name) for name in shelf.names()]
    views = [shown.of(programme).overview(programme, now) for programme in programmes]
    rows = [_row(view, words.day(shelf.created(view.name).at)) for view in views]
    return page(
        request,
        "programmes.html.jinja",
        place="programmes",
        rows=rows,
        ship=sum(view.ship for view in views),
        drop=sum(view.drop for view in views),
        waiting=sum(view.waiting > 0 for view in views),
        words=words,
        now=now,
        art=leaf.empty("Two limits that close in over time; no test between them yet"),
    )


def _row(view: Overview, since: str) -> _Row:
    keys = {key.title.split(" ")[0]: key for key in view.keys}
    rule = view.rules[-1].text if view.rules else "No test has begun yet."
    return _Row(
        view.name,
        since,
        view.ship,
        view.drop,
        view.running + view.held,
        view.held,
        _told(keys.get("ROI"), f"{view.no_value[0][:1].lower()}{view.no_value[0][1:]}"),
        _told(keys.get("More"), "nothing to compare with"),
        rule,
    )


def _told(key: Key | None, otherwise: str) -> _Told:
    if key is None:
        return None, "", "", otherwise
    return key.picture, key.number, key.unit, f"({key.interval})"


@router.get(PROGRAMME, dependencies=[may("read")])
def one_programme(
    request: Request,
    programme: ChosenProgramme,
    shelf: OnShelf,
    shown: WithShown,
    find: Annotated[str, Query(max_length=LONGEST_FIND)] = "",
) -> HTMLResponse:
    """A programme: what needs a decision today, what runs, what was learned."""
    view = shown.of(programme).overview(programme, shelf.clock(), find.strip())
    if not view.begun:
        label = "Two limits that close in over time; no test between them yet"
        return page(
            request,
            "empty_programme.html.jinja",
            place="programmes",
            view=view,
            words=words,
            art=leaf.empty(label),
            shell_name=quote(view.name),
        )
    return page(request, "programme.html.jinja", **context(view, law_of(programme)))


def context(view: Overview, law: Law | None) -> dict[str, Any]:
    """What the template of a programme needs."""
    return {"place": "programmes", "view": view, "words": words, "unit": Unit.of(law)}


def law_of(programme: Programme) -> Law | None:
    """The law of a programme's samples."""
    with programme.state() as state:
        return state.known.law


@router.post(TEST + "/record", dependencies=[may("tell")])
def record(
    programme: ChosenProgramme,
    task: ChosenTask,
    done: Annotated[Done, Form()],
    note: Annotated[str, Form()] = "",
) -> RedirectResponse:
    """Say what people did about a decision, and go back to those that wait."""
    task.record(done, note)
    return _back(programme, "#today")


@router.post(TEST + "/clear", dependencies=[may("tell")])
def clear(
    programme: ChosenProgramme, task: ChosenTask, note: Annotated[str, Form()] = ""
) -> RedirectResponse:
    """Say that the data of a test on hold are sound after all."""
    task.clear(note)
    return _back(programme, f"/tests/{in_path(task.name)}")


@router.post(TEST + "/abandon", dependencies=[may("tell")])
def abandon(
    programme: ChosenProgramme, task: ChosenTask, note: Annotated[str, Form()] = ""
) -> RedirectResponse:
    """Give a test up."""
    task.abandon(note)
    return _back(programme, f"/tests/{in_path(task.name)}")


def _back(programme: Programme, to: str) -> RedirectResponse:
    return RedirectResponse(f"/programmes/{in_path(programme.name)}{to}", HTTPStatus.SEE_OTHER)
