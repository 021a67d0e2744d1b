"""Tables for people: a grid of texts, and how figures are written in it."""

from dataclasses import dataclass

from rich import box
from rich.table import Table as RichTable


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
        tight: Whether columns stand close to one another, to fit in 80 characters.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    marked: frozenset[int] = frozenset()
    left: int = 0
    shares: tuple[int, ...] = ()
    title: str = ""
    tight: bool = False

    def rich(self) -> RichTable:
        """The table as a terminal shows it."""
        long = bool(self.shares)
        padding = (0, 1, 0, 0) if self.tight else (0, 1)
        table = RichTable(
            box=box.SIMPLE_HEAD, padding=padding, pad_edge=False, show_lines=long, expand=long
        )
        for column, title in enumerate(self.header):
            table.add_column(
                title,
                justify="left" if column < self.left else "right",
                ratio=(self.shares[column] or None) if long else None,
                # A name may be broken where it is narrow, a figure never.
                no_wrap=not self.shares[column] if long else column >= self.left,
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


def amount(value: float) -> str:
    """A number of samples, with a decimal where it is small.

    Example:
        >>> amount(12.34), amount(50.0), amount(1234.5)
        ('12.3', '50', '1,234')
    """
    return f"{value:,.{1 if value < 100.0 else 0}f}".removesuffix(".0")


def minus(text: str) -> str:
    """A figure with a true minus sign.

    Example:
        >>> minus("-0.5").isascii(), minus("+0.5")
        (False, '+0.5')
    """
    return text.replace("-", "\N{MINUS SIGN}")


def sentence(text: str) -> str:
    """A remark as a sentence.

    Example:
        >>> sentence("3 tests are too short")
        '3 tests are too short.'
    """
    return f"{text[0].upper()}{text[1:]}."


def percent(share: float | None) -> str:
    """A share of the best, or a dash where there is none."""
    return "-" if share is None else f"{share:.1%}"
