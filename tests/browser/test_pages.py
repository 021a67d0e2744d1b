"""Every page in a real browser: nothing is fetched, nothing fails, everything is drawn."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.acceptance.commands import SMALL, run
from tests.conftest import Reproduced

WIDTHS = (1280, 390)
# What plotly draws data as: lines and points, bars, and the cells of a heat map.
PLOTTED = (
    ".scatterlayer path.js-line, .scatterlayer path.point, .barlayer path, .heatmaplayer image"
)


def assert_drawn(browser: Browser, file: Path, figures: int) -> None:
    """Open a page on a desk and on a phone, and see that all is well with it."""
    for width in WIDTHS:
        _assert_drawn(browser, file, figures, width)


def _assert_drawn(browser: Browser, file: Path, figures: int, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    trouble: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: trouble.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    try:
        page.goto(file.as_uri())
        for index in range(figures):
            page.locator(".plotly-graph-div").nth(index).locator(PLOTTED).first.wait_for(
                state="attached"
            )
        assert page.locator(".plotly-graph-div").count() == figures
        assert page.locator("svg.main-svg").count() >= figures
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    finally:
        page.close()
    assert trouble == []
    assert requests[0] == file.as_uri()
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []


def test_figures_follow_light_and_dark(browser: Browser, tmp_path: Path) -> None:
    """Lines take the colours of the scheme, also where that changes while a page is open."""
    file = tmp_path / "page.html"
    assert run("exact", *SMALL, "--plot", str(file)).exit_code == 0
    page = browser.new_page(color_scheme="dark")
    try:
        page.goto(file.as_uri())
        line = page.locator(".scatterlayer path.js-line").first
        line.wait_for(state="attached")
        stroke = "(line) => getComputedStyle(line).stroke"
        assert line.evaluate(stroke) == "rgb(238, 240, 241)"
        page.emulate_media(color_scheme="light")
        page.wait_for_function(
            "getComputedStyle(document.querySelector('.scatterlayer path.js-line')).stroke"
            " === 'rgb(22, 25, 29)'"
        )
    finally:
        page.close()


def test_the_report_of_the_paper_is_drawn(browser: Browser, reproduced: Reproduced) -> None:
    """Every claim but the one on bounds has a figure."""
    assert_drawn(browser, reproduced.folder / "report.html", figures=7)


@pytest.mark.parametrize(
    "options",
    [
        ("exact", *SMALL),
        ("simulate", "--tasks", "30,100", "--replications", "2", "--caps", "8"),
        ("simulate", "--learner", "ladder", "--tasks", "1e3,1e4", "--replications", "3", *SMALL),
    ],
)
def test_a_plot_is_drawn(browser: Browser, tmp_path: Path, options: tuple[str, ...]) -> None:
    """Each of these pages has two figures and a table."""
    page = tmp_path / "page.html"
    assert run(*options, "--plot", str(page)).exit_code == 0
    assert_drawn(browser, page, figures=2)


def test_scores_are_drawn(browser: Browser, tmp_path: Path) -> None:
    """Two set-up costs each: shares, scores where the class earns, losses where some lose."""
    page = tmp_path / "page.html"
    few = ("--learners", "etc,fixed", "--tasks", "10,100", "--replications", "2")
    names = ("--instances", "three-point,beta-8-12,beta-45-55", "--workers", "1")
    assert run("bench", "learners", *names, *few, "--plot", str(page)).exit_code == 0
    assert_drawn(browser, page, figures=14)


@pytest.mark.parametrize("known", ["prior", "past", "small"])
def test_a_plan_is_drawn(browser: Browser, tmp_path: Path, known: str) -> None:
    """Limits, ranking and set-up costs; another prior, if it can be moved; the fit, if it was."""
    page, past = tmp_path / "page.html", tmp_path / "past.csv"
    rows = "".join(f"{(k % 7 - 3) / 500},0.002\n" for k in range(40))
    past.write_text(f"effect,standard_error\n{rows}", encoding="utf-8")
    small = ("--law", "Signs", "--prior", "Beta(2, 3)", "--traffic-per-day", "20")
    options, figures = {
        "prior": ((), 4),
        "past": (("--from", str(past), "--sd", "0.1"), 5),
        "small": ((*small, "--max-days", "2"), 3),
    }[known]
    assert run("plan", *options, "--plot", str(page)).exit_code == 0
    assert_drawn(browser, page, figures=figures)
