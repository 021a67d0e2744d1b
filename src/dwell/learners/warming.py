"""Warming: past tests taught to a learner as if it had run them, and what else they say.

A past test was run by nobody's design. It is read as the learner would have run it: its first
samples, up to where the policies stop. What is too short for that is left out, which is no bias as
long as how long tests ran did not depend on how they went.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from dwell.arrays import Samples
from dwell.errors import InvalidInput
from dwell.learners.learner import Learner
from dwell.learners.past_sums import PastSums
from dwell.periods import Periods


class Warmed(NamedTuple):
    """From how many past tests a learner has learned, and how many were too short."""

    tests: int
    left_out: int


def usual_cap(past: PastSums) -> int:
    """How many samples nine in ten past tests have at most.

    Example:
        >>> usual_cap(PastSums([10, 10, 10, 10, 1000], [0.0] * 5))
        604
    """
    return max(1, int(np.quantile(past.drawn, 0.9)))


def caps_for(past: PastSums) -> tuple[int, ...]:
    """Caps that nine in ten past tests are long enough for, with as many samples to score them.

    Example:
        >>> caps_for(PastSums([40, 40, 50], [0.0] * 3))
        (1, 2, 4, 8, 16)
    """
    longest = max(1, int(np.quantile(past.drawn, 0.1)) // 2)
    return tuple(2**power for power in range(longest.bit_length()))


def warm(learner: Learner, tests: Iterable[Samples | Periods]) -> Warmed:
    """Teach past tests to a learner, in order.

    Args:
        learner: The learner; nothing of it is open.
        tests: The samples of each, or sums over its periods.

    Example:
        >>> import numpy as np
        >>> from dwell import Ladder, fixed
        >>> learner = Ladder([fixed(1, 1), fixed(3, 1)])
        >>> warm(learner, [np.array([1.0, 1.0, -1.0, 1.0, 1.0, 1.0]), np.array([])])
        Warmed(tests=1, left_out=1)
    """
    learned = left_out = 0
    for number, samples in enumerate(tests, start=1):
        _require_bound(learner, number, samples)
        design = learner.begin()
        if design is None:
            break
        try:
            record = design.record(samples)
        except InvalidInput:
            if not _too_short(design.samples, samples):
                raise
            learner.forget(design)
            left_out += 1
        else:
            learner.learn(design, record)
            learned += 1
    return Warmed(learned, left_out)


def _require_bound(learner: Learner, number: int, samples: Samples | Periods) -> None:
    """Refuse a test that lies where the learner's samples cannot."""
    bound = getattr(learner, "bound", None)
    counts, sums = (samples.counts, samples.sums) if isinstance(samples, Periods) else (1, samples)
    if bound is not None and (np.abs(sums) > bound * counts * (1.0 + 1e-9)).any():
        raise InvalidInput(
            f"samples of past tests must lie between {-bound:g} and {bound:g} for this learner, "
            f"unlike test {number}; choose one that is told their law"
        )


def _too_short(most: int, samples: Samples | Periods) -> bool:
    """Whether a test has fewer samples than the design may ask for."""
    given = int(samples.samples[0]) if isinstance(samples, Periods) else len(samples)
    return given < most
