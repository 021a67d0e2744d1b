"""The API for tests: an application over a store, and a client that speaks to it."""

from typing import Any
from urllib.parse import quote

from fastapi.testclient import TestClient

from dwell.programme.stores.memory import MemoryStore
from dwell.programme.stores.protocol import EventStore
from dwell.service.app import create_app
from dwell.service.settings import Settings

LIFT = {"name": "checkout", "law": "Lift(0.1)", "cap": 2000}
SMALL = {"name": "checkout", "caps": [1, 40], "learner": "fixed"}
GOOD = [1] * 40  # what such a programme ships, and then wants no more of


class Api:
    """A client of an application of its own.

    Args:
        store: Where its programmes are kept.
        settings: What it is started with.
    """

    def __init__(self, store: EventStore | None = None, settings: Settings | None = None) -> None:
        self.app = create_app(settings, store or MemoryStore())
        self.client = TestClient(self.app, "http://127.0.0.1:8000", raise_server_exceptions=False)

    def __call__(self, method: str, path: str, **given: Any) -> Any:
        """The answer to a request."""
        return self.client.request(method, f"/api/v1{path}", **given)

    def json(self, method: str, path: str, sent: Any = None, status: int = 200) -> Any:
        """The JSON of an answer, which must have this status."""
        answer = self(method, path, **({} if sent is None else {"json": sent}))
        assert answer.status_code == status, answer.text
        return answer.json()

    def refused(self, method: str, path: str, sent: Any = None, **given: Any) -> tuple[int, str]:
        """The status and the detail of an answer, which must be a problem."""
        answer = self(method, path, **({} if sent is None else {"json": sent}), **given)
        assert answer.headers["content-type"] == "application/problem+json", answer.text
        body = answer.json()
        assert body["status"] == answer.status_code
        return answer.status_code, body["detail"]

    def create(self, **sent: Any) -> "Api":
        """The same, with a programme."""
        self.json("POST", "/programmes", {**SMALL, **sent}, 201)
        return self


def path_of(programme: str, task: str | None = None) -> str:
    """The path of a programme or a task."""
    path = f"/programmes/{quote(programme, safe='')}"
    return path if task is None else f"{path}/tasks/{quote(task, safe='')}"
