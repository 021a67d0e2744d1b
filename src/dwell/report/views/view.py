"""View: a result in a few lines, as a table, as a drawing and in figures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, get_args

from dwell import checks
from dwell.errors import InvalidInput
from dwell.report.charts import INK
from dwell.report.encode import plain
from dwell.report.tables import Grid
from dwell.report.views.palette import coloured
from dwell.report.views.texts import headed, polished

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from markupsafe import Markup

Frame = Literal["pandas", "polars", "pyarrow"]
_MOST_ROWS = 12  # that a notebook shows

Result = TypeVar("Result")


class View(ABC, Generic[Result]):
    """How a result of one kind is shown.

    Args:
        result: The result.
    """

    def __init__(self, result: Result) -> None:
        self.result = result

    @abstractmethod
    def lines(self) -> Sequence[str]:
        """What it says, in a few lines, the answer first."""

    @abstractmethod
    def rows(self) -> Sequence[Mapping[str, object]]:
        """Its figures, a row each."""

    @abstractmethod
    def grid(self) -> Grid:
        """The same for people."""

    @abstractmethod
    def drawing(self) -> Markup:
        """What to look at first."""

    @abstractmethod
    def caption(self) -> str:
        """What is drawn there, with its unit and its intervals."""

    @abstractmethod
    def figures(self) -> dict[str, go.Figure]:
        """Figures by their names, the main one first."""

    def coloured_figures(self) -> dict[str, go.Figure]:
        """The same for whoever has no page that gives them their colours."""
        return {title: coloured(figure) for title, figure in self.figures().items()}

    def about(self) -> Mapping[str, object]:
        """Its figures that belong to no row."""
        return {}

    def fields(self) -> dict[str, Any]:
        """All figures."""
        return {**plain(dict(self.about())), "rows": plain(list(map(dict, self.rows())))}

    def frame(self, backend: Frame | None = None) -> Any:
        """The rows as a data frame."""
        import narwhals as nw

        if backend is None:
            backend = next(name for name in get_args(Frame) if find_spec(name))
        if backend not in get_args(Frame):
            raise InvalidInput(
                f"backend must be one of {', '.join(get_args(Frame))}, got {checks.shown(backend)}"
            )
        rows = [plain(dict(row)) for row in self.rows()]
        columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else {})}
        return nw.from_dict(columns, backend=backend).to_native()

    def html(self) -> str:
        """What a notebook shows: the answer, a drawing and the first rows."""
        from dwell.report.page import templates

        grid, drawing = self.grid(), self.drawing()
        template = templates().get_template("result.html.jinja")
        return template.render(
            lines=[headed(polished(line)) for line in self.lines()],
            drawing=drawing,
            caption=polished(self.caption()) if drawing else "",
            grid=grid,
            rows=[[polished(cell) for cell in row] for row in grid.rows[:_MOST_ROWS]],
            left=len(grid.rows) - _MOST_ROWS,
            style=_style(),
        )


@cache
def _style() -> Markup:
    from markupsafe import Markup

    return Markup(files("dwell.report").joinpath("templates/result.css").read_text("utf-8"))


def titled(
    name: str, figure: go.Figure, drawn: str = "", *, finding: str = ""
) -> dict[str, go.Figure]:
    """A figure under its name, with a title.

    Args:
        name: What it shows, whatever that is.
        figure: The figure.
        drawn: What is drawn, with its intervals.
        finding: Its title, where that is not its name.
    """
    said = {"text": finding or name, "x": 0.0, "xref": "paper", "xanchor": "left"}
    place = {"y": 1.0, "yref": "container", "yanchor": "top", "pad": {"t": 14}}
    small = {"subtitle": {"text": drawn, "font": {"size": 13}}} if drawn else {}
    figure.update_layout(
        title={**said, **place, **small, "font": {"size": 16, "color": INK}},
        margin={"t": 104 if drawn else 80},
    )
    return {name: figure}
