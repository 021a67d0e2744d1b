"""A page: title, answers, paragraphs, tables and figures in one HTML file that needs no network."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from dwell.report.tables import Grid

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from jinja2 import Environment
    from markupsafe import Markup


_PLUS_MINUS = "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True)
class Charts:
    """Small figures side by side.

    Attributes:
        key: What their marks stand for: the mark, the number of its colour and its name.
        figures: A title and a figure each.
    """

    key: tuple[tuple[str, int, str], ...]
    figures: tuple[tuple[str, go.Figure], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, and under it what is given of the rest, in this order."""

    title: str
    paragraphs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    terms: tuple[tuple[str, str], ...] = ()
    figure: go.Figure | None = None
    caption: str = ""
    table: Grid | None = None
    charts: Charts | None = None
    level: int = 2


def page(
    title: str,
    paragraphs: Iterable[str],
    sections: Iterable[Section],
    answers: Iterable[str] = (),
    *,
    name: str = "",
    template: str = "report.html.jinja",
    view: Any = None,
) -> str:
    """The whole page as HTML, with plotly.js in it once where there are figures.

    Args:
        title: What it is about: a question, or a sentence.
        paragraphs: What to know before anything else.
        sections: The rest, in order.
        answers: What the page comes to, in lines such as "What to do: …".
        name: What the page is called; its title then stands beside that.
        template: What it is drawn by.
        view: What that draws besides.

    Example:
        >>> "<p>1 &lt; 2</p>" in page("Figures", [], [Section("One", ("1 < 2",))])
        True
    """
    shown = tuple(sections)
    drawn = view is not None or any(
        section.figure is not None or section.charts is not None for section in shown
    )
    return (
        templates()
        .get_template(template)
        .render(
            name=name,
            title=title,
            answers=tuple(answers),
            paragraphs=tuple(paragraphs),
            sections=shown,
            view=view,
            plotly=_plotly() if drawn else None,
        )
    )


@cache
def templates() -> Environment:
    """The templates that all pages are made by."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("dwell.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_unbroken,
    )
    made.filters["figure_json"] = _figure_json
    return made


def _unbroken(value: Any) -> Any:
    """A text whose figures stay with their signs where lines are broken."""
    from markupsafe import Markup

    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return value.replace(" %", "\N{NO-BREAK SPACE}%").replace(" ± ", _PLUS_MINUS)


def _figure_json(figure: Any) -> Markup:
    """A figure as JSON that no text in it can break out of."""
    from markupsafe import Markup

    return Markup(figure.to_json().replace("<", r"\u003c"))


def _plotly() -> Markup:
    from markupsafe import Markup
    from plotly.offline import get_plotlyjs

    return Markup(get_plotlyjs())
