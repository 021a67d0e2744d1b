"""Problems: every error that the service answers with, from one table, as RFC 9457 has them."""

from http import HTTPStatus
from typing import Any, NamedTuple

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.routing import Match

from dwell.errors import (
    CannotWrite,
    Clash,
    Conflict,
    DwellError,
    InvalidInput,
    KeyTaken,
    MissingExtra,
    NothingWorthTesting,
    NotThere,
)
from dwell.service.request_ids import request_id

MEDIA_TYPE = "application/problem+json"
_RETRY_AFTER = "2"  # seconds
_MOST_FAULTS = 10


class Problem(NamedTuple):
    """A kind of problem.

    Attributes:
        name: What it goes by, at the end of its type.
        status: The HTTP status.
        title: What is wrong, in general.
        retry: Whether the same request may well be answered a little later.
    """

    name: str
    status: HTTPStatus
    title: str
    retry: bool = False


MALFORMED = Problem("malformed", HTTPStatus.BAD_REQUEST, "The request cannot be read.")
NO_SIGN_IN = Problem("no-token", HTTPStatus.UNAUTHORIZED, "A token is needed.")
FORBIDDEN = Problem("forbidden", HTTPStatus.FORBIDDEN, "The token does not allow this.")
NOT_THERE = Problem("not-there", HTTPStatus.NOT_FOUND, "What was named is not there.")
NO_METHOD = Problem("no-method", HTTPStatus.METHOD_NOT_ALLOWED, "The path knows other methods.")
CLASH = Problem("clash", HTTPStatus.CONFLICT, "This does not go together with what is there.")
TOO_LARGE = Problem("too-large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request is too large.")
INVALID = Problem("invalid", HTTPStatus.UNPROCESSABLE_ENTITY, "The request cannot be worked with.")
NOTHING = Problem(
    "nothing-worth-testing", HTTPStatus.UNPROCESSABLE_ENTITY, "Nothing is worth testing."
)
TOO_MANY = Problem("too-many", HTTPStatus.TOO_MANY_REQUESTS, "Too many requests.", retry=True)
FAULT = Problem("fault", HTTPStatus.INTERNAL_SERVER_ERROR, "Something is wrong with dwell.")
NOT_HERE = Problem("not-installed", HTTPStatus.NOT_IMPLEMENTED, "A library is not installed.")
NO_STORE = Problem(
    "no-store", HTTPStatus.SERVICE_UNAVAILABLE, "The store cannot be worked with.", retry=True
)
BUSY = Problem(
    "busy", HTTPStatus.SERVICE_UNAVAILABLE, "As much is computed as may be at once.", retry=True
)

# The first kind that an error is of.
OF_ERRORS: dict[type[Exception], Problem] = {
    NotThere: NOT_THERE,
    Clash: CLASH,
    Conflict: CLASH,
    KeyTaken: CLASH,
    InvalidInput: INVALID,
    NothingWorthTesting: NOTHING,
    CannotWrite: NO_STORE,
    MissingExtra: NOT_HERE,
    DwellError: FAULT,
}
# Where the framework refuses something by itself.
_OF_STATUSES = {
    problem.status: problem
    for problem in (MALFORMED, NO_SIGN_IN, FORBIDDEN, NOT_THERE, NO_METHOD, TOO_LARGE, TOO_MANY)
}


class Refused(DwellError):
    """A request that is refused with a problem of the table, for reasons of the service's own.

    Args:
        problem: Which.
        detail: What it is in this case.
    """

    def __init__(self, problem: Problem, detail: str) -> None:
        super().__init__(detail)
        self.problem = problem


class ProblemFault(BaseModel):
    """A part of a request that cannot be worked with."""

    where: str = Field(description="Which part, from the outside in.", examples=["body.cap"])
    what: str = Field(
        description="What is wrong with it.", examples=["Input should be greater than 0"]
    )


