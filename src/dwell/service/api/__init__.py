"""The HTTP API, version 1."""

from fastapi import FastAPI

from dwell.service.api import computed, description, hooks, learned, operations, programmes, tasks


def install(app: FastAPI) -> None:
    """Add the API to an application."""
    for part in (programmes, tasks, learned, hooks, computed, operations, description):
        app.include_router(part.router)
        app.state.routes += part.router.routes
