"""Pages that move: what people do on them while they do, and servers that go away."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, Page, ViewportSize, expect

from dwell import Fixed, Programme, fixed
from dwell.programme.stores.memory import MemoryStore
from dwell.service.app import create_app
from tests.serving import served

WIDE = ViewportSize(width=1440, height=900)


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[str, MemoryStore]]:
    """A service over a store that tests fill."""
    store = MemoryStore()
    with served(create_app(store=store)) as url:
        yield url, store


@pytest.fixture
def address(running: tuple[str, MemoryStore]) -> str:
    """Where it is."""
    return running[0]


@pytest.fixture
def deciding(running: tuple[str, MemoryStore], request: pytest.FixtureRequest) -> Programme:
    """A programme that decides after three samples, for a test of its own."""
    return Programme.create(running[1], request.node.name, learner=Fixed(fixed(3, 1)))


@contextmanager
def watched(browser: Browser, url: str) -> Iterator[Page]:
    """A page that is open, and logs nothing."""
    context = browser.new_context(viewport=WIDE)
    page, logged = context.new_page(), []
    page.on("console", lambda message: logged.append(message.text))
    page.on("pageerror", lambda error: logged.append(str(error)))
    page.goto(url)
    try:
        yield page
    finally:
        context.close()
    assert logged == []


@pytest.fixture
def store() -> MemoryStore:
    """A store with a programme that decides after three samples, and two of its tests."""
    store = MemoryStore()
    programme = Programme.create(store, "Live", learner=Fixed(fixed(3, 1)))
    programme.begin("blue").tell([1])
    programme.begin("red").tell([1])
    return store


def programme_in(store: MemoryStore) -> Programme:
    return Programme.open(store, "Live")


@contextmanager
def opened(browser: Browser, url: str, pages: int = 1) -> Iterator[list[Page]]:
    """Some tabs of one browser that are live."""
    context = browser.new_context(viewport=WIDE)
    tabs = [context.new_page() for _ in range(pages)]
    for tab in tabs:
        tab.goto(url)
        expect(tab.locator("#fresh b")).to_have_text("Live")
    try:
        yield tabs
    finally:
        context.close()


def test_what_was_chosen_on_a_page_stays_while_it_moves(
    browser: Browser, store: MemoryStore
) -> None:
    """The unit of the chart, the table that was opened, the focus, and reading with arrow keys."""
    with (
        served(create_app(store=store)) as url,
        opened(browser, f"{url}/programmes/Live/tests/blue") as [page],
    ):
        page.get_by_text("Running total", exact=True).click()
        page.locator("summary").click()
        chart = page.locator(".in-sum .fig-w svg")
        chart.focus()
        programme_in(store).task("blue").tell([-1])
        expect(page.locator("details tbody tr")).to_have_count(2)
        expect(page.locator("details tbody tr").first).to_be_visible()
        expect(chart).to_be_visible()
        expect(chart).to_be_focused()
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#readout")).to_contain_text("After 1 sample:")


def test_two_tabs_move_and_neither_loses_what_is_new(browser: Browser, store: MemoryStore) -> None:
    """Where the focus is, what is over stays until it leaves, and what is new stays."""
    with (
        served(create_app(store=store)) as url,
        opened(browser, f"{url}/programmes/Live", pages=2) as [first, second],
    ):
        programme = programme_in(store)
        first.locator("#t-2 a").focus()
        programme.task("blue").tell([1, 1])
        expect(second.locator("#t-1")).to_have_count(0)
        expect(first.locator("#c-1")).to_contain_text("Ship")
        expect(first.locator("#t-1")).to_have_count(1)
        programme.begin("green")
        for page in (first, second):
            expect(page.locator("#t-3")).to_contain_text("green")
        first.locator("#t-2 a").blur()
        expect(first.locator("#t-1")).to_have_count(0)
        expect(first.locator("#t-3")).to_have_count(1)


def test_a_page_finds_its_server_again(browser: Browser, store: MemoryStore) -> None:
    """It says that it tries; then it has what happened meanwhile, without a reload."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    def app() -> FastAPI:
        return create_app(store=store)

    context = browser.new_context()
    page = context.new_page()
    with served(app(), port=port):
        page.goto(f"http://127.0.0.1:{port}/programmes/Live")
        expect(page.locator("#fresh b")).to_have_text("Live")
        page.evaluate("window.here = true")
    expect(page.locator("#fresh b")).to_have_text("Trying again")
    programme_in(store).begin("green")
    with served(app(), port=port):
        expect(page.locator("#t-3")).to_contain_text("green", timeout=20_000)
        expect(page.locator("#fresh b")).to_have_text("Live")
        assert page.evaluate("window.here")
        page.goto("about:blank")
    context.close()