class ProblemDocument(BaseModel):
    """What went wrong, as RFC 9457 has it."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(
        description="The kind of problem: `urn:dwell:problem:` and its name.",
        examples=["urn:dwell:problem:not-there"],
    )
    title: str = Field(description="The kind in words.", examples=["What was named is not there."])
    status: int = Field(description="The HTTP status.", examples=[404])
    detail: str = Field(
        description="What is wrong in this case, and what to do.",
        examples=["there is no programme 'checkout'"],
    )
    request_id: str | None = Field(
        None,
        description="What the log of the service has about this request goes by this id.",
        examples=["5f1c9a0e2b7d4c36"],
    )
    errors: list[ProblemFault] | None = Field(
        None, description="Which parts of the request are wrong, where that is known."
    )


def responses(*problems: Problem) -> dict[int | str, dict[str, Any]]:
    """Problems that a route may answer with, besides those of all routes, as it declares them."""
    declared: dict[int | str, dict[str, Any]] = {}
    for problem in (*problems, *OF_ALL):
        known = declared.get(problem.status.value)
        said = f"`{problem.name}`: {problem.title}"
        if known is not None:
            said = (
                known["description"]
                if said in known["description"]
                else (f"{known['description']} Or {said}")
            )
        declared[problem.status.value] = {
            "description": said,
            "content": {
                MEDIA_TYPE: {
                    "schema": {"$ref": "#/components/schemas/ProblemDocument"},
                    "example": _body(problem, "what is wrong, and what to do"),
                }
            },
        }
    return declared


# What any route may answer.
OF_ALL = (MALFORMED, NO_SIGN_IN, FORBIDDEN, TOO_LARGE, INVALID, TOO_MANY, FAULT, NO_STORE)


def answer(problem: Problem, detail: str, **headers: str) -> JSONResponse:
    """A problem, and what it is in this case."""
    return _response(problem, _body(problem, detail), headers)


def _response(problem: Problem, body: dict[str, Any], headers: dict[str, str]) -> JSONResponse:
    if problem.retry:
        headers = {"Retry-After": _RETRY_AFTER, **headers}
    return JSONResponse(body, problem.status, headers, MEDIA_TYPE)


def _body(problem: Problem, detail: str) -> dict[str, Any]:
    return {
        "type": f"urn:dwell:problem:{problem.name}",
        "title": problem.title,
        "status": problem.status.value,
        "detail": _encodable(detail),
        "request_id": request_id(),
    }


def _encodable(text: str) -> str:
    """A text that UTF-8 can have: half a character in a request must not break the answer."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def of_error(error: DwellError) -> JSONResponse:
    """The problem that an error is."""
    if isinstance(error, Refused):
        return answer(error.problem, str(error))
    kind = next(kind for kind in OF_ERRORS if isinstance(error, kind))
    return answer(OF_ERRORS[kind], str(error))


def _of_invalid(error: RequestValidationError) -> JSONResponse:
    found = [
        ProblemFault(
            where=_encodable(".".join(map(str, each["loc"]))), what=_encodable(each["msg"])
        )
        for each in error.errors()[:_MOST_FAULTS]
    ]
    problem = MALFORMED if error.errors()[0]["type"] == "json_invalid" else INVALID
    body = _body(problem, f"{found[0].where}: {found[0].what}")
    body["errors"] = [each.model_dump() for each in found]
    return _response(problem, body, {})


def _methods_at(request: Request) -> str:
    """All methods of a path, whichever routes they are spread over."""
    found = {
        method
        for route in request.app.state.routes
        if route.matches(request.scope)[0] is not Match.NONE
        for method in route.methods
    }
    return ", ".join(sorted(found))


def install(app: FastAPI) -> None:
    """Answer every error with a problem."""

    @app.exception_handler(DwellError)
    def _(_: Request, error: DwellError) -> JSONResponse:
        return of_error(error)

    @app.exception_handler(RequestValidationError)
    def _(_: Request, error: RequestValidationError) -> JSONResponse:
        return _of_invalid(error)

    @app.exception_handler(HTTPException)
    def _(request: Request, error: HTTPException) -> JSONResponse:
        status = HTTPStatus(error.status_code)
        problem = _OF_STATUSES.get(status, Problem("refused", status, status.phrase))
        headers = dict(error.headers or {})
        if problem is NO_METHOD:
            # Of pages the router knows; theirs are not among the routes of the API.
            headers["Allow"] = _methods_at(request) or headers.get("Allow", "GET")
        return answer(problem, str(error.detail), **headers)

    @app.exception_handler(Exception)
    def _(_: Request, __: Exception) -> JSONResponse:
        # What went wrong is logged where the server runs, and no concern of whoever asked.
        return answer(FAULT, "the server met something that it was not made for; its log says what")
