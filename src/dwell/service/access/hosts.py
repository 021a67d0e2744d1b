"""Hosts and origins: which names the service goes by, and whose pages may change something.

A page from elsewhere can have its own name lead to 127.0.0.1 and then call the service from within
the browser (DNS rebinding): the Host header still says that name. Ports are not looked at: a page
cannot forge the name, and tunnels change the port.
"""

import re
from http import HTTPStatus

from starlette.types import Scope

from dwell.service.access.loopback import NAMES, is_loopback
from dwell.service.access.refusals import Given, refusal
from dwell.service.settings import Settings

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:@/\\\s]+)(:[0-9]+)?", re.IGNORECASE)


class Hosts:
    """Tells requests that are meant for this service by its names.

    Where other machines reach it and no names are given any name will do: a token is needed there,
    and a cookie goes only to the host that set it.
    """

    def __init__(self, settings: Settings) -> None:
        own = f"[{settings.host}]" if ":" in settings.host else settings.host
        self._names = NAMES | {name.lower() for name in (own, *settings.allowed_hosts)}
        self._any = not is_loopback(settings.host) and not settings.allowed_hosts

    def require(self, scope: Scope) -> None:
        """Refuse a request that is meant for another service."""
        named = [value for name, value in scope["headers"] if name == b"host"]
        found = _HOST.fullmatch(named[0].decode("latin-1")) if len(named) == 1 else None
        if found is None or not (self._any or found[1].lower() in self._names):
            raise refusal(
                HTTPStatus.MISDIRECTED_REQUEST,
                "the Host header names another service; use localhost, or start dwell serve with "
                "--allowed-host for the name that you use",
            )


def from_our_pages(scope: Scope, given: Given, known_by_cookie: bool) -> bool:
    """Whether a request that changes something comes from our own pages, or from no page at all.

    Browsers say where a request comes from: in Sec-Fetch-Site, and in Origin where they do not know
    that yet. Another port of this machine is another origin, though the same site. What says
    neither comes from no browser of today; a cookie is a browser's, so it has to say.

    Args:
        scope: The request.
        given: Its headers.
        known_by_cookie: Whether it is a cookie that says who calls.
    """
    site, origin = given.get(b"sec-fetch-site"), given.get(b"origin")
    if site is not None:
        return site in (b"same-origin", b"none")
    if origin is not None:
        ours: bytes = scope["scheme"].encode() + b"://" + given.get(b"host", b"")
        return origin.lower() == ours.lower()
    return not known_by_cookie
