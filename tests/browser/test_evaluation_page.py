"""The page of an evaluation in a real browser: nothing is fetched, everything is drawn."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from playwright.sync_api import Browser

import dwell
from tests.browser.test_pages import WIDTHS, assert_drawn


def log(values: list[float], tests: int, lengths: tuple[int, int], scale: float = 1.0) -> pa.Table:
    """Tests of several lengths, by thumbs up and down that are worth so much."""
    world = dwell.World(dwell.Atoms(values), dwell.Signs())
    _, samples = world.sample(tests, lengths[1], rng=0)
    shown = np.arange(lengths[1]) < np.geomspace(*lengths, tests).astype(int)[:, np.newaxis]
    test, order = np.nonzero(shown)
    return pa.table({"test": test, "order": order, "value": scale * samples[shown]})


def reports() -> dict[str, tuple[dwell.Report, int]]:
    """Reports, and how many figures their pages have."""
    wins, losses = log([-0.2, 0.5], 300, (20, 400)), log([-1.0], 20, (5, 9))
    tiny = log([-0.2, 0.5], 100, (9, 9), 1e-6)
    known = dwell.Log(wins, bounds=(-1, 1))
    names = {"a <b>bold</b> name & a long one, too": dwell.fixed(3, 1), "short": dwell.fixed(2, 1)}
    return {
        "usual": (dwell.evaluate(known, setup_cost=20), 3),
        "named": (dwell.evaluate(wins, names, 9), 3),
        "nothing earned": (dwell.evaluate(losses, [dwell.fixed(2, 1)], 9), 3),
        "tiny": (dwell.evaluate(tiny, setup_cost=1000), 3),
        "no set-up cost": (dwell.evaluate(wins, names), 1),
    }


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, int]]:
    """The pages, written."""
    folder = tmp_path_factory.mktemp("pages")
    written = {}
    for name, (report, figures) in reports().items():
        path = folder / f"{name}.html"
        report.to_html(path)
        written[name] = (path, figures)
    return written


@pytest.mark.parametrize("name", ["usual", "named", "nothing earned", "tiny", "no set-up cost"])
def test_an_evaluation_is_drawn(
    browser: Browser, pages: dict[str, tuple[Path, int]], name: str
) -> None:
    """Set-up costs, lengths and value over time; without a set-up cost, the first alone."""
    path, figures = pages[name]
    assert_drawn(browser, path, figures=figures)


@pytest.mark.parametrize("width", WIDTHS)
def test_no_text_of_a_figure_is_clipped(
    browser: Browser, pages: dict[str, tuple[Path, int]], width: int
) -> None:
    """All of it lies within its figure."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    try:
        page.goto(pages["usual"][0].as_uri())
        page.locator(".plotly-graph-div .xtitle").last.wait_for(state="attached")
        outside = page.evaluate(
            """() => [...document.querySelectorAll(".plotly-graph-div")].flatMap(figure => {
                const box = figure.getBoundingClientRect();
                return [...figure.querySelectorAll("svg text")].filter(text => {
                    const own = text.getBoundingClientRect();
                    return own.width && (own.left < box.left - 1 || own.right > box.right + 1);
                }).map(text => text.textContent);
            })"""
        )
    finally:
        page.close()
    assert outside == []


@pytest.mark.parametrize("width", WIDTHS)
def test_tables_and_texts_lie_within_the_page(
    browser: Browser, pages: dict[str, tuple[Path, int]], width: int
) -> None:
    """No table has to be scrolled sideways, opened ones neither; pictures keep their letters."""
    for path, _ in pages.values():
        page = browser.new_page(viewport={"width": width, "height": 900})
        try:
            page.goto(path.as_uri())
            page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
            wide = page.evaluate(
                """() => [...document.querySelectorAll(".scroll, .fig svg text, .three li")]
                .filter(each => each.getBoundingClientRect().right > innerWidth + 1
                    || each.matches(".scroll") && each.scrollWidth > each.clientWidth + 1)
                .map(each => each.textContent.slice(0, 40))"""
            )
        finally:
            page.close()
        assert wide == [], path.name


def test_the_answer_comes_first_and_large(
    browser: Browser, pages: dict[str, tuple[Path, int]]
) -> None:
    """Within the first screen, before any figure; one of three, marked as the one."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    try:
        page.goto(pages["usual"][0].as_uri())
        taken = page.locator(".three li[aria-current]")
        assert taken.count() == 1
        assert page.locator(".three li").count() == 3
        box = taken.bounding_box()
        first = page.locator(".fig-w svg").first.bounding_box()
    finally:
        page.close()
    assert box is not None
    assert first is not None
    assert box["y"] + box["height"] < first["y"] < 900
