"""A service with routes to try its gate on, served once for the tests of a module."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import sleep
from typing import Any

import httpx2
import pytest
from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import StreamingResponse

import dwell
from dwell.programme.stores.memory import MemoryStore
from dwell.service.access.callers import caller_of, may
from dwell.service.access.headers import sandboxed
from dwell.service.access.tokens import Scope, Tokens
from dwell.service.app import create_app
from dwell.service.parts import OnShelf
from dwell.service.settings import Settings
from tests.serving import served

PUBLIC = Settings(host="0.0.0.0", body_pause_seconds=0.3)
MARKER = "open-sesame"  # stands for what must be in no log

tried = APIRouter()


@tried.get("/tried", dependencies=[may("read")])
def _read(shelf: OnShelf, request: Request) -> dict[str, Any]:
    caller = caller_of(request)
    return {"names": shelf.names(), "by": caller.by}


@tried.get("/tried/{programme}", dependencies=[may("read")])
def _read_one(programme: str, shelf: OnShelf) -> str:
    return shelf.open(programme).name


@tried.post("/tried/{programme}", dependencies=[may("tell")])
async def _tell(programme: str, request: Request) -> int:
    return len(await request.body()) + len(programme)


@tried.post("/tried", dependencies=[may("admin")])
def _create() -> str:
    return "created"


@tried.get("/fault", dependencies=[may("read")])
def _fault() -> None:
    raise RuntimeError("a fault of ours")


@tried.get("/report", dependencies=[may("read")])
def _report() -> Any:
    return sandboxed("<script>document.title = 'drawn'</script>")


@tried.get("/live", dependencies=[may("read")])
def _live() -> StreamingResponse:
    def ticks() -> Iterator[str]:
        for tick in range(600):
            yield f"{tick}\n"
            sleep(0.05)

    return StreamingResponse(ticks(), media_type="text/event-stream")


@dataclass(frozen=True, slots=True)
class Service:
    """A service that is served, with a token of each scope."""

    app: FastAPI
    address: str
    texts: dict[str, str]
    client: httpx2.Client

    @property
    def tokens(self) -> Tokens:
        tokens: Tokens = self.app.state.tokens
        return tokens

    def call(self, method: str, path: str, scope: str | None = None, **extra: Any) -> Any:
        """An answer to a request with the token of a scope, or without one."""
        headers = {**extra.pop("headers", {})}
        if scope is not None:
            headers["Authorization"] = f"Bearer {self.texts.get(scope, scope)}"
        self.client.cookies.clear()  # each call is somebody's first
        return self.client.request(method, path, headers=headers, **extra)

    @contextmanager
    def signed_in(self, scope: str = "admin") -> Iterator[httpx2.Client]:
        """A browser that has signed in; Secure cookies go by http here, for the test's sake."""
        site = {"Sec-Fetch-Site": "same-origin"}
        with httpx2.Client(base_url=self.address, headers=site) as client:
            answer = client.post("/sign-in", data={"token": self.texts[scope]})
            client.headers["Cookie"] = answer.headers["set-cookie"].partition(";")[0]
            client.cookies.clear()
            yield client


def started(settings: Settings) -> Iterator[Service]:
    store = MemoryStore()
    for name in ("checkout", "search"):
        dwell.Programme.create(store, name, policies=dwell.fixed(3))
    app = create_app(settings, store)
    app.include_router(tried)
    scopes: tuple[Scope, ...] = ("read", "tell", "admin")
    texts: dict[str, str] = {scope: Tokens(store).create(scope)[1] for scope in scopes}
    texts["search"] = Tokens(store).create("admin", "search")[1]
    with serving(app, texts) as service:
        yield service


@contextmanager
def serving(app: FastAPI, texts: dict[str, str]) -> Iterator[Service]:
    """An application that is served, with tokens by name."""
    with served(app, access_log=False) as address, httpx2.Client(base_url=address) as client:
        yield Service(app, address, texts, client)


@pytest.fixture(scope="module")
def public() -> Iterator[Service]:
    """A service that other machines reach."""
    yield from started(PUBLIC)


@pytest.fixture(scope="module")
def local() -> Iterator[Service]:
    """A service on loopback, as it is started by default."""
    yield from started(Settings())


def assert_problem(answer: Any, status: int, *said: str) -> None:
    """A problem document, with the id of the request."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status
    assert problem["request_id"] == answer.headers["x-request-id"]
    for text in said:
        assert text in problem["detail"]
