"""The docs site, as it is opened from a disk: whole, quiet, searchable, and fit for everybody."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Literal

import nbformat
import pytest
from axe_core_python.sync_playwright import Axe
from nbconvert import HTMLExporter
from playwright.sync_api import Browser, Page

from tests.browser.links import broken, pages_of

ROOT = Path(__file__).parents[2]
Scheme = Literal["light", "dark"]
PAGES = (
    "index",
    "tutorials/log",
    "how-to/http",
    "explanation/learners",
    "reference/exact",
    "notebooks/evaluate",
)
NOTEBOOKS = ("evaluate", "plan", "programme")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built from a copy of what it is made of: a broken link stops that."""
    folder = tmp_path_factory.mktemp("docs")
    for name in ("docs", "src", "zensical.toml"):
        source, target = ROOT / name, folder / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    for script in ("commands.py", "calls.py", "run_notebooks.py", "gallery.py"):
        subprocess.run([sys.executable, f"docs/{script}"], cwd=folder, check=True)
    build = [str(Path(sys.executable).parent / "zensical"), "build", "--strict"]
    built = subprocess.run(build, cwd=folder, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "site"


def opened(
    browser: Browser, site: Path, name: str, trouble: list[str], scheme: Scheme = "light"
) -> Page:
    width = {"light": 1280, "dark": 390}[scheme]  # by day at a desk, at night on a phone
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.on("console", lambda message: trouble.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on(
        "request",
        lambda request: None if request.url.startswith("file:") else trouble.append(request.url),
    )
    page.goto((site / f"{name}.html").as_uri())
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_quiet_and_fit_for_everybody(
    browser: Browser, site: Path, name: str, scheme: Scheme
) -> None:
    trouble: list[str] = []
    page = opened(browser, site, name, trouble, scheme)
    found = Axe().run(page)["violations"]
    beyond = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    page.close()
    assert not beyond, "it has to be scrolled sideways"
    assert trouble == []
    assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        ("notebooks/evaluate", "dark"),
        ("notebooks/plan", "light"),
        ("notebooks/plan", "dark"),
        ("notebooks/programme", "dark"),
        ("gallery", "dark"),
    ],
)
def test_its_figures_are_drawn_in_the_colours_of_the_scheme(
    browser: Browser, site: Path, name: str, scheme: Scheme
) -> None:
    trouble: list[str] = []
    page = opened(browser, site, name, trouble, scheme)
    plots = page.locator(".plot")
    plots.last.locator(".main-svg").first.wait_for()
    assert plots.count() == page.locator(".plot:has(.main-svg)").count() > 0
    ink = {"light": "rgb(86, 91, 97)", "dark": "rgb(164, 171, 178)"}[scheme]
    title = page.locator(".plot .xtitle").first
    assert title.evaluate("each => getComputedStyle(each).fill") == ink
    page.close()
    assert trouble == []


def test_its_figures_follow_where_the_scheme_changes(browser: Browser, site: Path) -> None:
    """While a page is open: the site names its scheme on the body of a page."""
    trouble: list[str] = []
    page = opened(browser, site, "notebooks/plan", trouble, "dark")
    page.locator(".plot .xtitle").first.wait_for()
    page.evaluate("document.body.setAttribute('data-md-color-scheme', 'default')")
    page.wait_for_function(
        "getComputedStyle(document.querySelector('.plot .xtitle')).fill === 'rgb(86, 91, 97)'"
    )
    page.close()
    assert trouble == []


def test_the_site_has_no_scripts_of_the_project(site: Path) -> None:
    """Of all Python, only notebooks are there, as texts."""
    found = {each.relative_to(site).as_posix() for each in site.rglob("*.py*")}
    assert found == {f"notebooks/{name}.py" for name in NOTEBOOKS}


def test_the_site_has_plotly_once(site: Path) -> None:
    assert [each.name for each in site.rglob("*") if each.stat().st_size > 2e6] == ["plotly.min.js"]


@pytest.mark.parametrize(("theme", "width"), [("light", 1200), ("dark", 700)])
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_saved_notebook_shows_its_results_wherever_it_is_opened(
    browser: Browser, site: Path, tmp_path: Path, name: str, theme: Scheme, width: int
) -> None:
    saved = nbformat.read(site / "notebooks" / f"{name}.ipynb", as_version=4)
    shown = [
        output
        for cell in saved.cells
        for output in cell.get("outputs", [])
        if "dwell-result" in output.get("data", {}).get("text/html", "")
    ]
    # Its own template would load formulas and widgets from elsewhere.
    exporter = HTMLExporter(theme=theme, mathjax_url="", require_js_url="", jquery_url="")
    (tmp_path / f"{name}.html").write_text(exporter.from_notebook_node(saved)[0], encoding="utf-8")
    trouble: list[str] = []
    page = opened(browser, tmp_path, name, trouble, theme)
    page.set_viewport_size({"width": width, "height": 900})
    results = page.locator(".dwell-result")
    assert results.count() == len(shown) > 0
    drawn = results.locator("svg")
    assert drawn.count() >= len(shown)
    for index in range(drawn.count()):
        box = drawn.nth(index).bounding_box()
        assert box is not None
        assert box["width"] > 150
        assert box["x"] + box["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
    assert trouble == []


def test_search_works_from_a_disk(browser: Browser, site: Path) -> None:
    trouble: list[str] = []
    page = opened(browser, site, "index", trouble)
    page.keyboard.press("/")
    page.keyboard.type("setup_cost")
    page.get_by_text(re.compile(r"^\d+ results$")).wait_for()
    page.get_by_text("JSON, field by field").last.wait_for()
    page.close()
    assert trouble == []


def test_every_link_leads_somewhere(site: Path) -> None:
    """To a file of the site, and to a place within it."""
    assert broken(pages_of(site)) == []


def test_every_page_is_in_the_navigation(site: Path) -> None:
    """Whoever opens the first page can get to all others from there."""
    pages = pages_of(site)
    linked = {target for _, target, _ in pages[(site / "index.html").resolve()].targets()}
    assert len(pages) > 40
    assert pages.keys() - linked == set()


def test_a_broken_link_is_found_out(tmp_path: Path) -> None:
    """So the test above can fail: by a file and by a place within one that are not there."""
    text = '<a href="b.html">1</a><a href="#there" id="there">2</a><a href="a.html#gone">3</a>'
    (tmp_path / "a.html").write_text(text)
    assert broken(pages_of(tmp_path)) == ["a.html: b.html", "a.html: a.html#gone"]
