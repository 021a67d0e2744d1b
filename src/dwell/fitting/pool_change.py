"""A change of the pool of ideas, as it was shown, and what changed in terms that tests identify.

Short tests do not show which share of ideas help. What the rule in force would have shipped, and
earned, they show: so both sides of a change are compared under it. Intervals are by the profile
likelihood, whatever the pool's shape and whatever stopped the tests (`fitting.pool_intervals`).
"""

from dataclasses import dataclass

from dwell.arrays import FloatArray
from dwell.fitting.figure import Figure, number, percent, percents, range_of
from dwell.fitting.pool_intervals import functional_interval

FALSE_ALARM = 0.05  # how likely a change is shown, ever, where there is none
MOST_CHANGES = 8


@dataclass(frozen=True, slots=True)
class PoolChange:
    """A change that was shown.

    Attributes:
        since: How many tests came before it …
        earliest: … at least …
        latest: … and at most.
        shown: After how many tests it was shown.
    """

    since: int
    earliest: int
    latest: int
    shown: int


@dataclass(frozen=True, slots=True)
class Changed(PoolChange):
    """What is known of the latest change of the pool.

    Attributes:
        shipped_before: Which share of ideas the rule in force would have shipped before it …
        shipped_now: … and ships now.
        earned_before: What a test would have earned by that rule before …
        earned_now: … and earns now.
    """

    shipped_before: Figure
    shipped_now: Figure
    earned_before: Figure
    earned_now: Figure

    @property
    def sentence(self) -> str:
        """The same for people."""
        return (
            f"The pool of ideas has changed since test {self.since + 1:,} (between tests "
            f"{self.earliest + 1:,} and {self.latest + 1:,}): the rule in force ships "
            f"{percent(self.shipped_now.estimate)} % of ideas ({percents(self.shipped_now)} %) "
            f"where it would have shipped {percent(self.shipped_before.estimate)} % "
            f"({percents(self.shipped_before)} %) before, and a test earns "
            f"{number(self.earned_now.estimate)} ({range_of(self.earned_now)}) where it earned "
            f"{number(self.earned_before.estimate)} ({range_of(self.earned_before)})."
        )


def under_rule(
    log_likelihood: FloatArray, counts: FloatArray, accepts: FloatArray, worths: FloatArray
) -> tuple[Figure, Figure]:
    """Which share of ideas a rule ships, and what a test earns by it, as tests show it.

    Args:
        log_likelihood: How likely kinds of tests are under each value: a row each.
        counts: How many tests there are of each kind.
        accepts: How often the rule accepts each value.
        worths: What each is worth.

    Example:
        >>> import numpy as np
        >>> sure = np.log([[0.98, 0.02], [0.02, 0.98]])
        >>> shipped, earned = under_rule(
        ...     sure, np.array([30.0, 10.0]), np.array([0.1, 0.9]), np.array([-1.0, 1.0])
        ... )
        >>> round(shipped.estimate, 2), shipped.low < 0.3 < shipped.high
        (0.29, True)
    """
    shipped = functional_interval(log_likelihood, counts, accepts)
    earned = functional_interval(log_likelihood, counts, accepts * worths)
    return Figure.of(*shipped), Figure.of(*earned)
