"""Pages that follow what happens: their parts, sent as server-sent events."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from dwell.errors import NotThere
from dwell.programme.programme import Programme
from dwell.service.access.callers import may
from dwell.service.api.chosen import ChosenProgramme
from dwell.service.live import Live, Parts
from dwell.service.names import PROGRAMME
from dwell.service.pages import words
from dwell.service.pages.overview import Shown
from dwell.service.pages.programmes import LONGEST_FIND, WithShown, context, law_of
from dwell.service.pages.site import NO_POOL, templates
from dwell.service.pages.task_page import view_of
from dwell.service.parts import OnShelf

router = APIRouter(include_in_schema=False)


@router.get(PROGRAMME + "/live", dependencies=[may("read")])
def live(
    request: Request,
    programme: ChosenProgramme,
    shelf: OnShelf,
    shown: WithShown,
    at: int = 0,
    test: str = "",
    find: Annotated[str, Query(max_length=LONGEST_FIND)] = "",
) -> StreamingResponse:
    """Parts of the page of a programme, or of one of its tests, as they change."""
    kept, pages = shown.of(programme), _pages(request)
    if test and view_of(kept, programme, test, shelf.clock()) is None:
        raise NotThere(f"the test {test!r} is over, and does not change any more")
    last = request.headers.get("last-event-id", "")

    def position() -> int:
        with programme.state() as state:
            return state.position

    def draw() -> Parts:
        if test:
            return task_parts(kept, programme, test, shelf.clock())
        return programme_parts(kept, programme, shelf.clock(), find.strip())

    pages.require_place()
    page = f"{test}\n{find.strip()}"
    messages = pages.follow(
        programme.name, page, position, draw, int(last) if last.isdigit() else at
    )
    return StreamingResponse(
        messages,
        media_type="text/event-stream",
        headers={"X-Accel-Buffering": "no", "Cache-Control": "no-store"},
    )


def _pages(request: Request) -> Live:
    pages: Live = request.app.state.live
    return pages


def programme_parts(shown: Shown, programme: Programme, now: float, find: str = "") -> Parts:
    """The page of a programme, in parts."""
    view = shown.overview(programme, now, find)
    made: Any = templates().get_template("programme_parts.html.jinja").module
    unit = context(view, law_of(programme))["unit"]
    parts = {
        "head": made.head(view, words),
        "keys": made.keys(view),
        "today-say": made.today(view, words),
        "running-say": made.caption(view, words),
        "f-value": made.figure("value", view.value, "w7", view.no_value),
        "f-changed": made.changed(view),
        "f-pool": made.figure("pool", view.pool, "w5", NO_POOL),
        "f-rules": made.rules(view),
        "f-standings": made.standings(view, unit),
        "events-say": made.events_say(view),
        "f-events": made.events(view),
        "f-warnings": made.warnings(view, words),
    }
    parts |= {f"c-{number}": card for number, card in view.cards}
    parts |= {f"t-{row.number}": row.html for row in view.rows}
    waiting = f"({view.waiting}) " if view.waiting else ""
    return Parts(
        view.position,
        f"{waiting}{view.name} · dwell",
        f"data to {words.moment(view.last, now)}",
        {
            "cards": [f"c-{number}" for number, _ in view.cards],
            "rows": [f"t-{row.number}" for row in view.rows],
        },
        {name: str(html) for name, html in parts.items()},
    )


def task_parts(shown: Shown, programme: Programme, name: str, now: float) -> Parts:
    """The page of a test, in parts."""
    view = view_of(shown, programme, name, now)
    if view is None:
        raise NotThere(f"the test {name!r} is over, and does not change any more")
    made: Any = templates().get_template("test_parts.html.jinja").module
    parts = {
        "head": made.head(view),
        "chart": made.chart(view),
        "aside": made.aside(view),
        "history": made.history(view),
    }
    return Parts(
        view.position,
        f"{view.verdict}: {view.name} · dwell",
        f"data to {words.moment(view.last, now)}",
        {},
        {name: str(html) for name, html in parts.items()},
    )
