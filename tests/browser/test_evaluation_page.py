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
        "usual": (dwell.evaluate(known, setup_cost=20), 4),
        "named": (dwell.evaluate(wins, names), 3),
        "nothing earned": (dwell.evaluate(losses, [dwell.fixed(2, 1)]), 3),
        "tiny": (dwell.evaluate(tiny, setup_cost=1000), 4),
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


@pytest.mark.parametrize("name", ["usual", "named", "nothing earned", "tiny"])
def test_an_evaluation_is_drawn(
    browser: Browser, pages: dict[str, tuple[Path, int]], name: str
) -> None:
    """Forest, lengths and value over time; and the map of bands, where there are any."""
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
