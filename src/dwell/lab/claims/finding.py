"""A finding: what the paper states, what was measured, and whether the two agree."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from scipy import special

from dwell.arrays import FloatArray
from dwell.chart import Chart, HeatMap
from dwell.lab.replicate import replicate
from dwell.lab.run import Run
from dwell.learners.cape import Cape
from dwell.learners.learner import Learner
from dwell.world import World


@dataclass(frozen=True, slots=True)
class Effort:
    """How a claim is to be checked.

    Attributes:
        quick: Whether to spend seconds instead of minutes.
        seed: The seed of all randomness.
        cape: What makes the CAPE learners; another class shows what the check can notice.
        executor: Runs replications; this process does if None.
    """

    quick: bool = False
    seed: int = 0
    cape: Callable[..., Cape] = Cape
    executor: Executor | None = None

    def pick(self, quick: int, full: int) -> int:
        """One of two sizes."""
        return quick if self.quick else full

    def runs(self, learner: Learner, world: World, tasks: int, replications: int) -> list[Run]:
        """Replications of a run with the seed and the executor that were given."""
        return list(
            replicate(
                learner,
                world,
                tasks,
                replications=replications,
                rng=self.seed,
                executor=self.executor,
            )
        )


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of checking one claim.

    Attributes:
        claim: Its short name.
        place: Where it stands in the paper.
        stated: What the paper states.
        measured: What was measured, with its Monte Carlo error.
        holds: Whether the two agree, once what is printed is put right where that is needed.
        figures: The numbers behind it.
        words: What it means to someone who runs tests.
        charts: What to look at.
        correction: What has to be put right in the printed text; empty if nothing has.
    """

    claim: str
    place: str
    stated: str
    measured: str
    holds: bool
    figures: dict[str, Any]
    words: str
    charts: tuple[Chart | HeatMap, ...] = ()
    correction: str = ""

    @property
    def verdict(self) -> str:
        """What the check says of the claim."""
        if not self.holds:
            return "FAILS"
        return "holds with a correction" if self.correction else "holds"


@dataclass(frozen=True, slots=True)
class Slope:
    """The exponent b of a power law y = a x^b, and its standard error."""

    exponent: float
    error: float

    def __str__(self) -> str:
        return f"{self.exponent:.3f} ± {self.error:.3f}"


def fit_slope(x: Sequence[float], y: Sequence[float]) -> Slope:
    """Least squares on logarithms; not a number where there is no logarithm.

    Example:
        >>> print(fit_slope([1, 10, 100], [5, 50, 500]))
        1.000 ± 0.000
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return _fit(np.log(x), np.log(y))


def _fit(log_x: FloatArray, log_y: FloatArray) -> Slope:
    log_x = log_x - log_x.mean()
    exponent = float(log_x @ log_y / (log_x @ log_x))
    residual = log_y - log_y.mean() - exponent * log_x
    freedom = max(1, len(log_x) - 2)
    return Slope(exponent, sqrt(float(residual @ residual) / freedom / float(log_x @ log_x)))


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """The exact interval of a share.

    Example:
        >>> [round(end, 4) for end in clopper_pearson(95, 100)]
        [0.8872, 0.9836]
    """
    tail = (1.0 - confidence) / 2.0
    failures = trials - successes
    low = 0.0 if successes == 0 else special.betaincinv(successes, failures + 1, tail)
    high = 1.0 if failures == 0 else special.betaincinv(successes + 1, failures, 1.0 - tail)
    return float(low), float(high)


def decades(first: int, last: int, per_decade: int = 1) -> list[int]:
    """Powers of ten from 10^first to 10^last, with steps in between."""
    return [
        round(10 ** (first + step / per_decade)) for step in range((last - first) * per_decade + 1)
    ]
