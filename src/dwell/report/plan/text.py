"""A plan in three lines and two tables."""

from collections.abc import Sequence
from math import floor, log10

import numpy as np

from dwell.planning import Option, Plan, Terms
from dwell.report.plan.rows import Limits, OptionRow, option_rows
from dwell.report.tables import Grid, amount, number

_MOST_SHOWN = 8
# Who is asked about current rules is asked about this one first.
_USUAL = "p05-two-sided"

COLUMNS = (
    "Left is the share of the best ROI that stays on the table, shipped that of all ideas, and "
    "wrongly that of the shipped ones which do harm."
)


def lines(plan: Plan) -> list[str]:
    """What to do, what it earns, and what current rules leave on the table."""
    [simple] = (row for row in option_rows(plan) if row.name == "simple")
    terms = plan.terms
    told = [
        f"What to do: {plan.band.words(terms)}",
        f"What it earns: {money(simple.value_per_year)} a year from "
        f"{simple.tests_per_year:,.0f} tests of {_duration(terms, simple)} each on average, which "
        f"ship {simple.ship_rate:.0%} of all ideas; its ROI is {_share(simple)} of the highest "
        "there is.",
    ]
    if plan.rules:
        told.append(_current(plan, plan.rules))
    return told


def _current(plan: Plan, rules: Sequence[Option]) -> str:
    ordered = sorted(rules, key=lambda option: -option.roi)
    usual = next((option for option in rules if option.name == _USUAL), ordered[-1])
    text = f"What current rules leave on the table: {_left(plan, usual)} ({usual.title})"
    if ordered[0] is not usual:
        text += f"; the best of them, {_left(plan, ordered[0])} ({ordered[0].title})"
    return f"{text}."


def _left(plan: Plan, option: Option) -> str:
    return f"{plan.left(option):.0%}"


def _share(row: OptionRow) -> str:
    return f"{1.0 - row.left_on_the_table:.1%}"


def _duration(terms: Terms, row: OptionRow) -> str:
    if terms.by_day:
        return f"{row.days_per_test:.1f} days"
    return f"{row.samples_per_test:.1f} samples"


def money(amount: float) -> str:
    """An amount of money with three digits, or all those before the point.

    Example:
        >>> money(15384.2), money(0.01234), money(-120)
        ('15,384', '0.0123', '-120')
    """
    return f"{amount:,.0f}" if abs(amount) >= 100.0 else f"{amount:.3g}"


def ranking_grid(rows: Sequence[OptionRow]) -> Grid:
    """The ways of testing, the best first."""
    cells = (
        (
            row.title,
            f"{row.left_on_the_table:.1%}",
            money(row.value_per_year),
            number(row.roi),
            amount(row.samples_per_test),
            f"{row.days_per_test:,.1f}",
            f"{row.ship_rate:.1%}",
            f"{row.wrong_share:.1%}",
        )
        for row in rows
    )
    header = (
        "way of testing",
        "left",
        "value a year",
        "ROI",
        "samples",
        "days",
        "shipped",
        "wrongly",
    )
    marked = frozenset(i for i, row in enumerate(rows) if row.name == "simple")
    return Grid(header, tuple(cells), marked, left=1, title=COLUMNS)


def limits_grid(found: Sequence[Limits]) -> Grid:
    """When a policy stops; of many looks only some."""
    chosen = np.unique(np.linspace(0, len(found) - 1, min(len(found), _MOST_SHOWN)).round())
    shown = [found[int(index)] for index in chosen]
    edges = [abs(edge) for at in shown for edge in (at.drop, at.ship) if edge]
    digits = 2 - floor(log10(max(edges))) if edges else 0
    cells = tuple(
        (
            f"{at.day:,.3g}",
            f"{at.samples:,.0f}",
            *(
                "-" if edge is None else f"{edge:+.{max(0, digits)}f}"
                for edge in (at.drop, at.ship)
            ),
        )
        for at in shown
    )
    header = ("day", "samples", "drop at mean", "ship at mean")
    return Grid(header, cells, title="When the best policy there is stops")
