"""The API's own page, in a browser: Swagger UI from its package, under a strict policy."""

from playwright.sync_api import Browser, Request, expect

from dwell.programme.stores.memory import MemoryStore
from dwell.service.app import create_app
from tests.serving import served


def test_the_page_shows_the_api_and_loads_nothing_from_elsewhere(browser: Browser) -> None:
    """All operations are there, one can be tried, nothing is refused and nobody else is asked."""
    complaints: list[str] = []
    elsewhere: list[str] = []
    with served(create_app(store=MemoryStore())) as address:
        page = browser.new_page()

        def see(request: Request) -> None:
            if not request.url.startswith((address, "data:")):
                elsewhere.append(request.url)

        page.on("request", see)
        page.on("console", lambda said: complaints.append(said.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{address}/api")
        operations = page.locator(".opblock")
        expect(operations.first).to_be_visible()
        assert operations.count() > 25
        page.locator("#operations-Operations-check_health button").first.click()
        page.get_by_role("button", name="Try it out").click()
        page.get_by_role("button", name="Execute").click()
        expect(page.locator(".live-responses-table").first).to_contain_text('"status": "ok"')
        page.close()
    assert (complaints, elsewhere) == ([], [])
