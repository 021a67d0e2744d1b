"""The API's description, as OpenAPI 3.0 has it, and a page to try it on that loads nothing else.

FastAPI describes in the terms of 3.1, which the Swagger UI that comes as a package does not read.
"""

from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute
from swagger_ui_bundle import swagger_ui_path

from dwell.service.problems import NOT_THERE, ProblemDocument, answer

router = APIRouter(include_in_schema=False)
_FILES = {
    "swagger-ui.css": "text/css",
    "swagger-ui-bundle.js": "text/javascript",
    "favicon-32x32.png": "image/png",
}
# Swagger UI sets styles of its own by scripts, which no rule about elements hinders, and has a few
# pictures in its stylesheet.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_NO_WORDS = "Successful Response"  # what FastAPI says of an answer that nobody described
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>dwell API</title>
<link rel="icon" type="image/png" href="/api/assets/favicon-32x32.png">
<link rel="stylesheet" href="/api/assets/swagger-ui.css">
</head>
<body>
<main id="api"></main>
<script src="/api/assets/swagger-ui-bundle.js"></script>
<script src="/api/assets/start.js"></script>
</body>
</html>
"""
_START = """SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
});
"""
_ABOUT = """Tests as they run, over HTTP: create programmes, begin tasks, tell them what was
observed, do what they advise; plan how to test, and evaluate past tests.

**Names** in paths may hold any printable character; they are percent-encoded, a slash as `%2F`.

**Errors** are problem documents (RFC 9457, `application/problem+json`), with a sentence in
`detail` that says what is wrong and what to do. Those with `Retry-After` may be sent again.

**Repeating** is safe where it is needed: begin a task by `PUT`, tell it something under a `key`,
correct, abandon and change settings as often as you like. After an answer got lost, send it again.

**Access**: `Authorization: Bearer` and a token of scope `read`, `tell` or `admin`; on the loopback
address none is needed by default.
"""
_TAGS = (
    ("Programmes", "Create them, list them, set them anew."),
    ("Tasks", "Begin tests, tell them what was observed, do what they advise."),
    ("What was learned", "Policies, the rule in force, events, reports, past tests to download."),
    ("Hooks", "Who hears of decisions, as they are made."),
    ("Calls", "Plan how to test, and evaluate past tests: nothing is kept."),
    ("Operations", "For whoever runs the service."),
)


def described(app: FastAPI) -> dict[str, Any]:
    """The API's description."""
    if app.openapi_schema is None:
        made = get_openapi(
            title="dwell",
            version=app.version,
            summary=None,
            description=_ABOUT,
            routes=app.routes,
            tags=[{"name": name, "description": about} for name, about in _TAGS],
            openapi_version="3.0.3",
        )
        schemas = made["components"]["schemas"]
        schemas["ProblemDocument"] = ProblemDocument.model_json_schema(
            ref_template="#/components/schemas/{model}"
        )
        schemas |= schemas["ProblemDocument"].pop("$defs")
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)  # problems take their place
        _say_what_is_answered(made)
        _say_who_may(made, app.state.routes)
        made["components"]["securitySchemes"] = {
            "token": {"type": "http", "scheme": "bearer", "description": "A token, or none."}
        }
        made["security"] = [{"token": []}, {}]
        app.openapi_schema = in_older_terms(made)
    return app.openapi_schema


def _say_what_is_answered(made: dict[str, Any]) -> None:
    """Describe each answer by the document that it is."""
    for methods in made["paths"].values():
        for operation in methods.values():
            for response in operation["responses"].values():
                schema = next(iter(response["content"].values()))["schema"]
                if response["description"] == _NO_WORDS and "$ref" in schema:
                    document = made["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
                    response["description"] = document["description"]


def _say_who_may(made: dict[str, Any], routes: list[BaseRoute]) -> None:
    """Name the scope that each operation asks for, where it asks for one."""
    asked = {
        route.operation_id: scope
        for route in routes
        if isinstance(route, APIRoute)
        for needed in route.dependant.dependencies
        for scope in needed.own_oauth_scopes or ()
    }
    for methods in made["paths"].values():
        for operation in methods.values():
            if operation["operationId"] in asked:
                operation["x-scope"] = asked[operation["operationId"]]


def in_older_terms(part: Any) -> Any:
    """A description in the terms of OpenAPI 3.0.

    Example:
        >>> in_older_terms({"anyOf": [{"type": "integer"}, {"type": "null"}], "examples": [3]})
        {'type': 'integer', 'nullable': True, 'example': 3}
        >>> in_older_terms({"exclusiveMinimum": 0, "const": "ok"})
        {'minimum': 0, 'exclusiveMinimum': True, 'enum': ['ok']}
    """
    if isinstance(part, list):
        return [in_older_terms(each) for each in part]
    if not isinstance(part, dict):
        return part
    found: dict[str, Any] = {}
    for name, value in part.items():
        if name == "anyOf" and {"type": "null"} in value:
            others = [each for each in value if each != {"type": "null"}]
            one = in_older_terms(others[0]) if len(others) == 1 else {}
            # What stands beside a reference is not read.
            plain = one if "$ref" not in one else {"allOf": [one]}
            found |= plain or {"anyOf": in_older_terms(others)}
            found["nullable"] = True
        elif name == "examples" and isinstance(value, list):
            found["example"] = value[0]
        elif name in ("exclusiveMinimum", "exclusiveMaximum"):
            found[name.removeprefix("exclusive").lower()] = value
            found[name] = True
        elif name == "const":
            found["enum"] = [value]
        elif name not in ("example", "default", "enum"):
            found[name] = in_older_terms(value)
        else:
            found[name] = value
    return found


@router.get("/api/v1/openapi.json")
def read_description(request: Request) -> JSONResponse:
    """The API's description."""
    return JSONResponse(described(request.app))


@router.get("/api")
def read_page() -> HTMLResponse:
    """A page that shows the API, to try it on."""
    return HTMLResponse(_PAGE, headers={"Content-Security-Policy": POLICY})


@router.get("/api/assets/start.js")
def read_start() -> Response:
    """What starts that page: no script stands within it."""
    return Response(_START, media_type="text/javascript")


@router.get("/api/assets/{name}")
def read_asset(name: str) -> Response:
    """A file of Swagger UI, from its package."""
    if name not in _FILES:
        return answer(NOT_THERE, f"there is no file {name!r} here")
    return FileResponse(
        Path(swagger_ui_path, name),
        media_type=_FILES[name],
        headers={"Cache-Control": "public, max-age=86400"},
    )
