"""Replications: the same run many times, in parallel, and what they say together."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np

from dwell import checks
from dwell.lab.hostile import AnyWorld
from dwell.lab.run import Run, best_roi, simulate
from dwell.learners.learner import Learner
from dwell.shown import Shown
from dwell.world import RandomState, generator_from


def replicate(
    learner: Learner,
    world: AnyWorld,
    tasks: int | None = None,
    *,
    replications: int,
    rng: RandomState = None,
    samples: int | None = None,
    sampled: bool = False,
    overlap: int = 1,
    executor: Executor | None = None,
    advance: Callable[[float], None] | None = None,
) -> Iterator[Run]:
    """Run a learner many times; the runs come in order, each as soon as it is there.

    Every replication has a generator of its own, spawned from `rng`: the result is the same for
    any executor and any number of workers.

    Args:
        learner: The learner; it is copied, not changed.
        world: The world to run it in.
        tasks: For how many tasks.
        replications: How many runs.
        rng: A seed, a NumPy generator, or None for fresh randomness.
        samples: A budget of samples instead of a number of tasks.
        sampled: Draw the tasks after the exploration as well.
        overlap: How many tasks are open at a time.
        executor: Runs the replications; one after another in this process by default.
        advance: Told, now and then, how many tasks of a run are over; not with an executor.
    """
    generators = generator_from(rng).spawn(checks.count("replications", replications))
    one = partial(
        simulate, learner, world, tasks, samples=samples, sampled=sampled, overlap=overlap
    )
    if executor is None:
        return map(partial(one, advance=advance), generators)
    return executor.map(one, generators)


@dataclass(repr=False, frozen=True, slots=True)
class Summary(Shown):
    """Replications taken together, as the paper's regret does: a ratio of expectations.

    Attributes:
        roi: Mean reward per mean cost.
        roi_error: Its Monte Carlo standard error.
        best_roi: The ROI of the best policy there is to choose.
        explored: The mean number of explored tasks.
        chosen: How often each policy was chosen, by index; None counts runs without a choice.
    """

    roi: float
    roi_error: float
    best_roi: float
    explored: float
    chosen: dict[int | None, int]

    @property
    def regret(self) -> float:
        """By how much the ROI falls short of the best."""
        return self.best_roi - self.roi

    @property
    def share(self) -> float:
        """The ROI as a share of the best; not a number where the best earns nothing."""
        return self.roi / self.best_roi if self.best_roi > 0.0 else float("nan")

    @classmethod
    def of(cls, runs: list[Run]) -> "Summary":
        """The summary of replications of one run."""
        first = runs[0]
        chosen = [run.chosen for run in runs]
        roi, error = roi_of_runs(runs)
        return cls(
            roi=roi,
            roi_error=error,
            best_roi=best_roi(first.learner.choices, first.world, first.learner.setup_cost),
            explored=float(np.mean([run.explored for run in runs])),
            chosen={index: chosen.count(index) for index in dict.fromkeys(chosen)},
        )


def roi_of_runs(runs: Sequence[Run]) -> tuple[float, float]:
    """Mean reward per mean cost, and its standard error by the delta method.

    Of a single run the error is not a number.
    """
    return ratio_of_means([run.reward for run in runs], [run.cost for run in runs])


def ratio_of_means(above: Sequence[float], below: Sequence[float]) -> tuple[float, float]:
    """A mean over runs per another, and the standard error by the delta method.

    Of a single run the error is not a number.

    Example:
        >>> ratio_of_means([1.0, 3.0], [2.0, 2.0])
        (1.0, 0.5)
    """
    dividend, divisor = np.array(above), np.array(below)
    ratio = float(dividend.sum() / divisor.sum())
    if len(dividend) < 2:
        return ratio, float("nan")
    residual = dividend - ratio * divisor
    return ratio, float(residual.std(ddof=1) / (divisor.mean() * sqrt(len(dividend))))
