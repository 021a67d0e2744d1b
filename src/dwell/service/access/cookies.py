"""The cookie of a browser that is signed in.

It holds the credential of a session and not the token: it ends by itself, by signing out, and with
the token. It is `SameSite=Lax`: a link in a mail or a chat opens the page signed in, which `Strict`
would not; and what changes something is a POST, with which a browser does not send it from other
sites, and which is refused from other origins besides.
"""

from starlette.requests import Request
from starlette.responses import Response

from dwell.service.access.loopback import is_loopback
from dwell.service.access.tokens import SESSION_SECONDS
from dwell.service.settings import Settings

SESSION = "dwell-session"
_LOCKED = "__Host-"  # browsers take such a cookie only by https, and no other host can set it


def cookie_of(request: Request, settings: Settings) -> str | None:
    """What the cookie holds, if there is one."""
    return request.cookies.get(_name(_secure(request, settings)))


def set_cookie(response: Response, text: str, request: Request, settings: Settings) -> None:
    """Sign a browser in."""
    secure = _secure(request, settings)
    response.set_cookie(
        *(_name(secure), text, SESSION_SECONDS), secure=secure, httponly=True, samesite="lax"
    )


def clear_cookie(response: Response, request: Request, settings: Settings) -> None:
    """Sign a browser out."""
    secure = _secure(request, settings)
    response.delete_cookie(_name(secure), secure=secure, httponly=True, samesite="lax")


def _secure(request: Request, settings: Settings) -> bool:
    """Only by https, but on loopback, where nobody listens in between."""
    return request.scope["scheme"] == "https" or not is_loopback(settings.host)


def _name(secure: bool) -> str:
    return f"{_LOCKED}{SESSION}" if secure else SESSION
