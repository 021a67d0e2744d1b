"""The pages of the service in a real browser: each page and each flow."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_core_python.sync_playwright import Axe
from fastapi import FastAPI
from playwright.sync_api import Browser, Page, ViewportSize, expect

from dwell import Fixed, Ladder, Programme, fixed
from dwell.programme.stores.memory import MemoryStore
from dwell.service.access.tokens import Tokens
from dwell.service.app import create_app
from dwell.service.names import in_path
from dwell.service.settings import Settings
from tests.companies import checkout
from tests.programmes import BAD, GOOD, feed, forgetting, ideas
from tests.serving import served

WIDE, NARROW = ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)
ODD = '<script>alert(1)</script> / "50 %"'
TERMS = "a_day=8000&setup=120000&shortest=2&longest=21&worth=250000"
PLAN = f"/plan?mean=-0.06&spread=0.22&rate=42.1&{TERMS}"
# A page each, and a text that is to be read there.
PAGES = {
    "/": "Programmes.",
    PLAN: "standard errors above 0",
    "/programmes/Checkout": "Decide today",
    "/programmes/Ladders": "Rules, and how they stand",
    "/programmes/Changed": "The pool of ideas has changed",
    "/programmes/Empty": "has its limits, and no test yet",
    f"/programmes/Ladders/tests/{in_path(ODD)}": "The path between its limits",
    "/plan": "Give your numbers",
    "/plan?mean=x": "give a number",
    "/evaluate": "A log of past tests",
    "/sign-in": "How long should we dwell",
    "/nowhere": "This path has left the picture",
}


class Running:
    """A service that is running, and what it is about."""

    def __init__(self, url: str, app: FastAPI, store: MemoryStore) -> None:
        self.url, self.app, self.store = url, app, store


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    """A service with a company's programme, one without a law, one that changed, an empty one."""
    store = MemoryStore()
    calendar = checkout(store).calendar
    learner = Ladder([fixed(20, 1), fixed(40, 1), fixed(80, 1)], setup_cost=10)
    ladders = Programme.create(store, "Ladders", learner=learner, clock=calendar)
    draw = np.random.default_rng(3)
    for number in range(24):
        task = ladders.begin(f"idea {number}")
        while not task.tell(draw.choice([-1, 1], 20, p=[0.4, 0.6]).tolist()).done:
            pass
    ladders.begin(ODD).tell([1, 1, -1, 1])
    feed(forgetting(store, "Changed"), ideas(GOOD, BAD, GOOD, each=50, seed=3), seed=3)
    Programme.create(store, "Empty", policies=fixed(9, 1), clock=calendar)
    app = create_app(store=store)
    app.state.shelf.clock = calendar
    with served(app) as url:
        yield Running(url, app, store)


@contextmanager
def visited(browser: Browser, url: str, **options: Any) -> Iterator[Page]:
    """A page that is open; it logs no error, and asks nobody else for anything."""
    context = browser.new_context(**{"viewport": WIDE, **options})
    page = context.new_page()
    logged: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: logged.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: logged.append(f"error: {error}"))
    page.on("request", lambda request: asked.append(request.url))
    try:
        answered = page.goto(url)
        assert answered is not None
        yield page
    finally:
        context.close()
    origin = re.match(r"https?://[^/]+", url)
    assert origin is not None
    outside = [each for each in asked if not each.startswith((origin[0], "data:", "about:"))]
    assert outside == []
    # A browser logs every answer that is an error: those that a test asks for are none of ours.
    wrong = [each for each in logged if "the server responded with a status of 4" not in each]
    assert wrong == []


def first_test(page: Page, verdict: str) -> str:
    """Where the page of a test is that waits with a verdict."""
    link = page.locator(f".card:has(.v.{verdict}) h3 a").first.get_attribute("href")
    assert link is not None
    return link


@pytest.mark.parametrize("path", PAGES, ids=range(len(PAGES)))
def test_each_page_is_there(browser: Browser, service: Running, path: str) -> None:
    """It says what it is about, wide and narrow, and nothing of it is cut off."""
    with visited(browser, service.url + path) as page:
        expect(page.locator("main")).to_contain_text(PAGES[path])
        assert page.locator("h1").count() == 1
        for viewport in (WIDE, NARROW):
            page.set_viewport_size(viewport)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= viewport["width"]


@pytest.mark.parametrize("path", PAGES, ids=range(len(PAGES)))
def test_no_page_has_a_serious_fault_of_access(
    browser: Browser, service: Running, path: str
) -> None:
    """By axe: neither light nor, where there is colour, dark and narrow."""
    coloured = path == PLAN or any(name in path for name in ("Checkout", "Changed", "tests"))
    for scheme in ("light", "dark") if coloured else ("light",):
        with visited(browser, service.url + path, bypass_csp=True, color_scheme=scheme) as page:
            found = Axe().run(page)["violations"]
            if coloured and scheme == "light":
                page.set_viewport_size(NARROW)
                found += Axe().run(page)["violations"]
        serious = [each for each in found if each["impact"] in ("serious", "critical")]
        assert [(each["id"], each["nodes"][0]["html"][:200]) for each in serious] == []


