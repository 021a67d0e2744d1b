"""Agreement of samples with those before them: what tests showed, beyond what was to be expected.

The agreement is W = sum of x_t A_(t-1) with the echo A_t = lambda A_(t-1) + x_t, for several decays
lambda: from 0 (the last sample alone) to 15/16 (about the last 16). Given where a test stopped, all
paths to there are equally likely if samples are independent, whatever the value of the idea and
whatever the policy: so the mean and the variance of W are known exactly.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray, IntArray, Samples
from dwell.errors import InvalidInput
from dwell.kernels.paths import agreement_by_stop, agreement_of
from dwell.policy import Policy

DECAYS = np.array([0.0, 0.5, 0.75, 0.875, 0.9375])
# The order of a stretch that is hardly longer than the echo is nearly determined by its sum: there
# a dependence of neighbours shows far more than one of the echo's own length would.
SHORTEST = np.array([2, 12, 24, 48, 96])
# What is thought of a value before its test: as if so much had been seen of each sign (Jeffreys).
_PRIOR_SIGNS = 0.5


@dataclass(frozen=True, slots=True)
class PathMoments:
    """What paths show, given where a policy stopped, if samples are independent signs.

    Attributes:
        edges: Which cells stop, a row per number of samples.
        moments: The mean and the variance of each agreement, for each of these cells.
    """

    edges: IntArray
    moments: FloatArray

    @classmethod
    def of(cls, policy: Policy) -> "PathMoments":
        """Those of a policy.

        Example:
            >>> from dwell import fixed
            >>> moments = PathMoments.of(fixed(3, 1))
            >>> found = moments.at(np.array([3]), np.array([2]))  # of ++-, +-+ and -++
            >>> found[0, 0].round(3).tolist()
            [-0.667, 0.889]
        """
        return cls(*agreement_by_stop(policy.lower, policy.upper, DECAYS))

    def at(self, stops: IntArray, positions: IntArray) -> FloatArray:
        """The moments for tests that stopped.

        Args:
            stops: After how many samples.
            positions: How many of these were +1.
        """
        known = (stops >= 1) & (stops <= len(self.edges))
        lowest, first, last, highest, row = self.edges[np.where(known, stops, 1) - 1].T
        below = positions < first
        known &= (positions >= lowest) & (positions <= highest) & (below | (positions > last))
        if not known.all():
            test = int(np.argmin(known))
            raise InvalidInput(
                "a test must have stopped where its policy does, got one that stopped after "
                f"{stops[test]} samples with {positions[test]} of them +1; give the policy that "
                "decided it"
            )
        row = row + np.where(below, positions - lowest, positions - last - 1 + first - lowest)
        found: FloatArray = self.moments[row]
        return found


@dataclass(frozen=True, slots=True)
class Traits:
    """What tests showed of dependence: a row per test, a column per decay.

    Attributes:
        excess: Agreement beyond its mean.
        variance: Of the agreement.
        sensitivity: What the excess would be on average if correlations added up to 1.
    """

    excess: FloatArray
    variance: FloatArray
    sensitivity: FloatArray

    def __len__(self) -> int:
        return len(self.excess)

    def part(self, start: int, end: int) -> "Traits":
        """The traits of some tests in a row."""
        return Traits(*(getattr(self, field.name)[start:end] for field in fields(self)))


def traits(
    samples: Samples,
    stops: Iterable[int] | IntArray,
    drawn: Iterable[int] | IntArray,
    moments: PathMoments,
) -> Traits:
    """What tests show of dependence, up to their stops and after them.

    Args:
        samples: A row of signs per test.
        stops: After how many samples the policy stopped.
        drawn: How many were drawn: at least as many, decided by what was seen up to the stop.
        moments: Those of the policy.

    Example:
        >>> from dwell import fixed
        >>> rows = np.array([[1, 1, -1, 1, 1], [1, -1, 1, 1, 1]], dtype=np.int8)
        >>> found = traits(rows, [3, 3], [3, 5], PathMoments.of(fixed(3, 1)))
        >>> found.excess[:, 0].round(3).tolist()
        [0.667, -1.333]
    """
    rows = np.atleast_2d(samples)
    stopped, taken = np.asarray(stops, dtype=np.int64), np.asarray(drawn, dtype=np.int64)
    if not (stopped.shape == taken.shape == rows.shape[:1]):
        raise InvalidInput(
            f"each of the {len(rows)} tests needs the sample at which it stopped and how many were "
            f"drawn, got {stopped.size} and {taken.size}"
        )
    if len(rows) and not (taken.max() <= rows.shape[1] and (stopped <= taken).all()):
        raise InvalidInput(
            f"a test must stop within what was drawn, of at most {rows.shape[1]} samples, got "
            f"stops after {checks.shown(stopped.tolist())} of {checks.shown(taken.tolist())}"
        )
    signs = np.arange(rows.shape[1]) >= taken[:, None]
    if not (signs | (np.abs(rows) == 1)).all():
        found = rows[~signs & (np.abs(rows) != 1)][0]
        raise InvalidInput(f"samples must be +1 or -1 to measure dependence, got {found:g}")
    shape = (len(rows), len(DECAYS))
    positions = np.zeros((len(rows), 2), dtype=np.int64)
    before, after = np.zeros(shape), np.zeros((*shape, 3))
    agreement_of(rows, stopped, taken, DECAYS, positions, before, after)
    expected = moments.at(stopped, positions[:, 0])
    long_before = stopped[:, None] >= SHORTEST
    long_after = (taken - stopped)[:, None] >= SHORTEST
    excess = long_before * (before - expected[..., 0]) + long_after * (
        after[..., 0] - after[..., 1]
    )
    variance = long_before * expected[..., 1] + long_after * after[..., 2]
    # Correlations shift the agreement in proportion to the noise, its variance goes by its square.
    plus, minus = positions[:, 1] + _PRIOR_SIGNS, taken - positions[:, 1] + _PRIOR_SIGNS
    noise = 4.0 * plus * minus / ((plus + minus) * (plus + minus + 1.0))
    return Traits(excess, variance, variance * (1.0 - DECAYS**2) / noise[:, None])
