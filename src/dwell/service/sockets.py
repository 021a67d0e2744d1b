"""Sockets: where the service listens.

They are said to be TCP's. Otherwise asyncio does not know, and leaves small packets to wait for one
another: every answer would take 40 ms.
"""

import errno
import socket

from dwell.errors import InvalidInput

_BACKLOG = 2048


def listening(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """A socket that listens, or is to be listened on by several processes.

    Args:
        host: The address.
        port: The port; 0 for one that is free.
        shared: Whether several processes are to have one each, so that the system spreads callers
            over them; the one that this gives only keeps the port.
    """
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.socket(family, kind, socket.IPPROTO_TCP)
    except (OSError, UnicodeError):
        raise InvalidInput(
            f"host must be an address of this machine, such as 127.0.0.1, got {host!r}"
        ) from None
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        if not shared:
            made.listen(_BACKLOG)
            return made
        # Nobody else was there: from now on the workers may be, beside this one.
        address = made.getsockname()
        made.close()
        return joining(family, address)
    except OSError as error:
        made.close()
        raise _refused(error, host, port) from None


def joining(family: int, address: tuple[object, ...]) -> socket.socket:
    """A socket beside others at the same address."""
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    made.bind(address)
    return made


def url_of(bound: socket.socket) -> str:
    """The address of a service that listens there, as a browser takes it."""
    host, port = bound.getsockname()[:2]
    return _url(host, port)


def _url(host: str, port: int) -> str:
    """An address.

    Example:
        >>> _url("127.0.0.1", 8000), _url("::1", 8000)
        ('http://127.0.0.1:8000', 'http://[::1]:8000')
    """
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _refused(error: OSError, host: str, port: int) -> InvalidInput:
    if error.errno == errno.EADDRINUSE:
        return InvalidInput(
            f"port {port} of {host} is taken; give another port, or 0 for one that is free"
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return InvalidInput(f"you may not use port {port}; give one from 1024 on")
    return InvalidInput(f"cannot listen on {host}, port {port}: {error.strerror}")
