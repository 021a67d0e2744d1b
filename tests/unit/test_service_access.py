"""Tokens, sessions and rates: what the gate is made of."""

import asyncio
import json
import logging
import sys
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import dwell
from dwell.programme.stores.addresses import store_at
from dwell.programme.stores.memory import MemoryStore
from dwell.programme.stores.protocol import Entry
from dwell.service.access.credentials import Credential
from dwell.service.access.loopback import require_safe
from dwell.service.access.rates import Rates
from dwell.service.access.request_log import JsonLines, Lines, logging_settings
from dwell.service.access.tokens import LOG, PREFIX, SESSION_SECONDS, Tokens
from dwell.service.settings import Settings
from dwell.service.shelf import Shelf
from tests.refusals import refused


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_another_process_knows_a_token_once_it_has_read_on() -> None:
    """As several workers do over one store; and it is gone there after the next reading."""
    store = MemoryStore()
    mine, others = Tokens(store), Tokens(store)
    made, text = mine.create("admin")
    assert others.shown(text) is None
    others.read_on()
    assert others.shown(text) == made
    mine.revoke(made.id)
    assert others.shown(text) == made
    others.read_on()
    assert others.shown(text) is None


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_every_store_keeps_tokens(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Beside its programmes, under a name that cannot be printed; also when it is opened anew."""
    address = f"sqlite:///{tmp_path}/dwell.db"
    if kind == "postgres":
        address = request.getfixturevalue("postgres")
    tokens = Tokens(store_at(address))
    (kept, text), (gone, other) = tokens.create("tell", note="☃"), tokens.create()
    tokens.revoke(gone.id)
    again = Tokens(store_at(address))
    again.read_on()
    assert again.shown(text) == kept
    assert again.shown(other) is None
    assert again.signed_in(again.sign_in(text) or "") == kept


def test_tokens_made_by_many_at_once_are_all_there() -> None:
    """Who loses reads on and tries again."""
    store = MemoryStore()
    threads = [Thread(target=Tokens(store).create) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({token.id for token in Tokens(store).all()}) == 16


def test_who_is_overtaken_reads_on_and_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may write between reading and writing."""
    store = MemoryStore()
    append = store.append

    def overtaken(*given: Any) -> None:
        monkeypatch.undo()
        Tokens(store).create()
        append(*given)

    monkeypatch.setattr(store, "append", overtaken)
    Tokens(store).create()
    assert len(Tokens(store).all()) == 2


def test_a_scope_that_is_not_known_is_refused() -> None:
    """In a sentence that names those there are."""
    with refused("read, tell or admin", "'root'"):
        Tokens(MemoryStore()).create("root")  # type: ignore[arg-type]  # it must be refused


def test_a_secret_of_one_token_with_the_id_of_another_is_refused() -> None:
    """And so is any part of a token, and what looks like none."""
    tokens = Tokens(MemoryStore())
    (_, one), (_, other) = tokens.create(), tokens.create()
    identity, secret = one.split("_", 2)[1:]
    texts = ["", PREFIX, one[:-1], one + "a", secret, f"{PREFIX}{other.split('_')[1]}_{secret}"]
    texts += [f"{PREFIX}{identity}_", f"{PREFIX}_{secret}", one.replace(PREFIX, ""), "dwell_ä_ö"]
    assert [tokens.shown(text) for text in texts] == [None] * len(texts)
    assert tokens.shown(one) is not None


def test_the_log_has_digests_and_no_secrets() -> None:
    """Neither of tokens nor of sessions."""
    store = MemoryStore()
    tokens = Tokens(store)
    _, text = tokens.create()
    cookie = tokens.sign_in(text)
    assert cookie is not None
    kept = "".join(store.read(LOG))
    for shown in (text.removeprefix(PREFIX), cookie):
        identity, _, secret = shown.partition("_")
        assert identity in kept
        assert secret not in kept
        assert Credential(identity, secret).digest in kept
    assert text.split("_", 2)[2] not in repr(Credential.read(text, PREFIX))


def test_a_session_ends_by_itself_by_signing_out_and_with_its_token() -> None:
    """A cookie is worth less than the token it came from."""
    clock = Clock()
    tokens = Tokens(MemoryStore(), clock)
    made, text = tokens.create("tell")
    cookies = [tokens.sign_in(text) or "" for _ in range(3)]
    assert [tokens.signed_in(cookie) for cookie in cookies] == [made] * 3
    assert tokens.shown(cookies[0]) is None, "a cookie is no token"
    assert tokens.signed_in(text) is None, "a token is no cookie"
    tokens.sign_out(cookies[0])
    assert [tokens.signed_in(cookie) for cookie in cookies] == [None, made, made]
    clock.now += SESSION_SECONDS
    assert tokens.signed_in(cookies[1]) is None
    later = tokens.sign_in(text) or ""
    assert tokens.signed_in(later) == made
    tokens.revoke(made.id)
    assert tokens.signed_in(later) is None
    assert tokens.sign_in(text) is None
    tokens.sign_out("nonsense")


def test_sessions_that_are_over_are_not_kept_in_memory() -> None:
    """A log of years costs no more than its last two weeks."""
    clock, store = Clock(), MemoryStore()
    tokens = Tokens(store, clock)
    _, text = tokens.create()
    old = tokens.sign_in(text)
    clock.now += SESSION_SECONDS + 1
    again = Tokens(store, clock)
    again.read_on()
    assert old is not None
    assert again._sessions == {}


def test_a_log_that_cannot_be_read_is_not_shown() -> None:
    """It has to do with secrets."""
    store = MemoryStore()
    store.append(LOG, 0, [Entry('{"event": "token praised 9", "digest": "abc"}')])
    with pytest.raises(dwell.InvalidInput, match="entry 1 of the log of tokens") as caught:
        Tokens(store).read_on()
    assert "abc" not in str(caught.value)


def test_the_log_of_tokens_is_no_programme() -> None:
    """Nobody can open it as one, though a path may hold its name."""
    store = MemoryStore()
    Tokens(store).create()
    shelf = Shelf(store)
    assert shelf.names() == []
    with refused("there is no programme", kind=dwell.errors.NotThere):
        shelf.open(LOG)


def test_a_shelf_for_one_programme_has_no_other() -> None:
    """Neither in its list, nor by name, nor to be made."""
    shelf = Shelf(MemoryStore())
    for name in ("checkout", "search"):
        shelf.create(name, policies=dwell.fixed(1))
    mine = shelf.only("search")
    assert mine.names() == ["search"]
    assert mine.open("search") is shelf.open("search")
    for call in (mine.open, mine.create):
        with refused("there is no programme 'checkout'", kind=dwell.errors.NotThere):
            call("checkout")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_on_loopback_no_token_is_needed_to_start(host: str) -> None:
    """Unless tokens are asked for, or others come in by a proxy."""
    tokens = Tokens(MemoryStore())
    require_safe(Settings(host=host), tokens)
    for safer in (
        Settings(host=host, require_token=True),
        Settings(host=host, allowed_hosts=("dwell.example",)),
    ):
        with refused(host, "dwell token create"):
            require_safe(safer, tokens)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "dwell.example"])
