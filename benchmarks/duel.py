"""A duel: our code and a rival on the same work, timed in turns."""

import gc
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Literal

import numpy as np

from dwell.arrays import FloatArray

_SECONDS = 8.0
_FEWEST_ROUNDS, _MOST_ROUNDS = 3, 200


@dataclass(frozen=True, slots=True)
class Asked:
    """What the ratio has to be.

    Attributes:
        limit: The speed ratio must be at least this; the time ratio at most.
        of: A ratio of speeds, ours to the rival's, or of times.
    """

    limit: float
    of: Literal["speed", "time"] = "speed"

    def met_by(self, ratio: float) -> bool:
        """Whether a ratio is what was asked."""
        return ratio >= self.limit if self.of == "speed" else ratio <= self.limit

    def __str__(self) -> str:
        return f"{'>=' if self.of == 'speed' else '<='} {self.limit:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """Two functions to be timed against each other; all they need was made beforehand.

    Attributes:
        name: Its name, which stays.
        ours: Does the work with dwell.
        rival: Does the same work without.
        work: How many units of work one call of either does.
        unit: What is counted, in the singular.
        asked: What the ratio has to be, if anything was asked.
        clock: Processor time, which leaves out what other programs take; where threads share the
            work, the time that passes.
        typical: Which of the times of all rounds is taken: the least; where a disk has to answer,
            which is now and then quicker than it should, the median.
    """

    name: str
    ours: Callable[[], object]
    rival: Callable[[], object]
    work: float
    unit: str
    asked: Asked | None = None
    clock: Callable[[], float] = process_time
    typical: Callable[..., FloatArray] = np.min


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """What came out of a duel.

    Attributes:
        name: The duel's name.
        unit: The unit of work.
        ours: Our seconds per unit of work: the least over all rounds.
        rival: The rival's.
        ratio: How many times as fast as the rival we are; or, where a ratio of times was asked,
            how many times as long we take.
        middle_half: Between which ratios the middle half of the rounds lies, taken one by one.
        rounds: How often each was timed.
        asked: What the ratio has to be.
    """

    name: str
    unit: str
    ours: float
    rival: float
    ratio: float
    middle_half: tuple[float, float]
    rounds: int
    asked: Asked | None

    @property
    def met(self) -> bool | None:
        """Whether the ratio is what was asked; None if nothing was."""
        return None if self.asked is None else self.asked.met_by(self.ratio)


def fight(duel: Duel) -> Figure:
    """Time both in turns, rival first.

    The first round compiles and warms the caches, and is not counted. Noise only ever adds time,
    so the least time of each is what the figure is made of, if the duel does not say otherwise.
    """
    _keep_memory()
    duel.rival()
    duel.ours()
    round_seconds = sum(_round(duel))
    rounds = int(np.clip(_SECONDS / round_seconds, _FEWEST_ROUNDS, _MOST_ROUNDS))
    gc.collect()
    gc.disable()
    try:
        times = np.array([_round(duel) for _ in range(rounds)])
    finally:
        gc.enable()
    rival, ours = (duel.typical(times, axis=0) / duel.work).tolist()
    turned = duel.asked is not None and duel.asked.of == "time"
    each = times[:, 1] / times[:, 0] if turned else times[:, 0] / times[:, 1]
    low, high = np.quantile(each, [0.25, 0.75]).tolist()
    return Figure(
        name=duel.name,
        unit=duel.unit,
        ours=ours,
        rival=rival,
        ratio=ours / rival if turned else rival / ours,
        middle_half=(low, high),
        rounds=rounds,
        asked=duel.asked,
    )


def _keep_memory() -> None:
    """Bring the C library to keep freed memory, whichever benchmarks ran before.

    It gives back what is freed above a threshold that grows with the largest array freed so far.
    Until then a run that makes and drops arrays of megabytes may pay for fresh pages each time.
    """
    np.ones(31 * 2**20, dtype=np.uint8)


def _round(duel: Duel) -> tuple[float, float]:
    """How long the rival takes, and how long we take."""
    start = duel.clock()
    duel.rival()
    between = duel.clock()
    duel.ours()
    return between - start, duel.clock() - between
