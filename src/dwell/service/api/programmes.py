"""Programmes over HTTP: create, list, read."""

from fastapi import APIRouter

from dwell.report.programme import ProgrammeRow, programme_row
from dwell.service.access.callers import may
from dwell.service.parts import OnShelf

router = APIRouter(tags=["Programmes"])


@router.get("/programmes", dependencies=[may("read")])
def list_programmes(shelf: OnShelf) -> list[ProgrammeRow]:
    """All programmes, by name."""
    return [programme_row(shelf.open(name)) for name in shelf.names()]
