"""Shown: what is found shows itself, in a few lines, as a table and in figures.

How a result looks is known by reports, far above it. It asks for its view by name, when somebody
looks at it: so nothing below a report has to load one.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import plotly.graph_objects as go

_VIEWS = "dwell.report.views"


class Shown:
    """A result that shows itself: in a terminal, in a notebook, as data and as figures.

    What a notebook shows is text, a table and a drawing, without scripts: a saved notebook has them
    wherever it is opened. Figures are plotly's, on light paper; on dark paper where plotly's
    default template is a dark one (`plotly.io.templates.default = "plotly_dark"`).
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(self._view().lines())

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        html: str = self._view().html()
        return html

    def to_dict(self) -> dict[str, Any]:
        """Its figures in types that JSON knows; what is not known is None."""
        fields: dict[str, Any] = self._view().fields()
        return fields

    def to_frame(self, backend: str | None = None) -> Any:
        """Its rows as a data frame.

        Args:
            backend: "pandas", "polars" or "pyarrow"; by default the first of them that is
                installed.
        """
        return self._view().frame(backend)

    def figure(self) -> go.Figure:
        """Its main figure, by plotly."""
        return next(iter(self.figures.values()))

    @property
    def figures(self) -> dict[str, go.Figure]:
        """All its figures by their names, which are the same for every result of its kind."""
        figures: dict[str, go.Figure] = self._view().coloured_figures()
        return figures

    def _view(self) -> Any:
        return import_module(_VIEWS).view_of(self)
