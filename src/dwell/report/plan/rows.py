"""The ways of testing that a plan compares, as plain rows."""

from dataclasses import dataclass

from dwell.planning import Option, Plan


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
