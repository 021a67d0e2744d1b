"""An evaluation as a page: the answer, how the rules compare, and what the log is like."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite

from dwell.report.evaluation.figures import lengths, over_setup, over_time
from dwell.report.evaluation.report import Report
from dwell.report.evaluation.rules import RuleTable, rule_table
from dwell.report.evaluation.scale import Scale
from dwell.report.evaluation.setup_costs import HOW_TO_COUNT
from dwell.report.evaluation.table import (
    cut_short,
    grid,
    legend,
    setup_finding,
    setup_grid,
    setup_legend,
)
from dwell.report.evaluation.text import level
from dwell.report.evaluation.view import (
    Choice,
    Gain,
    Key,
    TotalsView,
    choices,
    gain,
    key_figures,
    totals,
)
from dwell.report.page import Section, page
from dwell.report.tables import Grid, sentence

_SHORT = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """What the template draws besides sections, from top to bottom."""

    about: str
    choices: tuple[Choice, ...]
    withheld: str | None
    how_to_count: str
    gain: Gain | None
    key_figures: tuple[Key, ...]
    totals: TotalsView | None
    setup: Section
    rules: RuleTable | None
    foot: str


def page_of(report: Report, notes: Sequence[str] = ()) -> str:
    """The evaluation as an HTML page that needs no network.

    Args:
        report: What was found on past tests.
        notes: What else to know about the log.
    """
    asked = report.setup_cost is not None
    figure, caption = over_setup(report)
    view = _View(
        about=_about(report),
        choices=choices(report),
        withheld=report.answer.sentence if report.answer and report.withheld else None,
        how_to_count=HOW_TO_COUNT,
        gain=gain(report),
        key_figures=key_figures(report),
        totals=totals(report),
        setup=Section(
            setup_finding(report),
            (setup_legend(report),),
            figure=figure,
            caption=caption,
            table=_with_unit(setup_grid(report)),
        ),
        rules=rule_table(report) if asked else None,
        foot=f"Every figure has its unit. Intervals are {level(report)}.",
    )
    return page(
        "What would each rule have earned on past tests?",
        (),
        _below(report, notes),
        name="Evaluate",
        template="evaluation.html.jinja",
        view=view,
    )


def _below(report: Report, notes: Sequence[str]) -> list[Section]:
    """What comes after the answer; without a set-up cost there is less of it."""
    sections = []
    if report.setup_cost is not None:
        figure, caption = lengths(report)
        sections.append(Section("How long tests take", figure=figure, caption=caption))
        figure, caption = over_time(report)
        title = "What it would have come to over time"
        sections.append(Section(title, figure=figure, caption=caption))
    sections.append(Section("What was found in the log", notes=_found(report, notes)))
    sections.append(Section("How to read this", terms=_terms(report)))
    if report.setup_cost is not None:
        table = _unbroken(grid(report, most=None, full=True))
        sections.append(Section("All rules", (legend(report, table),), table=table))
    return sections


def _unbroken(table: Grid) -> Grid:
    """The table with names in one line each, except for long ones."""
    rows = (
        (name.replace(" ", "\N{NO-BREAK SPACE}") if len(name) <= _SHORT else name, *cells)
        for name, *cells in table.rows
    )
    return replace(table, rows=tuple(rows))


def _with_unit(table: Grid) -> Grid:
    """The table with its set-up costs in samples: where rows are stacked, no title says it."""
    rows = tuple((f"{cost} sample{'s' * (cost != '1')}", *cells) for cost, *cells in table.rows)
    return replace(table, rows=rows)


def _about(report: Report) -> str:
    quality = report.replayed.quality
    cost = (
        "" if report.setup_cost is None else f" Setting up a test: {report.setup_cost:,g} samples."
    )
    return (
        f"{quality.tests:,} tests with {quality.samples:,} samples. Today's rule: {report.current}."
        f"{cost} Value is counted in the unit of the samples."
    )


def _found(report: Report, notes: Sequence[str]) -> tuple[str, ...]:
    told = tuple(sentence(text) for text in (*notes, *report.notes))
    checked = (
        "The log was checked for repeated rows, gaps in the order, values out of range, outcomes "
        "without a partner, arms of unequal size, and tests that are too short or always the same."
    )
    return (checked, *told) if told else (checked, "Nothing was found.")


def _terms(report: Report) -> tuple[tuple[str, str], ...]:
    found, scale = report.found, Scale.of(report)
    best = "" if found.best is None else f"; of the best rule, {int(found.truncated[found.best]):,}"
    return (
        (
            "How a decision is scored",
            "By all samples that came after it, which had no part in it: no rule sees the last "
            "fifth of a test, so that there are enough. Scored by the samples that it was made by, "
            "a decision to ship would look better than it is.",
        ),
        (
            "Tests shorter than a rule's cap",
            "Where what a rule may see of a test ends before it has stopped, "
            f"{cut_short(report)}. The column truncated says in how many of {found.tests:,} tests "
            f"it happened{best}.",
        ),
        (
            "How the choice is corrected",
            "A rule that was chosen for what it earns on some tests looks better there than it is. "
            "So one is chosen on four fifths of the tests and scored on the other fifth, "
            "with each fifth in turn, and tests are dealt out to fifths in many ways. The mean is "
            f"{scale.text(found.corrected.roi)} per {scale.unit}, the figure at the top, with a "
            f"standard error of {scale.text(found.corrected.error)}: that is how much it moves as "
            "tests are left out, in what is scored and in what is chosen. The interval reaches "
            f"{found.corrected.reach:.2f} standard errors to either side, by Student's t.",
        ),
        (
            "Intervals",
            "Approximate ones in the tables hold for all rules at once with probability "
            f"{1.0 - found.alpha:g}, if there are many tests. {_guaranteed(report)}",
        ),
        (
            "What must hold",
            "The length of a past test must not have depended on its results. Where tests were "
            "ended because of what they showed, their last samples are no fair ones, and all "
            "figures here are biased.",
        ),
    )


def _guaranteed(report: Report) -> str:
    verdict = report.found.guaranteed
    if verdict is None:
        return (
            "There are none that hold for any number of tests: for these, bounds have to be given "
            "that all samples keep, and with batches a length that no test exceeds."
        )
    text = (
        "Guaranteed ones need no such thing: they hold for any number of tests, as all samples lie "
        "within known bounds; that makes them wide."
    )
    if isfinite(verdict.current.low):
        return text
    return (
        f"{text} Today's rule, and gains over it, have approximate ones only: the longest of "
        "these tests does not say how long tests may be."
    )
