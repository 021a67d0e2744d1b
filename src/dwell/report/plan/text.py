"""A plan in three lines and two tables."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import floor, log10

import numpy as np

from dwell import checks
from dwell.planning import Fitted, Option, Plan, Terms
from dwell.report.plan.rows import Limits, OptionRow, option_rows
from dwell.report.tables import Grid

# A look a day for a month; of more looks, so many are shown.
_MOST_SHOWN, _SHOWN = 31, 15
_MONEY = ("--value-of-lift", "--price-per-sample")
# Who is asked about current rules is asked about this one first.
_USUAL = "p05-two-sided"

COLUMNS = (
    "Left is the share of the best ROI that stays on the table, ships that of all ideas, and wrong "
    "that of the shipped ones which do harm. ROI is per sample."
)


@dataclass(frozen=True, slots=True)
class Basis:
    """What a plan rests on, besides its terms.

    Attributes:
        past: The past that its prior was fitted to, if it was.
        assumed: What nobody gave, by the option that would give it.
    """

    past: Fitted | None = None
    assumed: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about the fit."""
        return self.past.notes if self.past else ()


def lines(plan: Plan, assumed: Collection[str] = ()) -> list[str]:
    """What to do, what it earns, and what current rules leave on the table."""
    [simple] = (row for row in option_rows(plan) if row.name == "simple")
    terms = plan.terms
    told = [
        f"What to do: {plan.band.words(terms)}",
        f"What it earns: {money(simple.value_per_year)} a year from "
        f"{simple.tests_per_year:,.0f} tests of {_duration(terms, simple)} each on average, which "
        f"ship {simple.ship_rate:.0%} of all ideas, {_prices(terms, assumed)}; its ROI is "
        f"{_share(simple)} of the highest there is.",
    ]
    if plan.rules:
        told.append(_current(plan, plan.rules))
    return told


def _prices(terms: Terms, assumed: Collection[str]) -> str:
    """What money goes by, and which of it nobody gave."""
    told = f"at {terms.value_of_lift:,g} a year for a lift of 1 and {terms.price_per_sample:g} a "
    options = [option for option in _MONEY if option in assumed]
    if not options:
        return f"{told}sample"
    which = (
        "both" if len(options) == 2 else "the former" if options[0] == _MONEY[0] else "the latter"
    )
    return f"{told}sample ({which} assumed: give {' and '.join(options)})"


def rests_on(terms: Terms, basis: Basis) -> str:
    """What the plan rests on: the prior and whence it comes, the noise, costs and times."""
    past = basis.past
    prior = checks.shown(terms.world.prior)
    if past is not None:
        prior += f" (fitted to {past.found.tests:,} past tests)"
    told = (
        f"What it rests on: values {prior}, samples {terms.world.law}, a set-up cost of "
        f"{terms.setup_cost:,g} samples, {terms.traffic_per_day:,} samples a day, and tests of "
        f"{terms.min_days:,} to {terms.max_days:,} days."
    )
    if past is not None:
        told += f" {past.support[0].upper()}{past.support[1:]}."
    assumed = [option for option in basis.assumed if option not in _MONEY]
    return f"{told} Assumed, as not given: {', '.join(assumed)}." if assumed else told


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
        >>> money(15384.2), money(0.01234), money(-120), money(2.5e12)
        ('15,384', '0.0123', '-120', '2.5e+12')
    """
    return f"{amount:,.0f}" if 100.0 <= abs(amount) < 1e9 else f"{amount:.3g}"


def ranking_grid(rows: Sequence[OptionRow]) -> Grid:
    """The ways of testing, the best first."""
    cells = (
        (
            row.title,
            f"{row.left_on_the_table:.1%}",
            money(row.value_per_year),
            f"{row.roi:.3g}",
            money(row.samples_per_test),
            f"{row.ship_rate:.1%}",
            f"{row.wrong_share:.1%}",
        )
        for row in rows
    )
    header = ("way of testing", "left", "a year", "ROI", "samples", "ships", "wrong")
    marked = frozenset(i for i, row in enumerate(rows) if row.name == "simple")
    return Grid(header, tuple(cells), marked, left=1, title=COLUMNS, tight=True)


def limits_grid(found: Sequence[Limits]) -> Grid:
    """When a policy stops; of many looks only some, and it says so."""
    count = len(found) if len(found) <= _MOST_SHOWN else _SHOWN
    chosen = np.unique(np.linspace(0, len(found) - 1, count).round())
    shown = [found[int(index)] for index in chosen]
    title = "When the best policy there is stops"
    if len(shown) < len(found):
        title += f": {len(shown)} of its {len(found)} looks (--json has them all)"
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
    return Grid(header, cells, title=title)
