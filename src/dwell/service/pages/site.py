"""The site: templates, files that pages need, and how a page is answered."""

from functools import cache
from hashlib import sha256
from http import HTTPStatus
from importlib.resources import files
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from dwell.errors import NotThere
from dwell.service.access.callers import Caller
from dwell.service.names import in_path
from dwell.service.pages import words

router = APIRouter(include_in_schema=False)
NO_POOL = (
    "What ideas are worth is not fitted",
    "This learner needs no law of samples, and fits no pool of ideas.",
)
_STATIC = {
    "style.css": ("dwell.report", "templates", "text/css; charset=utf-8"),
    "app.js": ("dwell.service", "static", "text/javascript; charset=utf-8"),
}


@cache
def templates() -> Environment:
    """The templates of all pages of the service; reports share theirs with them."""
    made = Environment(
        loader=ChoiceLoader([PackageLoader("dwell.service"), PackageLoader("dwell.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        cache_size=-1,
        auto_reload=False,
    )
    made.filters |= {"in_path": in_path, "moment": words.moment, "stamp": words.stamp}
    made.filters |= {"capital": lambda text: text[:1].upper() + text[1:]}
    made.globals |= {"static": static, "no_pool": NO_POOL}
    return made


@cache
def _file(name: str) -> tuple[bytes, str, str]:
    package, folder, kind = _STATIC[name]
    body = files(package).joinpath(folder, name).read_bytes()
    return body, kind, sha256(body).hexdigest()[:12]


def static(name: str) -> str:
    """Where a file is: another address whenever it changes, so that it can be kept for ever."""
    return f"/static/{name}?v={_file(name)[2]}"


@router.get("/static/{name}")
def static_file(name: str) -> Response:
    """A file that pages need."""
    if name not in _STATIC:
        raise NotThere(f"there is no file {name!r}")
    body, kind, _ = _file(name)
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(body, media_type=kind, headers=headers)


def page(
    request: Request,
    template: str,
    status: HTTPStatus = HTTPStatus.OK,
    headers: dict[str, str] | None = None,
    **context: Any,
) -> HTMLResponse:
    """A page as an answer.

    Args:
        request: What was asked for.
        template: What it is drawn by.
        status: The HTTP status.
        headers: What else the answer says.
        context: What is drawn.
    """
    caller: Caller | None = getattr(request.state, "caller", None)
    html = (
        templates()
        .get_template(template)
        .render(
            signed_in=caller is not None and caller.by == "session",
            may=caller.scope if caller is not None else "read",
            **context,
        )
    )
    return HTMLResponse(html, status, headers)
