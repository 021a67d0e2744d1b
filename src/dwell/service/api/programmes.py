"""Programmes over HTTP: create, list, read, set anew."""

import msgspec
from fastapi import APIRouter

from dwell import parsing
from dwell.errors import InvalidInput
from dwell.families import hoeffding
from dwell.laws import Signs
from dwell.learners.registry import LEARNERS
from dwell.policies import Policies
from dwell.programme.events import Created
from dwell.programme.programme import Programme
from dwell.report.programme import programme_row
from dwell.service.access.callers import may
from dwell.service.api.chosen import ChosenProgramme
from dwell.service.api.documents import (
    ProgrammeDocument,
    ProgrammeRowDocument,
    ProgrammesDocument,
    ProgrammeSent,
    SettingsDocument,
    SettingsSent,
)
from dwell.service.names import API, PROGRAMME, usable_name
from dwell.service.parts import OnShelf
from dwell.service.problems import CLASH, NOT_THERE, responses

router = APIRouter(prefix=API, tags=["Programmes"])
# What takes longer to set up than a request may, or more room than an event.
_MOST_SIGNS, _MOST_BOUNDARIES = 20_000, 200_000


@router.get(
    "/programmes",
    operation_id="list_programmes",
    summary="List programmes",
    dependencies=[may("read")],
    responses=responses(),
)
def list_programmes(shelf: OnShelf) -> ProgrammesDocument:
    """All programmes, by name, with what became of their tasks."""
    rows = [programme_row(shelf.open(name)) for name in shelf.names()]
    return ProgrammesDocument(programmes=[ProgrammeRowDocument.model_validate(row) for row in rows])


@router.post(
    "/programmes",
    status_code=201,
    operation_id="create_programme",
    summary="Create a programme",
    dependencies=[may("admin")],
    responses=responses(CLASH),
)
def create_programme(shelf: OnShelf, sent: ProgrammeSent) -> ProgrammeDocument:
    """Create a programme: say what a sample is like by `law` and `cap`, or give `caps`.

    With a law, boundaries are computed for the ideas that the tests show; without one, the best of
    several policies is found.
    """
    name = usable_name("the name of a programme", sent.name)
    law = None if sent.law is None else parsing.parse_law(sent.law)
    if isinstance(law, Signs) and sent.cap is not None and sent.cap > _MOST_SIGNS:
        raise InvalidInput(
            f"cap must be at most {_MOST_SIGNS:,} with the law Signs, got {sent.cap}; create the "
            "programme by `dwell programme create`, which takes its time"
        )
    if law is None and sent.caps is None:
        raise InvalidInput(
            "say what a sample is like by law and cap, or which caps to choose among by caps"
        )
    created = shelf.create(
        name,
        learner=sent.learner,
        policies=_policies(sent),
        law=law,
        cap=sent.cap,
        setup_cost=sent.setup_cost,
        drift=sent.drift,
        **({} if sent.settings is None else sent.settings.given),
    )
    return _document(created, shelf.created(name))


@router.get(
    PROGRAMME,
    operation_id="read_programme",
    summary="Read a programme",
    dependencies=[may("read")],
    responses=responses(NOT_THERE),
)
def read_programme(programme: ChosenProgramme, shelf: OnShelf) -> ProgrammeDocument:
    """A programme: how it was created, its settings and what became of its tasks."""
    return _document(programme, shelf.created(programme.name))


@router.get(
    PROGRAMME + "/settings",
    operation_id="read_settings",
    summary="Read settings",
    dependencies=[may("read")],
    responses=responses(NOT_THERE),
)
def read_settings(programme: ChosenProgramme) -> SettingsDocument:
    """What can be set anew, as it is now."""
    return _settings(programme)


@router.patch(
    PROGRAMME + "/settings",
    operation_id="change_settings",
    summary="Change settings",
    dependencies=[may("admin")],
    responses=responses(NOT_THERE),
)
def change_settings(programme: ChosenProgramme, sent: SettingsSent) -> SettingsDocument:
    """Set something anew; what is left out stays as it is. It is safe to repeat."""
    programme.change(**sent.given)
    return _settings(programme)


def _policies(sent: ProgrammeSent) -> Policies | None:
    """The policies to choose among, if caps were given."""
    if sent.caps is None:
        return None
    caps = parsing.caps("caps", sent.caps) if isinstance(sent.caps, str) else sent.caps
    if sum(caps) > _MOST_BOUNDARIES:
        raise InvalidInput(
            f"caps must not add up to more than {_MOST_BOUNDARIES:,}, got {sum(caps):,}; give "
            "fewer, as in 1:65536:x2, or a law and a cap"
        )
    return hoeffding(caps, c=0.5, tasks=10_000, delta=0.05)


def _settings(programme: Programme) -> SettingsDocument:
    return SettingsDocument(**msgspec.structs.asdict(programme.settings))


def _document(programme: Programme, created: Created) -> ProgrammeDocument:
    row, counts = programme_row(programme), programme.counts
    settings = created.learner["settings"]
    return ProgrammeDocument(
        programme=row.programme,
        running=row.running,
        shipped=row.shipped,
        dropped=row.dropped,
        abandoned=row.abandoned,
        begun=counts.begun,
        finished=counts.finished,
        samples=counts.samples,
        learner=_learner_name(created),
        law=_law_text(created),
        cap=settings.get("cap"),
        setup_cost=settings.get("setup_cost", 0.0),
        drift=settings.get("drift", False),
        settings=_settings(programme),
    )


def _learner_name(created: Created) -> str:
    kind = created.learner["learner"]
    [name] = (name for name, entry in LEARNERS.items() if entry.kind == kind)
    return name


def _law_text(created: Created) -> str | None:
    """The law as people type it."""
    law = created.learner["settings"].get("law")
    if law is None:
        return None
    numbers = ", ".join(map(repr, law["fields"].values()))
    return f"{law['law']}({numbers})" if numbers else str(law["law"])
