"""Pages that stand alone: signing in, and errors."""

from collections.abc import Callable
from inspect import isawaitable
from json import loads
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, Response

from dwell.service.access.signing_in import inside
from dwell.service.pages import leaf
from dwell.service.pages.site import page

router = APIRouter(include_in_schema=False)
# What an error means for whoever meets it, by its status.
_MEANS = {
    401: "Sign in with a token that is known here.",
    403: "Your token lets you read, and not do this. Ask for one that does.",
    404: "A test that was abandoned, or a programme under another name, keeps its events: look for "
    "it in the list.",
    409: "Nothing was changed. Somebody may have been faster: look again.",
    413: "Nothing was read. Send less, or use the command on your own machine.",
    429: "Wait a moment, then go on.",
    503: "Nothing that was told is lost. It can be tried again.",
}
_OTHERWISE = "Nothing was changed. If it happens again, tell whoever runs this server."
_NO_PAGE = "There is no page at this address"
_TITLES = {404: "This path has left the picture."}


@router.get("/sign-in")
def sign_in_page(request: Request, wrong: str = "", next: str = "/") -> HTMLResponse:
    """A form for the token."""
    label = (
        "Tests as paths between two limits that close in: each is shipped above or dropped below"
    )
    return page(
        request,
        "sign_in.html.jinja",
        wrong=bool(wrong),
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


def _page_of(request: Request, response: Response) -> Response:
    problem = loads(bytes(response.body))
    status = int(problem["status"])
    kept = ("retry-after", "www-authenticate", "allow")
    headers = {name: response.headers[name] for name in kept if name in response.headers}
    answered = page(
        request,
        "error.html.jinja",
        title=_TITLES.get(status, problem["title"]),
        detail=_NO_PAGE if problem["detail"] == "Not Found" else problem["detail"],
        meaning=_MEANS.get(status, _OTHERWISE),
        again=request.scope["path"] if request.method == "GET" and status >= 429 else "",
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
