"""An evaluation as a page: what to do, how the policies compare, and what the log is like."""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from dwell.report.evaluation.figures import band_map, lengths, over_time
from dwell.report.evaluation.forest import forest
from dwell.report.evaluation.report import Report
from dwell.report.evaluation.scale import Scale
from dwell.report.evaluation.table import grid, legend
from dwell.report.evaluation.text import summary
from dwell.report.page import Section, page
from dwell.report.tables import Grid, sentence

_SHORT = 24


def page_of(report: Report, notes: Sequence[str] = ()) -> str:
    """The evaluation as an HTML page that needs no network.

    Args:
        report: What was found on past tests.
        notes: What else to know about the log.
    """
    figure, caption = forest(report)
    sections = [Section("What each policy would have earned", figure=figure, caption=caption)]
    if (bands := band_map(report)) is not None:
        sections.append(Section("How wide a band, and how long", figure=bands[0], caption=bands[1]))
    figure, caption = lengths(report)
    sections.append(Section("How long tests take", figure=figure, caption=caption))
    figure, caption = over_time(report)
    sections.append(Section("What it would have come to over time", figure=figure, caption=caption))
    sections.append(Section("What was found in the log", notes=_found(report, notes)))
    sections.append(Section("How to read this", terms=_terms(report)))
    table = _unbroken(grid(report, most=None, full=True))
    sections.append(
        Section(
            "All policies",
            (legend(report, table),),
            table=table,
        )
    )
    title = "What past tests say about stopping"
    return page(title, [_about(report)], sections, summary(report))


def _unbroken(table: Grid) -> Grid:
    """The table with names in one line each, except for long ones."""
    rows = (
        (name.replace(" ", "\N{NO-BREAK SPACE}") if len(name) <= _SHORT else name, *cells)
        for name, *cells in table.rows
    )
    return replace(table, rows=tuple(rows))


def _about(report: Report) -> str:
    found, quality = report.found, report.replayed.quality
    return (
        f"All this is by {quality.tests:,} tests with {quality.samples:,} samples, at a set-up "
        f"cost of {found.setup_cost:,g} samples a test. Value is counted in the unit of the "
        "samples."
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
    best = (
        "" if found.best is None else f"; of the best policy, {int(found.truncated[found.best]):,}"
    )
    return (
        (
            "How a decision is scored",
            "By the mean of the samples that came after it, which had no part in it. Scored by the "
            "samples that it was made by, a decision to ship would look better than it is.",
        ),
        (
            "Tests shorter than a policy's cap",
            "Where a test ended before a policy had stopped, it is taken as dropped: what it would "
            "have earned by going on is not known. That counts against long policies. The column "
            f"truncated says in how many of {found.tests:,} tests it happened{best}.",
        ),
        (
            "How the choice is corrected",
            "The policy with the highest ROI looks better than it is, since it was chosen for "
            "that. So one is chosen on four fifths of the tests and scored on the other fifth, "
            "with each fifth in turn, and tests are dealt out to fifths in many ways. The mean is "
            f"{scale.text(found.corrected.roi)} per {scale.unit}, the figure at the top, with a "
            f"standard error of {scale.text(found.corrected.error)}: that is how much it moves as "
            "tests are left out, in what is scored and in what is chosen. The interval reaches "
            f"{found.corrected.reach:.2f} standard errors to either side, by Student's t.",
        ),
        (
            "Intervals",
            "Approximate ones hold for all policies at once with probability "
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
        f"{text} The current rule, and gains over it, have approximate ones only: the longest of "
        "these tests does not say how long tests may be."
    )
