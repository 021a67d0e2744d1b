"""Whether the pool of ideas has changed within a log, and what rules earned before and since."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dwell.arrays import BoolArray
from dwell.errors import InvalidInput
from dwell.fitting.figure import Figure
from dwell.fitting.past_change import PastChange, change_fields, past_change
from dwell.history.reading.beginnings import beginnings_of
from dwell.history.reading.log import Log
from dwell.history.reading.summaries import summaries_of
from dwell.history.replay.scores import AllScores, Scores, error_of, student_quantile

if TYPE_CHECKING:
    from dwell.report.evaluation.report import Report


@dataclass(frozen=True, slots=True, eq=False)
class LogChange:
    """The latest change of the pool of ideas that a log shows.

    Attributes:
        change: The change.
        present: Which of the tests that are replayed are of the present pool.
    """

    change: PastChange
    present: BoolArray


@dataclass(frozen=True, slots=True)
class Earned:
    """What a rule earned per cost before a change and since, each with its approximate interval."""

    before: Figure
    now: Figure


def log_change(log: Log, names: tuple[str, ...]) -> LogChange | None:
    """The latest change; None if none is shown, or if it is not known when tests began.

    The log is read for it once more, if it has dates.

    Args:
        log: The log.
        names: The tests that are replayed.
    """
    times = beginnings_of(log)
    if times is None:
        return None
    try:
        told = summaries_of(log)
    except InvalidInput:
        return None  # of tests whose samples are all equal nothing is known but that
    began = times.of(told.names)
    if began is None or len(told.effects) < 2 or not (told.standard_errors > 0.0).all():
        return None
    change = past_change(told.effects, told.standard_errors, began)
    if change is None:
        return None
    present = {name for name, is_now in zip(told.names, change.present, strict=True) if is_now}
    return LogChange(change, np.array([name in present for name in names]))


def earned_by_best(report: "Report") -> Earned | None:
    """What the best rule earned; None where there is none, or no change."""
    found = report.found
    if found.best is None:
        return None
    return _earned(report, AllScores(report.replayed.replay, found.setup_cost)[found.best])


def earned_by_current(report: "Report") -> Earned | None:
    """What the current rule earned; None where there is no change."""
    outcomes = report.replayed.current
    durations = outcomes.durations.astype(np.float64)
    return _earned(report, Scores(outcomes.rewards, durations, None, report.found.setup_cost))


def _earned(report: "Report", scores: Scores) -> Earned | None:
    if report.changed is None or report.setup_cost is None:
        return None
    present = report.changed.present
    if min(present.sum(), (~present).sum()) < 2:
        return None
    alpha = report.found.alpha
    return Earned(_roi(scores.of(~present), alpha), _roi(scores.of(present), alpha))


def _roi(scores: Scores, alpha: float) -> Figure:
    """Its ROI on some tests, as certain as that on all of them."""
    ratio, influence = scores.weighed
    reach = student_quantile(alpha / 2.0, len(influence)) * error_of(influence)
    return Figure(ratio, ratio - reach, ratio + reach)


def change_notes(report: "Report") -> tuple[str, ...]:
    """The change in a sentence, and what to do about it in another.

    Args:
        report: What was found on past tests.
    """
    if report.changed is None:
        return ()
    change = report.changed.change
    return (
        change.sentence,
        f"all figures are of all {report.found.tests:,} tests: give --since "
        f"{change.since_date.isoformat()} to evaluate those since",
    )


def changed_fields(report: "Report") -> dict[str, Any] | None:
    """The change for programs; None if there is none.

    Args:
        report: What was found on past tests.
    """
    if report.changed is None:
        return None
    fields = change_fields(report.changed.change)
    for name, earned in (("current", earned_by_current(report)), ("best", earned_by_best(report))):
        for when in ("before", "now"):
            figure = None if earned is None else asdict(getattr(earned, when))
            fields[f"{name}_{when}"] = figure
    return fields
