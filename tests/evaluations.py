"""Evaluations, compared to the last bit."""

from typing import Any

from dwell import Report


def bits(report: Report) -> tuple[Any, ...]:
    """Everything that was found."""
    found, replayed = report.found, report.replayed
    arrays = (
        found.reward,
        found.cost,
        found.accept_rate,
        found.truncated,
        found.approximate.roi_low,
        found.approximate.gain_high,
        found.approximate.lead_low,
        replayed.current.rewards,
        replayed.replay.stops,
        replayed.replay.rest,
    )
    return (
        [array.tobytes() for array in arrays],
        (found.best, found.corrected, found.current, found.approximate.indistinguishable),
        (replayed.names, replayed.quality, replayed.left_out),
    )
