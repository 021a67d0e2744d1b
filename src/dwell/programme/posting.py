"""Posting: a text sent to an address of the web, tried again for a while where that may help."""

import ssl
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from http.client import HTTPException
from time import sleep
from typing import Any, Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, HTTPSHandler, Request, build_opener

from dwell import checks
from dwell.errors import InvalidInput

TIMEOUT = 10.0  # seconds without an answer
WAITS = (1.0, 2.0, 4.0)  # seconds until the second try, the third, …
_LATER = (408, 425, 429)  # what asks for another try; so does whatever goes wrong over there
_LONGEST_ANSWER = 2**16


@dataclass(frozen=True, slots=True)
class Address:
    """Where to post. What its path and its query hold may be secret: they are not shown.

    Example:
        >>> Address("https://hooks.example.com/token")
        Address(https://hooks.example.com)
        >>> Address("file:///etc/passwd")
        Traceback (most recent call last):
        dwell.errors.InvalidInput: a URL to post to must be http://… or https://…, got one of file
    """

    url: str

    def __post_init__(self) -> None:
        checks.kind("a URL to post to", self.url, str, "a text such as https://host/path")
        if not self.url.isascii() or any(each.isspace() for each in self.url):
            raise InvalidInput(
                "a URL to post to must be ASCII without spaces; encode what is not as %20 and so on"
            )
        try:
            parts = urlsplit(self.url)
            port, host = parts.port, parts.hostname
        except ValueError:
            raise InvalidInput("a URL to post to must be http://host:port/path") from None
        if parts.scheme not in ("http", "https"):
            got = f"one of {parts.scheme}" if parts.scheme else "one without either"
            raise InvalidInput(f"a URL to post to must be http://… or https://…, got {got}")
        if not host or port == 0:
            raise InvalidInput("a URL to post to must name a host, as in https://host/path")
        if "@" in parts.netloc:
            raise InvalidInput(
                "a URL to post to must hold no user and no password; put a token into its path"
            )

    @property
    def host(self) -> str:
        """What of it can be shown."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def digest(self) -> str:
        """What it is known by where it is not to be shown."""
        return sha256(self.url.encode()).hexdigest()[:32]

    def __repr__(self) -> str:
        return f"Address({self.host})"


class Post(Protocol):
    """What posts a text, and says why it could not."""

    def __call__(self, address: Address, body: str, *, key: str) -> str:
        """Post a text under a key that is the same on each try; the reason why not, or nothing."""


def post(
    address: Address,
    body: str,
    *,
    key: str,
    timeout: float = TIMEOUT,
    waits: tuple[float, ...] = WAITS,
    pause: Callable[[float], None] = sleep,
) -> str:
    """Post JSON until it is taken, a few times, and return why it was not; nothing if it was.

    It is taken if the answer is 200 to 299. Where another try cannot help (the answer is 400 to
    499, as a rule), there is none; other hosts are not gone to.

    Args:
        address: Where to.
        body: The JSON.
        key: What the other side knows it by, in the header Idempotency-Key.
        timeout: After so many seconds of silence a try has failed.
        waits: How many seconds to wait before each other try.
        pause: What waits.
    """
    for wait in (*waits, None):
        reason, again = _tried(address, body, key, timeout)
        if not again or wait is None:
            return reason
        pause(wait)
    raise AssertionError("the last try returns")


class _NoRedirects(HTTPRedirectHandler):
    """Takes an answer that points elsewhere for what it is: a refusal."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Go nowhere."""


def _tried(address: Address, body: str, key: str, timeout: float) -> tuple[str, bool]:
    """Why a try failed, if it did, and whether another may help."""
    headers = {
        "Content-Type": "application/json",
        "Idempotency-Key": key,
        "User-Agent": "dwell",
    }
    # The address was checked to be of the web: neither files nor anything else are opened.
    request = Request(address.url, body.encode(), headers, method="POST")
    opener = build_opener(_NoRedirects, HTTPSHandler(context=ssl.create_default_context()))
    try:
        with opener.open(request, timeout=timeout) as answer:
            answer.read(_LONGEST_ANSWER)
            return "", False
    except HTTPError as error:
        with error:
            if 300 <= error.code < 400:
                return f"it answers {error.code}, that one should post elsewhere", False
            return f"it answers {error.code}", error.code >= 500 or error.code in _LATER
    except URLError as error:
        if isinstance(error.reason, ssl.SSLCertVerificationError):
            return "its certificate cannot be verified", False
        return _reason(error.reason, timeout), True
    except (OSError, HTTPException) as error:
        return _reason(error, timeout), True


def _reason(error: object, timeout: float) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {timeout:g} s"
    return getattr(error, "strerror", None) or type(error).__name__
