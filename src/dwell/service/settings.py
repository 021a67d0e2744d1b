"""What the service is started with."""

from dataclasses import dataclass

_MEGABYTE = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the service is started with.

    Attributes:
        store: Where programmes are kept.
        host: The address that it listens on.
        port: The port.
        largest_body: The most bytes of a request.
        largest_upload: The most bytes of a log that is sent to be evaluated, unpacked.
        most_calls: How many plans and evaluations may be made at once.
        call_seconds: How long one of them may take.
        require_token: Whether a token is needed on loopback too.
        allowed_hosts: Names that the service goes by besides those of loopback, behind a proxy.
        requests_per_second: How many requests of a token, or of an address without one, a worker
            answers in the long run; at once it answers twice as many.
        body_pause_seconds: The longest silence while a body is sent.
        body_seconds: How long a body may take, besides a second for every 16 kB of it.
        live_pages: How many pages a worker keeps up to date at once.
        hooks: Whether decisions are posted to those that want to hear of them.
    """

    store: str = "sqlite:///dwell.db"
    host: str = "127.0.0.1"
    port: int = 8000
    largest_body: int = 8 * _MEGABYTE
    largest_upload: int = 64 * _MEGABYTE
    most_calls: int = 2
    call_seconds: float = 120.0
    require_token: bool = False
    allowed_hosts: tuple[str, ...] = ()
    requests_per_second: float = 500.0
    body_pause_seconds: float = 10.0
    body_seconds: float = 20.0
    live_pages: int = 200
    hooks: bool = True
