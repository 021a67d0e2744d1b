"""The web page: what a lead opens every morning."""

from fastapi import FastAPI

from dwell.service.pages import lone, programmes, site
from dwell.service.pages.overview import AllShown


def install(app: FastAPI) -> None:
    """Add the pages to an application, errors as pages among them."""
    app.state.shown = AllShown()
    for part in (site, lone, programmes):
        app.include_router(part.router)
    lone.install(app)
