"""Rows: how well each learner does on each instance of the suite."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isnan

import numpy as np

from dwell.lab.drift_scores import drift_scores
from dwell.lab.replicate import roi_of_runs
from dwell.lab.run import Run
from dwell.lab.suite import Instance


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """How well a learner does on an instance of the suite.

    Attributes:
        instance: The instance's name.
        case: How its world is not as the learner was told; None where it is.
        held_out: Whether no constant was chosen on its pool of ideas, but for some of Ladder's.
        setup_cost: What each of its tests costs besides the samples.
        learner: What was run.
        tasks: For how many tasks.
        roi: Reward per cost.
        roi_error: Its Monte Carlo standard error; None for a single replication, as all errors.
        oracle_roi: The ROI of the best of all policies; None where nothing earns.
        share: The ROI as a share of it.
        share_error: Its Monte Carlo standard error.
        best_roi: The ROI of the best policy of the class.
        worst_roi: The ROI of the worst.
        score: The ROI as a share of the best of the class; None where the best earns nothing.
        score_error: Its Monte Carlo standard error.
        lost: What was lost, as a share of what the worst policy loses; None where none does.
        lost_error: Its Monte Carlo standard error.
        lost_as_told: What was lost, as a share of what the worst policy would lose if the world
            were as the learner was told; the same as `lost` where it is.
        lost_as_told_error: Its Monte Carlo standard error.
        explored: How many tasks were explored, on average.
        dynamic_roi: The ROI of running each task by the best policy for its own pool; None where
            the pool of ideas does not change, as all that follows; see `DriftScores`.
        dynamic_share: The ROI as a share of it.
        dynamic_share_error: Its Monte Carlo standard error.
        same_money: What was earned, as a share of what the best policies of the pools earn for the
            same money in each.
        same_money_error: Its Monte Carlo standard error.
        harmful: Of 100 tests in each pool, how many accepted an idea that does harm.
        adapted: After each abrupt change, how many tests it took to adapt, in the median; None for
            never.
    """

    instance: str
    case: str | None
    held_out: bool
    setup_cost: float
    learner: str
    tasks: int
    roi: float
    roi_error: float | None
    oracle_roi: float | None
    share: float | None
    share_error: float | None
    best_roi: float
    worst_roi: float
    score: float | None
    score_error: float | None
    lost: float | None
    lost_error: float | None
    lost_as_told: float | None
    lost_as_told_error: float | None
    explored: float
    dynamic_roi: float | None = None
    dynamic_share: float | None = None
    dynamic_share_error: float | None = None
    same_money: float | None = None
    same_money_error: float | None = None
    harmful: tuple[float, ...] | None = None
    adapted: tuple[float | None, ...] | None = None


def score_row(instance: Instance, learner: str, tasks: int, runs: Sequence[Run]) -> ScoreRow:
    """The row of a learner's replications on an instance."""
    roi, deviation = roi_of_runs(runs)
    error = None if isnan(deviation) else deviation
    there_is = instance.reference
    lost = max(0.0, -roi)
    changes = instance.changing is not None
    drifting = asdict(drift_scores(runs, max(instance.policies.caps))) if changes else {}
    return ScoreRow(
        instance=instance.name,
        case=instance.case,
        held_out=instance.held_out,
        setup_cost=instance.setup_cost,
        learner=learner,
        tasks=tasks,
        roi=roi,
        roi_error=error,
        oracle_roi=there_is.oracle_roi,
        share=_share(roi, there_is.oracle_roi),
        share_error=_share(error, there_is.oracle_roi),
        best_roi=there_is.best_roi,
        worst_roi=there_is.worst_roi,
        score=_share(roi, there_is.best_roi),
        score_error=_share(error, there_is.best_roi),
        lost=_share(lost, -there_is.worst_roi),
        lost_error=_share(error, -there_is.worst_roi),
        lost_as_told=_share(lost, -there_is.told_worst_roi),
        lost_as_told_error=_share(error, -there_is.told_worst_roi),
        explored=float(np.mean([run.explored for run in runs])),
        **drifting,
    )


def _share(figure: float | None, whole: float | None) -> float | None:
    """A share of what there is to earn or to lose; None where there is nothing."""
    if figure is None or whole is None or not whole > 0.0:
        return None
    return figure / whole
