"""A plan as a page: when to stop, what each rule earns, how much hangs on the prior."""

from dwell.planning import Plan
from dwell.planning.sensitivity import by_prior, by_setup
from dwell.report.page import Section, page
from dwell.report.plan.figures import bars, fit, over_prior, over_setup, regions
from dwell.report.plan.rows import limits, option_rows
from dwell.report.plan.text import COLUMNS, Basis, limits_grid, lines, ranking_grid, rests_on
from dwell.report.tables import sentence


def plan_page(plan: Plan, basis: Basis) -> str:
    """The plan as an HTML page."""
    terms, rows, past = plan.terms, option_rows(plan), basis.past
    titles = {row.name: row.title for row in rows}
    sections = [
        _when_to_stop(plan),
        Section(
            "What each way of testing earns",
            figure=bars(rows),
            caption="The share of the best ROI that each earns.",
        ),
        Section("The figures", (COLUMNS,), table=ranking_grid(rows), level=3),
        Section(
            "What it would be at another set-up cost",
            figure=over_setup(by_setup(plan), titles, terms),
            caption="The best policy and the simple rule are sought anew at each set-up cost; the "
            "others stay as they are. The dotted line is the set-up cost of this plan.",
        ),
    ]
    if (moved := by_prior(terms)) is not None:
        figure, caption = over_prior(moved, plan.best)
        title = "What it would be with another prior"
        sections.append(Section(title, figure=figure, caption=caption))
    if past is not None:
        figure, caption = fit(past)
        title = f"How the prior fits {past.found.tests:,} past tests"
        sections.append(Section(title, figure=figure, caption=caption))
    if notes := (*basis.notes, *plan.notes):
        sections.append(Section("Notes", notes=tuple(sentence(note) for note in notes)))
    told = lines(plan, basis.assumed)
    title = "How long to test an idea, and what current rules leave on the table."
    return page(title, [rests_on(terms, basis)], sections, told, name="Plan")


def _when_to_stop(plan: Plan) -> Section:
    terms = plan.terms
    assert plan.best.policy is not None
    assert plan.simple.policy is not None
    best, simple = limits(terms, plan.best.policy), limits(terms, plan.simple.policy)
    unit = "days" if terms.by_day else "samples"
    table = limits_grid(best)
    some = len(table.rows) < len(best)
    shown = f" The table has {len(table.rows)} of its {len(best)} looks." if some else ""
    return Section(
        "When to ship and when to drop",
        table=table,
        figure=regions(best, simple, terms.by_day),
        caption=f"By the mean lift so far, after so many {unit}. The areas are those of the best "
        "policy there is; the dotted lines are the limits of the simple "
        f"rule.{shown}",
    )
