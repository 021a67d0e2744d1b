"""Plotly's figures on pages of the site: one copy of plotly.js, and colours that follow the scheme.

Figures of results have the colours of reports on light paper. On the site these become the names
that they have in the stylesheet of reports, and a script puts in what the scheme makes of them.
"""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from plotly.offline import get_plotlyjs

from dwell.report.views.palette import palette

_FOLDER = Path(__file__).parent
_SCHEMES = {"default": False, "slate": True}  # the site's names of them, and whether it is dark


def plot(figure: dict[str, Any]) -> str:
    """A figure as part of a page.

    Args:
        figure: Its data and layout, as plotly's JSON.
    """
    names = {colour: f"var(--{name})" for name, colour in palette(dark=False).items()}
    shown = {part: _named(figure[part], names) for part in ("data", "layout")}
    shown["layout"]["paper_bgcolor"] = "rgba(0, 0, 0, 0)"
    text = json.dumps(shown, allow_nan=False).replace("<", r"\u003c")
    return f'<div class="plot"></div><script type="application/json">{text}</script>'


def scripts(root: str) -> str:
    """What a page with figures ends with.

    Args:
        root: How to get from the page to the root of the site.
    """
    names = ("plotly.min.js", "figures.js")
    return "\n".join(f'<script src="{root}javascripts/{name}"></script>' for name in names)


def write_shared() -> None:
    """Writes what all pages with figures share: plotly.js, the script of reports, both schemes."""
    written = _FOLDER / "javascripts"
    (written / "plotly.min.js").write_text(get_plotlyjs(), encoding="utf-8")
    drawing = files("dwell.report").joinpath("templates", "figures.js")
    (written / "figures.js").write_bytes(drawing.read_bytes())
    rules = [
        f'[data-md-color-scheme="{scheme}"] {{ '
        + " ".join(f"--{name}: {value};" for name, value in palette(dark=dark).items())
        + " }\n"
        for scheme, dark in _SCHEMES.items()
    ]
    (_FOLDER / "stylesheets" / "tokens.css").write_text("".join(rules), encoding="utf-8")


def _named(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, dict):
        return {key: _named(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [_named(each, names) for each in value]
    return value
