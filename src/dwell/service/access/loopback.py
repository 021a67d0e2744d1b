"""Loopback: who can reach the service, and whether it is safe to start."""

from functools import lru_cache
from ipaddress import ip_address

from dwell.errors import InvalidInput
from dwell.service.access.tokens import Tokens
from dwell.service.settings import Settings

NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})


@lru_cache
def is_loopback(host: str) -> bool:
    """Whether an address can be reached from its own machine only.

    Example:
        >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("::1")
        (True, True, True)
        >>> is_loopback("0.0.0.0"), is_loopback("dwell.example")
        (False, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:  # a name, which may lead anywhere
        return False


def open_to_all(settings: Settings) -> bool:
    """Whether who comes without a token may do everything.

    So it is on loopback, where only this machine's people come. Whoever names other hosts has
    something in front that lets others in.
    """
    return is_loopback(settings.host) and not settings.require_token and not settings.allowed_hosts


def require_safe(settings: Settings, tokens: Tokens) -> None:
    """Refuse to start where others could come in and nobody has a token.

    Raises:
        InvalidInput: If the service would be closed to all, or open to those it should not be.
    """
    if open_to_all(settings) or any(token.revoked is None for token in tokens.all()):
        return
    if is_loopback(settings.host):
        why, otherwise = "where tokens are required", "leave require_token and allowed_hosts out"
    else:
        why, otherwise = "where other machines can reach it", "listen on 127.0.0.1"
    raise InvalidInput(
        f"to listen on {settings.host}, {why}, there must be a token: make one by dwell token "
        f"create --scope admin with the same --store, or {otherwise}"
    )