def test_a_decided_test_says_why(browser: Browser, service: Running) -> None:
    """What it is worth to ship, the chance of harm, and the path: in figures and by arrow keys."""
    with visited(browser, f"{service.url}/programmes/Checkout") as page:
        link = first_test(page, "ship")
    with visited(browser, service.url + link, bypass_csp=True) as page:
        expect(page.locator("#head .v.ship")).to_have_text("Ship:")
        expect(page.locator(".opts [data-on]")).to_contain_text("chance that it does harm")
        chart = page.locator(".in-se .fig-w svg")
        chart.focus()
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#readout")).to_contain_text("standard errors")
        expect(chart.locator(".cross")).to_have_count(1)
        expect(page.locator(".in-lift .fig-w")).to_be_hidden()
        page.get_by_text("Lift, pp", exact=True).click()
        expect(page.locator(".in-lift .fig-w")).to_be_visible()
        page.locator("summary").click()
        assert page.locator("details tbody tr").count() > 2
        found = Axe().run(page)["violations"]
        assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []


def test_a_path_is_drawn_without_a_law_too(browser: Browser, service: Running) -> None:
    """As means at first, and as running totals; one of them at a time, wide and narrow."""
    for viewport, drawn in ((WIDE, ".fig-w svg"), (NARROW, ".fig-n svg")):
        url = f"{service.url}/programmes/Ladders/tests/{in_path(ODD)}"
        with visited(browser, url, viewport=viewport) as page:
            expect(page.locator(f".in-lift {drawn}")).to_be_visible()
            expect(page.locator(f".in-sum {drawn}")).to_be_hidden()
            page.get_by_text("Running total", exact=True).click()
            expect(page.locator(f".in-sum {drawn}")).to_be_visible()
            expect(page.locator(f".in-lift {drawn}")).to_be_hidden()


def test_no_words_of_a_chart_are_cut_off(browser: Browser, service: Running) -> None:
    """On a phone, where words beside a chart have the least room."""
    with visited(browser, f"{service.url}/programmes/Checkout", viewport=NARROW) as page:
        cut_off = page.evaluate(
            """() => [...document.querySelectorAll("svg text")].filter(words => {
                const [all, part] = [words.ownerSVGElement, words].map(
                    each => each.getBoundingClientRect());
                return all.width && (part.right > all.right + 1 || part.left < all.left - 1);
            }).map(words => words.textContent)"""
        )
        assert page.locator("#f-value svg text").count() > 5
    assert cut_off == []


def test_words_of_a_chart_stand_apart(browser: Browser, service: Running) -> None:
    """On a phone, where the dates below a chart have the least room."""
    touching = """() => [...document.querySelectorAll("svg")].flatMap(svg => {
        const all = [...svg.querySelectorAll("text")].map(
            each => [each.textContent, each.getBoundingClientRect()]);
        return all.flatMap(([words, box], k) => all.slice(k + 1).filter(([_, other]) =>
            box.width && Math.min(box.right, other.right) + 5 > Math.max(box.left, other.left)
            && Math.min(box.bottom, other.bottom) - 3 > Math.max(box.top, other.top)
        ).map(([others]) => `${words} | ${others}`));
    })"""
    for name in ("Checkout", "Changed", "Ladders"):
        with visited(browser, f"{service.url}/programmes/{name}", viewport=NARROW) as page:
            assert page.locator("#f-value .fig-n text").count() > 3
            assert page.evaluate(touching) == [], name


# Words of charts that a limit or a path runs through.
CROSSED = """() => [...document.querySelectorAll("svg")].flatMap(svg => {
    const lines = [...svg.querySelectorAll(".l-ship, .l-drop, .l-path, .lens ~ .axis")];
    const points = lines.flatMap(each => {
        const found = [], length = each.getTotalLength(), to = each.getScreenCTM();
        for (let at = 0; at <= length; at += 2)
            found.push(each.getPointAtLength(at).matrixTransform(to));
        return found;
    });
    return [...svg.querySelectorAll(".tx.b, .tx.halo")].filter(words => {
        const box = words.getBoundingClientRect();
        // The letters stand within the box of their line, with room above and below.
        return box.width && points.some(({x, y}) => box.left + 1 < x && x < box.right - 1
            && box.top + 3 < y && y < box.bottom - 4);
    }).map(words => words.textContent);
})"""


