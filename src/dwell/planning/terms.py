"""Terms: what a test may cost, how fast samples come, and what a lift is worth."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from dwell import checks
from dwell.arrays import IntArray
from dwell.errors import InvalidInput
from dwell.laws import Gaussian, Lift
from dwell.planning.schedule import look_days
from dwell.priors import Atoms, Beta, Normal, StudentT
from dwell.world import World, checked_world

DAYS_PER_YEAR = 365
LONGEST_ON_LATTICE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The terms on which ideas are tested.

    Policies look at day ends: of every day for 400 days, then of days on a growing scale. Under
    `Gaussian` only the sums at looks matter, so that all that is computed has a day as its unit: a
    sample of such a unit is the mean of what a day brings. Under the other laws policies look
    after every sample, and the unit is a sample.

    Args:
        world: What ideas are worth, and what a sample shows.
        setup_cost: What each test costs besides its samples, in samples.
        price_per_sample: What a sample costs, in money.
        value_of_lift: What a value of 1 earns in a year, in money.
        traffic_per_day: How many samples a day brings.
        min_days: No policy looks before so many days are over.
        max_days: No test runs longer.

    Example:
        >>> terms = Terms(world=World(Normal(0, 0.01), Gaussian(0.5)), max_days=1000)
        >>> terms.looks, terms.unit_samples, terms.when(3)
        (520, 1000, 'day 3')
    """

    world: World
    setup_cost: float = 1000.0
    price_per_sample: float = 0.0
    value_of_lift: float = 1.0
    traffic_per_day: int = 1000
    min_days: int = 1
    max_days: int = 28

    def __post_init__(self) -> None:
        checked_world(self.world)
        for name in ("setup_cost", "price_per_sample"):
            self._set(name, checks.not_negative(name, getattr(self, name)))
        self._set("value_of_lift", checks.positive("value_of_lift", self.value_of_lift))
        for name in ("traffic_per_day", "max_days"):
            self._set(name, checks.count(name, getattr(self, name)))
        self._set("min_days", checks.count("min_days", self.min_days, least=0))
        if self.min_days > self.max_days:
            raise InvalidInput(
                f"min_days must be at most max_days, {self.max_days}, got {self.min_days}"
            )
        if self.max_days > checks.LONGEST_CAP:
            raise InvalidInput(
                f"max_days must be at most {checks.LONGEST_CAP:,}, got {self.max_days:,}"
            )
        if not self.by_day:
            self._check_lattice()
        elif isinstance(self.world.prior, Beta):
            raise InvalidInput(
                f"under {self.world.law} the prior must be Normal, StudentT or Atoms, got "
                f"{self.world.prior}; Beta goes with Signs"
            )

    def _set(self, name: str, value: float) -> None:
        object.__setattr__(self, name, value)

    def _check_lattice(self) -> None:
        law, cap = self.world.law, self.traffic_per_day * self.max_days
        if self.min_days > 0:
            raise InvalidInput(
                f"min_days must be 0 under {law}, got {self.min_days}; policies look at day ends "
                "under Gaussian only"
            )
        if cap > LONGEST_ON_LATTICE:
            raise InvalidInput(
                f"under {law} a test may have at most {LONGEST_ON_LATTICE} samples, got {cap:,} by "
                "max_days and traffic_per_day; a Gaussian law with the same noise has no such limit"
            )

    @property
    def by_day(self) -> bool:
        """Whether policies look at day ends, and not after every sample."""
        return isinstance(self.world.law, Gaussian)

    @property
    def look_units(self) -> IntArray:
        """After how many units policies may look."""
        if self.by_day:
            return look_days(self.first, self.max_days)
        return np.arange(1, self.traffic_per_day * self.max_days + 1)

    @property
    def looks(self) -> int:
        """How many looks there are at most."""
        return len(self.look_units)

    @property
    def longest(self) -> int:
        """The last look, in units: the maximum run, or the last look before it."""
        return int(self.look_units[-1])

    @property
    def unit_samples(self) -> int:
        """How many samples a unit is."""
        return self.traffic_per_day if self.by_day else 1

    @property
    def first(self) -> int:
        """The first look that the minimum run allows, in units."""
        return max(1, self.min_days)

    @property
    def unit_world(self) -> World:
        """The same world, seen a unit at a time."""
        if not isinstance(self.world.law, Gaussian):
            return self.world
        return World(self.world.prior, Gaussian(self.world.law.sd / sqrt(self.unit_samples)))

    @property
    def unit_setup(self) -> float:
        """The set-up cost in units."""
        return self.setup_cost / self.unit_samples

    @property
    def unit_sd(self) -> float:
        """The standard deviation of one unit of an idea that is worth nothing."""
        law = self.unit_world.law
        return sqrt(2.0) * law.noise if isinstance(law, Lift) else law.noise

    @property
    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation of the values.

        Of a Student-t law, which may have none, the sd of the normal law with the same
        interquartile range.
        """
        prior = self.world.prior
        if isinstance(prior, StudentT):
            return prior.mean, prior.spread
        if not isinstance(prior, Atoms):
            return prior.moments
        pairs = list(zip(prior.values, prior.weights, strict=True))
        mean = sum(value * weight for value, weight in pairs)
        return mean, sqrt(sum((value - mean) ** 2 * weight for value, weight in pairs))

    @property
    def normal(self) -> Normal | None:
        """The normal law with the same mean and spread; None if all ideas are worth the same."""
        mean, sd = self.moments
        return Normal(mean, sd) if sd > 0.0 else None

    @property
    def samples_per_year(self) -> int:
        """What a year has to spend, on set-ups and on samples."""
        return DAYS_PER_YEAR * self.traffic_per_day

    def value_per_year(self, roi: float) -> float:
        """What a programme with this ROI earns in a year, in money.

        Tests follow one another, and traffic limits them: a year pays for as many as its samples
        do, a test for its samples and for its set-up, which takes as much traffic away. So
        tests per year = samples per year / cost per test, and the value is

            tests per year * (reward * value_of_lift - cost * price_per_sample)

        where each idea that is shipped counts with what it earns in one year.
        """
        return self.samples_per_year * (roi * self.value_of_lift - self.price_per_sample)

    def when(self, units: int) -> str:
        """When so many units are over, in words."""
        return f"{'day' if self.by_day else 'sample'} {units:,}"

    def period(self, units: int) -> str:
        """How long so many units take, in words."""
        return f"{units:,} {'day' if self.by_day else 'sample'}{'s' * (units != 1)}"

    def rhythm(self, step: int) -> str:
        """How often a policy looks, in words."""
        if not self.by_day:
            return "Look after every sample"
        return "Look every day" if step == 1 else f"Look every {step:,} days"
