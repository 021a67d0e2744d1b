"""Pages: what templates make of sections, tables and figures."""

import json
import re
from importlib.resources import files
from typing import Any

import dwell
import dwell.report
from dwell.chart import Chart, HeatMap, Line
from dwell.report import charts
from dwell.report.charts import drawn, log_axis
from dwell.report.page import Charts, Section, page
from dwell.report.tables import Grid

ODD = "</script><b>&\"'"
TEMPLATES = files(dwell.report) / "templates"
TOKENS = re.compile(r"var\((--[\w-]+)\)")


def figures() -> list[Any]:
    """One of each kind, with odd names."""
    lines = Chart("", ODD, "y", (Line(ODD, [1, 2], [3, 4], [0.1, 0.2]),))
    cells = HeatMap("", "x", "y", [ODD], ["a"], [[1.0]], [[ODD]])
    return [drawn(chart)[0] for chart in (lines, cells)]


def test_no_text_becomes_markup() -> None:
    """Whatever a name holds, it is shown and not run."""
    lines, cells = figures()
    grid = Grid((ODD, "cap"), ((ODD, ODD),))
    sections = [
        Section(ODD, (ODD,), (ODD,), ((ODD, ODD),), lines, ODD, grid),
        Section(ODD, charts=Charts(((ODD, 1, ODD),), ((ODD, cells),))),
    ]
    text = page(ODD, [ODD], sections, [f"{ODD}: {ODD}", ODD])
    assert ODD not in text
    assert "<b>&" not in text
    # Two of data, plotly.js, and what draws.
    assert len(re.findall("</script>", text)) == 4


def test_figures_are_there_as_data() -> None:
    """What is drawn is JSON, with every name as it was."""
    text = page("", [], [Section("", figure=figures()[0])])
    [data] = re.findall(r'<script type="application/json">(.*?)</script>', text, re.DOTALL)
    assert json.loads(data)["data"][0]["name"] == ODD


def test_a_page_without_figures_is_small() -> None:
    """It has no need of plotly.js, only of the stylesheet that all pages share."""
    text = page("Title", [], [Section("One", ("Text.",))])
    assert len(text) < 40_000
    assert "<script" not in text


def test_every_colour_is_a_token_of_light_and_of_dark() -> None:
    """Rules and figures use no other, and both schemes have them all."""
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    light, dark, _ = re.split("@media [(]prefers-color-scheme: dark[)]|@media print", style)
    colours = set(re.findall(r"(--[\w-]+): #", light))
    assert colours == set(re.findall(r"(--[\w-]+): #", dark))
    named = {value for value in vars(charts).values() if isinstance(value, str)}
    drawn_in = " ".join([*named, *charts.COLOURS, *(figure.to_json() for figure in figures())])
    known = set(re.findall(r"(--[\w-]+): ", light))
    assert set(TOKENS.findall(style)) <= known
    assert set(TOKENS.findall(drawn_in)) - {"--sans"} <= colours


def test_a_log_axis_is_labelled_for_people() -> None:
    """At 1, 2, 5 where decades are few; at decades; at powers; at values that grow by a factor."""
    assert (
        log_axis([1.0, 30.0])["ticktext"]
        == ["1", "2", "5", "10", "20", "50", "100", "200", "500"][:9]
    )
    assert log_axis([1.0, 2_000.0])["ticktext"] == ["1", "10", "100", "1,000", "10,000"]
    assert log_axis([1e-9, 1.0])["exponentformat"] == "power"
    assert log_axis([4.0, 8.0, 16.0])["tickvals"] == [4.0, 8.0, 16.0]


def test_a_page_has_its_name_before_its_question() -> None:
    """In its heading and in the title of its window."""
    text = page("How long?", [], [], name="Plan")
    assert "<h1>Plan.</h1> <p>How long?</p>" in text
    assert "<title>Plan · dwell</title>" in text


def test_figures_stay_with_their_signs() -> None:
    """No line is broken before a percent sign, nor around plus-minus."""
    text = page("", ["+37 % ± 36 %"], [])
    assert "+37 % ± 36 %".replace(" ", "\N{NO-BREAK SPACE}") in text
