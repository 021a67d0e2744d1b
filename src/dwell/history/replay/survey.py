"""Survey: how long past tests were and how noisy one of their samples is."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.errors import InvalidInput
from dwell.history.reading.block import Block
from dwell.history.reading.looking import Noise

# Of outcomes that are mostly 0: no usual rule looks before it has seen about so many others.
_EVENTS = 4.0
_LEAST_WEIGHT, _MOST_WEIGHT = 1.0, 1e6


@dataclass(frozen=True, slots=True)
class Survey:
    """Tests of a log, an entry each.

    Attributes:
        visible: How many samples policies may see: all but the last fifth, or of its periods.
        squares: The sum of squared deviations from the test's (or period's) mean.
        degrees_of_freedom: In how many independent ways they could deviate.
        fourths: The sum of their fourth powers.

    Example:
        >>> import numpy as np
        >>> from dwell.history.reading.blocks import SampleBlock
        >>> found = Survey.of(SampleBlock(("blue",), np.array([3]), np.array([1.0, 2.0, 3.0])))
        >>> found.longest, found.sd
        (2, 1.0)
    """

    visible: IntArray
    squares: FloatArray
    degrees_of_freedom: IntArray
    fourths: FloatArray

    @classmethod
    def of(cls, block: Block) -> "Survey":
        """What a block of tests says."""
        return cls(*block.spread())

    @classmethod
    def joined(cls, parts: Iterable["Survey"]) -> "Survey":
        """Surveys one after another."""
        every = list(parts)
        return cls(
            *(
                np.concatenate([np.empty(0, int), *(getattr(part, name) for part in every)])
                for name in ("visible", "squares", "degrees_of_freedom", "fourths")
            )
        )

    @property
    def longest(self) -> int:
        """The most samples of a test that policies may see."""
        return int(self.visible.max())

    @property
    def sd(self) -> float:
        """The standard deviation of one sample around its test's mean."""
        with np.errstate(over="ignore"):  # what is too large is refused below
            squares = float(self.squares.sum())
        if not isfinite(squares):
            raise InvalidInput(
                "samples must be small enough to be squared, got some that are not: give them in "
                "larger units"
            )
        if not squares > 0.0:
            raise InvalidInput(
                f"samples must differ within some test to say how noisy one is, got "
                f"{len(self.visible):,} tests with all samples equal: give policies"
            )
        return sqrt(squares / int(self.degrees_of_freedom.sum()))

    @property
    def kurtosis(self) -> float:
        """The fourth moment of a sample in units of its variance: 3 of a normal one."""
        with np.errstate(over="ignore", invalid="ignore"):
            fourth = float(self.fourths.sum()) / float(self.degrees_of_freedom.sum())
            found = fourth / self.sd / self.sd / self.sd / self.sd  # a power might overflow
        return found if isfinite(found) else 3.0

    @property
    def noise(self) -> Noise:
        """The noise of all tests, and how much it says of that of one.

        Tests differ in their variances by more than the variances are in error: a test's own counts
        as much as the variance of one sample's square says, by how much true ones differ.
        """
        variance = self.sd**2
        known = self.degrees_of_freedom > 1
        freedom = self.degrees_of_freedom[known].astype(np.float64)
        own = self.squares[known] / freedom / variance
        one = max(self.kurtosis - 1.0, 0.0)  # the variance of a sample's square
        # Weighted by size, so that short tests, whose variances are mostly error, do not count.
        shares = freedom / freedom.sum() if len(freedom) else freedom
        apart = float(shares @ (own - 1.0) ** 2) - float(shares @ (one / np.maximum(freedom, 1.0)))
        weight = one / apart if apart > 0.0 else _MOST_WEIGHT
        return Noise(variance, min(max(weight, _LEAST_WEIGHT), _MOST_WEIGHT))

    @property
    def least(self) -> int:
        """The first look that makes sense: a mean of so many is no longer that of one event."""
        return max(1, min(round(_EVENTS * (self.kurtosis - 3.0)), self.longest))
