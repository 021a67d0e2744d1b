"""The application: settings, programmes, API and pages put together."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import time

from anyio import to_thread
from fastapi import FastAPI

from dwell import __version__
from dwell.programme.stores.addresses import store_at
from dwell.programme.stores.protocol import EventStore
from dwell.service import api, pages, problems
from dwell.service.access import signing_in
from dwell.service.access.guards import Guards
from dwell.service.access.tokens import Tokens
from dwell.service.delivery import Delivery
from dwell.service.hooks import Hooks
from dwell.service.metrics import Metrics
from dwell.service.settings import Settings
from dwell.service.shelf import Shelf
from dwell.service.workers import Workers


def create_app(
    settings: Settings | None = None,
    store: EventStore | None = None,
    clock: Callable[[], float] = time,
) -> FastAPI:
    """The application.

    Args:
        settings: What it is started with.
        store: Where programmes are kept, if not at the address of the settings.
        clock: What tells the time to programmes, in seconds since 1970.
    """
    settings = settings or Settings()
    app = FastAPI(
        title="dwell",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # /metrics and logs are ours
        lifespan=_at_work,
    )
    app.state.settings = settings
    kept = store or store_at(settings.store)
    app.state.shelf = Shelf(kept, clock)
    app.state.tokens = Tokens(kept)
    app.state.hooks = Hooks(kept, clock)
    app.state.delivery = Delivery(app.state.shelf, app.state.hooks)
    app.state.workers = Workers(settings.most_calls, settings.call_seconds)
    app.state.routes = []  # those of all parts
    problems.install(app)
    api.install(app)
    pages.install(app)
    app.include_router(signing_in.router)
    app.state.metrics = Metrics()
    app.add_middleware(
        Guards, settings=settings, tokens=app.state.tokens, metrics=app.state.metrics
    )
    return app


@asynccontextmanager
async def _at_work(app: FastAPI) -> AsyncIterator[None]:
    """Prepare pages before the application is served, and post decisions while it is."""
    await to_thread.run_sync(app.state.shown.prepare, app.state.shelf)
    if app.state.settings.hooks:
        app.state.delivery.start()
    yield
    app.state.delivery.end()
