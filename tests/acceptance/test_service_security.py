"""The service refuses what it should: by token, scope, programme, cookie, origin and host."""

import socket
from http import HTTPStatus
from time import monotonic, sleep
from urllib.parse import urlsplit

import httpx2
import pytest

from dwell.errors import CannotWrite
from dwell.programme.stores.memory import MemoryStore
from dwell.service.access.tokens import FRESH_SECONDS, LOG, Tokens
from dwell.service.app import create_app
from dwell.service.settings import Settings
from tests.guarded import MARKER, Service, assert_problem
from tests.guarded import local as local
from tests.guarded import public as public
from tests.serving import served

# Tokens


@pytest.mark.parametrize("path", ["/tried", "/tried/checkout", "/api/v1/programmes", "/nowhere"])
def test_without_a_token_nothing_is_there(public: Service, path: str) -> None:
    """Not even what is not there: nobody can find out which paths there are."""
    answer = public.call("GET", path)
    assert_problem(answer, 401, "a token is needed")
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "shown",
    ["Bearer", "Bearer dwell_a_b", "Basic dXNlcjpwYXNz", "dwell_a_b", "Bearer \xe4"],
    ids=["nothing", "unknown", "another scheme", "no scheme", "no text"],
)
@pytest.mark.parametrize("where", ["public", "local"])
def test_a_bad_token_is_refused_even_where_none_is_needed(
    where: str, shown: str, request: pytest.FixtureRequest
) -> None:
    """Whoever sends one believes it to count."""
    service: Service = request.getfixturevalue(where)
    headers = {b"Authorization": shown.encode("latin-1")}
    assert_problem(service.client.get("/tried", headers=headers), 401)


def test_each_scope_allows_what_it_says_and_no_more(public: Service) -> None:
    """What tell does admin does too, and so on down."""
    calls = [("GET", "/tried"), ("POST", "/tried/checkout"), ("POST", "/tried")]
    allowed = {
        scope: [public.call(*call, scope).status_code for call in calls]
        for scope in ("read", "tell", "admin")
    }
    assert allowed == {
        "read": [200, 403, 403],
        "tell": [200, 200, 403],
        "admin": [200, 200, 200],
    }
    assert_problem(public.call("POST", "/tried", "tell"), 403, "scope admin", "yours has tell")


def test_a_revoked_token_is_refused_within_a_second(public: Service) -> None:
    """Also where another process revokes it."""
    elsewhere = Tokens(public.tokens.store)
    made, text = elsewhere.create("read")
    assert public.call("GET", "/tried", text).status_code == 200, "a new token works at once"
    elsewhere.revoke(made.id)
    end = monotonic() + FRESH_SECONDS
    while monotonic() < end:
        sleep(0.05)
    assert_problem(public.call("GET", "/tried", text), 401)


def test_what_is_being_sent_ends_with_the_token(public: Service) -> None:
    """Live updates do not go on for who is no longer let in."""
    made, text = public.tokens.create("read")
    headers = {"Authorization": f"Bearer {text}"}
    began = monotonic()
    with httpx2.stream("GET", f"{public.address}/live", headers=headers) as answer:
        lines = answer.iter_lines()
        assert next(lines) == "0"
        public.tokens.revoke(made.id)
        rest = list(lines)
    assert len(rest) < 100
    assert monotonic() - began < 15.0


def test_to_a_token_for_one_programme_no_other_is_there(public: Service) -> None:
    """It looks as if there were none of that name: 404, not 403, and in no list."""
    assert public.call("GET", "/tried", "search").json()["names"] == ["search"]
    assert public.call("GET", "/tried/search", "search").status_code == 200
    other = public.call("GET", "/tried/checkout", "search")
    missing = public.call("GET", "/tried/nonsense", "search")
    for answer in (other, missing, public.call("POST", "/tried/checkout", "search")):
        assert_problem(answer, 404)
    assert other.json()["detail"].replace("checkout", "nonsense") == missing.json()["detail"]
    assert public.call("GET", "/tried/checkout", "read").status_code == 200


def test_the_log_of_tokens_cannot_be_read_as_a_programme(public: Service) -> None:
    """Its name can stand in a path."""
    answer = public.call("GET", "/tried/%1Ftokens", "admin")
    assert_problem(answer, 404)
    assert "digest" not in answer.text
    assert LOG in public.tokens.store.names()


