"""Problems: every error that the service answers with, from one table, as RFC 9457 has them."""

from http import HTTPStatus
from typing import NamedTuple

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from dwell.errors import (
    CannotWrite,
    Clash,
    DwellError,
    InvalidInput,
    MissingExtra,
    NothingWorthTesting,
    NotThere,
)
from dwell.service.request_ids import request_id

MEDIA_TYPE = "application/problem+json"


class Problem(NamedTuple):
    """A kind of problem.

    Attributes:
        name: What it goes by, at the end of its type.
        status: The HTTP status.
        title: What is wrong, in general.
    """

    name: str
    status: HTTPStatus
    title: str


INVALID = Problem("invalid", HTTPStatus.UNPROCESSABLE_ENTITY, "The request cannot be worked with.")
NO_SIGN_IN = Problem("no-token", HTTPStatus.UNAUTHORIZED, "A token is needed.")
FORBIDDEN = Problem("forbidden", HTTPStatus.FORBIDDEN, "The token does not allow this.")
NOT_THERE = Problem("not-there", HTTPStatus.NOT_FOUND, "What was named is not there.")
CLASH = Problem("clash", HTTPStatus.CONFLICT, "This does not go together with what is there.")
TOO_LARGE = Problem("too-large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request is too large.")
TOO_MANY = Problem("too-many", HTTPStatus.TOO_MANY_REQUESTS, "Too many requests.")
NO_STORE = Problem("no-store", HTTPStatus.SERVICE_UNAVAILABLE, "The store cannot be written.")
NOT_HERE = Problem("not-installed", HTTPStatus.NOT_IMPLEMENTED, "A library is not installed.")
FAULT = Problem("fault", HTTPStatus.INTERNAL_SERVER_ERROR, "Something is wrong with dwell.")

# The first kind that an error is of.
OF_ERRORS: dict[type[Exception], Problem] = {
    NotThere: NOT_THERE,
    Clash: CLASH,
    InvalidInput: INVALID,
    NothingWorthTesting: INVALID,
    CannotWrite: NO_STORE,
    MissingExtra: NOT_HERE,
    DwellError: FAULT,
}


def answer(problem: Problem, detail: str, **headers: str) -> JSONResponse:
    """A problem, and what it is in this case."""
    body = {
        "type": f"urn:dwell:problem:{problem.name}",
        "title": problem.title,
        "status": problem.status,
        "detail": detail,
        "request_id": request_id(),
    }
    return JSONResponse(body, problem.status, headers, MEDIA_TYPE)


def install(app: FastAPI) -> None:
    """Answer every error with a problem."""

    @app.exception_handler(DwellError)
    def _(_: Request, error: DwellError) -> JSONResponse:
        kind = next(kind for kind in OF_ERRORS if isinstance(error, kind))
        return answer(OF_ERRORS[kind], str(error))

    @app.exception_handler(RequestValidationError)
    def _(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        return answer(INVALID, f"{where}: {first['msg']}")

    @app.exception_handler(HTTPException)
    def _(_: Request, error: HTTPException) -> JSONResponse:
        known = {problem.status: problem for problem in (NOT_THERE, FORBIDDEN, NO_SIGN_IN)}
        status = HTTPStatus(error.status_code)
        problem = known.get(status, Problem("refused", status, status.phrase))
        return answer(problem, str(error.detail), **(error.headers or {}))
