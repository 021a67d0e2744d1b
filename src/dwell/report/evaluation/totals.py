"""Totals: what a rule means for all tests together, not per sample.

Three counts, of the rule that did best against the current one. Take T tests, C and C' what a test
costs now and by the rule, R and R' what it earns, set-up included.

1. The same tests: T (R' - R) more value, in T (C - C') fewer samples.
2. The same cost: T C / C' tests could be run, and earn T C R' / C' in all.
3. Break-even: T + M tests by the rule earn as much as T do now where M = T (R / R' - 1). Who has
   fewer further ideas than that ships less value by the change, though with fewer samples.

R' is C' times the ROI of the choice on tests that it was not made by: what the rule earned on the
tests that chose it is too high. The interval of the first difference is paired, test by test, and
widened as the choice widens that of the gain; that of the second follows from the gain's.
"""

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from dwell.arrays import FloatArray
from dwell.history.replay.scores import error_of

if TYPE_CHECKING:
    from dwell.report.evaluation.report import Report


@dataclass(frozen=True, slots=True)
class Totals:
    """All tests together, as now and by the rule that did best.

    Attributes:
        tests: How many tests there were.
        value_now: What they ship by the current rule …
        value: … and by the other.
        difference: How much more that is …
        difference_low: … where it lies at least …
        difference_high: … and at most.
        samples_now: How many samples the current rule drew …
        samples: … and the other would have.
        tests_at_same_cost: How many tests the rule could run at what the tests cost now.
        value_at_same_cost: What these would ship.
        gain_at_same_cost: How much more that is than now …
        gain_at_same_cost_low: … where it lies at least …
        gain_at_same_cost_high: … and at most.
        break_even: How many further ideas it takes for the rule to ship as much as now; 0 if it
            does without, infinity if it never does.
    """

    tests: int
    value_now: float
    value: float
    difference: float
    difference_low: float
    difference_high: float
    samples_now: int
    samples: int
    tests_at_same_cost: float
    value_at_same_cost: float
    gain_at_same_cost: float
    gain_at_same_cost_low: float
    gain_at_same_cost_high: float
    break_even: float

    @property
    def saved(self) -> int:
        """How many samples fewer the rule draws on the same tests."""
        return self.samples_now - self.samples

    @property
    def further(self) -> float:
        """How many further tests what is saved pays for; below 0 where more is spent."""
        return self.tests_at_same_cost - self.tests


def totals_of(report: "Report") -> Totals | None:
    """The totals; None if no rule earned anything, or nothing is advised.

    Args:
        report: What was found on past tests.
    """
    found, replayed = report.found, report.replayed
    best, corrected = found.best, found.corrected
    if best is None or report.withheld is not None:
        return None
    tests, now = found.tests, found.current
    cost = float(found.cost[best])
    reward = corrected.roi * cost
    reach = corrected.reach * _paired_error(report, best)
    all_costs = tests * now.cost
    return Totals(
        tests=tests,
        value_now=tests * now.reward,
        value=tests * reward,
        difference=tests * (reward - now.reward),
        difference_low=tests * (reward - now.reward - reach),
        difference_high=tests * (reward - now.reward + reach),
        samples_now=round(float(np.sum(replayed.current.durations, dtype=np.float64))),
        samples=round(tests * (cost - found.setup_cost)),
        tests_at_same_cost=all_costs / cost,
        value_at_same_cost=all_costs * corrected.roi,
        gain_at_same_cost=all_costs * corrected.gain,
        gain_at_same_cost_low=all_costs * corrected.gain_low,
        gain_at_same_cost_high=all_costs * corrected.gain_high,
        break_even=_break_even(tests, now.reward, reward),
    )


def _break_even(tests: int, now: float, reward: float) -> float:
    """How many further ideas it takes to ship as much as now."""
    if reward >= now:
        return 0.0
    return tests * (now / reward - 1.0) if reward > 0.0 else inf


def _paired_error(report: "Report", best: int) -> float:
    """The standard error of how much more a test earns, widened by what the choice adds."""
    found, current = report.found, report.replayed.current
    rewards = report.replayed.replay.rewards(best)
    costs = found.setup_cost + report.replayed.replay.durations(best)
    costs_now = found.setup_cost + current.durations
    plain = error_of(
        _influence(rewards, costs.astype(np.float64))
        - _influence(current.rewards, costs_now.astype(np.float64))
    )
    widened = max(1.0, found.corrected.gain_error / plain) if plain > 0.0 else 1.0
    return widened * error_of(rewards - current.rewards)


def _influence(rewards: FloatArray, costs: FloatArray) -> FloatArray:
    """How much each test weighs in the ratio of means."""
    influence: FloatArray = (rewards - rewards.mean() / costs.mean() * costs) / costs.mean()
    return influence
