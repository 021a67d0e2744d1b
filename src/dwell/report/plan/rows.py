"""The figures of a plan: what each way of testing earns, and when a policy stops."""

from dataclasses import dataclass

import numpy as np

from dwell.arrays import IntArray
from dwell.planning import Option, Plan, Terms
from dwell.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionRow:
    """What a way of testing earns.

    Attributes:
        name: What it is called.
        title: What people call it.
        roi: Reward per cost, in units of value per sample.
        roi_error: Its Monte Carlo standard error; None where the figures are exact.
        left_on_the_table: The share of the best ROI that it does not earn.
        value_per_year: What it earns in a year, in money.
        tests_per_year: For how many tests a year's samples last.
        samples_per_test: How many samples a test takes, on average.
        days_per_test: How many days that is.
        ship_rate: The share of ideas that is shipped.
        wrong_share: The share of what is shipped that is worth less than 0.
        note: What to know about it besides.
    """

    name: str
    title: str
    roi: float
    roi_error: float | None
    left_on_the_table: float
    value_per_year: float
    tests_per_year: float
    samples_per_test: float
    days_per_test: float
    ship_rate: float
    wrong_share: float
    note: str


def option_rows(plan: Plan) -> list[OptionRow]:
    """A row per way of testing, the best first."""
    return [_option_row(plan, option) for option in plan.ranking]


def _option_row(plan: Plan, option: Option) -> OptionRow:
    terms = plan.terms
    return OptionRow(
        name=option.name,
        title=option.title,
        roi=option.roi,
        roi_error=option.roi_error,
        left_on_the_table=plan.left(option),
        value_per_year=terms.value_per_year(option.roi),
        tests_per_year=terms.samples_per_year / (terms.setup_cost + option.samples),
        samples_per_test=option.samples,
        days_per_test=option.samples / terms.traffic_per_day,
        ship_rate=option.accept_rate,
        wrong_share=option.wrong_share,
        note=option.note,
    )


@dataclass(frozen=True, slots=True)
class Limits:
    """What the best policy does at a look.

    Attributes:
        day: When it looks.
        samples: How many samples there are by then.
        drop: The mean lift at or below which it drops the idea; None where it never does.
        ship: The mean lift at or above which it ships it; None where it never does.
    """

    day: float
    samples: float
    drop: float | None
    ship: float | None


def limits(terms: Terms, policy: Policy) -> list[Limits]:
    """The boundaries of a policy at its looks, as means, up to where they meet."""
    lower, upper = policy.lower, policy.upper
    looks: IntArray = 1 + np.flatnonzero(np.isfinite(lower) | np.isfinite(upper))
    end = looks[lower[looks - 1] >= upper[looks - 1]][0]
    return [
        Limits(
            day=float(look * terms.unit_samples / terms.traffic_per_day),
            samples=float(look * terms.unit_samples),
            drop=_mean(terms, lower[look - 1], look),
            ship=_mean(terms, upper[look - 1], look),
        )
        for look in looks[looks <= end].tolist()
    ]


def _mean(terms: Terms, boundary: float, look: int) -> float | None:
    """A boundary as a mean; None where no mean gets there."""
    farthest = np.inf if terms.by_day else float(look)
    return float(boundary) / look if np.isfinite(boundary) and abs(boundary) <= farthest else None
