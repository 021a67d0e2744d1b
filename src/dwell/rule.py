"""A policy as any pair of Python functions, on the slow path.

The paper allows a duration to be any stopping time and a decision to be any function of the samples
drawn (appendix, "Decision-Making Policies"). `Policy` covers those that depend on the running sum;
`Rule` covers the rest.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray
from dwell.errors import InvalidInput, LooksAhead


@dataclass(frozen=True, slots=True)
class Rule:
    """A stopping rule and a decision written in Python.

    Both functions get an array of `cap` samples. `duration` says after how many of them the rule
    stops, and may use only those; `decision` says whether it then accepts, and may use only the
    first d. That neither looks ahead is checked on every task that it runs on.

    Args:
        duration: Maps the samples to d, a whole number from 1 to `cap`.
        decision: Maps d and the samples to whether to accept.
        cap: The most samples that the rule may draw.

    Example:
        >>> Rule(lambda x: 1 if x[0] < 0 else 2, lambda d, x: x[d - 1] > 0, cap=2).run([1, -1])
        (2, False)
    """

    duration: Callable[[FloatArray], int]
    decision: Callable[[int, FloatArray], bool]
    cap: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "cap", checks.count("cap", self.cap))
        for name in ("duration", "decision"):
            if not callable(getattr(self, name)):
                raise InvalidInput(f"{name} must be a function, got {getattr(self, name)!r}")

    def run(self, samples: list[float] | FloatArray) -> tuple[int, bool]:
        """Duration and decision on one task; refuses a rule that looks ahead."""
        seen = np.array(samples, dtype=np.float64)[: self.cap]
        if len(seen) < self.cap:
            raise InvalidInput(f"a rule with cap {self.cap} needs so many samples, got {len(seen)}")
        duration, accepted = self._decide(seen)
        for other_future in _futures(seen, duration):
            other_duration, other_accepted = self._decide(other_future)
            if (other_duration, other_accepted) != (duration, accepted):
                between = (
                    f"stops at {duration} or at {other_duration}"
                    if other_duration != duration
                    else "accepts or rejects"
                )
                raise LooksAhead(
                    f"the rule looks ahead: with the same samples up to {duration} it {between}, "
                    "depending on later ones; let it use only the samples up to where it stops"
                )
        return duration, accepted

    def _decide(self, samples: FloatArray) -> tuple[int, bool]:
        duration = self.duration(samples.copy())
        if not (isinstance(duration, int | np.integer) and 1 <= duration <= self.cap):
            raise InvalidInput(
                f"a duration must be a whole number from 1 to the cap {self.cap}, got {duration}"
            )
        return int(duration), bool(self.decision(int(duration), samples.copy()))


def _futures(samples: FloatArray, duration: int) -> Iterator[FloatArray]:
    """The same first samples, followed by other ones: opposite, all high, all low."""
    highest = max(1.0, float(np.abs(samples).max()))
    for later in (-samples[duration:], highest, -highest):
        changed = samples.copy()
        changed[duration:] = later
        yield changed
