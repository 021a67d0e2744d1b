"""Batches: a block of past tests of which only sums over periods are known."""

from dataclasses import dataclass, field

from dwell.arrays import FloatArray, IntArray, starts_of
from dwell.errors import InvalidInput
from dwell.history.quality import Quality


@dataclass(frozen=True, slots=True)
class Batches:
    """A block of whole tests, an entry per period; policies may look at ends of periods only.

    Of a period with two arms, n is the smaller of their numbers, the mean is the treatment's minus
    the control's, and the variance is such that variance / n is that of the mean: all outcomes
    count, and a period of equal arms is what pairs of outcomes would give.

    Attributes:
        names: What each test is called.
        lengths: How many periods it has.
        counts: How many samples each period has: all periods of the first test, then …
        sums: Their sum.
        variances: The variance of one of them.
        quality: What was found in the rows that they were read from.

    Example:
        >>> import numpy as np
        >>> counts, sums, variances = np.array([9, 1]), np.array([3.0, 1.0]), np.array([1.0, 0.5])
        >>> days = Batches(("blue",), np.array([2]), counts, sums, variances)
        >>> len(days), days.starts.tolist()
        (1, [0, 2])
    """

    names: tuple[str, ...]
    lengths: IntArray
    counts: IntArray
    sums: FloatArray
    variances: FloatArray
    quality: Quality = field(default_factory=Quality)

    def __post_init__(self) -> None:
        periods = {len(self.counts), len(self.sums), len(self.variances), int(self.lengths.sum())}
        if len(self.names) != len(self.lengths) or len(periods) != 1:
            raise InvalidInput(
                f"batches need a count, a sum and a variance per period, got {len(self.counts)}, "
                f"{len(self.sums)} and {len(self.variances)} for {self.lengths.sum()} periods of "
                f"{len(self.names)} tests"
            )

    def __len__(self) -> int:
        return len(self.names)

    @property
    def starts(self) -> IntArray:
        """Where the periods of each test start, and where those of the last one end."""
        return starts_of(self.lengths)