def test_where_tokens_cannot_be_read_nobody_is_let_in(
    public: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token may have been revoked meanwhile; the answer says nothing of the store."""

    def fails(*_: object) -> None:
        raise CannotWrite(f"{MARKER} cannot be opened")

    monkeypatch.setattr(public.tokens, "read_on", fails)
    answer = public.call("GET", "/tried", "dwell_a_b")
    assert_problem(answer, 503, "try again")
    assert MARKER not in answer.text


# Loopback


def test_on_loopback_no_token_is_needed(local: Service) -> None:
    """Whoever is on the machine may do everything, by default."""
    assert local.call("GET", "/tried").json() == {
        "names": ["checkout", "search"],
        "by": "loopback",
    }
    assert local.call("POST", "/tried").status_code == 200
    assert local.call("POST", "/tried", "read").status_code == 403, "a token says what it allows"


@pytest.mark.parametrize(
    ("settings", "headers"),
    [
        (Settings(require_token=True), {}),
        (Settings(allowed_hosts=("dwell.example",)), {}),
        (Settings(), {"X-Forwarded-For": "192.0.2.7"}),
        (Settings(), {"Forwarded": "for=192.0.2.7"}),
    ],
    ids=["required", "behind a proxy", "passed on", "passed on anew"],
)
def test_on_loopback_a_token_is_needed_where_others_come_in(
    settings: Settings, headers: dict[str, str]
) -> None:
    """Who asks for tokens gets that, and who comes by a proxy is not on this machine."""
    with served(create_app(settings, MemoryStore())) as address:
        assert_problem(httpx2.get(f"{address}/api/v1/programmes", headers=headers), 401)


# Cookies


def test_signing_in_gives_a_cookie_that_scripts_cannot_read(
    public: Service, local: Service
) -> None:
    """It is no token, goes by https alone but on loopback, and ends when one signs out."""
    sent = {"token": public.texts["read"], "next": "/programmes/checkout"}
    answer = public.call("POST", "/sign-in", data=sent)
    assert answer.status_code == HTTPStatus.SEE_OTHER
    assert answer.headers["location"] == "/programmes/checkout"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-dwell-session=")
    for part in ("HttpOnly", "SameSite=lax", "Secure", "Path=/", "Max-Age=1209600"):
        assert part in cookie
    assert public.texts["read"].split("_", 2)[2] not in cookie
    here = local.call("POST", "/sign-in", data={"token": local.texts["read"]})
    assert here.headers["set-cookie"].startswith("dwell-session=")
    assert "Secure" not in here.headers["set-cookie"]

    with public.signed_in("read") as browser:
        assert browser.get("/tried").json()["by"] == "session"
        assert browser.post("/tried").status_code == 403
        out = browser.post("/sign-out")
        assert out.headers["location"] == "/sign-in"
        assert "Max-Age=0" in out.headers["set-cookie"]
        assert_problem(browser.get("/tried"), 401)


def test_revoking_a_token_signs_its_browsers_out(public: Service) -> None:
    """A session is worth no more than the token it was opened with."""
    made, text = public.tokens.create("read")
    public.texts["short"] = text
    with public.signed_in("short") as browser:
        assert browser.get("/tried").status_code == 200
        public.tokens.revoke(made.id)
        assert_problem(browser.get("/tried"), 401)


def test_a_forged_cookie_is_refused(public: Service) -> None:
    """A session's id is no secret; what goes with it cannot be guessed."""
    with public.signed_in("admin") as browser:
        name, _, value = str(browser.headers["Cookie"]).partition("=")
    identity, secret = value.split("_", 1)
    token = public.texts["admin"]
    for forged in (
        f"{identity}_{secret[:-1]}",
        f"{identity}_{'A' * len(secret)}",
        f"{token.split('_')[1]}_{secret}",
        token,
        "",
        "_",
        "admin",
    ):
        answer = public.call("GET", "/tried", headers={"Cookie": f"{name}={forged}"})
        assert_problem(answer, 401)
    right = public.call("GET", "/tried", headers={"Cookie": f"{name}={value}"})
    assert right.status_code == 200


def test_who_is_not_signed_in_is_sent_to_the_page_for_it_and_back(public: Service) -> None:
    """People are; programs get a problem. What follows is a page of ours, whatever was asked."""
    html = {"Accept": "text/html"}
    answer = public.call("GET", "/programmes/a%2Fb?day=3", headers=html)
    assert answer.status_code == HTTPStatus.SEE_OTHER
    page = public.call("GET", answer.headers["location"])
    assert page.status_code == 200
    assert 'value="/programmes/a%2Fb?day=3"' in page.text
    assert "has ended" not in page.text
    over = public.call("GET", "/", headers={**html, "Cookie": "__Host-dwell-session=a_b"})
    assert "Your session has ended" in public.call("GET", over.headers["location"]).text
    assert_problem(public.call("GET", "/api/v1/programmes", headers=html), 401)
    sent = {"token": "dwell_a_b", "next": "//elsewhere.example"}
    wrong = public.call("POST", "/sign-in", data=sent)
    assert wrong.headers["location"] == "/sign-in?wrong=1&next=/"
    assert "set-cookie" not in wrong.headers
    again = public.call("GET", f"{wrong.headers['location']}&next=%22%3E%3Cscript%3E")
    assert "not known, or was revoked" in again.text
    assert '"><script>' not in again.text


# Origins and hosts

ELSEWHERE = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},  # another port of the same machine
    {"Origin": "https://elsewhere.example"},
    {"Origin": "null"},
]


