"""Quality: what was found in a log that could be read, counted."""

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from math import erfc, sqrt

import numpy as np

from dwell.arrays import FloatArray, IntArray

# A test whose arms differ this much in size was not split as planned, but for so many by chance.
MISMATCH = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Counts of what to know about a log; those of its parts add up to those of the whole.

    Attributes:
        rows: Rows that were read.
        tests: Tests that they belong to.
        samples: Samples, or pairs of outcomes, that were made of them.
        unpaired: Outcomes with no partner in the other arm: they are not used.
        short_tests: Tests of fewer than two samples.
        constant_tests: Longer tests whose samples are all equal.
        gaps: Numbers that are missing where a test's rows are numbered.
        out_of_range: Values outside the range that was given.
        controls: Outcomes of control arms.
        treated: Outcomes of treatment arms.
        mismatched: Tests whose arms differ in size with a p-value below 0.001.

    Example:
        >>> (Quality(rows=3, tests=1) + Quality(rows=4, tests=2)).rows
        7
        >>> f"{Quality(controls=900, treated=1100).sample_ratio_p_value:.1g}"
        '8e-06'
    """

    rows: int = 0
    tests: int = 0
    samples: int = 0
    unpaired: int = 0
    short_tests: int = 0
    constant_tests: int = 0
    gaps: int = 0
    out_of_range: int = 0
    controls: int = 0
    treated: int = 0
    mismatched: int = 0

    def __add__(self, other: "Quality") -> "Quality":
        pairs = zip(self.__slots__, astuple(self), astuple(other), strict=True)
        return Quality(**{name: mine + theirs for name, mine, theirs in pairs})

    @property
    def sample_ratio_p_value(self) -> float | None:
        """How likely arms of all tests together differ so much by chance, were they split evenly.

        By a chi-square test; None without two arms.
        """
        both = self.controls + self.treated
        return erfc(abs(self.treated - self.controls) / sqrt(2 * both)) if both else None

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each thing that a reader of results should know."""
        return tuple(self._notes())

    def _notes(self) -> Iterator[str]:
        if self.unpaired:
            yield f"{self.unpaired:,} outcomes have no partner in the other arm and are not used"
        if self.short_tests:
            yield f"{self.short_tests:,} of {self.tests:,} tests have fewer than two samples"
        if self.constant_tests:
            yield f"{self.constant_tests:,} of {self.tests:,} tests have samples that are all equal"
        if self.gaps:
            yield f"{self.gaps:,} numbers are missing in the order of samples"
        if self.out_of_range:
            yield f"{self.out_of_range:,} values are out of range, and used as they are"
        if self.mismatched:
            yield (
                f"{self.mismatched:,} of {self.tests:,} tests have arms of unequal size (p < "
                f"{MISMATCH:g}; by chance it would be {self.tests * MISMATCH:.2g})"
            )
        p_value = self.sample_ratio_p_value
        if p_value is not None and p_value < MISMATCH:
            yield (
                f"arms were not split evenly: {self.controls:,} outcomes of controls and "
                f"{self.treated:,} of treatments (p = {p_value:.1g})"
            )


def sample_ratio_p_values(controls: IntArray, treated: IntArray) -> FloatArray:
    """Each test's chi-square p-value of arms that were to be equal in size."""
    distance = np.abs(treated - controls) / np.sqrt(2.0 * np.maximum(controls + treated, 1))
    return np.fromiter(map(erfc, distance.tolist()), np.float64, len(distance))
