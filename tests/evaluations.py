"""Evaluations, compared to the last bit."""

from typing import Any

from dwell import Report


def bits(report: Report) -> tuple[Any, ...]:
    """Everything that was found."""
    found, past = report.found, report.past
    arrays = (
        found.reward,
        found.cost,
        found.accept_rate,
        found.cut,
        found.rough.roi_low,
        found.rough.gain_high,
        found.rough.lead_low,
        past.present.rewards,
        past.replay.stops,
        past.replay.rest,
    )
    return (
        [array.tobytes() for array in arrays],
        (found.best, found.corrected, found.present, found.rough.alike),
        (past.names, past.quality, past.left_out),
    )
