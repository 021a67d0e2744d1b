"""The HTTP API, version 1."""

from fastapi import FastAPI

from dwell.service.api import computed, description, learned, operations, programmes, tasks
from dwell.service.metrics import CountRequests, Metrics


def install(app: FastAPI) -> None:
    """Add the API to an application."""
    for part in (programmes, tasks, learned, computed, operations, description):
        app.include_router(part.router)
        app.state.routes += part.router.routes
    app.state.metrics = Metrics()
    app.add_middleware(CountRequests, metrics=app.state.metrics)
