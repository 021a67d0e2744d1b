"""Self-check: a service that was just started, asked what its people will ask."""

import os
import signal
from collections.abc import Callable
from http.client import HTTPException
from json import loads
from threading import Thread
from time import monotonic, sleep
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from dwell.errors import DwellError
from dwell.service.demo.feed import NAME

_SECONDS = 60.0  # until a demo has to move
_ANSWER_SECONDS = 30.0


class SelfCheck:
    """Checks a service once it is ready, and has it stop.

    Args:
        demo: Whether it shows the demo, which has to move.
        say: What is said on the way.
    """

    def __init__(self, demo: bool, say: Callable[[str], None]) -> None:
        self._demo, self._say = demo, say
        self._fault: Exception | None = None

    def begin(self, url: str) -> None:
        """Check the service at an address, beside what it does."""
        Thread(target=self._run, args=(url,), daemon=True).start()

    def conclude(self) -> None:
        """Refuse what was found wrong."""
        if self._fault is not None:
            raise DwellError(f"the service does not work: {self._fault}") from self._fault

    def _run(self, url: str) -> None:
        try:
            _get(f"{url}/healthz")
            _get(f"{url}/readyz")  # whoever asks, also where all else needs a token
            self._say(f"{url} answers.")
            if self._demo:
                _get(f"{url}/programmes/{NAME}")
                self._say("The programme's page is there.")
                _see_move(f"{url}/api/v1/programmes")
                self._say("It moves.")
        except (OSError, HTTPException, ValueError, DwellError) as fault:
            self._fault = fault
        finally:
            os.kill(os.getpid(), signal.SIGTERM)


def _get(url: str) -> bytes:
    """What is answered at an address, which has to be an answer."""
    try:
        with urlopen(url, timeout=_ANSWER_SECONDS) as answer:
            body: bytes = answer.read()
            return body
    except URLError as error:
        raise DwellError(f"{url} gave {error}") from None


def _see_move(url: str) -> None:
    """Wait until there is more of something than there was."""
    first, end = _get(url), monotonic() + _SECONDS
    rows: Any = loads(first)
    if not rows:
        raise DwellError(f"{url} lists no programme")
    while _get(url) == first:
        if monotonic() > end:
            raise DwellError(f"nothing has moved within {_SECONDS:g} s")
        sleep(0.5)
