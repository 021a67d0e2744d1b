"""Signing in with a token, and out; the form for it is a page."""

from http import HTTPStatus
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse

from dwell.service.access.cookies import clear_cookie, cookie_of, set_cookie
from dwell.service.access.tokens import Tokens
from dwell.service.settings import Settings

router = APIRouter(include_in_schema=False)


@router.post("/sign-in")
def sign_in(
    request: Request, token: Annotated[str, Form()] = "", next: Annotated[str, Form()] = "/"
) -> RedirectResponse:
    """Open a session and go where one wanted to; back to the form if the token is no good."""
    settings, tokens = _parts(request)
    cookie = tokens.sign_in(token.strip())
    if cookie is None:
        again = f"/sign-in?wrong=1&next={quote(inside(next))}"
        return RedirectResponse(again, HTTPStatus.SEE_OTHER)
    response = RedirectResponse(inside(next), HTTPStatus.SEE_OTHER)
    set_cookie(response, cookie, request, settings)
    return response


@router.post("/sign-out")
def sign_out(request: Request) -> RedirectResponse:
    """End the session, here and in the store."""
    settings, tokens = _parts(request)
    cookie = cookie_of(request, settings)
    if cookie is not None:
        tokens.sign_out(cookie)
    response = RedirectResponse("/sign-in", HTTPStatus.SEE_OTHER)
    clear_cookie(response, request, settings)
    return response


def inside(path: str) -> str:
    r"""A path of this service; the start page in place of an address elsewhere.

    Example:
        >>> inside("/programmes/checkout?day=3")
        '/programmes/checkout?day=3'
        >>> inside("https://other.example"), inside("//other.example"), inside("/\\other.example")
        ('/', '/', '/')
    """
    ours = path.startswith("/") and path[1:2] not in ("/", "\\") and path.isprintable()
    return path if ours else "/"


def _parts(request: Request) -> tuple[Settings, Tokens]:
    return request.app.state.settings, request.app.state.tokens
