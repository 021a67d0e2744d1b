"""Evaluate as a page: a log is sent, and the command's own report comes back."""

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.responses import HTMLResponse

from dwell.errors import DwellError
from dwell.report.page import page as report_page
from dwell.service.access.callers import may
from dwell.service.access.headers import sandboxed
from dwell.service.pages.site import page
from dwell.service.parts import WithSettings, WithWorkers
from dwell.service.uploads import kept

router = APIRouter(include_in_schema=False)
_LONGEST_TEXT = 2_000


@router.get("/evaluate", dependencies=[may("read")])
def evaluate(request: Request, settings: WithSettings) -> HTMLResponse:
    """A form for a log of past tests."""
    return page(
        request,
        "evaluate.html.jinja",
        place="evaluate",
        most=settings.largest_upload,
    )


@router.post("/evaluate", dependencies=[may("read")])
def evaluated(
    workers: WithWorkers,
    settings: WithSettings,
    log: Annotated[UploadFile, File()],
    setup_cost: Annotated[str, Form(max_length=40)] = "",
    current: Annotated[str, Form(max_length=40)] = "ahead",
    columns: Annotated[str, Form(max_length=_LONGEST_TEXT)] = "",
    form: Annotated[str, Form(max_length=20)] = "",
) -> HTMLResponse:
    """The report on a log, as a page of its own: it stands in a frame, or alone."""
    asked: dict[str, Any] = {
        "current": current.strip() or "ahead",
        "columns": columns.strip() or None,
        "form": form or None,
    }
    cost = setup_cost.replace(",", "").strip()
    try:
        asked["setup_cost"] = float(cost) if cost else None
    except ValueError:
        return _refused(f"The set-up cost must be a number of samples, got {setup_cost!r}.")
    try:
        with kept(log.file, settings.largest_upload) as path:
            found = workers.compute("evaluate", {"path": str(path), **asked}, page=True)
    except DwellError as error:
        return _refused(f"{str(error)[:1].upper()}{str(error)[1:]}.")
    return sandboxed(found.page or "")


def _refused(why: str) -> HTMLResponse:
    """What is wrong with a log, as a page that may stand in the same frame."""
    advice = "Nothing was kept. Mend the log or the terms, and send it again."
    response = sandboxed(report_page("This log cannot be evaluated.", [why, advice], []))
    response.status_code = HTTPStatus.UNPROCESSABLE_ENTITY
    return response