def test_no_line_runs_through_the_words_of_a_chart(browser: Browser, service: Running) -> None:
    """Neither on cards, nor on the pages of tests, whatever state they are in."""
    links: list[str] = []
    for name in ("Checkout", "Changed", "Ladders"):
        path = f"/programmes/{name}"
        with visited(browser, service.url + path) as page:
            assert page.locator(".card .tx.b").count() > 1
            assert page.evaluate(CROSSED) == [], path
            found = page.locator(".card h3 a, #rows th a, #f-warnings a").all()
            hrefs = [each.get_attribute("href") or "" for each in found]
            links += dict.fromkeys(hrefs[:2] + hrefs[-2:])
    assert len(links) > 8
    for link in links:
        with visited(browser, service.url + link) as page:
            assert page.locator(".in-se .fig-w .tx.b, .in-lift .fig-w .tx.b").count() > 0
            assert page.evaluate(CROSSED) == [], link


def test_a_table_without_rows_has_no_titles(browser: Browser, service: Running) -> None:
    """Where no test runs, the page says so, and no more."""
    with visited(browser, f"{service.url}/programmes/Changed") as page:
        expect(page.locator("#running-say")).to_have_text("No test is running.")
        expect(page.locator(".runs thead")).to_be_hidden()
    with visited(browser, f"{service.url}/programmes/Checkout") as page:
        expect(page.locator(".runs thead")).to_be_visible()


def test_a_number_and_its_unit_stand_in_one_line(browser: Browser, service: Running) -> None:
    """On a phone and in print, where lines are short."""
    broken = """() => {
        const walker = document.createTreeWalker(document.querySelector("main"), 4);
        const found = [];
        while (walker.nextNode()) {
            const text = walker.currentNode;
            for (const each of text.data.matchAll(/[0-9]\\s(pp|%)(?![a-z])/g)) {
                const range = document.createRange();
                range.setStart(text, each.index);
                range.setEnd(text, each.index + each[0].length);
                if (range.getClientRects().length > 1) found.push(text.data);
            }
        }
        return found;
    }"""
    for path in ("/programmes/Checkout", "/programmes/Changed"):
        with visited(browser, service.url + path, viewport=NARROW) as page:
            for width in (360, 390, 430, 690):
                page.set_viewport_size({"width": width, "height": 844})
                if width == 690:  # of a sheet of paper
                    page.emulate_media(media="print")
                assert page.evaluate(broken) == [], (path, width)


def test_key_figures_of_a_row_stand_at_one_height(browser: Browser, service: Running) -> None:
    """However many lines their titles have."""
    for viewport in (WIDE, NARROW):
        with visited(browser, f"{service.url}/programmes/Checkout", viewport=viewport) as page:
            heights = page.evaluate(
                """() => [...document.querySelectorAll(".keys > div")].map(each =>
                    [each, each.querySelector(".n")].map(
                        part => Math.round(part.getBoundingClientRect().top)))"""
            )
            assert len(heights) == 4
            assert len({top for top, _ in heights}) == len({number for _, number in heights})


def test_what_is_waiting_can_be_recorded(browser: Browser, service: Running) -> None:
    """By its button, without scripts too; then it is gone from the list, and in the log."""
    with visited(browser, f"{service.url}/programmes/Checkout", java_script_enabled=False) as page:
        waiting = page.locator(".card").count()
        name = page.locator(".card h3 a").last.inner_text()
        page.locator(".card").last.get_by_role("button").click()
        expect(page.locator(".card")).to_have_count(waiting - 1)
        expect(page.locator("#f-events li").first).to_contain_text(f"{name} was recorded as")
        assert page.url.endswith("/programmes/Checkout#today")


def test_everything_can_be_read_without_scripts(browser: Browser, service: Running) -> None:
    """Advice is text in its row; what needs a script says nothing false."""
    with visited(browser, f"{service.url}/programmes/Checkout", java_script_enabled=False) as page:
        expect(page.locator("#fresh b")).to_have_text(re.compile("As of"))
        expect(page.locator(".runs tbody tr").first).to_contain_text("Keep testing")
        expect(page.locator("#banner")).to_be_hidden()
    with visited(browser, service.url + PLAN, java_script_enabled=False) as page:
        expect(page.locator(".answer")).to_contain_text("standard errors above 0")
        page.get_by_label("Ideas differ by").fill("none")
        page.get_by_role("button", name="Work it out").click()
        expect(page.locator("#spread")).to_have_attribute("aria-invalid", "true")
        expect(page.locator(".answer")).to_contain_text("Ideas differ by: give a number above 0")


