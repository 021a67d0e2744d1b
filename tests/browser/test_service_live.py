"""Pages that move: what people do on them while they do, and servers that go away."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, Page, expect

from dwell import Fixed, Programme, fixed
from dwell.programme.stores.memory import MemoryStore
from dwell.service.app import create_app
from tests.serving import served


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
    context = browser.new_context(viewport={"width": 1440, "height": 900})
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
        expect(page.locator("#readout")).to_contain_text("After 1 samples")


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
