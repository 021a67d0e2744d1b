"""Durations: how long tests take, in days where the log has days."""

from dataclasses import dataclass

import numpy as np

from dwell.report.evaluation.report import Report


@dataclass(frozen=True, slots=True)
class Durations:
    """How long half of all tests take at most.

    Attributes:
        unit: What is counted: days, or periods where these are not dated.
        now: By the current rule.
        best: By the best policy; None if there is none.
    """

    unit: str
    now: float
    best: float | None


def durations_of(report: Report) -> Durations | None:
    """Durations by the calendar of the log; None if it does not say.

    A policy that draws a third of a test's samples takes a third of its days: samples are taken to
    come in evenly.

    Args:
        report: What was found on past tests.
    """
    replayed, calendar = report.replayed, report.calendar
    lengths = None if calendar is None else calendar.of(replayed.names)
    if calendar is None or lengths is None:
        return None
    each = lengths / replayed.replay.lengths
    best = report.found.best
    return Durations(
        calendar.unit,
        float(np.median(each * replayed.current.durations)),
        None if best is None else float(np.median(each * replayed.replay.durations(best))),
    )
