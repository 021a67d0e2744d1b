"""Notices: each decision is posted at least once, in order, and nothing secret is shown."""

import ssl
from functools import partial
from pathlib import Path
from unittest import mock
from urllib.error import URLError

import pytest

from dwell import InvalidInput, Programme, fixed
from dwell.programme.events import Notified, entry_of
from dwell.programme.notices import Outbox
from dwell.programme.posting import Address, post
from dwell.programme.stores.memory import MemoryStore
from tests.programmes import Clock, deciding, replayed, snapshot
from tests.receivers import receiving

PAUSES: list[float] = []
quick = partial(post, timeout=0.2, pause=PAUSES.append)


@pytest.fixture(autouse=True)
def directly(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy stands between; nothing was waited for yet."""
    monkeypatch.setenv("no_proxy", "*")
    PAUSES.clear()


def decided(programme: Programme, *names: str) -> None:
    """Decide tasks, one after another."""
    for name in names:
        programme.begin(name).tell([1, 1])


def test_each_decision_is_posted_once_from_when_it_is_listened_to() -> None:
    """What was decided before is not news; what others decide meanwhile is."""
    programme = deciding(fixed(2, 1))
    decided(programme, "old")
    with receiving(200) as server:
        outbox = programme.outbox(server.url)
        decided(programme, "blue", "red button")
        sent = outbox.send(quick)
        assert (sent.left, sent.problem) == (0, "")
        assert sent.posted == tuple(server.taken) == tuple(server.keys)
        blue, red = server.bodies
        assert blue == {
            "version": 1,
            "id": f"checkout/blue/{blue['position']}",
            "programme": "checkout",
            "task": "blue",
            "decision": "accept",
            "samples": 2,
            "sentence": "Ship: 1 per sample ahead after 2 samples; the limit is 0.5 ahead",
            "at": blue["at"],
            "position": blue["position"],
        }
        assert red["id"] == f"checkout/red%20button/{red['position']}"
        assert programme.outbox(server.url).send(quick).posted == ()
        assert len(server.bodies) == 2
    assert PAUSES == []
    programme.verify()


def test_what_fails_is_tried_again_with_growing_waits_under_the_same_id() -> None:
    """It answers 500, keeps silent, hangs up, and then takes it."""
    programme = deciding(fixed(2, 1))
    with receiving(500, "stall", "hang up", 200) as server:
        outbox = programme.outbox(server.url)
        decided(programme, "blue")
        assert len(outbox.send(quick).posted) == 1
        assert len(server.bodies) == 4
        assert len(set(server.taken)) == len(set(server.keys)) == 1
    assert PAUSES == [1.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("answer", "tries", "problem"),
    [
        (500, 4, "it answers 500"),
        (429, 4, "it answers 429"),
        (404, 1, "it answers 404"),
        ("stall", 4, "no answer within 0.2 s"),
        ("hang up", 4, "RemoteDisconnected"),
        ("http://localhost/elsewhere", 1, "it answers 302, that one should post elsewhere"),
    ],
)
def test_what_is_not_taken_is_posted_the_next_time(
    answer: int | str, tries: int, problem: str
) -> None:
    """After a few tries it waits for the next; those after it wait too, so that order is kept."""
    programme = deciding(fixed(2, 1))
    with receiving(answer) as server:
        outbox = programme.outbox(server.url)
        decided(programme, "blue", "red")
        sent = outbox.send(quick)
        assert (sent.posted, sent.left, sent.problem) == ((), 2, problem)
        assert len(server.bodies) == tries
        server.answers[:] = [200]
        later = programme.outbox(server.url).send(quick)
        assert later.posted == tuple(server.taken[tries:])
        assert [body["task"] for body in server.bodies[tries:]] == ["blue", "red"]


def test_nobody_there_is_a_sentence() -> None:
    """A server that was killed refuses the connection."""
    programme = deciding(fixed(2, 1))
    with receiving(200) as server:
        url = server.url
        outbox = programme.outbox(url)
    decided(programme, "blue")
    assert outbox.send(quick).problem == "Connection refused"


def test_what_is_for_https_is_not_sent_in_the_clear() -> None:
    """A server that speaks no TLS is sent nothing."""
    with receiving(200) as server:
        address = Address(server.url.replace("http:", "https:"))
        assert post(address, "{}", key="a", timeout=1.0, waits=()) != ""
        assert server.bodies == []


def test_a_certificate_that_nobody_vouches_for_is_refused() -> None:
    """In a sentence, and not tried again."""
    refusal = URLError(ssl.SSLCertVerificationError("self-signed certificate"))
    with mock.patch("urllib.request.OpenerDirector.open", side_effect=refusal) as tried:
        found = post(Address("https://localhost/"), "{}", key="a", pause=PAUSES.append)
    assert found == "its certificate cannot be verified"
    assert tried.call_count == 1


def test_how_far_an_address_has_heard_is_in_the_log(tmp_path: Path) -> None:
    """So a second process goes on from there, also after what was decided is over."""
    store = f"sqlite:///{tmp_path / 'tests.db'}"
    first = Programme.create(store, "checkout", policies=fixed(2, 1), clock=Clock())
    with receiving(200, 400) as server:
        outbox = first.outbox(server.url)
        decided(first, "blue", "red")
        assert len(outbox.send(quick).posted) == 1  # and then the process dies
        server.answers[:] = [200]
        second = Programme.open(store, "checkout", clock=Clock())
        assert second.outbox(server.url).send(quick).posted == (server.taken[-1],)
        assert [body["task"] for body in server.bodies] == ["blue", "red", "red"]
        with receiving(200) as other:  # another address has heard of nothing, and hears from now
            assert second.outbox(other.url).send(quick).posted == ()
        bodies = [entry_of(event).body for _, event in second.events()]
        assert not any("secret-token" in body for body in bodies)


def test_a_crash_between_posting_and_remembering_posts_again() -> None:
    """At least once, under the same id."""
    programme = deciding(fixed(2, 1))
    with receiving(200) as server:
        outbox = programme.outbox(server.url)
        decided(programme, "blue")

        def dies(*given: object, **named: object) -> str:
            quick(*given, **named)  # type: ignore[arg-type]  # as it was called
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            outbox.send(dies)
        assert len(programme.outbox(server.url).send(quick).posted) == 1
        assert len(server.taken) == 2
        assert len(set(server.taken)) == 1


def test_to_listen_again_skips_nothing() -> None:
    """Two that begin to listen at once, and one that comes back: the first time counts."""
    store = MemoryStore()
    programme = deciding(fixed(2, 1), store=store)
    address = Address("http://localhost/a")
    outbox = Outbox(programme._journal, address)
    decided(programme, "blue")
    other = Programme.open(store, "checkout")
    assert [notice.task for notice in other.outbox(address.url).due()] == ["blue"]
    assert [notice.task for notice in outbox.due()] == ["blue"]
    heard = [event for _, event in programme.events() if isinstance(event, Notified)]
    assert len(heard) == 1
    assert snapshot(programme) == replayed(store)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://example.com", "got one of ftp"),
        ("example.com/secret", "got one without either"),
        ("https:///secret", "must name a host"),
        ("https://user:secret@example.com", "no user and no password"),
        ("https://example.com:port/secret", "http://host:port/path"),
        ("https://example.com/a secret", "without spaces"),
    ],
)
def test_a_url_that_cannot_be_posted_to_is_refused_without_showing_it(url: str, words: str) -> None:
    """One sentence each, with nothing of the path in it."""
    with pytest.raises(InvalidInput, match=words) as refusal:
        deciding(fixed(2, 1)).outbox(url)
    assert "secret" not in str(refusal.value)
    assert "secret" not in repr(Address("https://example.com/secret?secret"))
