"""A page: title, paragraphs, a table and figures in one HTML file that needs no network."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from plotly.offline import get_plotlyjs

from dwell.report.tables import Grid

_STYLE = """
body { margin: 0 auto; max-width: 860px; padding: 24px 16px 48px; color: #1c2026;
  background: #fff; font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 1.6em; line-height: 1.25; }
h2 { font-size: 1.15em; margin: 2em 0 0.5em; }
h3 { font-size: 1em; margin: 1.5em 0 0.5em; }
dt { font-weight: 600; }
dd { margin: 0 0 0.6em; overflow-wrap: anywhere; }
.key { position: sticky; top: 0; z-index: 2; margin: 0; padding: 6px 0; background: #fff; }
.key span { margin-right: 1.2em; white-space: nowrap; }
.charts { display: grid; grid-template-columns: 1fr 1fr; gap: 20px 16px; }
.charts figure { min-width: 0; }
.charts figcaption { color: inherit; font-weight: 600; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 14px 5px 0; text-align: right; white-space: nowrap; }
th { border-bottom: 1px solid #8a8f98; font-weight: 600; }
td { border-bottom: 1px solid #e4e6ea; }
th.left, td.left { text-align: left; white-space: normal; }
tr.marked td { font-weight: 700; }
figure { margin: 0; }
figcaption { color: #555b65; font-size: 0.9em; }
@media (max-width: 600px) { body { font-size: 15px; } table { font-size: 12px; }
  .charts { grid-template-columns: 1fr; } th, td { padding-right: 8px; }
  th.left, td.left { min-width: 84px; } }
"""


@dataclass(frozen=True, slots=True)
class Charts:
    """Small figures side by side.

    Attributes:
        key: What their marks stand for: the mark, its colour and its name.
        figures: A title and a figure each.
        height: Of each figure, in pixels.
    """

    key: tuple[tuple[str, str, str], ...]
    figures: tuple[tuple[str, Any], ...]
    height: int = 250


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, and under it what is given of the rest, in this order."""

    title: str
    paragraphs: tuple[str, ...] = ()
    terms: tuple[tuple[str, str], ...] = ()
    table: Grid | None = None
    figure: Any = None
    caption: str = ""
    charts: Charts | None = None
    level: int = 2


def page(title: str, paragraphs: Iterable[str], sections: Iterable[Section]) -> str:
    """The whole page as HTML, with plotly.js in it once."""
    body = "\n".join(_section(section, index) for index, section in enumerate(sections))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{_STYLE}</style>
<script>{get_plotlyjs()}</script>
</head>
<body>
<h1>{escape(title)}</h1>
{_paragraphs(paragraphs)}
{body}
</body>
</html>
"""


def _section(section: Section, index: int) -> str:
    heading = f"h{section.level}"
    parts = [f"<{heading}>{escape(section.title)}</{heading}>", _paragraphs(section.paragraphs)]
    if section.terms:
        terms = "\n".join(f"<dt>{escape(t)}</dt><dd>{escape(d)}</dd>" for t, d in section.terms)
        parts.append(f"<dl>{terms}</dl>")
    if section.table is not None:
        parts.append(_table(section.table))
    if section.figure is not None:
        parts.append(f"<figure>{_drawn(section.figure, f'figure-{index}', 420)}")
        parts.append(f"<figcaption>{escape(section.caption)}</figcaption></figure>")
    if section.charts is not None:
        parts.append(_charts(section.charts, index))
    return "\n".join(part for part in parts if part)


def _drawn(figure: Any, name: str, height: int) -> str:
    drawn: str = figure.to_html(
        full_html=False,
        include_plotlyjs=False,
        div_id=name,
        default_height=f"{height}px",
        config={"responsive": True, "displayModeBar": False},
    )
    return drawn


def _charts(charts: Charts, index: int) -> str:
    key = "".join(
        f'<span><b style="color: {colour}">{escape(mark)}</b> {escape(name)}</span>'
        for mark, colour, name in charts.key
    )
    figures = "\n".join(
        f"<figure><figcaption>{escape(title)}</figcaption>"
        f"{_drawn(figure, f'figure-{index}-{place}', charts.height)}</figure>"
        for place, (title, figure) in enumerate(charts.figures)
    )
    # The key stays in sight for as long as its charts do.
    return f'<div><p class="key">{key}</p>\n<div class="charts">\n{figures}\n</div></div>'


def _paragraphs(texts: Iterable[str]) -> str:
    return "\n".join(f"<p>{escape(text)}</p>" for text in texts)


def _table(grid: Grid) -> str:
    def line(cells: tuple[str, ...], tag: str) -> str:
        return "".join(
            f"<{tag}{' class=left' if column < grid.left else ''}>{escape(cell)}</{tag}>"
            for column, cell in enumerate(cells)
        )

    rows = "\n".join(
        f"<tr{' class=marked' if index in grid.marked else ''}>{line(row, 'td')}</tr>"
        for index, row in enumerate(grid.rows)
    )
    head = f"<thead><tr>{line(grid.header, 'th')}</tr></thead>"
    return f'<div class="table"><table>{head}<tbody>\n{rows}\n</tbody></table></div>'