def test_elsewhere_a_token_that_holds_is_needed_to_start(host: str) -> None:
    """One that was revoked is none."""
    tokens = Tokens(MemoryStore())
    with refused(host, "other machines", "dwell token create"):
        require_safe(Settings(host=host), tokens)
    made, _ = tokens.create()
    require_safe(Settings(host=host), tokens)
    tokens.revoke(made.id)
    with refused(host):
        require_safe(Settings(host=host), tokens)


def test_a_bucket_fills_up_again_and_no_further() -> None:
    """Twice the rate at once, the rate in the long run."""
    clock = Clock()
    rates = Rates(10.0, clock)
    assert [rates.wait("a") for _ in range(20)] == [0.0] * 20
    assert rates.wait("a") == pytest.approx(0.1)
    clock.now += 0.1
    assert rates.wait("a") == 0.0
    assert rates.wait("a") > 0.0
    clock.now += 1e6
    assert sum(rates.wait("a") == 0.0 for _ in range(100)) == 20


def test_buckets_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Full ones are forgotten, and the first where none is full."""
    monkeypatch.setattr("dwell.service.access.rates._MOST", 3)
    clock = Clock()
    rates = Rates(1.0, clock)
    for name in ("a", "b", "c", "d"):
        rates.wait(name)
    assert list(rates._left) == ["b", "c", "d"]
    clock.now += 10.0
    rates.wait("e")
    assert list(rates._left) == ["e"]


def test_a_line_of_the_log_is_one_line_of_json_whatever_it_says() -> None:
    """No text can begin a line of its own; a fault is told in the same line."""
    try:
        raise ValueError("first\nsecond")
    except ValueError:
        record = logging.LogRecord("dwell", 20, "", 0, "a %s", ("b\nc",), sys.exc_info())
    written = JsonLines().format(record)
    assert "\n" not in written
    read = json.loads(written)
    assert read["message"] == "a b\nc"
    assert "ValueError: first" in read["fault"]


def test_the_servers_own_log_of_requests_is_off() -> None:
    """It would write addresses with all that is in them."""
    settings = logging_settings()
    assert settings["loggers"]["uvicorn.access"]["handlers"] == []


def test_lines_of_one_round_are_written_at_once() -> None:
    """All that a round of an event loop has to say is one write; elsewhere each line is."""
    written: list[str] = []

    class Stream(StringIO):
        def write(self, text: str) -> int:
            written.append(text)
            return len(text)

    handler = Lines(Stream())

    def say(text: str) -> None:
        handler.handle(logging.makeLogRecord({"msg": text}))

    async def round_of_three() -> None:
        for text in ("a", "b", "c"):
            say(text)
        assert not written
        await asyncio.sleep(0)
        assert written == ["a\nb\nc\n"]

    asyncio.run(round_of_three())
    say("d")
    say("e")
    assert written[1:] == ["d\n", "e\n"]
