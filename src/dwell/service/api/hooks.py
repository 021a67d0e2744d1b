"""Hooks over HTTP: who hears of decisions."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from dwell.service.access.callers import may
from dwell.service.api.chosen import ChosenProgramme
from dwell.service.api.documents import Sent
from dwell.service.hooks import Hook
from dwell.service.names import API, PROGRAMME
from dwell.service.parts import WithHooks
from dwell.service.problems import NOT_THERE, responses

router = APIRouter(prefix=API + PROGRAMME, tags=["Hooks"])


class HookSent(Sent):
    """An address that is to hear of decisions."""

    url: str = Field(
        min_length=1,
        max_length=2000,
        description="Where to post: http://… or https://…, without a user or a password. What it "
        "holds after the host may be secret and is never shown.",
        examples=["https://hooks.example.com/dwell"],
    )


class HookDocument(BaseModel):
    """An address that hears of decisions."""

    id: str = Field(
        description="What it goes by: a digest of the address.",
        examples=["9f86d081884c7d659a2feaa0c55ad015"],
    )
    host: str = Field(
        description="What of the address can be shown.", examples=["https://hooks.example.com"]
    )
    at: float = Field(description="Since when, in seconds since 1970.", examples=[1772443384.2])


class HooksDocument(BaseModel):
    """All that hear of a programme's decisions."""

    hooks: list[HookDocument] = Field(description="In the order in which they were added.")


@router.get(
    "/hooks",
    operation_id="list_hooks",
    summary="List who hears of decisions",
    dependencies=[may("admin")],
    responses=responses(NOT_THERE),
)
def list_hooks(programme: ChosenProgramme, hooks: WithHooks) -> HooksDocument:
    """All addresses that hear of the programme's decisions, by their hosts."""
    return HooksDocument(hooks=[_document(hook) for hook in hooks.of(programme.name)])


@router.post(
    "/hooks",
    status_code=201,
    operation_id="add_hook",
    summary="Have an address hear of decisions",
    dependencies=[may("admin")],
    responses=responses(NOT_THERE),
)
def add_hook(programme: ChosenProgramme, hooks: WithHooks, sent: HookSent) -> HookDocument:
    """Post each decision from now on to an address, as `dwell programme sync --notify` does.

    It hears of each at least once, under an id that never changes, also in `Idempotency-Key`; what
    it does not take is posted again later. To add an address twice is to add it once.
    """
    programme.outbox(sent.url)  # what is decided from here on is not missed
    return _document(hooks.add(programme.name, sent.url))


@router.delete(
    "/hooks/{hook}",
    operation_id="remove_hook",
    summary="Let an address hear no more",
    dependencies=[may("admin")],
    responses=responses(NOT_THERE),
)
def remove_hook(
    programme: ChosenProgramme,
    hooks: WithHooks,
    hook: Annotated[
        str,
        Path(
            max_length=64,
            description="The hook's id.",
            examples=["9f86d081884c7d659a2feaa0c55ad015"],
        ),
    ],
) -> HookDocument:
    """Post no more decisions to an address."""
    return _document(hooks.remove(programme.name, hook))


def _document(hook: Hook) -> HookDocument:
    return HookDocument(id=hook.id, host=hook.host, at=hook.at)
