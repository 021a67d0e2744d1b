"""Hooks: who wants to hears of each decision, at least once, under an id that never changes."""

from time import monotonic, sleep
from typing import Any

import httpx2
import pytest

from dwell.programme.stores.memory import MemoryStore
from dwell.programme.stores.protocol import EventStore
from dwell.service.app import create_app
from dwell.service.delivery import Delivery
from dwell.service.hooks import Hooks
from tests.api import GOOD, Api, path_of
from tests.receivers import receiving
from tests.serving import served

HOOKS = "/programmes/checkout/hooks"


def decide(api: Api, name: str) -> None:
    """Have a task decided."""
    task = path_of("checkout", name)
    api.json("PUT", task, status=201)
    api.json("POST", f"{task}/tellings", {"values": GOOD})


def test_hooks_are_added_listed_and_removed() -> None:
    """To add twice is to add once; what the address holds is never shown, and kept for all."""
    store = MemoryStore()
    api = Api(store).create()
    sent = {"url": "https://hooks.example.com/secret?token=sesame"}
    added = api.json("POST", HOOKS, sent, 201)
    assert added["host"] == "https://hooks.example.com"
    assert api.json("POST", HOOKS, sent, 201) == added
    assert Api(store).json("GET", HOOKS) == {"hooks": [added]}
    for path in (HOOKS, "/programmes/checkout/events", "/programmes/checkout/report"):
        assert "sesame" not in api("GET", path).text
    assert [row["programme"] for row in api.json("GET", "/programmes")["programmes"]] == [
        "checkout"
    ]
    assert api.json("DELETE", f"{HOOKS}/{added['id']}") == added
    assert api.json("GET", HOOKS) == {"hooks": []}
    assert api.refused("DELETE", f"{HOOKS}/{added['id']}")[0] == 404
    assert api.json("POST", HOOKS, sent, 201)["id"] == added["id"]


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://host", "https://", "https://u:p@host/", "x", "http://a b/", "é"],
)
def test_what_is_no_address_of_the_web_is_refused(url: str) -> None:
    """With a sentence that does not repeat it."""
    api = Api().create()
    status, detail = api.refused("POST", HOOKS, {"url": url})
    assert (status, "passwd" in detail, "u:p" in detail) == (422, False, False)
    assert api.json("GET", HOOKS) == {"hooks": []}


def test_a_decision_is_posted_once_it_is_made() -> None:
    """Those from before the hook are not; each has its id, also as a header."""
    store = MemoryStore()
    with receiving() as receiver, served(create_app(store=store)) as address:
        api = Api(store).create()
        decide(api, "before")
        api.json("POST", HOOKS, {"url": receiver.url}, 201)
        begun = f"{address}/api/v1{path_of('checkout', 'blue')}"
        assert httpx2.put(begun).status_code == 201
        told = httpx2.post(f"{begun}/tellings", json={"values": GOOD})
        assert told.json()["decision"] == "accept"
        end = monotonic() + 10.0  # long before one looks around again by oneself
        while not receiver.bodies and monotonic() < end:
            sleep(0.01)
        sleep(0.05)
    [body] = receiver.bodies
    assert (body["task"], body["decision"], body["programme"]) == ("blue", "accept", "checkout")
    assert receiver.keys == [body["id"]]


class Later:
    """A clock that tests turn."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def _delivery(store: EventStore, clock: Any) -> Delivery:
    app = create_app(store=store)
    return Delivery(app.state.shelf, Hooks(store, clock), clock=clock)


def test_what_is_not_taken_is_posted_again_and_in_order() -> None:
    """An address that fails is left alone for ever longer; nothing is skipped."""
    store, clock = MemoryStore(), Later()
    api = Api(store).create()
    delivery = _delivery(store, clock)
    with receiving(500, 500, 200) as receiver:
        api.json("POST", HOOKS, {"url": receiver.url}, 201)
        for name in ("blue", "red"):
            decide(api, name)
        for now, taken in ((0.0, 1), (14.0, 1), (16.0, 2), (44.0, 2), (47.0, 4), (99.0, 4)):
            clock.now = now
            delivery.look_around()
            assert len(receiver.bodies) == taken
    assert [body["task"] for body in receiver.bodies] == ["blue", "blue", "blue", "red"]
    assert len(set(receiver.taken)) == 2


def test_one_that_fails_does_not_hinder_another() -> None:
    """Each address hears for itself; another process goes on where one stopped."""
    store, clock = MemoryStore(), Later()
    api = Api(store).create()
    with receiving(500) as broken, receiving() as sound:
        for receiver in (broken, sound):
            api.json("POST", HOOKS, {"url": receiver.url}, 201)
        decide(api, "blue")
        _delivery(store, clock).look_around()
        assert (len(broken.bodies), len(sound.bodies)) == (1, 1)
        _delivery(store, clock).look_around()
        assert (len(broken.bodies), len(sound.bodies)) == (2, 1)