@pytest.mark.parametrize("headers", ELSEWHERE, ids=["site", "port", "origin", "no origin"])
def test_a_form_of_another_origin_changes_nothing(
    public: Service, local: Service, headers: dict[str, str]
) -> None:
    """Neither with the cookie of who is signed in, nor on loopback, nor to sign somebody in."""
    with public.signed_in("admin") as browser:
        del browser.headers["Sec-Fetch-Site"]
        assert_problem(browser.post("/tried", headers=headers), 403, "another origin")
    assert_problem(local.call("POST", "/tried", headers=headers), 403, "another origin")
    signing_in = local.call("POST", "/sign-in", headers=headers, data={"token": "a"})
    assert_problem(signing_in, 403)
    assert local.call("GET", "/tried", headers=headers).status_code == 200, "to look is no change"


def test_our_own_pages_and_programs_change_things(public: Service, local: Service) -> None:
    """A page by its cookie, a program by its token, wherever that was sent from."""
    with public.signed_in("admin") as browser:
        assert browser.post("/tried").status_code == 200
        del browser.headers["Sec-Fetch-Site"]
        assert browser.post("/tried", headers={"Origin": public.address}).status_code == 200
        assert_problem(browser.post("/tried"), 403, "another origin")
    for headers in ELSEWHERE:
        assert public.call("POST", "/tried", "admin", headers=headers).status_code == 200
    assert local.call("POST", "/tried", headers={"Origin": local.address}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["elsewhere.example", "127.0.0.1.elsewhere.example", "localhost@elsewhere.example:8000", ""],
)
def test_another_host_is_refused_on_loopback(local: Service, host: str) -> None:
    """A page whose name leads to 127.0.0.1 by a trick cannot read the answers."""
    answer = local.call("GET", "/tried", headers={"Host": host})
    assert_problem(answer, 421, "Host header")
    for ours in ("localhost:9999", "127.0.0.1", "[::1]:8000", "LOCALHOST"):
        assert local.call("GET", "/tried", headers={"Host": ours}).status_code == 200


@pytest.mark.parametrize("hosts", [(), ("localhost", "elsewhere.example"), ("localhost",) * 2])
def test_a_request_names_one_host(local: Service, hosts: tuple[str, ...]) -> None:
    """Who stands between may go by another of two than we do."""
    lines = "".join(f"Host: {host}\r\n" for host in hosts)
    found = urlsplit(local.address)
    with socket.create_connection((found.hostname, found.port or 0), timeout=10.0) as connection:
        connection.sendall(f"GET /tried HTTP/1.1\r\n{lines}Connection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 421 ")


def test_a_host_cannot_make_a_path_look_public(public: Service) -> None:
    """An address is put together with the Host header; what is public goes by the path alone."""
    for host in ("elsewhere.example/static/?", "elsewhere.example/sign-in?", "a b"):
        answer = public.call("GET", "/tried", headers={"Host": host})
        assert answer.status_code in (400, 421)
    assert_problem(public.call("GET", "/tried", headers={"Host": "dwell.example"}), 401)


def test_hosts_that_are_named_are_allowed() -> None:
    """Behind a proxy the service goes by its public name; health checks by loopback's."""
    settings = Settings(host="192.0.2.1", allowed_hosts=("Dwell.example",))
    with served(create_app(settings, MemoryStore())) as address:
        ours = ("dwell.example", "localhost", "192.0.2.1:8000")
        for host, status in (*((each, 401) for each in ours), ("other.example", 421)):
            answer = httpx2.get(f"{address}/tried", headers={"Host": host})
            assert answer.status_code == status
