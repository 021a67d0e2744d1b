"""Survey: how long past tests were and how noisy one of their samples is."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.errors import InvalidInput
from dwell.history.reading.blocks import Block


@dataclass(frozen=True, slots=True)
class Survey:
    """Tests of a log, an entry each.

    Attributes:
        visible: How many samples policies may see: all but the last, or but the last period.
        squares: The sum of squared deviations from the test's (or period's) mean.
        degrees_of_freedom: In how many independent ways they could deviate.

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
                for name in ("visible", "squares", "degrees_of_freedom")
            )
        )

    @property
    def longest(self) -> int:
        """The most samples of a test that policies may see."""
        return int(self.visible.max())

    @property
    def sd(self) -> float:
        """The standard deviation of one sample around its test's mean."""
        with np.errstate(over="ignore"):
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
