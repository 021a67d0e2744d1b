"""A world: a prior of values and a law of observations that fit each other."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dwell import checks
from dwell.arrays import FloatArray, Samples
from dwell.columns import numbers
from dwell.errors import InvalidInput
from dwell.laws import Law
from dwell.priors import Atoms, Prior

# What NumPy's default_rng takes, as SPEC 7 of Scientific Python has it.
RandomState = int | np.random.Generator | np.random.SeedSequence | None


def generator_from(rng: RandomState) -> np.random.Generator:
    """The generator that a seed, a generator or None stands for."""
    try:
        if isinstance(rng, bool):
            raise TypeError("no seed")
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise InvalidInput(
            f"rng must be a whole number >= 0, a NumPy generator or None, got {checks.shown(rng)}"
        ) from None


def checked_world(world: object) -> "World":
    """The world, if it is one."""
    if not isinstance(world, World):
        raise InvalidInput(f"world must be a World of a prior and a law, got {checks.shown(world)}")
    return world


def as_signs(
    observations: ArrayLike, *, bound: float = 1.0, rng: RandomState = None
) -> NDArray[np.int8]:
    """Bounded observations as signs with the same mean, in units of the bound, by a coin each.

    An observation x becomes +1 with probability (1 + x / bound) / 2. So what is made for `Signs`
    serves whatever bounded observations there are; it costs the precision that they have beyond.

    Args:
        observations: Numbers in [-bound, bound], in any shape.
        bound: What they cannot exceed.
        rng: A seed, a NumPy generator, or None for fresh randomness.

    Example:
        >>> as_signs([[0.5, -2.0, 2.0]], bound=2.0, rng=0).tolist()
        [[-1, -1, 1]]
    """
    bound = checks.positive("bound", bound)
    given = numbers("observations", observations)
    if not (np.abs(given) <= bound).all():  # nor is what is no number
        beyond = given[~(np.abs(given) <= bound)]
        raise InvalidInput(
            f"observations must lie within -{bound:g} and {bound:g}, got {beyond.flat[0]:g}; give "
            "the bound that they have"
        )
    drawn = generator_from(rng).random(given.shape)
    return np.where(2.0 * drawn < 1.0 + given / bound, 1, -1).astype(np.int8)


# In binary 1 - 0.8 is a little less than 0.2.
_ROUNDING = 1e-12


@dataclass(frozen=True, repr=False)
class World:
    """What ideas are worth, and what a test of one shows.

    An atom outside the law's range is refused. A continuous prior that reaches outside is truncated
    to the range and renormalised, and the world says so.

    Args:
        prior: The law of the values: `Atoms`, `Beta`, `Normal` or `StudentT`.
        law: The law of the observations given a value: `Signs`, `Lift` or `Gaussian`.

    Example:
        >>> from dwell import Normal, Signs
        >>> World(Atoms([-1, 0, 1]), Signs())
        World(Atoms(-1, 0, 1), Signs)
        >>> World(Normal(0, 0.5), Signs())
        World(Normal(0, 0.5) truncated to [-1, 1], Signs)
    """

    prior: Prior
    law: Law
    limits: tuple[float, float] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.prior, Prior):
            raise InvalidInput(f"unknown prior {self.prior!r}; use Atoms, Beta, Normal or StudentT")
        if not isinstance(self.law, Law):
            raise InvalidInput(f"unknown law {self.law!r}; use Signs, Lift or Gaussian")
        low, high = self.law.value_range
        if isinstance(self.prior, Atoms):
            for value in self.prior.values:
                if not low - _ROUNDING <= value <= high + _ROUNDING:
                    raise InvalidInput(
                        f"{self.law} allows values from {low:g} to {high:g}, got the atom {value:g}"
                    )
            limits = min(self.prior.values), max(self.prior.values)
        else:
            support = self.prior.support
            limits = max(low, support[0]), min(high, support[1])
        object.__setattr__(self, "limits", limits)
        if self.truncated and self._kept[1] - self._kept[0] < 1e-9:
            raise InvalidInput(
                f"{self.law} allows values from {low:g} to {high:g}, where {self.prior} has no "
                "mass; choose a prior that fits"
            )

    @property
    def truncated(self) -> bool:
        """Whether the prior reaches outside what the law allows."""
        return not isinstance(self.prior, Atoms) and self.limits != self.prior.support

    @cached_property
    def _kept(self) -> tuple[float, float]:
        """The prior's distribution function at the limits."""
        if isinstance(self.prior, Atoms):
            return 0.0, 1.0
        low, high = self.limits
        return self.prior.distribution(low), self.prior.distribution(high)

    def sample_values(self, tasks: int, rng: RandomState = None) -> FloatArray:
        """Draw the values of `tasks` ideas."""
        generator = generator_from(rng)
        tasks = checks.count("tasks", tasks, least=0)
        if isinstance(self.prior, Atoms):
            return self.prior.sample(tasks, generator)
        low, high = self._kept
        drawn = self.prior.quantile(generator.uniform(low, high, tasks))
        return np.clip(drawn, *self.limits)

    def sample(
        self, tasks: int, samples: int, rng: RandomState = None
    ) -> tuple[FloatArray, Samples]:
        """Draw ideas and test each of them.

        Args:
            tasks: How many ideas.
            samples: How many observations of each.
            rng: A seed, a NumPy generator, or None for fresh randomness.

        Returns:
            The values, and the observations with a row per task.

        Example:
            >>> from dwell import Signs
            >>> values, samples = World(Atoms([1]), Signs()).sample(2, 3, rng=0)
            >>> samples.tolist()
            [[1, 1, 1], [1, 1, 1]]
        """
        generator = generator_from(rng)
        values = self.sample_values(tasks, generator)
        return values, self.law.sample(values, checks.count("samples", samples), generator)

    def __repr__(self) -> str:
        low, high = self.limits
        truncation = f" truncated to [{low:g}, {high:g}]" if self.truncated else ""
        return f"World({self.prior}{truncation}, {self.law})"
