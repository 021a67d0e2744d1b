"""Workers on other machines, by Dask."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from urllib.parse import urlsplit

from dwell.errors import InvalidInput, MissingExtra

_SECONDS = 10


@contextmanager
def executor_at(address: str) -> Iterator[Executor]:
    """The workers of a Dask scheduler; what one that dies had to do is done by another.

    Args:
        address: Where the scheduler is: `tcp://host:8786`.
    """
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtra("--scheduler needs Dask: pip install 'dwell[dask]'") from None
    _require_reachable(address)
    try:
        client = Client(address, timeout=_SECONDS, set_as_default=False)
        with client, client.get_executor() as executor:
            client.wait_for_workers(1, timeout=_SECONDS)
            yield executor
    except OSError as error:  # a time-out is one
        raise InvalidInput(
            f"--scheduler must be the address of a Dask scheduler with workers, got {address!r}: "
            f"{error}"
        ) from None


def _require_reachable(address: str) -> None:
    """Refuse an address where nobody listens: Dask would wait, and say so in many lines."""
    try:
        parts = urlsplit(address)
        if parts.scheme not in ("tcp", "tls") or not parts.hostname or not parts.port:
            raise ValueError("it must look like tcp://host:8786")
        socket.create_connection((parts.hostname, parts.port), _SECONDS).close()
    except (OSError, ValueError) as error:
        raise InvalidInput(
            f"--scheduler must be the address of a Dask scheduler that listens, got {address!r}: "
            f"{getattr(error, 'strerror', None) or error}"
        ) from None
