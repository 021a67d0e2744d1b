"""Tables: rows of figures for people (a grid of texts) and for programs (CSV, JSON)."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from rich import box
from rich.table import Table as RichTable

Rows = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of texts.

    Attributes:
        header: A text per column; columns after the first `left` hold numbers.
        rows: A text per cell.
        marked: The rows to stress.
        left: How many columns are aligned to the left.
        shares: How columns of long texts share the width, 0 for one as wide as its longest text;
            none if all are. Rows of several lines are set apart.
        title: What a terminal shows above it; on a page the heading says it.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    marked: frozenset[int] = frozenset()
    left: int = 0
    shares: tuple[int, ...] = ()
    title: str = ""

    def rich(self) -> RichTable:
        """The table as a terminal shows it."""
        long = bool(self.shares)
        table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_lines=long, expand=long)
        for column, title in enumerate(self.header):
            table.add_column(
                title,
                justify="left" if column < self.left else "right",
                ratio=(self.shares[column] or None) if long else None,
                no_wrap=long and not self.shares[column],
            )
        for index, row in enumerate(self.rows):
            table.add_row(*row, style="bold" if index in self.marked else None)
        return table


def number(value: float) -> str:
    """A figure with four significant digits, or all those before the point.

    Example:
        >>> number(0.00126203), number(181.5898), number(10_020.4), number(0.0)
        ('0.001262', '181.6', '10,020', '0')
    """
    if abs(value) >= 1000.0:
        return f"{value:,.0f}"
    return f"{value:#.4g}" if value else "0"


def percent(share: float | None) -> str:
    """A share of the best, or a dash where there is none."""
    return "-" if share is None else f"{share:.1%}"


def csv_text(rows: Rows) -> str:
    """The rows as CSV, with the names of the columns first; what is missing is empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(rows[0])], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    return text.getvalue()


def json_text(about: Mapping[str, object], rows: Rows) -> str:
    """What the figures are about, and the rows, as JSON."""
    return json.dumps({**about, "rows": [asdict(row) for row in rows]}, indent=2, allow_nan=False)
