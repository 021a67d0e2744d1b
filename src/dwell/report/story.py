"""The demo's story: what the problem is, what the best policy earns, what learning it costs."""

from collections.abc import Mapping
from dataclasses import dataclass

from dwell.learners.cape import Guarantee
from dwell.policy import Policy
from dwell.report.figures import boundaries, roi_by_cap, share_by_tasks
from dwell.report.page import Section, page
from dwell.report.rows import SimulatedRow, exact_rows
from dwell.report.tables import Grid, number, percent
from dwell.table import Table

TITLE = "How long should we test each idea before we ship it or drop it?"


@dataclass(frozen=True, slots=True)
class Story:
    """What the demo computed.

    Attributes:
        table: The exact figures of the class of policies.
        cape: What CAPE earned, by the number of tasks.
        esc_cape: What ESC-CAPE earned in its own class, which has no largest cap.
        guarantee: CAPE's guarantee at the largest number of tasks.
    """

    table: Table
    cape: Mapping[int, SimulatedRow]
    esc_cape: Mapping[int, SimulatedRow]
    guarantee: Guarantee


def problem(table: Table) -> tuple[str, ...]:
    """The problem, in plain words."""
    return (
        "A team tests a stream of ideas. Nine in ten are slightly harmful (worth -0.05), one in "
        "ten is a clear win (worth 0.6), and nobody knows beforehand which is which. A test costs "
        f"{table.setup_cost:g} to set up and 1 per sample; a sample is a noisy thumbs up or down.",
        "Testing longer avoids mistakes, but every sample spent on one idea is missing for the "
        "next. What counts is the return on testing: ROI = value of what was accepted / cost of "
        "all testing. Early on, nobody knows which way of testing has the best ROI: that has to "
        "be learned from the tests themselves.",
    )


def best_policy(table: Table) -> tuple[str, ...]:
    """What the best policy of the class is."""
    caps = table.policies.caps
    times = table.roi[table.best] / table.roi[-1]
    return (
        f"Compare {len(caps)} policies. Each stops as soon as the results are clearly good "
        "(accept) or clearly bad (drop), and drops whatever is still unclear after its cap of "
        f"{', '.join(map(str, caps[:3]))}, … or {caps[-1]} samples. In this made-up world their "
        "ROI can be computed exactly.",
        f"The best cap is {caps[table.best]}: it accepts {table.accept_rate[table.best]:.0%} of "
        f"all ideas and earns {number(table.roi[table.best])} per unit of testing, "
        f"{times:.1f} times as much as testing up to {caps[-1]} samples.",
    )


def conclusions(story: Story) -> tuple[str, ...]:
    """What the table shows, and what it does not."""
    guarantee = story.guarantee
    most = max(story.cape)
    paragraphs = [
        "CAPE and ESC-CAPE are the learners of the paper behind dwell. They start knowing "
        "nothing, and pay for what they learn: to judge all policies fairly, every test that CAPE "
        "explores takes twice the longest cap in samples.",
        f"CAPE chooses among the {len(story.table.policies)} policies. {_earned(story.cape)}",
    ]
    if guarantee.vacuous:
        paragraphs.append(
            "It got there without its guarantee, which says nothing at these sizes: CAPE may drop "
            f"no policy before test {guarantee.first_test:,}, and even with {most:,} ideas it "
            f"stops exploring after {guarantee.exploration_cap:,}. The guarantee would begin to "
            f"mean something at {guarantee.needed_tasks:,} ideas."
        )
    paragraphs += [
        "ESC-CAPE is not told a largest cap. It has to find one first, by a search (ESC) during "
        f"which it accepts nothing. {_earned(story.esc_cape)}",
        "So: the right cap is worth a lot, and the paper's learners can find a good one, but they "
        "need far more tests than most companies will ever run. They are the yardstick for "
        "anything quicker.",
    ]
    return tuple(paragraphs)


def _earned(rows: Mapping[int, SimulatedRow]) -> str:
    sentences = []
    for tasks, row in rows.items():
        if row.chosen_cap is None:
            sentences.append(f"With {tasks:,} ideas {row.note}.")
        else:
            sentences.append(
                f"With {tasks:,} ideas it explored {row.explored:,.0f}, settled on cap "
                f"{row.chosen_cap:,} and earned {percent(row.share)} of the best ROI."
            )
    return " ".join(sentences)


def grid(story: Story) -> Grid:
    """The demo's one table."""
    table = story.table
    caps = table.policies.caps
    best = float(table.roi[table.best])
    known = [
        (name, "any", f"{caps[index]}", number(table.roi[index]), percent(table.roi[index] / best))
        for name, index in (("longest cap, always", -1), ("best policy, if known", table.best))
    ]
    learned = [
        (
            name,
            f"{tasks:,}",
            "none" if row.chosen_cap is None else f"{row.chosen_cap:,}",
            number(row.roi),
            percent(row.share),
        )
        for name, rows in (("CAPE", story.cape), ("ESC-CAPE", story.esc_cape))
        for tasks, row in rows.items()
    ]
    header = ("way of testing", "ideas", "cap", "ROI", "of best")
    return Grid(header, (*known, *learned), marked=frozenset({1}), left=1)


def report(story: Story) -> str:
    """The story as an HTML page."""
    best = story.table.policies[story.table.best]
    assert isinstance(best, Policy)  # the demo makes no other kind
    shares = {
        name: {tasks: row.share or 0.0 for tasks, row in rows.items()}
        for name, rows in (("CAPE", story.cape), ("ESC-CAPE", story.esc_cape))
    }
    sections = (
        Section(
            "The best policy",
            best_policy(story.table),
            figure=roi_by_cap(exact_rows(story.table)),
            caption="What each policy earns per unit of testing, computed exactly.",
        ),
        Section(
            "When it stops",
            figure=boundaries(best),
            caption="Samples are +1 or -1. Between the lines the policy goes on sampling; what is "
            "undecided at the cap is dropped.",
        ),
        Section("What learning it costs", table=grid(story)),
        Section(
            "What this shows",
            conclusions(story),
            figure=share_by_tasks(shares),
            caption="Each learner against the best policy of the class that it searches.",
        ),
    )
    return page(TITLE, problem(story.table), sections)
