"""The client: the verbs of a programme over HTTP, safe to repeat, waiting and not waiting."""

import asyncio
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import pytest

import dwell
from dwell import AsyncClient, Batch, Client, Lift, Programme
from dwell.client.drivers import Connection, Sync
from dwell.client.exchange import Request, Response, Steps
from dwell.client.patience import NoAnswer, Pause, patiently
from dwell.errors import CannotWrite, Clash, DwellError, InvalidInput, NotThere
from dwell.programme.events import Told
from dwell.programme.stores.memory import MemoryStore
from dwell.service.app import create_app
from tests.serving import served

STORE = MemoryStore()
_NUMBERS = count()


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A service."""
    with served(create_app(store=STORE)) as address:
        yield address


@pytest.fixture
def client(url: str) -> Iterator[Client]:
    """A client of it."""
    with Client(url) as made:
        yield made


@pytest.fixture
def name() -> str:
    """A programme that is not there yet."""
    return f"programme {next(_NUMBERS)} / 100 %"


def said(advice: dwell.Advice) -> tuple[Any, ...]:
    """All that advice says."""
    return advice.wants, advice.decision, advice.done, advice.held, advice.sentence


def test_the_verbs_are_those_of_a_programme(client: Client, name: str, tmp_path: Path) -> None:
    """What is done over HTTP is what a programme of this machine then shows."""
    created = client.create(name, law=Lift(0.1), cap=20_000, setup_cost=2_000)
    blue, red = created.begin("blue / button"), created.begin()
    local = Programme.open(STORE, name)
    advice = blue.tell(control=Batch(500, 51), treatment=Batch(505, 49), key="monday")
    assert str(blue.advice).startswith(str(advice))  # what to expect is there when it is read
    assert advice.wants == blue.advice.wants
    assert said(blue.advice) == said(local.task("blue / button").advice)
    assert blue.correct("monday", control=Batch(500, 50), treatment=Batch(505, 49)).wants > 0
    told = [
        (blue.name, None, Batch(510, 50), Batch(498, 90)),
        (red.name, None, Batch(500, 50), Batch(700, 70)),
    ]
    assert [each.held for each in created.tell(told)] == [False, True]
    assert (blue.status, red.status) == ("decided", "held")
    assert not red.clear("it is as it should be").held
    red.abandon("called off")
    red.abandon("called off")
    created.change(silence_days=7)
    assert [task.name for task in created.tasks()] == [blue.name]
    assert created.task(red.name).status == "abandoned"
    assert created.counts == local.counts
    assert created.policies() == local.policies()
    assert created.events() == list(local.events())
    assert created.events(after=5) == list(local.events(after=5))
    assert name in [each.name for each in client.programmes()]
    blue.tell(control=Batch(9_000, 900), treatment=Batch(9_000, 900))
    created.export(tmp_path / "there.csv")
    local.export(tmp_path / "here.csv")
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()


def test_the_same_verbs_are_awaited(url: str, name: str) -> None:
    """One code for both: what differs is how requests are sent, as type checkers see."""

    async def work() -> dwell.Advice:
        async with AsyncClient(url) as client:
            created = await client.create(name, caps=[1, 2])
            tasks = await asyncio.gather(*(created.begin(f"{each}") for each in range(8)))
            given = await asyncio.gather(*(task.tell([1]) for task in tasks))
            assert (await created.counts).begun == 8
            assert await tasks[0].advice == given[0]
            first: dwell.Advice = given[0]
            return first

    advice: dwell.Advice = asyncio.run(work())
    assert said(advice) == said(Programme.open(STORE, name).task("0").advice)


def test_errors_are_of_the_same_kinds(client: Client, name: str, tmp_path: Path) -> None:
    """Whoever catches a programme's errors catches those of a client."""
    created = client.create(name, caps="1:4:x2")
    task = created.begin("blue")
    task.tell([1], key="a")
    for kind, call in (
        (NotThere, lambda: client.programme("nowhere")),
        (NotThere, lambda: created.task("nowhere")),
        (Clash, lambda: client.create(name, caps=[1])),
        (Clash, lambda: task.tell([-1], key="a")),
        (InvalidInput, lambda: task.tell([1], control=[1])),
        (InvalidInput, lambda: task.tell("1")),  # type: ignore[arg-type]  # it is to be refused
        (InvalidInput, lambda: created.export(tmp_path / "log.xml")),
        (InvalidInput, lambda: Client("localhost:8000")),
        (InvalidInput, lambda: client.create("x")),
    ):
        with pytest.raises(kind):
            call()


