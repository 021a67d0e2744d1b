"""The HTTP API, version 1."""

from fastapi import FastAPI

from dwell.service.api import computed, description, hooks, learned, operations, programmes, tasks
from dwell.service.api.direct import Directly


def install(app: FastAPI) -> None:
    """Add the API to an application.

    Routes are tried one after another, those that are asked for most first. They are added as they
    are: to be found within routers that are included takes as long as to be answered.
    """
    parts = (tasks, operations, programmes, learned, hooks, computed, description)
    for router in (tasks.busy, *(part.router for part in parts)):
        app.router.routes += router.routes
        app.state.routes += router.routes
    app.add_middleware(Directly, routes=tasks.busy.routes)
