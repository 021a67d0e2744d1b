"""Pages of others, in a real browser, against a service: they change nothing and read nothing."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from playwright.sync_api import Browser, BrowserContext, Page, expect

import dwell
from dwell.programme.stores.memory import MemoryStore
from dwell.service.access.callers import may
from dwell.service.access.headers import sandboxed
from dwell.service.access.tokens import Tokens
from dwell.service.app import create_app
from dwell.service.settings import Settings
from tests.browser.conftest import launched
from tests.serving import served

REBOUND = "rebound.example"  # a name of somebody else's that leads to this machine
FORM = """<form method=post action="{address}/sign-out"><button>Win</button></form>"""
CALL = """<p id=said></p><script>
fetch("{address}/api/v1/programmes", {{method: "POST", mode: "no-cors", credentials: "include",
  headers: {{"Content-Type": "text/plain"}}, body: '{{"name": "theirs", "caps": "1"}}'}})
  .then(() => fetch("{address}/api/v1/programmes", {{credentials: "include"}}))
  .then(() => said.textContent = "read", () => said.textContent = "not read");
</script>"""
FRAME = """<iframe src="{address}/"></iframe>"""
REPORT = """<p id=said></p><script>
let cookie;
try {{ cookie = document.cookie }} catch {{ cookie = "none" }}
fetch("/api/v1/programmes").then(() => "read", () => "not read")
  .then(how => said.textContent = `${{origin}} ${{cookie}} ${{how}}`);
</script>"""


@dataclass(frozen=True, slots=True)
class Scene:
    """A service, and somebody else's site beside it."""

    address: str
    elsewhere: str
    token: str
    store: MemoryStore

    def programmes(self) -> list[str]:
        return [name for name in self.store.names() if name.isprintable()]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, which finds somebody else's name on this machine."""
    with launched(f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1") as running:
        yield running


@pytest.fixture(scope="module", params=["by cookie", "on loopback"])
def scene(request: pytest.FixtureRequest) -> Iterator[Scene]:
    """A service that asks for tokens, and one that does not."""
    store = MemoryStore()
    dwell.Programme.create(store, "checkout", policies=dwell.fixed(3))
    _, token = Tokens(store).create("admin")
    app = create_app(Settings(require_token=request.param == "by cookie"), store)

    @app.get("/report", dependencies=[may("read")])
    def report() -> HTMLResponse:
        return sandboxed(REPORT.format())

    theirs = FastAPI()
    with served(app) as address, served(theirs) as elsewhere:
        for path, page in (("/form", FORM), ("/call", CALL), ("/frame", FRAME)):
            text = page.format(address=address)
            theirs.get(path, response_class=HTMLResponse)(lambda text=text: HTMLResponse(text))
        yield Scene(address, elsewhere, token, store)


@pytest.fixture
def page(browser: Browser, scene: Scene) -> Iterator[Page]:
    """A page of somebody who is signed in."""
    context: BrowserContext = browser.new_context()
    opened = context.new_page()
    opened.goto(f"{scene.address}/sign-in")
    opened.get_by_label("Token").fill(scene.token)
    opened.get_by_role("button", name="Sign in").click()
    opened.wait_for_url(f"{scene.address}/")
    yield opened
    context.close()


def test_who_has_signed_in_sees_the_page_and_no_script_sees_the_cookie(
    page: Page, scene: Scene
) -> None:
    """The cookie is there, and not for scripts."""
    expect(page.locator("main")).to_contain_text("checkout")
    [cookie] = page.context.cookies()
    assert cookie["name"] == "dwell-session"
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Lax"
    assert page.evaluate("document.cookie") == ""
    assert cookie["value"] not in scene.token


def test_a_form_on_another_site_is_refused(page: Page, scene: Scene) -> None:
    """It is sent, from another port of the same machine, and whoever is signed in stays so."""
    page.goto(f"{scene.elsewhere}/form")
    with page.expect_response(f"{scene.address}/sign-out") as answered:
        page.get_by_role("button").click()
    assert answered.value.status == 403
    assert len(page.context.cookies(scene.address)) == 1


def test_a_script_on_another_site_changes_nothing_and_reads_nothing(
    page: Page, scene: Scene
) -> None:
    """Though the browser sends the cookie along, and on loopback needs none."""
    page.goto(f"{scene.elsewhere}/call")
    expect(page.locator("#said")).to_have_text("not read")
    assert scene.programmes() == ["checkout"]
    page.goto(f"{scene.address}/")
    ours = page.evaluate(
        """fetch("/api/v1/programmes", {method: "POST", body: '{"name": "ours", "caps": "1"}',
            headers: {"Content-Type": "application/json"}}).then(answer => answer.status)"""
    )
    assert ours == 201, "a script of our own page may"


def test_no_other_site_has_the_service_in_a_frame(page: Page, scene: Scene) -> None:
    """Nobody can be led to click what they do not see."""
    page.goto(f"{scene.elsewhere}/frame")
    frame = page.frames[1]
    frame.wait_for_load_state()
    assert not frame.url.startswith(scene.address)
    assert frame.locator("main").count() == 0


def test_another_name_that_leads_here_is_not_answered(page: Page, scene: Scene) -> None:
    """A site that has its name lead to this machine would be of the same origin as the answers."""
    answered = page.goto(scene.address.replace("127.0.0.1", REBOUND) + "/api/v1/programmes")
    assert answered is not None
    assert answered.status == 421
    assert "checkout" not in answered.text()


def test_a_report_runs_its_scripts_and_reaches_nothing(page: Page, scene: Scene) -> None:
    """It is of no origin, has no cookie, and cannot call the service."""
    page.goto(f"{scene.address}/report")
    expect(page.locator("#said")).to_have_text("null none not read")
