"""Tests: a block of past tests, their samples in one line."""

from dataclasses import dataclass, field

from dwell.arrays import IntArray, Samples, starts_of
from dwell.errors import InvalidInput
from dwell.history.quality import Quality


@dataclass(frozen=True, slots=True)
class Tests:
    """A block of whole tests.

    Attributes:
        names: What each test is called.
        lengths: How many samples it has; 0 where no pair could be made of its rows.
        samples: All samples of the first test in their order, then those of the second, …
        quality: What was found in the rows that they were read from.

    Example:
        >>> import numpy as np
        >>> block = Tests(("blue", "red"), np.array([2, 1]), np.array([0.5, 1.0, -2.0]))
        >>> len(block), block.starts.tolist()
        (2, [0, 2, 3])
    """

    names: tuple[str, ...]
    lengths: IntArray
    samples: Samples
    quality: Quality = field(default_factory=Quality)

    def __post_init__(self) -> None:
        if len(self.names) != len(self.lengths) or self.lengths.sum() != len(self.samples):
            raise InvalidInput(
                f"tests need a length each, and lengths that sum to the number of samples, "
                f"{len(self.samples)}, got {len(self.names)} names and {len(self.lengths)} lengths "
                f"that sum to {self.lengths.sum()}"
            )

    def __len__(self) -> int:
        return len(self.names)

    @property
    def starts(self) -> IntArray:
        """Where each test starts in `samples`, and where the last one ends."""
        return starts_of(self.lengths)
