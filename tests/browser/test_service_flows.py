"""What people do on the pages, with the keyboard alone, and pages in states that are rare."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_core_python.sync_playwright import Axe
from playwright.sync_api import Browser, Frame, Page, expect

from dwell import Batch, EmpiricalBayes, Fixed, Gaussian, Lift, Programme, fixed
from dwell.programme.stores.memory import MemoryStore
from dwell.service.access.tokens import Tokens
from dwell.service.app import create_app
from dwell.service.names import in_path
from dwell.service.settings import Settings
from tests.companies import Calendar
from tests.programmes import DAY
from tests.serving import served

NAMES = (
    "<script>alert(1)</script>",
    "🎉 50 % & \"quotes\" 'single'",
    "اختبار من اليمين إلى اليسار",
    "a/b/../c?d=1#e",
    "x" * 200,
    "a long name " * 16,
)
# Programmes in rare states, and what their pages are to say.
STATES = {
    "Names": "Three to ship",
    "Held": "No test is running, two are on hold",
    "Silent": "if it has ended, abandon it",
    "Abandoned": "2 more abandoned, left out",
    "One": "What ideas are worth is not known yet",
}


def _fill(store: MemoryStore) -> Calendar:
    """Programmes of few tests each, in rare states."""
    calendar = Calendar()
    names = Programme.create(store, "Names", learner=Fixed(fixed(4, 1)), clock=calendar)
    for place, name in enumerate(NAMES):
        names.begin(name.strip()).tell([1, 1, 1, 1] if place % 2 else [1])
    many = Programme.create(store, "Many", learner=Fixed(fixed(4, 1)), clock=calendar)
    for number in range(60):
        many.begin(f"idea {number}").tell([1, 1, 1, 1] if number < 2 else [1])
    lifts = EmpiricalBayes(Lift(0.1), cap=100_000, setup_cost=50_000)
    held = Programme.create(store, "Held", learner=lifts, clock=calendar)
    for number in range(2):
        task = held.begin(f"held {number}")
        task.tell(control=Batch(3_000, 300, 300), treatment=Batch(3_600, 380, 380))
    for name in ("Silent", "Abandoned", "One"):
        learner = EmpiricalBayes(Gaussian(1.0), cap=400, setup_cost=400)
        programme = Programme.create(store, name, learner=learner, clock=calendar)
        programme.begin("first").tell([0.1, -0.2])
        if name == "Abandoned":
            programme.begin("second")
            for each in ("first", "second"):
                programme.task(each).abandon("called off")
        elif name == "Silent":
            calendar.now += 9 * DAY
    return calendar


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A service with such programmes, which takes logs of up to 1 MB."""
    store = MemoryStore()
    calendar = _fill(store)
    app = create_app(Settings(largest_upload=2**20), store)
    app.state.shelf.clock = calendar
    with served(app) as address:
        yield address


@contextmanager
def opened(browser: Browser, url: str, **options: Any) -> Iterator[Page]:
    context = browser.new_context(**options)
    page = context.new_page()
    page.goto(url)
    try:
        yield page
    finally:
        context.close()


def serious(page: Page | Frame) -> list[tuple[str, str]]:
    """What axe finds, in a page or in a frame of it."""
    page.evaluate(Axe().axe_script)
    # Drawings by plotly are of others, and have thousands of parts.
    found = page.evaluate("axe.run({ exclude: ['.plotly-graph-div'] }, { iframes: false })")[
        "violations"
    ]
    return [
        (each["id"], each["nodes"][0]["html"][:200])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("name", STATES)
def test_rare_states_have_their_words(browser: Browser, url: str, name: str) -> None:
    """Nothing is cut off on a phone, and axe finds no serious fault."""
    phone = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
    with opened(browser, f"{url}/programmes/{name}", bypass_csp=True, **phone) as page:
        expect(page.locator("main")).to_contain_text(STATES[name])
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert serious(page) == []


def test_names_of_all_kinds_lead_to_their_tests(browser: Browser, url: str) -> None:
    """By links; they are shown as they are, and are wrapped on a phone."""
    with opened(browser, f"{url}/programmes/Names", viewport={"width": 390, "height": 844}) as page:
        page.on("dialog", lambda _: pytest.fail("a name was run"))
        for name in NAMES:
            link = page.locator(f'a[href$="/tests/{in_path(name.strip())}"]').first
            link.click()
            expect(page.locator("h1")).to_have_text(f"{name.strip()}.")
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
            page.go_back()


def written(tmp_path: Path) -> Path:
    """A log of a few tests."""
    draw, rows = np.random.default_rng(0), ["test,order,value"]
    for test in range(30):
        value = draw.normal(0.1, 0.3)
        rows += [f"{test},{k},{draw.normal(value):.3f}" for k in range(20)]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(rows))
    return path


