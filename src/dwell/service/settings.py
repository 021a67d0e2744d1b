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
    """

    store: str = "sqlite:///dwell.db"
    host: str = "127.0.0.1"
    port: int = 8000
    largest_body: int = 8 * _MEGABYTE
    largest_upload: int = 64 * _MEGABYTE
    most_calls: int = 2
    call_seconds: float = 120.0
