"""The forest: figures with their intervals, one below the other, and a line at 0."""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from dwell.report.drawings.svg import dot, drawing, straight, text
from dwell.report.tables import minus

_WIDTH, _ROW = 720.0, 22.0
_LETTER, _GAP = 6.8, 12.0  # how wide a letter is at most, on average; between names and figures
_MOST = 10
_LONGEST = 40


class Estimate(NamedTuple):
    """A figure of the forest.

    Attributes:
        name: What it is of.
        middle: The figure.
        low: Its interval goes from here …
        high: … to here; no further than the figure itself where there is none.
        said: What is written beside it.
        marked: Whether it is stressed.
    """

    name: str
    middle: float
    low: float
    high: float
    said: str
    marked: bool = False


def forest(estimates: Sequence[Estimate], label: str) -> Markup:
    """Figures one below the other: all, or those around the one that is stressed.

    Args:
        estimates: The figures.
        label: What they say, for those who do not see it.
    """
    shown = _some(estimates)
    least = min(0.0, *(each.low for each in shown))
    most = max(0.0, *(each.high for each in shown))
    names = _LETTER * max(len(_cut(each.name)) for each in shown) + _GAP
    figures = _LETTER * max(len(each.said) for each in shown) + 2.0 * _GAP
    scale = (_WIDTH - names - _GAP - figures) / ((most - least) or 1.0)

    def at(value: float) -> float:
        return names + _GAP + scale * (value - least)

    height = _ROW * len(shown)
    parts = [straight("zero", at(0.0), 0.0, at(0.0), height)]
    for k, each in enumerate(shown):
        y, bold = _ROW * (k + 0.5), " b" if each.marked else ""
        parts.append(text(names, y + 4.0, _cut(each.name), f"e{bold}"))
        parts.append(straight("ci", at(each.low), y, at(each.high), y))
        parts.append(dot(at(each.middle), y, 4.5, "m-ship" if each.marked else "m-ink"))
        parts.append(text(_WIDTH, y + 4.0, minus(each.said), f"e{bold}"))
    return drawing(_WIDTH, height, parts, label)


def _some(estimates: Sequence[Estimate]) -> Sequence[Estimate]:
    if len(estimates) <= _MOST:
        return estimates
    stressed = next((k for k, each in enumerate(estimates) if each.marked), 0)
    first = min(max(0, stressed - _MOST // 2), len(estimates) - _MOST)
    return estimates[first : first + _MOST]


def _cut(name: str, most: int = _LONGEST) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"
