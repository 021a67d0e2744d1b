"""Bodies of requests: none too large, none too slow."""

from asyncio import timeout
from http import HTTPStatus
from time import monotonic

from anyio import move_on_after
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dwell.service.access.refusals import refusal, refuse
from dwell.service.settings import Settings

# Where files are sent to.
UPLOADS = frozenset({"/evaluate", "/api/v1/evaluate"})
# A form has a few short fields. Megabytes of `&` would be taken apart for seconds, for anybody.
_LARGEST_FORM = 64 * 1024
# Found anywhere: what reads forms may find a kind where others would not.
_FIELDS, _PARTS = "x-www-form-urlencoded", "multipart"
_SLOWEST = 16_000.0  # bytes a second
_LINGER_SECONDS = 5.0
_MEGABYTE = 2**20


class Bodies:
    """Counts bytes as they come: what a request says of its length may be wrong or missing."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        settings, headers = self._settings, Headers(scope=scope)
        most = _most(scope["path"], headers.get("content-type", ""), settings)
        body = _Body(receive, most, settings)
        said = headers.get("content-length", "")
        if said.isdecimal() and int(said) > most:
            body.too_large = True
            await refuse(_too_large(most), scope, receive, body.before_end(send))
        else:
            await self._app(scope, body.receive, body.before_end(send))


def _most(path: str, kind: str, settings: Settings) -> int:
    """The most bytes that a body of a kind may have there."""
    upload, kind = path in UPLOADS, kind.lower()
    if _FIELDS in kind or (_PARTS in kind and not upload):
        return min(_LARGEST_FORM, settings.largest_body)
    return settings.largest_upload if upload else settings.largest_body


class _Body:
    """A body that is being received."""

    def __init__(self, receive: Receive, most: int, settings: Settings) -> None:
        self._receive = receive
        self._most = most
        self._pause = settings.body_pause_seconds
        self._until = monotonic() + settings.body_seconds
        self._received = 0
        self._whole = False
        self.too_large = False
        self._too_slow = False

    async def receive(self) -> Message:
        """The next part."""
        if self._whole:  # from here on it is the end of the connection that is waited for
            return await self._receive()
        left = self._until + self._received / _SLOWEST - monotonic()
        try:
            async with timeout(max(0.0, min(self._pause, left))):
                message = await self._receive()
        except TimeoutError:
            self._too_slow = True
            raise refusal(
                HTTPStatus.REQUEST_TIMEOUT,
                f"after {self._received:,} bytes the request came too slowly; send it again",
            ) from None
        self._received += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._received > self._most:
            self.too_large = True
            raise _too_large(self._most)
        return message

    def before_end(self, send: Send) -> Send:
        """Sends on; the end of a refusal comes after what the other side still had to say.

        A connection that is closed while something comes in is reset, and the other side never
        reads why. What comes in is let go at once, and not for long.
        """

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start" and (self.too_large or self._too_slow):
                MutableHeaders(scope=message)["connection"] = "close"
            if not self.too_large or message.get("more_body", False) or "body" not in message:
                await send(message)
                return
            await send({**message, "more_body": True})
            with move_on_after(_LINGER_SECONDS):
                while not self._whole:
                    last = await self._receive()
                    self._whole = not last.get("more_body", False)
            await send({"type": "http.response.body", "body": b"", "more_body": False})

        return sent


def _too_large(most: int) -> HTTPException:
    return refusal(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"the request has more than {_size(most)}, the most that is taken here; send it in parts",
    )


def _size(most: int) -> str:
    """A number of bytes in words.

    Example:
        >>> _size(8 * 2**20), _size(65_536)
        ('8 MB', '64 kB')
    """
    return f"{most / _MEGABYTE:g} MB" if most >= _MEGABYTE else f"{most / 1024:g} kB"
