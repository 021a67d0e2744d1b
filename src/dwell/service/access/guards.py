"""All that a request passes on its way to a route, in order."""

from fastapi import FastAPI

from dwell.service.access.bodies import Bodies
from dwell.service.access.gate import Gate
from dwell.service.access.headers import StrictHeaders
from dwell.service.access.hosts import Hosts
from dwell.service.access.request_log import RequestLog
from dwell.service.access.tokens import Tokens
from dwell.service.settings import Settings


def install(app: FastAPI, settings: Settings, tokens: Tokens) -> None:
    """Put them before the application; what is added last comes first."""
    app.add_middleware(Bodies, settings=settings)
    app.add_middleware(Gate, settings=settings, tokens=tokens)
    app.add_middleware(Hosts, settings=settings)
    app.add_middleware(RequestLog)
    app.add_middleware(StrictHeaders)
