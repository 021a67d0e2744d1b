"""What tests show of their noise: that it is larger than the law says, or that samples depend.

Signs are judged by their order (`fitting.agreement`), normal samples and sums over periods by how
much they vary (`fitting.dispersion`). A record keeps what is needed for both, a row per task.
"""

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from dwell.arrays import FloatArray, IntArray, Samples, starts_of
from dwell.fitting.agreement import DECAYS, PathMoments, Traits, traits
from dwell.fitting.dependence import Dependence, Measured
from dwell.fitting.dispersion import FACTORS, Dispersion, Spreads, limits_by, spreads
from dwell.periods import Periods
from dwell.policy import Policy
from dwell.sparse_policy import SparsePolicy

_SIGNS = 3 * len(DECAYS)
COLUMNS = _SIGNS + 2 + 2 * len(FACTORS)


@dataclass(slots=True)
class NoiseEvidence:
    """What all tests so far show of their noise.

    Attributes:
        dependence: By the order of signs.
        dispersion: By how much sums vary.
    """

    dependence: Dependence = field(default_factory=Dependence.empty)
    dispersion: Dispersion = field(default_factory=Dispersion.empty)

    def take(self, rows: FloatArray) -> None:
        """Add what tests showed, in order."""
        signs, sums = rows[:, :_SIGNS].reshape(len(rows), 3, len(DECAYS)), rows[:, _SIGNS:]
        self.dependence.take(Traits(signs[:, 0], signs[:, 1], signs[:, 2]))
        self.dispersion.take(Spreads(sums[:, :2], *np.hsplit(sums[:, 2:], 2)))

    def measured(self) -> Measured:
        """How many samples are worth one that the law describes."""
        return max(
            self.dispersion.measured(),
            self.dependence.measured(),
            key=lambda found: (found.factor, -found.detectable),
        )


def by_signs(samples: Samples, stops: IntArray, drawn: IntArray, policy: Policy) -> FloatArray:
    """What signs show, a row per task.

    Args:
        samples: A row of signs per task.
        stops: After how many of them the policy stopped.
        drawn: How many were drawn.
        policy: The policy.
    """
    shown = traits(samples, stops, drawn, _moments(policy))
    rows = np.zeros((len(samples), COLUMNS))
    rows[:, :_SIGNS] = np.hstack([shown.excess, shown.variance, shown.sensitivity])
    return rows


def by_samples(
    samples: Samples, stops: IntArray, drawn: IntArray, policy: Policy, noise: float, chunk: int
) -> FloatArray:
    """What samples show, a row per task, by their sums from look to look.

    Args:
        samples: A row per task.
        stops: After how many of them the policy stopped.
        drawn: How many were drawn.
        policy: The policy.
        noise: The standard deviation of a sample, as the law has it.
        chunk: How many samples have a sum that is about normal.
    """
    looks = SparsePolicy.of(policy).looks
    looks = looks[np.diff(looks // chunk, append=np.inf) > 0]
    lengths, counts, sums = [], [], []
    for row, stop, last in zip(samples, stops, drawn, strict=True):
        ends = np.append(looks[looks <= stop - chunk], stop)
        if last - stop >= chunk:
            ends = np.append(ends, last)
        lengths.append(len(ends))
        counts.append(np.diff(ends, prepend=0))
        sums.append(np.diff(np.cumsum(row[: ends[-1]], dtype=np.float64)[ends - 1], prepend=0.0))
    periods = Periods(np.array(lengths), np.concatenate(counts), np.concatenate(sums))
    return by_periods(periods, periods.samples, policy, noise)


def by_periods(
    periods: Periods, drawn: IntArray, policy: Policy | SparsePolicy, noise: float
) -> FloatArray:
    """What sums over periods show, a row per task.

    Args:
        periods: The tasks; there may be more periods than were drawn.
        drawn: How many samples were drawn.
        policy: The policy that stopped them.
        noise: The standard deviation of a sample, as the law has it.
    """
    ends = starts_of(periods.counts)[1:]
    before = np.append(0, ends)[periods.starts[:-1]]
    kept = ends <= np.repeat(before + drawn, periods.lengths)
    lengths = np.add.reduceat(kept, periods.starts[:-1]) if len(periods) else periods.lengths
    tests = Periods(lengths.astype(np.int64), periods.counts[kept], periods.sums[kept])
    shown = spreads(tests, np.full(len(tests), noise**2), *limits_by(tests, policy))
    rows = np.zeros((len(tests), COLUMNS))
    rows[:, _SIGNS:] = np.hstack([shown.found, shown.expected, shown.variance])
    return rows


@lru_cache(maxsize=16)
def _moments(policy: Policy) -> PathMoments:
    return PathMoments.of(policy)