def test_a_plan_can_begin_with_what_a_programme_knows(browser: Browser, service: Running) -> None:
    """The pool that was fitted fills the form; the command's report is a click away."""
    with visited(browser, f"{service.url}/plan") as page:
        page.get_by_role("link", name="Checkout").click()
        expect(page.locator("#rate")).to_have_value("42.1")
        expect(page.locator("#setup")).to_have_value("120,000")
        page.get_by_label("1 pp is worth").fill("250,000")
        page.get_by_role("button", name="Work it out").click()
        expect(page.locator("main table tbody tr")).to_have_count(8)
        page.get_by_role("link", name="The whole report").click()
        expect(page.locator(".plotly-graph-div svg").first).to_be_visible(timeout=30_000)


def test_a_log_is_evaluated_in_a_frame(browser: Browser, service: Running, tmp_path: Path) -> None:
    """The report that the command writes; a log that is none says so in the same place."""
    draw = np.random.default_rng(0)
    rows = ["test,order,value"]
    for test in range(60):
        value = draw.normal(0.1, 0.3)
        rows += [f"{test},{k},{draw.normal(value):.3f}" for k in range(40)]
    (tmp_path / "log.csv").write_text("\n".join(rows))
    (tmp_path / "none.csv").write_text("a,b\n1,2\n")
    with visited(browser, f"{service.url}/evaluate") as page:
        page.get_by_label("A log of past tests").set_input_files(tmp_path / "none.csv")
        page.get_by_role("button", name="Evaluate").click()
        frame = page.frame_locator("iframe")
        expect(frame.locator("h1")).to_have_text("This log cannot be evaluated.", timeout=30_000)
        page.get_by_label("A log of past tests").set_input_files(tmp_path / "log.csv")
        page.get_by_label("Setting up a test").fill("20")
        page.get_by_role("button", name="Evaluate").click()
        expect(frame.locator("#answer")).to_have_text("The answer", timeout=60_000)
        expect(frame.locator(".plotly-graph-div svg").first).to_be_visible(timeout=30_000)
        expect(page.locator("[data-progress]")).to_be_hidden()


def test_a_log_that_is_too_large_is_not_sent(
    browser: Browser, service: Running, tmp_path: Path
) -> None:
    """The form says how large it may be."""
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(65 * 2**20)
    with visited(browser, f"{service.url}/evaluate") as page:
        page.get_by_label("A log of past tests").set_input_files(path)
        page.get_by_role("button", name="Evaluate").click()
        expect(page.locator("[data-progress]")).to_contain_text("the most is 64 MB")


def test_one_signs_in_with_a_token_and_out(browser: Browser) -> None:
    """Pages ask for it, go where one wanted to, and one who may only read has no buttons."""
    store = MemoryStore()
    programme = Programme.create(store, "Checkout", learner=Fixed(fixed(1, 1)))
    programme.begin("blue").tell([1])
    _, text = Tokens(store).create(scope="read")
    app = create_app(Settings(require_token=True), store)
    with served(app) as url, visited(browser, f"{url}/programmes/Checkout") as page:
        expect(page).to_have_url(re.compile("/sign-in"))
        page.get_by_label("Token").fill("dwl_wrong")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert").filter(has_text="not known")).to_be_visible()
        page.get_by_label("Token").fill(text)
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator("#head")).to_contain_text("One to ship")
        expect(page.get_by_role("button", name="Record as shipped")).to_be_hidden()
        page.get_by_role("button", name="Sign out").click()
        expect(page.locator("h1")).to_contain_text("How long should we dwell")


def test_doubtful_data_can_be_cleared_and_silent_tests_abandoned(
    browser: Browser, service: Running
) -> None:
    """From the pages of the tests that the warnings name; no verdict is given before."""
    with visited(browser, f"{service.url}/programmes/Checkout") as page:
        page.locator("#f-warnings .note", has_text="Doubtful").locator("a").click()
        expect(page.locator("#head .v.hold")).to_have_text("Hold")
        expect(page.locator("#head")).to_contain_text("unequal size")
        expect(page.locator(".opts")).to_have_count(0)
        page.get_by_label("Why, for whoever reads the log").fill("bots were taken out")
        page.get_by_role("button", name="The data are sound").click()
        expect(page.locator("#history")).to_contain_text("Was cleared: bots were taken out.")
        expect(page.locator("#head")).not_to_contain_text("unequal size")
        page.get_by_role("link", name="Checkout").click()
        page.locator("#f-warnings .note", has_text="Silent").locator("a").first.click()
        page.get_by_role("button", name="Abandon this test").click()
        expect(page.locator("#head")).to_contain_text("Abandoned")


def test_a_page_can_be_printed(browser: Browser, service: Running) -> None:
    """Without the bar, and with all of its cards and rows."""
    with visited(browser, f"{service.url}/programmes/Checkout") as page:
        page.emulate_media(media="print")
        expect(page.locator(".bar")).to_be_hidden()
        expect(page.locator(".runs tbody tr").last).to_be_visible()
        expect(page.locator(".card .do").first).to_be_hidden()
