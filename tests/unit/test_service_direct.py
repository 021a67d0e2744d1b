"""Direct routes: they answer as FastAPI does, byte for byte, whatever is asked."""

import json
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from dwell import Programme, fixed
from dwell.programme.stores.memory import MemoryStore
from dwell.service.access.tokens import Tokens
from dwell.service.api.direct import Directly, answered
from dwell.service.api.documents import (
    AdviceDocument,
    advice_document,
    advice_fields,
    task_document,
    task_fields,
)
from dwell.service.settings import Settings
from tests.api import Api

TASK, ODD = "/programmes/a%2Fb%20c/tasks/blue", "/programmes/a%2Fb%20c/tasks/%F0%9F%9A%80%2F"
JSON = {"content-type": "application/json"}
ASKED: list[tuple[str, str, dict[str, Any]]] = [
    ("PUT", TASK, {}),
    ("PUT", TASK, {}),
    ("PUT", ODD, {}),
    ("PUT", TASK + "/", {}),
    ("PUT", "/programmes/a%2Fb%20c/tasks/..", {}),
    ("PUT", "/programmes/other/tasks/blue", {}),
    ("GET", TASK + "/advice", {}),
    ("HEAD", TASK + "/advice", {}),
    ("DELETE", TASK + "/advice", {}),
    ("GET", TASK + "/advice?a=b", {"headers": {"x-request-id": "mine"}}),
    ("GET", "/programmes/a%2Fb%20c/tasks/%00/advice", {}),
    ("GET", "/programmes/a%2Fb%20c/tasks/red/advice", {}),
    ("POST", TASK + "/tellings", {"json": {"values": [1, -1], "key": "monday"}}),
    ("POST", TASK + "/tellings", {"json": {"values": [1, -1], "key": "monday"}}),
    ("POST", TASK + "/tellings", {"json": {"values": [1, 1], "key": "monday"}}),
    ("POST", TASK + "/tellings", {"json": {"values": [1], "key": "#"}}),
    ("POST", TASK + "/tellings", {"json": {"values": [1], "more": 1}}),
    ("POST", TASK + "/tellings", {"json": {"values": {"n": 2.5, "sum": 1}}}),
    ("POST", TASK + "/tellings", {"content": b'{"values": [1', "headers": JSON}),
    ("POST", TASK + "/tellings", {"content": b"\xff", "headers": JSON}),
    ("POST", TASK + "/tellings", {"content": b'{"values": [1]}'}),
    ("POST", TASK + "/tellings", {}),
    ("POST", TASK + "/tellings", {"content": b" " * 2_000, "headers": JSON}),
    ("POST", ODD + "/tellings", {"json": {"values": [1] * 40}}),
    ("POST", ODD + "/tellings", {"json": {"values": [1] * 40}}),
    ("PUT", ODD, {}),
    ("GET", ODD + "/advice", {}),
]


def _answers(store: MemoryStore, scope: Any = None) -> list[tuple[int, list[Any], str]]:
    """What is answered, but for the ids of requests that were given none."""
    api = Api(store, Settings(require_token=scope is not None, largest_body=1_000))
    if scope is not None:
        _, text = Tokens(store).create(scope)
        api.client.headers["authorization"] = f"Bearer {text}"
    found = []
    for method, path, given in ASKED:
        answer = api(method, path, **given)
        identity, headers = answer.headers["x-request-id"], answer.headers.multi_items()
        shown = [(name, text) for name, text in headers if text != identity or text == "mine"]
        found.append((answer.status_code, sorted(shown), answer.text.replace(identity, "its id")))
    return found


def _store() -> MemoryStore:
    store = MemoryStore()
    Api(store).create(name="a/b c")
    return store


@pytest.mark.parametrize("scope", [None, "tell", "read"])
def test_what_is_answered_directly_is_what_fastapi_answers(
    scope: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Status, headers and body, for whoever is let in: of what can be done, and of what cannot."""
    directly = _answers(_store(), scope)

    async def passed_on(self: Directly, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    monkeypatch.setattr(Directly, "__call__", passed_on)
    assert directly == _answers(_store(), scope)
    statuses = {status for status, _, _ in directly}
    assert statuses >= ({403, 404, 405} if scope == "read" else {200, 201, 400, 404, 405, 409, 422})


@pytest.mark.parametrize("number", [None, 0.0, 1.0, 1 / 3, 1830.4, 5e-324, 1e16, 1.5e300])
def test_what_is_encoded_in_a_hurry_is_the_document(number: float | None) -> None:
    """Field by field, in the same order, whatever the numbers and the name."""
    programme = Programme.create("memory:", "checkout", policies=fixed(2, 1))
    task = programme.begin('blå "\\ 🚀')
    for value in (1, 1):
        given = (task.name, task.advice)
        fields = {**advice_fields(*given), "to_go": number, "ships": number}
        assert _read(answered(fields).body) == _read(AdviceDocument(**fields).model_dump_json())
        assert AdviceDocument(**advice_fields(*given)) == advice_document(*given)
        fields = task_fields(*given, task.status)
        document = task_document(*given, task.status)
        assert _read(answered(fields).body) == _read(document.model_dump_json())
        task.tell([value])


def _read(text: str | bytes | memoryview) -> Any:
    """A document with its fields in order."""
    assert not isinstance(text, memoryview)
    return json.loads(text, object_pairs_hook=list)
