"""The gate: nobody gets past it who is not known, calls too often, or comes by another's page."""

from collections.abc import Callable
from http import HTTPStatus
from logging import getLogger
from math import ceil
from urllib.parse import quote

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.types import Message, Scope, Send

from dwell.errors import DwellError
from dwell.service.access.callers import ON_LOOPBACK, Caller
from dwell.service.access.cookies import SESSION, cookie_of
from dwell.service.access.hosts import from_our_pages
from dwell.service.access.loopback import open_to_all
from dwell.service.access.rates import Rates
from dwell.service.access.refusals import Given, refusal
from dwell.service.access.tokens import Tokens
from dwell.service.settings import Settings

# Paths are those of the scope: `request.url` is put together with what the Host header says.
# Whoever asks may have these: they say nothing of programmes.
_PUBLIC = frozenset({"/sign-in", "/sign-out", "/healthz", "/readyz", "/favicon.ico"})
_PUBLIC_FOLDER = "/static/"
_API = "/api/"
_CHANGES_NOTHING = frozenset({"GET", "HEAD", "OPTIONS"})
# Something in front passes on what others ask for: they are not on this machine.
_PASSED_ON = frozenset({b"forwarded", b"x-forwarded-for", b"x-real-ip", b"via"})

_Look = Callable[[], Caller | None]


class TokenEnded(OSError):
    """What a send raises where nobody may read on; it is how a server says that a reader left."""


class Gate:
    """Finds out who calls, and lets them in or not.

    Tokens are read anew where they were last read a second ago, or where one is not known: a new
    token works at once, and a revoked one no longer than a second, on every worker.

    Args:
        settings: What the service was started with.
        tokens: Whom it knows.
    """

    def __init__(self, settings: Settings, tokens: Tokens) -> None:
        self._settings = settings
        self._tokens = tokens
        self._open_to_all = open_to_all(settings)
        self._rates = Rates(settings.requests_per_second)
        # Threads of its own: where all others are busy with plans, callers are still told apart.
        self._threads = CapacityLimiter(2)

    async def let_in(self, scope: Scope, given: Given, send: Send) -> Send:
        """Put down who calls, and give what to answer them by.

        Raises:
            HTTPException: If they are not let in.
        """
        look = self._credential(scope, given)
        path = scope["path"]
        public = path in _PUBLIC or path.startswith(_PUBLIC_FOLDER)
        caller = None if public else look()
        if caller is None:  # before anything is read for somebody who is not known
            self._require_rate(f"at {scope['client'][0] if scope.get('client') else None}")
        if not public and caller is not ON_LOOPBACK:
            if caller is None or not self._tokens.fresh:
                await self._read_tokens()
            caller = look()
            if caller is None:
                raise refusal(
                    HTTPStatus.UNAUTHORIZED,
                    "a token is needed that holds: send it as Authorization: Bearer dwell_…",
                    www_authenticate="Bearer",
                )
            self._require_rate(str(caller.token))
        self._require_our_page(scope, given, caller)
        scope.setdefault("state", {})["caller"] = caller
        return send if caller is None or caller.token is None else self._while_known(look, send)

    def _credential(self, scope: Scope, given: Given) -> _Look:
        """Tells who calls, as far as is known by now."""
        authorization = given.get(b"authorization")
        if authorization is not None:
            scheme, _, text = authorization.decode("latin-1").partition(" ")
            return lambda: self._by_token(text.strip() if scheme.lower() == "bearer" else "")
        anybody = self._open_to_all and _PASSED_ON.isdisjoint(given)
        # A cookie that is no good does no harm where one is as well off without.
        default = ON_LOOPBACK if anybody else None
        cookie = cookie_of(Request(scope), self._settings) if b"cookie" in given else None
        return lambda: (cookie and self._by_session(cookie)) or default

    def _by_token(self, text: str) -> Caller | None:
        token = self._tokens.shown(text)
        return None if token is None else Caller.with_token(token, "token")

    def _by_session(self, cookie: str) -> Caller | None:
        token = self._tokens.signed_in(cookie)
        return None if token is None else Caller.with_token(token, "session")

    def _require_rate(self, name: str) -> None:
        wait = self._rates.wait(name)
        if wait:
            raise refusal(
                HTTPStatus.TOO_MANY_REQUESTS,
                f"more than {self._settings.requests_per_second:g} requests per second; wait, or "
                "tell many things in one call",
                retry_after=str(ceil(wait)),
            )

    def _require_our_page(self, scope: Scope, given: Given, caller: Caller | None) -> None:
        by = None if caller is None else caller.by
        # No page of others can have a browser send a token.
        if scope["method"] in _CHANGES_NOTHING or by == "token":
            return
        if not from_our_pages(scope, given, known_by_cookie=by == "session"):
            raise refusal(
                HTTPStatus.FORBIDDEN,
                "this was sent by a page of another origin; use the service's own pages, or a "
                "token",
            )

    async def _read_tokens(self) -> None:
        try:
            await to_thread.run_sync(self._tokens.read_on, limiter=self._threads)
        except DwellError as error:
            getLogger("dwell.service").error("tokens cannot be read: %s", error)
            raise refusal(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "tokens cannot be looked up: the store does not answer; try again",
                retry_after="1",
            ) from None

    def _while_known(self, look: _Look, send: Send) -> Send:
        """Cuts off what goes on being sent, as live updates do, once the token has ended."""

        async def sent(message: Message) -> None:
            if message.get("more_body"):
                if not self._tokens.fresh:
                    await self._read_tokens()
                if look() is None:
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
                    raise TokenEnded
            await send(message)

        return sent


def sign_in_for(scope: Scope, given: Given) -> str | None:
    """The page to sign in on, from which one comes back, for who looks at a page.

    A program cannot sign in.
    """
    if (
        scope["method"] not in ("GET", "HEAD")
        or scope["path"].startswith(_API)
        or b"authorization" in given
        or b"text/html" not in given.get(b"accept", b"")
    ):
        return None
    query = scope["query_string"]
    asked = scope["raw_path"] + (b"?" + query if query else b"")
    ended = "ended=1&" if SESSION.encode() in given.get(b"cookie", b"") else ""
    return f"/sign-in?{ended}next={quote(asked)}"
