"""The answer of an evaluation: change the rule, keep it, or nothing earns.

One interval decides between change and keep, wherever the answer is shown: that of the paired,
cross-fitted gain over the current rule. What is not shown to earn more than 0 is not advised: if
neither the choice nor the current rule is, nothing earns.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from dwell.history.replay.interval_methods import Range
from dwell.history.replay.scores import error_of, student_quantile
from dwell.report.tables import sentence

if TYPE_CHECKING:
    from dwell.report.evaluation.report import Report

Kind = Literal["change", "keep", "nothing-earns", "withheld"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What to do.

    Attributes:
        kind: Which of the answers it is.
        title: The same for people.
        sentence: What that means here.
    """

    kind: Kind
    title: str
    sentence: str


def answer_of(report: "Report") -> Answer | None:
    """The answer; None if nobody said what a test costs to set up, on which it hangs.

    Args:
        report: What was found on past tests.
    """
    if report.withheld is not None:
        why = f"Nothing is advised on this log. {sentence(report.withheld)}"
        return Answer("withheld", "No advice", why)
    if report.setup_cost is None:
        return None
    corrected, now = report.found.corrected, current_roi(report)
    if not (corrected.roi_low > 0.0 or now.low > 0.0):
        today = "neither is today's" if now.high >= 0.0 else "today's loses"
        return Answer(
            "nothing-earns",
            "Nothing earns",
            f"No rule is shown to earn more than 0 on these tests, and {today}. Test other ideas, "
            "or test at less cost.",
        )
    candidate = report.candidate
    if candidate is not None and corrected.gain_low > 0.0:
        return Answer("change", "Change the rule", f"Change to: {candidate.advice}.")
    return Answer(
        "keep",
        "Keep today's rule",
        f"Keep what you do ({report.current}): no rule is shown to earn more on the same tests.",
    )


def current_roi(report: "Report") -> Range:
    """Where the current rule's ROI lies, alone: as certain as the gain over it.

    Args:
        report: What was found on past tests.
    """
    found, outcomes = report.found, report.replayed.current
    costs = found.setup_cost + outcomes.durations
    influence = (outcomes.rewards - found.current.roi * costs) / np.mean(costs)
    reach = student_quantile(found.alpha / 2.0, found.tests) * error_of(influence)
    return Range(found.current.roi - reach, found.current.roi + reach)
