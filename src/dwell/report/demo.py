"""The demo's story: the problem, the best policy, what learning it costs, what a log says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dwell.learners.cape import Guarantee
from dwell.policy import Policy
from dwell.report.charts import COLOURS, boundaries, empty_figure
from dwell.report.evaluation.forest import forest
from dwell.report.evaluation.report import Report
from dwell.report.evaluation.text import summary
from dwell.report.exact import exact_rows, roi_by_cap
from dwell.report.page import Section, page
from dwell.report.simulation import SimulatedRow
from dwell.report.tables import Grid, number, percent
from dwell.table import Table

if TYPE_CHECKING:
    import plotly.graph_objects as go

TITLE = "How long should we test each idea before we ship it or drop it?"
_LEARNERS = {
    "empirical-bayes": "EmpiricalBayes",
    "ladder": "Ladder",
    "cape": "CAPE",
    "esc-cape": "ESC-CAPE",
}
_SHARES = (
    "The share of what the best of all policies earns, by the number of ideas. What learners earn "
    "is simulated: by chance it may be a little above what they can."
)


@dataclass(frozen=True, slots=True)
class Story:
    """What the demo computed.

    Attributes:
        table: The exact figures of the class of policies.
        oracle_roi: The ROI of the best of all policies with the same largest cap.
        rows: What each learner earned, for the same numbers of tasks, EmpiricalBayes not for the
            largest; ESC-CAPE in its own class, which has no largest cap.
        guarantee: CAPE's guarantee at the largest number of tasks.
        past: What policies would have earned on a log of past tests.
    """

    table: Table
    oracle_roi: float
    rows: Sequence[SimulatedRow]
    guarantee: Guarantee
    past: Report

    def of(self, learner: str) -> list[SimulatedRow]:
        """What one learner earned."""
        return [row for row in self.rows if row.learner == learner]

    def shares(self, learner: str) -> dict[int, float]:
        """What one learner earned by the number of tasks, as a share of the best of all."""
        return {int(row.tasks): row.roi / self.oracle_roi for row in self.of(learner)}


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
    most = max(row.tasks for row in story.rows)
    computed = max(row.tasks for row in story.of("empirical-bayes"))
    left_out = (
        f" Its runs with more than {computed:,.0f} ideas are left out here: they take a minute."
    )
    paragraphs = [
        "EmpiricalBayes and Ladder are dwell's own learners. EmpiricalBayes is not bound to these "
        "policies: it learns how the values of ideas are spread, from all tests so far, and "
        "computes when to stop from that, with caution. It has to be told the law of the noise, "
        "so it verifies some of what it accepts by further samples: what it can lose if the law "
        f"is wrong is bounded.{left_out if computed < most else ''}",
        "Ladder needs no law. From the first idea on it runs what seems best of the "
        f"{len(story.table.policies)} policies, and looks further with a part of the spending that "
        "shrinks as it learns. Nobody has to tell either how many ideas there will be. How fast "
        "they learn is measured here, not proved.",
        "CAPE and ESC-CAPE are the learners of the paper behind dwell, and have its guarantees. "
        "They pay more for what they learn: to judge all policies fairly, every test that CAPE "
        "explores takes twice the longest cap in samples.",
        f"CAPE chooses among the same {len(story.table.policies)} policies as Ladder. "
        f"{_settled(story.of('cape'))}",
    ]
    if guarantee.vacuous:
        paragraphs.append(
            "It got there without its guarantee, which says nothing at these sizes: CAPE may "
            f"eliminate no policy before test {guarantee.first_test:,}, and even with {most:,.0f} "
            f"ideas it stops exploring after {guarantee.exploration_cap:,}. The guarantee would "
            f"begin to mean something at {guarantee.needed_tasks:,} ideas."
        )
    paragraphs += [
        "ESC-CAPE is not told a largest cap. It has to find one first, by a search (ESC) during "
        f"which it accepts nothing. {_settled(story.of('esc-cape'))}",
        "So: the right cap is worth a lot, and the right boundaries more. The paper's learners can "
        "find a good cap, with far more tests than most companies will ever run; Ladder finds one "
        "with thousands, and EmpiricalBayes good boundaries with the tens or hundreds that a "
        "company has.",
    ]
    return tuple(paragraphs)


def past_tests(past: Report) -> tuple[str, ...]:
    """What a log of past tests says."""
    return (
        f"Who has a log of past tests need not begin anew. Here is one of {past.found.tests:,} "
        "tests, made up as well: sign-up rates of about 5%, lifts of -0.2 points with a spread of "
        f"1, a set-up that costs as much as {past.found.setup_cost:,g} samples. `dwell evaluate` "
        "runs policies on it and scores each decision by the samples that came after it.",
        *summary(past),
    )


def _settled(rows: Sequence[SimulatedRow]) -> str:
    sentences = []
    for row in rows:
        if row.chosen_cap is None:
            sentences.append(f"With {row.tasks:,.0f} ideas {row.note}.")
        else:
            sentences.append(
                f"With {row.tasks:,.0f} ideas it explored {row.explored:,.0f} and settled on "
                f"cap {row.chosen_cap:,}."
            )
    return " ".join(sentences)


def grid(story: Story) -> Grid:
    """The demo's one table."""
    roi = story.table.roi / story.oracle_roi
    tasks = list(story.shares("ladder"))
    known = [
        ("longest cap, always", *[percent(float(roi[-1]))] * len(tasks)),
        ("best cap, if known", *[percent(float(roi.max()))] * len(tasks)),
    ]
    learned = [
        (name, *(percent(story.shares(learner).get(count)) for count in tasks))
        for learner, name in _LEARNERS.items()
    ]
    header = ("ideas", *(f"{count:,}" for count in tasks))
    return Grid(header, (*known, *learned), frozenset({2}), left=1, title=_SHARES)


def share_by_tasks(shares: Mapping[str, Mapping[int, float]]) -> go.Figure:
    """The share of what the best of all policies earns, by the number of ideas."""
    figure = empty_figure("ideas", "share of the best of all")
    for colour, (learner, by_tasks) in zip(COLOURS, shares.items(), strict=False):
        figure.add_bar(
            x=[f"{tasks:,}" for tasks in by_tasks],
            y=list(by_tasks.values()),
            name=learner,
            marker_color=colour,
            text=[f"{share:.0%}" for share in by_tasks.values()],
            textposition="outside",
            cliponaxis=False,
        )
    figure.update_xaxes(type="category")
    figure.update_yaxes(tickformat=".0%", range=[0, 1.05])
    return figure


def report(story: Story) -> str:
    """The story as an HTML page."""
    best = story.table.policies[story.table.best]
    assert isinstance(best, Policy)  # the demo makes no other kind
    shares = {name: story.shares(learner) for learner, name in _LEARNERS.items()}
    figure, caption = forest(story.past)
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
        Section(
            "What each learner earns",
            (_SHARES,),
            table=grid(story),
            figure=share_by_tasks(shares),
            caption="All against the best of all policies. The best cap earns "
            f"{story.table.roi.max() / story.oracle_roi:.0%} of that: more is out of reach for who "
            "chooses among caps.",
        ),
        Section("What this shows", conclusions(story)),
        Section(
            "What past tests say",
            past_tests(story.past),
            figure=figure,
            caption=caption,
        ),
    )
    return page(TITLE, problem(story.table), sections, name="Demo")
