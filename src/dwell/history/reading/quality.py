"""Quality: what is wrong with a log, counted over all of it and named row by row."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path

import numpy as np
from scipy.special import erfc

from dwell.arrays import IntArray
from dwell.errors import InvalidInput
from dwell.fitting.sample_ratio import MISMATCH, sample_ratio_p_values

_SHOWN = 5


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
        other_arms: Rows of arms that were not asked for.
        shared_controls: Comparisons that share their control with another.
        within_time: Tests whose arms are compared within short stretches of time, not in pairs.
        own_numbers: Of these, tests whose arms are numbered on their own: the split is taken as
            constant.
        early: Users in the first half of their test, of tests compared in pairs …
        early_treated: … those of them who are treated …
        late: … and users in the second half …
        late_treated: … and those of them.
        empty_periods: Periods without a user: they are left out.
        single_periods: Periods of one user: the variance is that of the test's others.
        several_periods: Tests of batches with three periods or more.
        cumulative: Of these, tests whose periods look as if each had all users since the first.

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
    other_arms: int = 0
    shared_controls: int = 0
    within_time: int = 0
    own_numbers: int = 0
    early: int = 0
    early_treated: int = 0
    late: int = 0
    late_treated: int = 0
    empty_periods: int = 0
    single_periods: int = 0
    several_periods: int = 0
    cumulative: int = 0

    def __add__(self, other: "Quality") -> "Quality":
        pairs = zip(self.__slots__, astuple(self), astuple(other), strict=True)
        return Quality(**{name: mine + theirs for name, mine, theirs in pairs})

    @property
    def sample_ratio_p_value(self) -> float | None:
        """How likely arms of all tests together differ so much by chance, were they split evenly.

        By a chi-square test; None without two arms.
        """
        if not self.controls + self.treated:
            return None
        return float(sample_ratio_p_values(np.array(self.controls), np.array(self.treated)))

    @property
    def drifts(self) -> bool:
        """Whether, of tests compared in pairs, the treated share changes from half to half."""
        if not (self.early and self.late):
            return False
        treated = self.early_treated + self.late_treated
        share = treated / (self.early + self.late)
        variance = share * (1.0 - share) * (1.0 / self.early + 1.0 / self.late)
        if variance <= 0.0:
            return False
        difference = self.early_treated / self.early - self.late_treated / self.late
        return float(erfc(abs(difference) / np.sqrt(2.0 * variance))) < MISMATCH

    @property
    def refusal(self) -> str | None:
        """Why a log with all this cannot be used; None if it can."""
        if self.other_arms and not self.tests:
            return (
                f"some rows must be of the arms that are asked for, got {self.other_arms:,} rows "
                "of others: name the arms as the log does"
            )
        if 2 * self.cumulative > self.several_periods:
            return (
                f"periods must have users of their own, got {self.cumulative:,} of "
                f"{self.several_periods:,} tests in which each period looks as if it had all users "
                "since the first: say whether it has, by cumulative (--cumulative or "
                "--not-cumulative)"
            )
        return None

    @property
    def withheld(self) -> str | None:
        """Why nothing can be advised on such a log; None if something can."""
        users = self.controls + self.treated
        if users and 2 * self.unpaired > users:
            return (
                f"{self.unpaired:,} of {users:,} outcomes came when the other arm had none, so "
                "that what time does cannot be told from what treatments do"
            )
        return None

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each thing that a reader of results should know."""
        return tuple(self._notes())

    def _notes(self) -> Iterator[str]:
        if self.unpaired:
            yield f"{self.unpaired:,} outcomes have no partner in the other arm and are not used"
        if self.other_arms:
            yield f"{self.other_arms:,} rows are of arms that were not asked for"
        if self.shared_controls:
            yield (
                f"{self.shared_controls:,} of {self.tests:,} tests share their control with "
                "another treatment, so that they are not independent, as intervals suppose"
            )
        if self.within_time:
            yield (
                f"{self.within_time:,} of {self.tests:,} tests have arms that are not split evenly "
                "at all times: means are compared within short stretches of time, and two users "
                "are a sample"
            )
        if self.own_numbers:
            yield (
                f"{self.own_numbers:,} of these have arms that are numbered on their own: their "
                "split is taken as constant, since the log does not say what came when"
            )
        if self.empty_periods:
            yield f"{self.empty_periods:,} periods have no users and are left out"
        if self.single_periods:
            yield (
                f"{self.single_periods:,} periods have one user and no variance: that of the "
                "test's other periods is taken"
            )
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


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is wrong in some rows.

    Attributes:
        kind: What it is, in a word or two.
        count: How often it was found.
        rows: The first rows that it was found in, counted from 1; none if it concerns no row.
        sentence: What is wrong in the first of them.
        fatal: Whether the log cannot be used as it is.
    """

    kind: str
    count: int
    rows: tuple[int, ...]
    sentence: str
    fatal: bool


@dataclass(slots=True)
class Faults:
    """Faults as they are found.

    Attributes:
        strict: Whether the first fatal one is raised at once.
        found: Those found so far, by kind.

    Example:
        >>> import numpy as np
        >>> faults = Faults(strict=False)
        >>> faults.add("number", np.array([4, 9]), "value in row 4 must be …")
        >>> faults.found["number"].rows
        (4, 9)
    """

    strict: bool
    found: dict[str, Fault] = field(default_factory=dict)

    def add(self, kind: str, rows: IntArray, sentence: str, *, fatal: bool = True) -> None:
        """Note a fault of some rows."""
        if fatal and self.strict:
            raise InvalidInput(sentence)
        shown = tuple(np.sort(rows)[:_SHOWN].tolist())
        known = self.found.get(kind, Fault(kind, 0, (), sentence, fatal))
        self.found[kind] = replace(
            known, count=known.count + len(rows), rows=(known.rows + shown)[:_SHOWN]
        )


def require_titles(titles: Sequence[str], own: Sequence[str], path: Path) -> None:
    """Refuse a file that lacks a column which the files before it have."""
    for title in titles:
        if title not in own:
            raise InvalidInput(f"{path} must have the column {title} as the files before it")


def unreadable(path: Path, kind: str, error: Exception) -> InvalidInput:
    """The refusal of a file that is not what it should be."""
    return InvalidInput(
        f"{path} must be a {kind} file, got one with this fault: {in_one_line(error)}"
    )


def in_one_line(error: Exception) -> str:
    """What another library says is wrong, short enough to be the end of a sentence."""
    return " ".join(str(error).split())[:200].replace(". ", "; ")
