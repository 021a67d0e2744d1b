"""What operators ask: does the process live, does the store answer, what was done."""

from typing import Literal

from fastapi import APIRouter, Request, Response
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from pydantic import BaseModel, Field

from dwell.service.access.callers import may
from dwell.service.metrics import Metrics
from dwell.service.problems import NO_STORE, responses

router = APIRouter(tags=["Operations"])


class Health(BaseModel):
    """That all is well."""

    status: Literal["ok"] = Field(description="Always `ok`.", examples=["ok"])


@router.get(
    "/healthz",
    operation_id="check_health",
    summary="See that the process lives",
    responses=responses(),
)
async def check_health() -> Health:  # waits for nothing, and takes no thread
    """Answers as long as the process lives, whatever the store does."""
    return Health(status="ok")


@router.get(
    "/readyz",
    operation_id="check_readiness",
    summary="See that the store answers",
    responses=responses(NO_STORE),
)
def check_readiness(request: Request) -> Health:
    """Answers with 200 if the store can be read, and with 503 if not."""
    request.app.state.shelf.names()
    return Health(status="ok")


@router.get(
    "/metrics",
    operation_id="read_metrics",
    summary="Read figures for Prometheus",
    dependencies=[may("read", everywhere=True)],
    response_class=Response,
    responses={
        200: {
            "description": "Figures in the text format of Prometheus.",
            "content": {
                "text/plain": {
                    "schema": {"type": "string"},
                    "example": 'dwell_open_tests{programme="checkout"} 9.0\n',
                }
            },
        },
        **responses(),
    },
)
def read_metrics(request: Request) -> Response:
    """Requests by route and status, how long they took, open tests and decisions.

    Requests are counted by each worker process for itself.
    """
    metrics: Metrics = request.app.state.metrics
    return Response(metrics.text(request.app.state.shelf), media_type=CONTENT_TYPE_PLAIN_0_0_4)
