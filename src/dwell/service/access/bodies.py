"""Bodies of requests: none too large, none too slow."""

from asyncio import timeout
from http import HTTPStatus
from math import inf
from time import monotonic

from anyio import move_on_after
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope, Send

from dwell.service.access.refusals import Given, refusal
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


class Body:
    """A body that is being received: bytes are counted as they come.

    What a request says of its length may be wrong or missing.

    Args:
        scope: The request …
        given: … and its headers.
        receive: Receives the parts.
        settings: What the service was started with.
    """

    def __init__(self, scope: Scope, given: Given, receive: Receive, settings: Settings) -> None:
        self._receive = receive
        kind = given.get(b"content-type", b"").decode("latin-1")
        self._most = _most(scope["path"], kind, settings)
        self._said = given.get(b"content-length", b"")
        self._pause = settings.body_pause_seconds
        self._seconds, self._until = settings.body_seconds, inf
        self._received = 0
        self._whole = False
        self._too_large = False
        self.refused = False

    def expect(self) -> None:
        """Have it be sent from now on; refuse one that is said to be too large."""
        self._until = monotonic() + self._seconds
        if self._said.isdigit() and int(self._said) > self._most:
            raise self._larger()

    async def receive(self) -> Message:
        """The next part."""
        if self._whole:  # from here on it is the end of the connection that is waited for
            return await self._receive()
        left = self._until + self._received / _SLOWEST - monotonic()
        try:
            async with timeout(max(0.0, min(self._pause, left))):
                message = await self._receive()
        except TimeoutError:
            self.refused = True
            raise refusal(
                HTTPStatus.REQUEST_TIMEOUT,
                f"after {self._received:,} bytes the request came too slowly; send it again",
            ) from None
        self._received += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._received > self._most:
            raise self._larger()
        return message

    def _larger(self) -> HTTPException:
        self.refused = self._too_large = True
        return refusal(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"the request has more than {_size(self._most)}, the most that is taken here; send it "
            "in parts",
        )

    async def send_refusal(self, message: Message, send: Send) -> None:
        """Send on; the end of a refusal comes after what the other side still had to say.

        A connection that is closed while something comes in is reset, and the other side never
        reads why. What comes in is let go at once, and not for long.
        """
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
        if not self._too_large or message.get("more_body", False) or "body" not in message:
            await send(message)
            return
        await send({**message, "more_body": True})
        with move_on_after(_LINGER_SECONDS):
            while not self._whole:
                last = await self._receive()
                self._whole = not last.get("more_body", False)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def _most(path: str, kind: str, settings: Settings) -> int:
    """The most bytes that a body of a kind may have there."""
    upload, kind = path in UPLOADS, kind.lower()
    if _FIELDS in kind or (_PARTS in kind and not upload):
        return min(_LARGEST_FORM, settings.largest_body)
    return settings.largest_upload if upload else settings.largest_body


def _size(most: int) -> str:
    """A number of bytes in words.

    Example:
        >>> _size(8 * 2**20), _size(65_536)
        ('8 MB', '64 kB')
    """
    return f"{most / _MEGABYTE:g} MB" if most >= _MEGABYTE else f"{most / 1024:g} kB"
