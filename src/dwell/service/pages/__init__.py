"""The web page: what a lead opens every morning."""

from fastapi import FastAPI

from dwell.service.live import Live
from dwell.service.pages import (
    evaluate_page,
    following,
    lone,
    plan_page,
    programmes,
    site,
    task_page,
)
from dwell.service.pages.overview import AllShown


def install(app: FastAPI) -> None:
    """Add the pages to an application, errors as pages among them."""
    app.state.shown = AllShown()
    app.state.live = Live(app.state.settings.live_pages)
    for part in (site, lone, following, programmes, task_page, plan_page, evaluate_page):
        app.include_router(part.router)
    lone.install(app)