def test_a_page_follows_what_happens(browser: Browser, address: str, deciding: Programme) -> None:
    """A new test, its path, its decision: without a reload, announced once, and in the title."""
    blue = deciding.begin("blue")
    with watched(browser, f"{address}/programmes/{deciding.name}") as page:
        expect(page.locator("#fresh b")).to_have_text("Live")
        page.evaluate("window.here = true")
        blue.tell([1, 1])
        expect(page.locator("#t-1 .far")).to_contain_text("2 of 3 samples")
        deciding.begin("red")
        expect(page.locator("#t-2")).to_contain_text("red")
        blue.tell([1])
        expect(page.locator("#c-1")).to_contain_text("Ship")
        expect(page.locator("#announce")).to_contain_text("blue")
        expect(page.locator("#head")).to_contain_text("One to ship")
        expect(page).to_have_title(f"(1) {deciding.name} · dwell")
        blue.record("shipped")
        expect(page.locator(".card")).to_have_count(0)
        assert page.evaluate("window.here")


def test_an_empty_page_fills(browser: Browser, address: str, deciding: Programme) -> None:
    """The first test appears by itself."""
    with watched(browser, f"{address}/programmes/{deciding.name}") as page:
        expect(page.locator("h1")).to_contain_text("no test yet")
        deciding.begin("blue")
        expect(page.locator("#t-1")).to_contain_text("blue")


def test_the_page_of_a_test_follows_too(
    browser: Browser, address: str, deciding: Programme
) -> None:
    """Its sentence and its path change; what people did ends it."""
    blue = deciding.begin("blue")
    with watched(browser, f"{address}/programmes/{deciding.name}/tests/blue") as page:
        expect(page.locator("#head")).to_contain_text("Keep testing")
        blue.tell([-1, -1, 1])
        expect(page.locator("#head")).to_contain_text("Drop")
        page.get_by_role("button", name="We shipped it instead").click()
        expect(page.locator("#f-events")).to_contain_text("blue was recorded as shipped")


def test_a_page_that_hears_nothing_says_so(
    browser: Browser, address: str, deciding: Programme
) -> None:
    """After 90 seconds: since when, what that means, and why nothing can be recorded."""
    deciding.begin("blue").tell([1, 1, 1])
    context = browser.new_context(viewport=WIDE, timezone_id="America/New_York", locale="en-US")
    page = context.new_page()
    page.clock.install(time="2026-11-17T15:04:30Z")
    page.route("**/live?*", lambda route: route.abort())
    page.goto(f"{address}/programmes/{deciding.name}")
    expect(page.locator("#fresh")).to_be_visible()
    page.clock.run_for(2_000)
    page.clock.fast_forward(95_000)
    page.clock.run_for(2_000)
    expect(page.locator("#fresh b")).to_have_text("Not live")
    # In the time of all other times of the page, whatever the clock on the wall says.
    expect(page.locator("#banner")).to_contain_text("Not live since 15:04.")
    expect(page.locator("#banner")).to_contain_text("nothing that was told is lost")
    expect(page.locator("#head")).to_contain_text("As of 15:04: One to ship")
    expect(page.locator(".card button")).to_be_disabled()
    expect(page.locator(".card .off")).to_contain_text("Recording is off")
    context.close()
