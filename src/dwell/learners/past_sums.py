"""Past tests to start from: what a learner that fits the pool of ideas would have seen of them.

Given its value, the likelihood of a test is a function of its samples and their sum. Where only an
effect and its standard error are known, it is that of as many samples as would have that error.
(`dwell.planning` has past tests of its own, effects with errors, from which it fits a prior.)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from dwell import checks, wire
from dwell.arrays import FloatArray, IntArray
from dwell.errors import InvalidInput
from dwell.fitting.counts import effects_from_counts
from dwell.fitting.numbers import column, require, require_same_tests
from dwell.laws import Gaussian, Law, Signs
from dwell.periods import Periods
from dwell.priors import Atoms, Prior
from dwell.sparse_policy import MOST_SAMPLES
from dwell.wire import AsJson

MOST_SIGNS = 2**24 - 1


@dataclass(frozen=True, slots=True, eq=False)
class PastSums(AsJson):
    """Past tests, an entry each.

    Attributes:
        drawn: How many samples each took.
        sums: The sum of these.
        in_order: Whether they are in the order in which they began: then the pool of ideas may have
            changed among them.

    Example:
        >>> from dwell import Lift
        >>> users = [5000, 8000]
        >>> past = PastSums.of_counts(users, [100, 150], users, [120, 140], Lift(0.02))
        >>> past.drawn.tolist(), past.sums.round(1).tolist()
        ([5086, 8138], [20.3, -10.2])
        >>> PastSums.from_json(past.to_json()).drawn.tolist()
        [5086, 8138]
    """

    drawn: IntArray
    sums: FloatArray
    in_order: bool = False
    LOOKS_LIKE = 'past tests in JSON look like {"drawn": […], "sums": […], "in_order": false}'

    def __post_init__(self) -> None:
        drawn, sums = column("drawn", self.drawn), column("sums", self.sums)
        require_same_tests(drawn=drawn, sums=sums)
        require(drawn == np.floor(drawn), drawn, "drawn must be whole numbers")
        within = (drawn >= 1.0) & (drawn <= MOST_SAMPLES)
        require(within, drawn, "drawn must lie between 1 and 2^53 samples")
        object.__setattr__(self, "drawn", drawn.astype(np.int64))
        object.__setattr__(self, "sums", sums)
        if not isinstance(self.in_order, bool):
            raise InvalidInput(f"in_order must be True or False, got {checks.shown(self.in_order)}")

    def __len__(self) -> int:
        return len(self.drawn)

    @classmethod
    def of_periods(cls, periods: Periods, *, in_order: bool = False) -> Self:
        """From sums over periods, such as days.

        Args:
            periods: The tests; none without a period.
            in_order: Whether they are in the order in which they began.

        Example:
            >>> days = Periods(np.array([2, 1]), np.array([9, 1, 4]), np.array([3.0, 1.0, -2.0]))
            >>> PastSums.of_periods(days).sums.tolist()
            [4.0, -2.0]
        """
        checks.kind("periods", periods, Periods, "Periods")
        tests = np.repeat(np.arange(len(periods)), periods.lengths)
        sums = np.bincount(tests, periods.sums, len(periods)).astype(np.float64)
        return cls(periods.samples, sums, in_order)

    @classmethod
    def of_effects(
        cls,
        effects: ArrayLike,
        standard_errors: ArrayLike,
        law: Law,
        *,
        in_order: bool = False,
    ) -> Self:
        """From the effects that tests measured, as the samples that would have their errors.

        Args:
            effects: The effect of each test, in the unit of the law's samples.
            standard_errors: Their standard errors.
            law: The law of samples.
            in_order: Whether they are in the order in which they began.

        Example:
            >>> PastSums.of_effects([0.5, -1.0], [0.2, 0.1], Gaussian(2)).drawn.tolist()
            [100, 400]
        """
        measured, errors = column("effects", effects), column("standard_errors", standard_errors)
        require_same_tests(effects=measured, standard_errors=errors)
        require(errors > 0.0, errors, "standard_errors must be above 0")
        if isinstance(law, Signs):
            within = np.abs(measured) < 1.0
            require(within, measured, "effects of signs must lie strictly between -1 and 1")
        noise = _noise(law, measured)
        fewer = errors <= noise
        require(fewer, errors, "standard_errors must be at most the noise of one sample")
        drawn = np.rint((noise / errors) ** 2)
        return cls(drawn.astype(np.int64), drawn * measured, in_order)

    @classmethod
    def of_counts(
        cls,
        control_users: ArrayLike,
        control_conversions: ArrayLike,
        treatment_users: ArrayLike,
        treatment_conversions: ArrayLike,
        law: Law,
        *,
        in_order: bool = False,
    ) -> Self:
        """From how many users each arm had, and how many of them converted.

        Errors are those that tests of these sizes have at the rates of all of them together.

        Args:
            control_users: How many users saw the control, a test each.
            control_conversions: How many of them converted.
            treatment_users: How many users saw the treatment.
            treatment_conversions: How many of them converted.
            law: The law of samples, a treated user's outcome minus an untreated one's.
            in_order: Whether they are in the order in which they began.
        """
        if isinstance(law, Signs):
            raise InvalidInput(
                "counts of users and conversions are differences of rates, which signs are not: "
                "give the law Lift(base_rate)"
            )
        lifts = effects_from_counts(
            control_users, control_conversions, treatment_users, treatment_conversions
        )
        return cls.of_effects(lifts.effects, lifts.standard_errors, law, in_order=in_order)

    @classmethod
    def of_prior(cls, prior: Prior, tests: int, cap: int, law: Law) -> Self:
        """From a prior, as tests whose values are spread as it says and known well.

        Each has four times as many samples as a test may have: half the error of the longest.

        Args:
            prior: How the values of ideas are spread.
            tests: How many tests it counts as.
            cap: The most samples of a test.
            law: The law of samples.

        Example:
            >>> from dwell import Normal
            >>> past = PastSums.of_prior(Normal(0.0, 0.1), 3, 100, Gaussian(1))
            >>> past.drawn.tolist(), past.sums.round(1).tolist()
            ([400, 400, 400], [-38.7, 0.0, 38.7])
        """
        count = checks.count("tests", tests)
        levels = (np.arange(count) + 0.5) / count
        if isinstance(prior, Atoms):
            order = np.argsort(prior.values)
            below = np.cumsum(np.array(prior.weights)[order])
            places = np.minimum(np.searchsorted(below, levels), len(order) - 1)
            values = np.array(prior.values)[order][places]
        else:
            values = prior.quantile(levels)
        drawn = 4 * checks.cap("cap", cap)
        values = np.clip(values, *law.value_range)
        if isinstance(law, Signs):
            drawn = min(drawn, MOST_SIGNS - 1)
            return cls(np.full(count, drawn), 2.0 * np.rint(values * drawn / 2.0))
        return cls(np.full(count, drawn), drawn * values)

    def require_law(self, law: Law) -> None:
        """Refuse tests that cannot have come about under a law.

        Args:
            law: The law.

        Example:
            >>> PastSums([3], [5.0]).require_law(Signs())
            Traceback (most recent call last):
            dwell.errors.InvalidInput: sums must be at most as large as drawn, got 5 in test 1
        """
        drawn = self.drawn.astype(np.float64)
        if not isinstance(law, Gaussian):
            within = np.abs(self.sums) <= drawn
            require(within, self.sums, "sums must be at most as large as drawn")
        if isinstance(law, Signs):
            few = self.drawn <= MOST_SIGNS
            require(few, drawn, f"past tests of signs must have at most {MOST_SIGNS:,} samples")

    def to_dict(self) -> dict[str, Any]:
        """The same in types that JSON knows."""
        fields: dict[str, Any] = wire.plain(self)
        return fields

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """What `to_dict` gave."""
        return wire.typed(fields, cls)


def _noise(law: Law, values: FloatArray) -> FloatArray:
    """The standard deviation of a sample of each value."""
    match law:
        case Signs():
            found: FloatArray = np.sqrt(1.0 - values**2)
            return found
        case _:
            # Of a difference of two outcomes at the base rate: lifts change it little.
            return np.full(len(values), law.deviation)
