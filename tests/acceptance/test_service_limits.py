"""What the service answers is strict, and what it takes has limits; its log has no secrets."""

import json
import logging
import socket
from contextlib import suppress
from time import monotonic, sleep
from urllib.parse import urlsplit

import pytest

from dwell.service.access.request_log import JsonLines
from dwell.service.settings import Settings
from tests.guarded import MARKER, Service, assert_problem, started
from tests.guarded import public as public

# Headers


def test_every_answer_has_strict_headers(public: Service) -> None:
    """Pages, refusals and faults alike; nothing is kept by a browser or in between."""
    answers = [
        public.call("GET", "/sign-in"),
        public.call("GET", "/tried"),
        public.call("GET", "/tried", "read"),
        public.call("GET", "/fault", "read"),
    ]
    assert [answer.status_code for answer in answers] == [200, 401, 200, 500]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"
        assert "strict-transport-security" not in answer.headers
        assert "access-control-allow-origin" not in answer.headers
    proxied = {"X-Forwarded-Proto": "https"}
    by_https = public.call("GET", "/sign-in", headers=proxied)
    assert by_https.headers["strict-transport-security"] == "max-age=31536000"


def test_a_report_is_shown_in_a_sandbox(public: Service) -> None:
    """Its own scripts run, without the service's origin."""
    policy = public.call("GET", "/report", "read").headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in policy
    assert "connect-src" not in policy
    assert "default-src 'none'" in policy


# Bodies


def raw(service: Service, head: str, *parts: bytes, pause: float = 0.0) -> bytes:
    """What a service answers to bytes that are sent one by one, until both close the connection."""
    found = urlsplit(service.address)
    lines = f"POST /tried/checkout HTTP/1.1\r\nHost: localhost\r\n{head}\r\n\r\n"
    with socket.create_connection((found.hostname, found.port or 0), timeout=20.0) as connection:
        connection.sendall(lines.encode())
        for part in parts:
            sleep(pause)
            try:
                connection.sendall(part)
            except OSError:  # it has had enough
                break
        first = connection.recv(65536)
        with suppress(OSError):  # it may be closed already
            connection.shutdown(socket.SHUT_WR)
        return first + b"".join(iter(lambda: connection.recv(65536), b""))


def bearer(service: Service, scope: str = "tell") -> str:
    return f"Authorization: Bearer {service.texts[scope]}"


def chunk(size: int) -> bytes:
    return f"{size:x}\r\n".encode() + bytes(size) + b"\r\n"


def test_a_body_of_100_megabytes_is_refused_before_it_is_read(public: Service) -> None:
    """Where it says how long it is, at once; and the connection is closed."""
    answer = raw(public, f"{bearer(public)}\r\nContent-Length: {100 * 2**20}")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"connection: close" in answer.lower()
    assert b"8 MB" in answer


def test_a_body_that_does_not_say_its_length_is_counted(public: Service) -> None:
    """It is cut off soon after the most that is taken."""
    parts = [chunk(2**20)] * 100
    answer = raw(public, f"{bearer(public)}\r\nTransfer-Encoding: chunked", *parts)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"connection: close" in answer.lower()


def test_who_has_no_token_is_not_listened_to(public: Service) -> None:
    """A body is not read for somebody who is refused anyway."""
    answer = raw(public, f"Content-Length: {4 * 2**20}")
    assert answer.startswith(b"HTTP/1.1 401 ")


def test_a_body_within_the_limit_is_taken(public: Service) -> None:
    """With its length and without."""
    whole = public.call("POST", "/tried/checkout", "tell", content=bytes(2**20))
    assert whole.json() == 2**20 + len("checkout")
    parts = public.call("POST", "/tried/checkout", "tell", content=iter([bytes(2**19)] * 2))
    assert parts.json() == whole.json()


def test_a_slow_body_is_cut_off(public: Service) -> None:
    """Where nothing comes for a while, the connection is not kept."""
    began = monotonic()
    answer = raw(public, f"{bearer(public)}\r\nContent-Length: 10", b"123")
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"after 3 bytes" in answer
    assert b"connection: close" in answer.lower()
    assert monotonic() - began < 8.0


def test_a_body_that_trickles_is_cut_off() -> None:
    """Where something always comes, but ever so little."""
    settings = Settings(host="0.0.0.0", body_pause_seconds=5.0, body_seconds=0.3)
    for service in started(settings):
        head = f"{bearer(service)}\r\nContent-Length: 1000"
        answer = raw(service, head, *[b"1"] * 1000, pause=0.02)
        assert answer.startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    "kind",
    [
        "application/x-www-form-urlencoded",
        "APPLICATION/X-WWW-Form-Urlencoded; charset=utf-8",
        "application/x-www-form-urlencoded=x",
        "multipart/form-data; boundary=a",
    ],
)
def test_a_form_is_short(public: Service, kind: str) -> None:
    """Anybody may send one, and many fields in it are taken apart one by one, for seconds."""
    for path in ("/sign-in", "/sign-out", "/programmes/checkout/tests/blue/record"):
        began = monotonic()
        headers = {"Content-Type": kind}
        answer = public.call("POST", path, "tell", content=b"&" * 2**22, headers=headers)
        assert_problem(answer, 413, "64 kB")
        assert monotonic() - began < 2.0
    if "multipart" not in kind:
        headers = {"Content-Type": kind}
        sent = public.call("POST", "/evaluate", "read", content=b"&" * 2**22, headers=headers)
        assert_problem(sent, 413, "64 kB")


