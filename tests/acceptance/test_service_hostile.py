"""What is sent to do harm does none: in names, in paths, in exports, in routes left unguarded."""

import csv
import re
import socket
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from fastapi.routing import iter_route_contexts

import dwell
from dwell.programme.stores.sqlite import SqliteStore
from dwell.service.access.tokens import Tokens
from dwell.service.app import create_app
from dwell.service.settings import Settings
from tests.guarded import Service, serving

NAMES = (
    "'; drop table events; --",
    '" or 1=1 --',
    "%s %(name)s {0} \\",
    "=cmd|' /C calc'!A0",
    "  =cmd|' /C calc'!A0",
    "+1+cmd",
    "-2+3",
    "@sum(1)",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }} ${7*7} {% raw %}",
    "../../etc/passwd",
    "a/b?c#d%2F..",
    "snow ☃ man",
)
# Who has no token may have these, and who has one needs no scope for them.
PUBLIC = {"/sign-in", "/sign-out", "/healthz", "/readyz", "/static/blue"}
FOR_READERS = {"/api/v1/plan", "/api/v1/evaluate", "/plan", "/evaluate"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that other machines reach, over a file."""
    store = SqliteStore(tmp_path_factory.mktemp("hostile") / "dwell.db")
    for name in ("checkout", "search"):
        dwell.Programme.create(store, name, policies=dwell.fixed(1))
    app = create_app(Settings(host="0.0.0.0"), store)
    tokens = Tokens(store)
    texts = {"read": tokens.create("read")[1], "admin": tokens.create("admin")[1]}
    texts["search"] = tokens.create("admin", "search")[1]
    with serving(app, texts) as started:
        yield started


@pytest.fixture(scope="module")
def routes(service: Service) -> list[tuple[str, str]]:
    """Every method and path there is, about the programme checkout."""
    found = [
        (method, re.sub(r"\{programme\b[^}]*\}", "checkout", str(route.path)))
        for route in iter_route_contexts(service.app.routes)
        for method in sorted(route.methods or ())
    ]
    assert len(found) > 20
    return [(method, re.sub(r"\{[^}]*\}", "blue", path)) for method, path in found]


def statuses(
    service: Service, routes: list[tuple[str, str]], scope: str | None
) -> dict[tuple[str, str], int]:
    """What each route answers to somebody."""
    headers = {} if scope is None else {"Authorization": f"Bearer {service.texts[scope]}"}
    return {
        (method, path): service.client.request(method, path, json={}, headers=headers).status_code
        for method, path in routes
    }


def test_no_route_is_open_to_who_has_no_token(
    service: Service, routes: list[tuple[str, str]]
) -> None:
    """But those that say nothing of programmes: a new route is closed until it is opened."""
    found = statuses(service, routes, None)
    assert {path for (_, path), status in found.items() if status != 401} == PUBLIC


def test_no_route_changes_anything_for_who_may_only_read(
    service: Service, routes: list[tuple[str, str]]
) -> None:
    """Plans and evaluations change nothing."""
    changing = [
        (method, path)
        for method, path in routes
        if method not in ("GET", "HEAD") and path not in PUBLIC | FOR_READERS
    ]
    assert len(changing) > 5
    assert set(statuses(service, changing, "read").values()) == {403}


def test_no_route_tells_of_another_programme(
    service: Service, routes: list[tuple[str, str]]
) -> None:
    """Of a programme that a token is not for, no route knows anything."""
    others = [(method, path) for method, path in routes if "/checkout" in path]
    assert len(others) > 10
    assert set(statuses(service, others, "search").values()) == {404}
    for path in ("/api/v1/programmes", "/api/v1/openapi.json", "/metrics"):
        answer = service.call("GET", path, "search")
        assert "'checkout'" not in answer.text.replace('"', "'") or path.endswith("openapi.json")
    with service.signed_in("search") as browser:
        start = browser.get("/", headers={"Accept": "text/html"})
    assert start.status_code == 200
    assert "/programmes/search" in start.text
    assert "checkout" not in start.text
    assert service.call("GET", "/metrics", "search").status_code == 403
    assert service.call("GET", "/metrics", "read").status_code == 200


def test_a_token_for_one_programme_cannot_make_another(service: Service) -> None:
    """Admin of one is admin of no other."""
    sent = {"name": "third", "caps": "1"}
    answer = service.call("POST", "/api/v1/programmes", "search", json=sent)
    assert answer.status_code == 404
    listed = service.call("GET", "/api/v1/programmes", "admin").json()["programmes"]
    assert [row["programme"] for row in listed] == ["checkout", "search"]


def finished(service: Service, name: str) -> Any:
    """A task of that name, told all that it wants."""
    path = f"/api/v1/programmes/checkout/tasks/{quote(name, safe='')}"
    begun = service.call("PUT", path, "admin")
    assert begun.status_code in (200, 201), begun.text
    told = service.call("POST", f"{path}/tellings", "admin", json={"values": [1, 1, 1]})
    assert told.status_code == 200, told.text
    return service.call("GET", path, "admin").json()


def test_names_are_texts_and_nothing_else(service: Service, tmp_path: Path) -> None:
    """SQL, formats, templates, paths: each is kept and given back as it is; no store suffers.

    In the export none is a formula, and `dwell evaluate` reads it.
    """
    for name in NAMES:
        assert finished(service, name)["task"] == name
    assert service.call("GET", "/api/v1/programmes/checkout", "admin").json()["begun"] == len(NAMES)
    sent = service.call("GET", "/api/v1/programmes/checkout/export", "admin")
    assert sent.headers["content-disposition"].startswith("attachment")
    log = tmp_path / "log.csv"
    log.write_bytes(sent.content)
    names = {row["test"] for row in csv.DictReader(sent.text.splitlines())}
    assert len(names) == len(NAMES)
    assert not [name for name in names if name.lstrip().startswith(("=", "+", "-", "@"))]
    assert dwell.check(log).quality.tests == len(NAMES)


@pytest.mark.parametrize(
    "path",
    [
        "/static/../../../../etc/passwd",
        "/static/..%2f..%2f..%2fetc%2fpasswd",
        "/static/%2e%2e/%2e%2e/app.py",
        "/static/..",
        "/api/assets/%2e%2e",
        "/api/assets/..%2f..%2f__init__.py",
        "/api/assets/%2e%2e%2f__init__.py",
        "/api/v1/programmes/..%2f..%2fetc%2fpasswd/export",
        "/api/v1/programmes/checkout/export?format=../../x.csv",
        "/programmes/..%2f..%2fetc%2fpasswd",
    ],
)
def test_a_path_leads_nowhere_else(service: Service, path: str) -> None:
    """No file of the machine is given out, however it is spelled."""
    found = urlsplit(service.address)
    # By hand: a client would tidy the path up first.
    with socket.create_connection((found.hostname, found.port or 0), timeout=10.0) as connection:
        connection.sendall(
            f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            f"Authorization: Bearer {service.texts['admin']}\r\n\r\n".encode()
        )
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert int(answer.split()[1]) in (400, 404, 422)
    assert b"root:" not in answer
    assert b"import" not in answer


def test_a_script_in_a_name_is_a_text_on_the_page(service: Service) -> None:
    """Whatever a name holds, no page has an element or a template's result that comes from it."""
    hostile = [name for name in NAMES if "<" in name or "{{" in name]
    for name in hostile:
        path = f"/api/v1/programmes/search/tasks/{quote(name, safe='')}"
        assert service.call("PUT", path, "admin").status_code in (200, 201)
    with service.signed_in("admin") as browser:
        browser.headers["Accept"] = "text/html"
        pages = [browser.get(path) for path in ("/", "/programmes/search")]
        pages += [
            browser.get(f"/programmes/search/tests/{quote(name, safe='')}") for name in hostile
        ]
        pages.append(browser.get(f"/programmes/{quote(hostile[0], safe='')}"))
    assert [page.status_code for page in pages] == [200] * (2 + len(hostile)) + [404]
    assert all(page.headers["content-type"].startswith("text/html") for page in pages)
    for page in pages:
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
        assert "unsafe" not in page.headers["content-security-policy"]
    for name, page in zip(hostile, pages[2:], strict=False):
        assert escape(name, quote=False) in unescape_quotes(page.text)
    assert "{{ 7 * 7 }}" in pages[1].text


def unescape_quotes(text: str) -> str:
    return text.replace("&#34;", '"').replace("&#39;", "'").replace("&quot;", '"')


def test_names_of_programmes_and_keys_are_texts_too(service: Service) -> None:
    """Both are looked up in the store, and neither is part of what the store is asked."""
    before = len(service.call("GET", "/api/v1/programmes", "admin").json()["programmes"])
    for name in (f"{each} too" for each in NAMES):
        made = service.call("POST", "/api/v1/programmes", "admin", json={"name": name, "caps": "9"})
        assert made.status_code == 201, made.text
        path = f"/api/v1/programmes/{quote(name, safe='')}"
        service.call("PUT", f"{path}/tasks/blue", "admin")
        for key in NAMES:
            told = {"values": [1], "key": key}
            for _ in range(2):  # told twice is told once
                answer = service.call("POST", f"{path}/tasks/blue/tellings", "admin", json=told)
                assert answer.status_code in (200, 409), answer.text
        assert service.call("GET", path, "admin").json()["programme"] == name
        missing = service.call("GET", f"{path}%27", "admin")
        assert missing.status_code == 404
    after = service.call("GET", "/api/v1/programmes", "admin").json()["programmes"]
    assert len(after) == before + len(NAMES)
