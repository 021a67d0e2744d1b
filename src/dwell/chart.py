"""Charts as data: what they show, not how they are drawn."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart; `dashed` for what theory says, `error` for Monte Carlo errors."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    error: Sequence[float] | None = None
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over one quantity."""

    title: str
    x: str
    y: str
    lines: tuple[Line, ...]
    log_x: bool = True
    log_y: bool = True
    caption: str = ""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A map over two quantities: a value, and a word, per cell."""

    title: str
    x: str
    y: str
    columns: Sequence[str]
    rows: Sequence[str]
    values: Sequence[Sequence[float]]
    texts: Sequence[Sequence[str]]
    caption: str = ""
