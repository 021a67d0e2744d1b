"""Colours of a figure where no page gives them: in a notebook, in a file.

Figures name their colours by tokens of the stylesheet of pages, which only these have. Elsewhere
each token stands for its light colour, or for its dark one where plotly's default template is a
dark one.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import plotly.graph_objects as go

_TOKEN = re.compile(r"var\(--([\w-]+)\)")


@cache
def palette(*, dark: bool) -> dict[str, str]:
    """What each token of the stylesheet stands for.

    Args:
        dark: Whether on dark paper.

    Example:
        >>> palette(dark=False)["ship"], palette(dark=True)["ship"]
        ('#1f47c9', '#9db4ff')
    """
    style = files("dwell.report").joinpath("templates/style.css").read_text("utf-8")
    light, *others = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    texts = [light, others[0]] if dark else [light]
    return dict(re.findall(r"--([\w-]+):\s*([^;]+);", "".join(texts)))


def coloured(figure: go.Figure) -> go.Figure:
    """The figure with colours instead of tokens, on paper of its own.

    Args:
        figure: As a page has it.
    """
    import plotly.graph_objects as go
    from plotly.io import templates

    colours = palette(dark="dark" in str(templates.default))
    figure.update_layout(paper_bgcolor="var(--panel)")
    return go.Figure(_resolved(figure.to_plotly_json(), colours))


def _resolved(value: Any, colours: dict[str, str]) -> Any:
    if isinstance(value, str):
        token = _TOKEN.fullmatch(value)
        return colours[token[1]] if token else value
    if isinstance(value, dict):
        return {name: _resolved(each, colours) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_resolved(each, colours) for each in value]
    return value