def test_what_begins_twice_begins_once(client: Client, name: str) -> None:
    """By name, also if the first answer was lost."""
    created = client.create(name, caps=[1, 2])
    created.begin("blue")
    created.begin("blue").tell([1])
    assert created.counts.begun == 1


class Losing(httpx2.BaseTransport):
    """A network that loses every other answer, or is not there at first."""

    def __init__(self, refuse: int = 0) -> None:
        self._to = httpx2.HTTPTransport()
        self._refuse, self._calls = refuse, 0

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        self._calls += 1
        if self._calls <= self._refuse:
            raise httpx2.ConnectError("nobody is there")
        answer = self._to.handle_request(request)
        if self._calls % 2:
            answer.read()
            answer.close()
            raise httpx2.ReadError("the line was cut")
        return answer

    def close(self) -> None:
        self._to.close()


def losing(url: str, **how: Any) -> Client:
    """A client whose network loses answers."""
    client = Client(url)
    client.close()
    client._driver._http = httpx2.Client(
        **Connection(url, None, 60.0).options(), transport=Losing(**how)
    )
    return client


def test_answers_that_are_lost_double_nothing(client: Client, url: str, name: str) -> None:
    """A tell without a key is given one, so that it is told once however often it is sent."""
    client.create(name, caps=[64])
    with losing(url) as unlucky:
        task = unlucky.programme(name).begin("blue")
        for _ in range(10):
            task.tell([1])
    told = [event for _, event in Programme.open(STORE, name).events() if isinstance(event, Told)]
    assert len(told) == 10


def test_what_must_not_be_repeated_is_not(url: str, name: str) -> None:
    """To create a programme: where nobody was there it is sent again, a lost answer is said."""
    with losing(url, refuse=2) as unlucky, pytest.raises(CannotWrite, match="look before you"):
        unlucky.create(name, caps=[1])
    assert Programme.open(STORE, name).counts.begun == 0


def once(request: Request) -> Steps[int]:
    """A verb of one request."""
    return (yield request).status


def answered(request: Request, *answers: Response | NoAnswer) -> tuple[int, list[float]]:
    """What a verb comes to, and how long it waits each time."""
    effects = patiently(once(request), 60.0)
    given, waits = iter(answers), []
    effect = next(effects)
    try:
        while True:
            if isinstance(effect, Pause):
                waits.append(effect.seconds)
                effect = effects.send(None)
            else:
                effect = effects.send(next(given))
    except StopIteration as end:
        return end.value, waits


def test_waits_grow_and_heed_what_is_asked_for() -> None:
    """Twice as long each time, and at least as long as the service says."""
    nobody = NoAnswer("nobody is there", heard=False)
    later = Response(503, {"retry-after": "7"}, b"")
    status, waits = answered(
        Request("GET", "/"), nobody, nobody, nobody, later, Response(200, {}, b"")
    )
    assert status == 200
    assert 0.025 <= waits[0] <= 0.05
    assert 0.05 <= waits[1] <= 0.1
    assert 0.1 <= waits[2] <= 0.2
    assert waits[3] == 7.0


def test_too_many_requests_are_sent_later_whatever_they_are() -> None:
    """None of them was heard; where a store fails nobody knows, and that is left to people."""
    create = Request("POST", "/programmes", {}, repeatable=False)
    late, fine = Response(429, {}, b""), Response(201, {}, b"")
    assert answered(create, late, fine)[0] == 201
    assert answered(create, Response(503, {}, b""))[0] == 503


def test_patience_ends(url: str) -> None:
    """Nobody waits for ever: it is said for how long it was tried."""
    gone = url.rpartition(":")[0] + ":9"
    with (
        Client(gone, patience=0.2) as client,
        pytest.raises(CannotWrite, match=r"no answer from .*, for 0.2 s; see that dwell serve"),
    ):
        client.programmes()


def test_what_is_not_dwell_is_said_to_be_something_else() -> None:
    """A page of a proxy, say, is no problem document."""
    for body in (b"<html>", b"[]", b'{"type": "about:blank"}'):
        with pytest.raises(DwellError, match="the answer is 418 and not one of dwell's"):
            Response(418, {}, body).json()


def test_a_token_is_shown_and_stays_out_of_errors(url: str) -> None:
    """It is in a header, and in no error's text."""
    driver = Sync(Connection(url, "dwell_secret", 1.0))
    assert driver._http.headers["authorization"] == "Bearer dwell_secret"
    driver.close()
    with Client(url, token="dwell_secret_x") as client, pytest.raises(InvalidInput) as refused:
        client.programmes()
    assert "secret" not in str(refused.value)