def test_a_log_that_is_refused_is_refused_in_a_sentence(
    browser: Browser, url: str, tmp_path: Path
) -> None:
    """Where the report would stand, whatever the form was told of sizes."""
    path = tmp_path / "large.csv"
    path.write_bytes(b"1,1,1\n" * 300_000)
    with opened(browser, f"{url}/evaluate") as page:
        page.locator("form").evaluate("form => form.dataset.most = 1e9")
        page.get_by_label("A log of past tests").set_input_files(path)
        page.get_by_role("button", name="Evaluate").click()
        frame = page.frame_locator("iframe")
        expect(frame.locator("h1")).to_have_text("This log cannot be evaluated.", timeout=20_000)
        expect(frame.locator("main")).to_contain_text("It is larger than 1 MB, the most that is")
        expect(page.get_by_role("button", name="Evaluate")).to_be_enabled()


def test_an_evaluation_has_no_serious_fault_of_access(
    browser: Browser, url: str, tmp_path: Path
) -> None:
    """While the log is read, and when the answer is there, in its frame too."""
    with opened(browser, f"{url}/evaluate", bypass_csp=True) as page:
        page.get_by_label("A log of past tests").set_input_files(written(tmp_path))
        page.get_by_label("Setting up a test").fill("20")
        page.get_by_role("button", name="Evaluate").click()
        expect(page.locator("[data-progress]")).to_contain_text("Reading the log")
        page.locator("[data-progress]").evaluate("each => each.hidden = false")
        assert serious(page.main_frame) == []
        answer = page.frame_locator("iframe").locator("#answer")
        expect(answer).to_have_text("The answer", timeout=60_000)
        expect(page.locator("#answer")).to_be_focused(timeout=60_000)
        # Hundreds of rows that are alike would take axe a minute: a few of each table are left.
        page.frames[1].evaluate(
            "document.querySelectorAll('tbody tr:nth-child(n + 6)').forEach(each => each.remove())"
        )
        assert serious(page.frames[1]) == []


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until something has the focus, which is to be seen on it or around it."""
    for _ in range(90):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
            break
    else:
        pytest.fail(f"{selector} cannot be reached")
    ring = page.evaluate(
        """() => [document.activeElement, document.activeElement.closest(".in, .seg label")]
        .some((each) => each && getComputedStyle(each).outlineStyle !== "none")"""
    )
    assert ring, f"no focus is to be seen on {selector}"


def test_every_flow_can_be_done_with_the_keyboard(browser: Browser, tmp_path: Path) -> None:
    """Sign in, find a test and open it, record, plan, send a log, sign out."""
    store = MemoryStore()
    calendar = _fill(store)
    _, token = Tokens(store).create(scope="tell")
    app = create_app(Settings(require_token=True), store)
    app.state.shelf.clock = calendar
    with served(app) as address, opened(browser, f"{address}/programmes/Many") as page:
        tab_to(page, "#token")
        page.keyboard.type(token)
        page.keyboard.press("Enter")
        expect(page.locator("#head")).to_contain_text("Many.")
        page.keyboard.press("Tab")
        expect(page.locator(".skip")).to_be_focused()
        tab_to(page, "#find")
        page.keyboard.type("IDEA 41")
        page.keyboard.press("Enter")
        expect(page.locator("#rows tr")).to_have_count(1)
        expect(page.locator("#running-say")).to_contain_text("One test of 58 with “IDEA 41”")
        tab_to(page, "#rows a")
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text("idea 41.")
        tab_to(page, ".seg input")
        page.keyboard.press("ArrowRight")
        expect(page.locator(".in-sum .fig-w")).to_be_visible()
        page.goto(f"{address}/programmes/Many")
        cards = page.locator(".card").count()
        tab_to(page, ".card button")
        page.keyboard.press("Enter")
        expect(page.locator(".card")).to_have_count(cards - 1)
        page.goto(f"{address}/plan")
        tab_to(page, "#spread")
        page.keyboard.type("none")
        page.keyboard.press("Enter")
        expect(page.locator("#spread")).to_have_attribute("aria-invalid", "true")
        # Asked for before the page is there: on a busy machine a key may come before the browser
        # has heard that choosing files is of interest.
        page.on("filechooser", lambda _: None)
        page.goto(f"{address}/evaluate")
        tab_to(page, "#log")
        with page.expect_file_chooser() as chooser:
            page.keyboard.press("Enter")
        path = tmp_path / "none.csv"
        path.write_text("a,b\n1,2\n")
        chooser.value.set_files(path)
        tab_to(page, "main button")
        page.keyboard.press("Enter")
        title = page.frame_locator("iframe").locator("h1")
        expect(title).to_have_text("This log cannot be evaluated.", timeout=30_000)
        tab_to(page, ".foot button")
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_contain_text("How long should we dwell")


def test_who_wants_no_motion_gets_none(browser: Browser, url: str) -> None:
    """A decision that is new pulses once, unless that is not wanted."""
    for wanted, name in (("no-preference", "new"), ("reduce", "none")):
        with opened(browser, f"{url}/programmes/Names", reduced_motion=wanted) as page:
            card = page.locator(".card").first
            card.evaluate("card => card.classList.add('new')")
            assert card.evaluate("card => getComputedStyle(card).animationName") == name
