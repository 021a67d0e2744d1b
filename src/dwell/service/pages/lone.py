"""Pages that stand alone: signing in, and errors."""

from collections.abc import Callable
from http import HTTPStatus
from inspect import isawaitable
from json import loads
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import Response

from dwell.report.drawings import leaf
from dwell.report.page import page as report_page
from dwell.service.access.headers import sandboxed
from dwell.service.access.signing_in import inside
from dwell.service.pages.site import page

router = APIRouter(include_in_schema=False)
# What an error means for whoever meets it, by its status.
_MEANS = {
    401: "Sign in with a token that is known here.",
    403: "Nothing was changed. If you need to do this, ask for a token that allows it.",
    404: "A test that was abandoned, or a programme under another name, keeps its events: look for "
    "it in the list.",
    409: "Nothing was changed. Somebody may have been faster: look again.",
    413: "Nothing was read. Send less, or use the command on your own machine.",
    429: "Wait a moment, then go on.",
    500: "If you were changing something, look whether it was done. If it happens again, tell "
    "whoever runs this server.",
    503: "Nothing that was told is lost. It can be tried again.",
}
_OTHERWISE = "Nothing was changed. If it happens again, tell whoever runs this server."
_NO_PAGE = "There is no page at this address"
_NOT_EVALUATED = "This log cannot be evaluated."
_SIGNED_OUT = "You are signed out: open this page anew, and sign in."
_MEGABYTE = 2**20
_TITLES = {404: "This path has left the picture."}


@router.get("/sign-in")
def sign_in_page(request: Request, wrong: str = "", ended: str = "", next: str = "/") -> Response:
    """A form for the token."""
    if _in_a_frame(request):
        return _in_frame(_NOT_EVALUATED, _SIGNED_OUT, HTTPStatus.OK)
    label = (
        "Tests as paths between two limits that close in: each is shipped above or dropped below"
    )
    return page(
        request,
        "sign_in.html.jinja",
        wrong=bool(wrong),
        ended=bool(ended),
        next=inside(next),
        art=leaf.many(label),
    )


def shows_a_page(request: Request) -> bool:
    """Whether whoever asks reads pages, and asks for no part of the API."""
    path = request.scope["path"]
    return "text/html" in request.headers.get("accept", "") and not path.startswith("/api/")


def _as_page(handler: Callable[..., Any]) -> Callable[..., Any]:
    """The same handler, whose problems are pages for people."""

    async def handled(request: Request, error: Exception) -> Response:
        answered = handler(request, error)
        response: Response = await answered if isawaitable(answered) else answered
        return _page_of(request, response) if shows_a_page(request) else response

    return handled


def _in_a_frame(request: Request) -> bool:
    """Whether the answer is to stand where the page of Evaluate has its report."""
    return request.headers.get("sec-fetch-dest") in ("iframe", "frame")


def _in_frame(title: str, text: str, status: int) -> Response:
    """A page that may stand in a frame of ours: others may not, and would show nothing there."""
    answered = sandboxed(report_page(title, [text], []))
    answered.status_code = status
    return answered


def _why_not(request: Request, problem: dict[str, Any]) -> str:
    """Why a log was not taken, and what to do, in a sentence."""
    status, detail = int(problem["status"]), str(problem["detail"])
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        most = request.app.state.settings.largest_upload / _MEGABYTE
        return (
            f"It is larger than {most:g} MB, the most that is taken here; use dwell evaluate on "
            "your own machine."
        )
    if status == HTTPStatus.UNAUTHORIZED:
        return _SIGNED_OUT
    return f"{detail[:1].upper()}{detail[1:].rstrip('.')}. {_MEANS.get(status, _OTHERWISE)}"


def _page_of(request: Request, response: Response) -> Response:
    problem = loads(bytes(response.body))
    status = int(problem["status"])
    if _in_a_frame(request):
        return _in_frame(_NOT_EVALUATED, _why_not(request, problem), status)
    kept = ("retry-after", "www-authenticate", "allow")
    headers = {name: response.headers[name] for name in kept if name in response.headers}
    answered = page(
        request,
        "error.html.jinja",
        title=_TITLES.get(status, problem["title"]),
        detail=_NO_PAGE if problem["detail"] == "Not Found" else problem["detail"],
        meaning=_MEANS.get(status, _OTHERWISE),
        sign_in=status == HTTPStatus.UNAUTHORIZED,
        again=request.scope["path"] if request.method == "GET" and status >= 429 else "",
        asked=problem.get("request_id") or "",
        code=problem["type"].rpartition(":")[2],
        status_code=status,
        art=leaf.empty("A path that has left the picture", outside=True),
        headers=headers,
    )
    answered.status_code = status
    return answered


def install(app: FastAPI) -> None:
    """Answer errors with pages where people read them."""
    for kind, handler in list(app.exception_handlers.items()):
        app.exception_handlers[kind] = _as_page(handler)