# Heads


def by_hand(service: Service, *parts: bytes) -> bytes:
    """What a service answers to bytes, until it closes the connection; nothing if it does not."""
    found = urlsplit(service.address)
    with socket.create_connection((found.hostname, found.port or 0), timeout=5.0) as connection:
        with suppress(OSError):
            for part in parts:
                connection.sendall(part)
        answer = b""
        try:
            while part := connection.recv(65536):
                answer += part
        except TimeoutError:
            return b""
        except OSError:  # it is closed while something comes in
            pass
        return answer or b"closed"


HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.parametrize(
    "parts",
    [
        [b"X: " + b"a" * 2**18] * 40,
        [b"X-%d: a\r\n" % k * 1000 for k in range(1000)],
        [b"X: " + b"a" * 100_000 + b"\r\n\r\n"],
    ],
    ids=["one header", "many headers", "a whole head"],
)
def test_a_head_without_end_is_not_read_to_its_end(public: Service, parts: list[bytes]) -> None:
    """It is memory that anybody could take."""
    answer = by_hand(public, HEAD, *parts)
    assert answer.startswith((b"HTTP/1.1 431 ", b"HTTP/1.1 400 ", b"closed"))
    assert public.call("GET", "/healthz", headers={"X": "a" * 30_000}).status_code == 200


def test_a_slow_head_is_cut_off(public: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if it never begins; whoever says all of it is answered, as often as they ask."""
    monkeypatch.setattr("dwell.service.access.heads.SECONDS", 0.3)
    for part in (b"", b"GET /hea", HEAD):
        assert by_hand(public, part).startswith(b"HTTP/1.1 408 ")
    whole = HEAD + b"\r\n"
    found = urlsplit(public.address)
    with socket.create_connection((found.hostname, found.port or 0), timeout=5.0) as connection:
        for _ in range(3):
            connection.sendall(whole)
            assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
            sleep(0.4)
        connection.sendall(whole[:-2])
        assert connection.recv(65536).startswith(b"HTTP/1.1 408 ")


# Rates


def test_who_calls_too_often_is_asked_to_wait_and_nobody_else_is() -> None:
    """By token; and by address where there is none."""
    for service in started(Settings(host="0.0.0.0", requests_per_second=0.01)):
        service.tokens.read_on()
        assert service.call("GET", "/tried", "read").status_code == 200
        waiting = service.call("GET", "/tried", "read")
        assert_problem(waiting, 429, "0.01 requests per second")
        assert 90 < int(waiting.headers["retry-after"]) <= 100
        assert service.call("GET", "/tried", "tell").status_code == 200
        assert service.call("GET", "/tried", "dwell_a_b").status_code == 401
        assert service.call("GET", "/tried", "dwell_c_d").status_code == 429
        assert service.call("GET", "/sign-in").status_code == 429
        assert service.call("GET", "/tried", "admin").status_code == 200


def test_on_loopback_nobody_has_to_wait() -> None:
    """Who may do everything there may do it as often as the machine can."""
    for service in started(Settings(requests_per_second=1.0)):
        assert {service.call("GET", "/tried").status_code for _ in range(8)} == {200}


# Logs


def test_no_secret_is_in_the_log(public: Service, caplog: pytest.LogCaptureFixture) -> None:
    """Neither token, cookie, query, body nor path; which route it was, and the token's id, are."""
    caplog.set_level(logging.DEBUG, logger="dwell")
    caplog.set_level(logging.DEBUG, logger="uvicorn")
    text = public.texts["tell"]
    secrets = [text.split("_", 2)[2], MARKER]
    with public.signed_in("tell") as browser:
        secrets.append(str(browser.headers["Cookie"]).partition("_")[2].partition("_")[2])
        browser.get(f"/tried?token={MARKER}")
    public.call("POST", f"/tried/checkout?key={MARKER}", "tell", content=MARKER)
    public.call("GET", f"/{MARKER}?token={text}")
    public.call("GET", "/fault", "read", headers={"X-Request-Id": "mine-1"})
    public.call("GET", "/tried", "read", headers={"X-Request-Id": f"{MARKER} {MARKER}"})
    public.call("GET", "/tried", f"dwell_a_{MARKER}")
    # The server's own log of requests is off: ours takes its place.
    records = [record for record in caplog.records if record.name != "uvicorn.access"]
    logged = [JsonLines().format(record) for record in records]
    for secret in secrets:
        assert secret
        assert not [line for line in logged if secret in line]
    lines = [json.loads(line) for line in logged if '"dwell.access"' in line]
    assert {"request_id": "mine-1", "route": "/fault", "status": 500}.items() <= next(
        line for line in lines if line["route"] == "/fault"
    ).items()
    told = next(line for line in lines if line["route"] == "/tried/{programme}")
    assert told["token"] == text.split("_")[1]
    assert (told["method"], told["status"]) == ("POST", 200)
    assert told["ms"] >= 0.0
    assert any("a fault of ours" in text for text in logged), "the fault itself is told"


def test_a_fault_says_nothing_of_itself_and_can_be_found(public: Service) -> None:
    """The answer has the id under which the log has the fault."""
    answer = public.call("GET", "/fault", "read", headers={"X-Request-Id": "mine-2"})
    assert_problem(answer, 500)
    assert answer.headers["x-request-id"] == "mine-2"
    assert "a fault of ours" not in answer.text
