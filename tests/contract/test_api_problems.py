"""The API's problems: every kind of the table, and what is odd, huge or of a wrong type."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from dwell import errors
from dwell.programme.stores.sqlite import SqliteStore
from dwell.service import problems
from tests.api import LIFT, SMALL, Api, path_of

TELL = f"{path_of('checkout', 'blue')}/tellings"
WRONG_BODIES: dict[str, str] = {
    "nothing": "",
    "no JSON": '{"values":',
    "not an object": "[1]",
    "text for numbers": '{"values": ["1"]}',
    "truth for numbers": '{"values": [true]}',
    "no number": '{"values": [NaN]}',
    "no end": '{"values": [Infinity]}',
    "too large a number": '{"values": [1e400]}',
    "a number of 5000 digits": '{"values": [' + "9" * 5000 + "]}",
    "half a character": '{"values": [1], "key": "\\ud800"}',
    "a name with half a character": '{"\\ud800": 1}',
    "no such field": '{"values": [1], "colour": "blue"}',
    "a batch without a sum": '{"values": {"n": 3}}',
    "a batch of a fraction": '{"values": {"n": 1.5, "sum": 1}}',
    "a negative batch": '{"values": {"n": -1, "sum": 1}}',
    "a batch of too many": '{"values": {"n": 1e30, "sum": 1}}',
    "one arm": '{"control": [1]}',
    "values and arms": '{"values": [1], "control": [1], "treatment": [1]}',
    "a list and a batch": '{"control": [1], "treatment": {"n": 1, "sum": 1}}',
    "neither": "{}",
    "a key that begins with #": '{"values": [1], "key": "#1"}',
    "a key in two lines": '{"values": [1], "key": "a\\nb"}',
    "a key of 201 characters": json.dumps({"values": [1], "key": "k" * 201}),
    "deep": "[" * 100_000,
    "nested values": '{"values": [[1]]}',
}
WRONG_PROGRAMMES: dict[str, dict[str, Any]] = {
    "neither law nor caps": {"name": "x"},
    "a law without a cap": {"name": "x", "law": "Lift(0.1)"},
    "no such law": {"name": "x", "law": "Poisson(3)", "cap": 5},
    "a law of odd numbers": {"name": "x", "law": "Lift(2)", "cap": 5},
    "no number in a law": {"name": "x", "law": "Gaussian(wide)", "cap": 5},
    "no such learner": {"name": "x", "learner": "esc", "caps": [1]},
    "caps with a law": {"name": "x", "law": "Signs", "cap": 5, "caps": [1]},
    "caps that go down": {"name": "x", "caps": [4, 2]},
    "caps of nothing": {"name": "x", "caps": []},
    "caps of too much": {"name": "x", "caps": "1:4000000"},
    "caps as odd text": {"name": "x", "caps": "one"},
    "a cap of 0": {"name": "x", "law": "Signs", "cap": 0},
    "a cap too large": {"name": "x", "law": "Signs", "cap": 10**9},
    "a cap that takes minutes": {"name": "x", "law": "Signs", "cap": 20_001},
    "a cap of text": {"name": "x", "law": "Signs", "cap": "5"},
    "a negative cost": {"name": "x", "caps": [1], "setup_cost": -1},
    "days of silence": {"name": "x", "caps": [1], "settings": {"silence_days": 0}},
    "a name of a number": {"name": 5, "caps": [1]},
}


@pytest.fixture(scope="module")
def api() -> Api:
    """A programme with an open task."""
    made = Api()
    made.json("POST", "/programmes", LIFT, 201)
    made.json("PUT", path_of("checkout", "blue"), status=201)
    return made


@pytest.mark.parametrize("body", WRONG_BODIES.values(), ids=WRONG_BODIES.keys())
def test_what_cannot_be_told_is_refused(api: Api, body: str) -> None:
    """With a problem that says why, and nothing is told."""
    sent = {"content": body, "headers": {"content-type": "application/json"}}
    status, detail = api.refused("POST", TELL, **sent)
    assert status in (400, 409, 422)
    assert detail
    kinds = [event["event"] for event in api.json("GET", "/programmes/checkout/events")["events"]]
    assert kinds == ["created 1", "begun 1"]


@pytest.mark.parametrize("sent", WRONG_PROGRAMMES.values(), ids=WRONG_PROGRAMMES.keys())
def test_what_cannot_be_created_is_refused(api: Api, sent: dict[str, Any]) -> None:
    """With a problem that says why, and nothing is created."""
    status, detail = api.refused("POST", "/programmes", sent)
    assert (status, bool(detail)) == (422, True)
    assert [row["programme"] for row in api.json("GET", "/programmes")["programmes"]] == [
        "checkout"
    ]


@pytest.mark.parametrize(
    ("method", "path", "sent", "status", "name"),
    [
        ("GET", "/programmes/other", None, 404, "not-there"),
        ("GET", "/programmes/checkout/tasks/other", None, 404, "not-there"),
        ("POST", "/programmes/checkout/tasks/other/tellings", {"values": [1]}, 404, "not-there"),
        ("POST", "/programmes", LIFT, 409, "clash"),
        ("POST", "/programmes/checkout/tasks", {"name": "blue"}, 409, "clash"),
        ("GET", "/programmes/checkout/events?after=-1", None, 422, "invalid"),
        ("GET", "/programmes/checkout/events?after=1e3", None, 422, "invalid"),
        ("GET", f"/programmes/checkout/events?after={10**30}", None, 422, "invalid"),
        ("GET", "/programmes/checkout/events?limit=0", None, 422, "invalid"),
        ("GET", "/programmes/checkout/events?limit=1001", None, 422, "invalid"),
        ("GET", "/programmes/checkout/export?format=xlsx", None, 422, "invalid"),
        ("DELETE", "/programmes/checkout", None, 405, "no-method"),
        ("GET", "/nothing", None, 404, "not-there"),
    ],
    ids=str,
)
def test_a_problem_has_its_name_and_status(
    api: Api, method: str, path: str, sent: Any, status: int, name: str
) -> None:
    """As the table says."""
    answer = api(method, path, json=sent)
    assert (answer.status_code, answer.headers["content-type"]) == (status, problems.MEDIA_TYPE)
    body = answer.json()
    assert body["type"] == f"urn:dwell:problem:{name}"
    assert body.keys() <= {"type", "title", "status", "detail", "errors", "request_id"}


def test_who_names_no_programme_is_not_told_which_there_are(api: Api) -> None:
    """A token may be for one programme only."""
    assert "checkout" not in api.refused("GET", "/programmes/other")[1]


def test_methods_that_a_path_knows_are_listed(api: Api) -> None:
    """Whichever routes they are spread over."""
    answer = api("DELETE", "/programmes/checkout/tasks")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, POST")


def test_methods_of_pages_are_listed_too(api: Api) -> None:
    """An answer that names no method would say that there is none."""
    answer = api.client.delete("/")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET"


def test_every_error_has_a_problem() -> None:
    """Each kind of error that dwell raises on purpose is of the table, and only once."""
    kinds = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.DwellError)
    ]
    assert len(kinds) > 8
    for kind in kinds:
        answered = problems.of_error(kind("what is wrong"))
        body = json.loads(bytes(answered.body))
        assert body["detail"] == "what is wrong"
        assert (body["status"] >= 500) == (
            kind in (errors.DwellError, errors.CannotWrite, errors.MissingExtra)
        )
    names = [value.name for value in vars(problems).values() if isinstance(value, problems.Problem)]
    assert len(names) == len(set(names)) > 10


def test_a_store_that_fails_is_a_problem_that_passes(tmp_path: Path) -> None:
    """503, to be tried again; the process lives all the same."""
    store = SqliteStore(tmp_path / "tests.db", seconds=0.05)
    api = Api(store).create()
    assert api.client.get("/readyz").status_code == 200
    with sqlite3.connect(tmp_path / "tests.db", isolation_level=None) as other:
        other.execute("begin exclusive")
        answer = api("PUT", path_of("checkout", "blue"))
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
        assert answer.json()["type"] == "urn:dwell:problem:no-store"
        other.execute("rollback")
    other.close()
    assert api.json("PUT", path_of("checkout", "blue"), status=201)
    assert api.client.get("/healthz").json() == {"status": "ok"}


def test_what_nobody_foresaw_is_a_problem_that_tells_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """500, without what the fault says: that is in the server's log."""
    api = Api()

    def fail() -> list[str]:
        raise RuntimeError("the password is sesame")

    monkeypatch.setattr(api.app.state.shelf, "names", fail)
    status, detail = api.refused("GET", "/programmes")
    assert (status, "sesame" in detail) == (500, False)
    assert api.client.get("/readyz").status_code == 500


def test_a_programme_is_created_by_one_of_many(tmp_path: Path) -> None:
    """Whoever comes second is told so."""
    store = SqliteStore(tmp_path / "tests.db")
    one, other = Api(store), Api(store)
    one.json("POST", "/programmes", SMALL, 201)
    assert other.refused("POST", "/programmes", SMALL)[0] == 409
