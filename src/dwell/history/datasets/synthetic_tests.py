"""Synthetic tests: a recipe by which they are drawn, a block of them at a time.

Values are drawn from a prior; lengths are spread log-normally and do not depend on results;
outcomes are 0 and 1, or have a normal law. Each block has a random generator of its own.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from dwell import checks
from dwell.arrays import BoolArray, FloatArray, IntArray, Samples
from dwell.errors import InvalidInput
from dwell.history.reading.columns import FORMS, Form
from dwell.history.reading.rows import Rows
from dwell.laws import Gaussian, Lift
from dwell.priors import Atoms, Prior
from dwell.world import World

TESTS = 4096  # of a block
SHORTEST = 20
_SPREAD = 0.5  # the standard deviation of the logarithm of a length
_DAYS = 14  # of a test of median length
_FIRST_DAY = np.datetime64("2024-01-01")  # a Monday
_WEEK = np.array([1.1, 1.1, 1.1, 1.1, 1.0, 0.75, 0.85])
_NOTICEABLE = 1e-6


@dataclass(frozen=True, slots=True)
class PlannedTests:
    """Tests before anything has been observed.

    Attributes:
        values: What their ideas are worth.
        lengths: How many samples each is to have.
        faulty: Which have a fault.
        first_days: On which day, counted from 0, each begins.
        days: How many days it lasts.
        treated: The share of its outcomes that are treated, on average.
    """

    values: FloatArray
    lengths: IntArray
    faulty: BoolArray
    first_days: IntArray
    days: IntArray
    treated: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What tests to make.

    Attributes:
        form: The form of the log that they are for.
        length: The median of their lengths, in samples.
        prior: What ideas are worth; it is truncated to the law's range.
        law: What a sample looks like. Of `Gaussian(sd)` an arm's outcomes have the standard
            deviation sd / sqrt(2), so that a treated one minus an untreated one has sd.
        seed: What all of it is drawn from.
        faults: The share of tests with a fault.

    Example:
        >>> from dwell.priors import Normal
        >>> recipe = Recipe(form="raw", length=50, prior=Normal(0, 1), law=Gaussian(2.0))
        >>> block, rng = recipe.block(0)
        >>> sorted(recipe.rows(block, np.array([0, 0]), np.array([0, 1]), rng))
        ['order', 'value']
    """

    form: Form
    length: int
    prior: Prior
    law: Lift | Gaussian
    seed: int = 0
    faults: float = 0.0

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise InvalidInput(
                f"form must be one of {', '.join(FORMS)}, got {checks.shown(self.form)}"
            )
        if not isinstance(self.law, Lift | Gaussian):
            raise InvalidInput(
                f"law must be Lift(base_rate) or Gaussian(sd), got {checks.shown(self.law)}"
            )
        if self.form == "counts" and isinstance(self.law, Gaussian):
            raise InvalidInput(
                f"the form counts needs 0/1 outcomes, got {self.law}: give a base rate instead, or "
                "choose another form"
            )
        checks.cap("length", checks.count("length", self.length, SHORTEST))
        checks.count("seed", self.seed, least=0)
        if not 0.0 <= checks.real("faults", self.faults) <= 1.0:
            raise InvalidInput(f"faults must be a share from 0 to 1, got {self.faults}")
        World(self.prior, self.law)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about the tests, in sentences."""
        if isinstance(self.prior, Atoms):
            return ()
        low, high = World(self.prior, self.law).limits
        lost = 1.0 - (self.prior.distribution(high) - self.prior.distribution(low))
        if lost < _NOTICEABLE:
            return ()
        return (
            f"{self.law} allows values from {low:g} to {high:g}, so {self.prior} is truncated "
            f"there, by {lost:.2g} of its weight",
        )

    def block(self, number: int) -> tuple[PlannedTests, np.random.Generator]:
        """A block of tests, and what their rows are to be drawn from."""
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number,)))
        values = World(self.prior, self.law).sample_values(TESTS, rng)
        ratios = np.exp(_SPREAD * rng.standard_normal(TESTS))
        lengths = np.maximum(np.rint(self.length * ratios).astype(np.int64), SHORTEST)
        faulty = rng.random(TESTS) < self.faults
        first_days = rng.integers(0, 364, TESTS)
        days = np.clip(np.rint(_DAYS * ratios).astype(np.int64), 1, lengths // 10)
        # So unequal that it is noticed, however short the test.
        skew = np.where(faulty, np.minimum(0.8, 6.5 / np.sqrt(2.0 * lengths)), 0.0)
        return PlannedTests(values, lengths, faulty, first_days, days, (1.0 - skew) / 2.0), rng

    def sizes(self, block: PlannedTests) -> IntArray:
        """How many rows each test of a block has."""
        if self.form == "counts":
            return np.ones(TESTS, dtype=np.int64)
        if self.form == "batches":
            return 2 * block.days
        return block.lengths if self.form == "raw" else 2 * block.lengths

    def rows(
        self, block: PlannedTests, tests: IntArray, within: IntArray, rng: np.random.Generator
    ) -> Rows:
        """Some rows of a block's tests, without the column test.

        Args:
            block: The tests.
            tests: Which of them each row belongs to, counted from 0.
            within: Which row of its test it is, counted from 0.
            rng: What they are drawn from.
        """
        values, lengths, treated = block.values[tests], block.lengths[tests], block.treated[tests]
        if self.form == "raw":
            lost = np.where(block.faulty[tests] & (within >= lengths // 2), lengths // 20, 0)
            samples = self.law.sample(values, 1, rng).ravel()
            return {"order": within + 1 + lost, "value": samples}
        if self.form == "two-arm":
            arm = rng.random(len(tests)) < treated
            return {"arm": arm, "order": within + 1, "outcome": self._outcomes(values * arm, rng)}
        if self.form == "counts":
            n_t = rng.binomial(2 * lengths, treated)
            n_c = 2 * lengths - n_t
            x_c = rng.binomial(n_c, self._means(0.0 * values))
            x_t = rng.binomial(n_t, self._means(values))
            return {"n_c": n_c, "x_c": x_c, "n_t": n_t, "x_t": x_t}
        arm, day = within % 2 == 1, block.first_days[tests] + within // 2
        traffic = 2.0 * lengths / block.days[tests] * _WEEK[day % 7]
        n = np.maximum(rng.poisson(traffic * np.where(arm, treated, 1.0 - treated)), 2)
        mean, variance = self._sums(values * arm, n, rng)
        period = _FIRST_DAY + day
        return {"arm": arm, "period": period, "n": n, "mean": mean, "variance": variance}

    def _means(self, lifts: FloatArray) -> FloatArray:
        """The means of outcomes that are lifted so much."""
        if isinstance(self.law, Gaussian):
            return lifts
        return np.clip(self.law.base_rate + lifts, 0.0, 1.0)

    def _outcomes(self, lifts: FloatArray, rng: np.random.Generator) -> Samples:
        means = self._means(lifts)
        if isinstance(self.law, Gaussian):
            return means + self.law.sd / sqrt(2.0) * rng.standard_normal(len(means))
        return (rng.random(len(means)) < means).view(np.int8)

    def _sums(
        self, lifts: FloatArray, n: IntArray, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """The mean and the variance of n such outcomes each."""
        means = self._means(lifts)
        if isinstance(self.law, Gaussian):
            variance = self.law.sd**2 / 2.0
            found = means + np.sqrt(variance / n) * rng.standard_normal(len(n))
            return found, variance * rng.chisquare(n - 1) / (n - 1)
        found = rng.binomial(n, means) / n
        return found, found * (1.0 - found) * n / (n - 1)
