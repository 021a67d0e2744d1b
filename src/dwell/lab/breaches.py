"""Breaches: ways in which observations break the law that a learner was told.

Most keep samples within a test from being independent, or their mean from being the value: it
depends on something hidden that stays for a while. A test draws its samples in several pieces, so
that what stays must stay from one piece to the next: `tests` gives a draw that remembers, for each
task, how many samples it has drawn and what was last.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray, IntArray, Samples
from dwell.beliefs import mixture
from dwell.errors import InvalidInput
from dwell.lab.memory import Clock, Held
from dwell.laws import Gaussian, Law
from dwell.learners.drawing import Draw
from dwell.priors import Atoms
from dwell.world import World

# Of a day's effect, which is normal: the rule is right for polynomials of up to twice this degree.
_EFFECTS = 21
# Values of a prior that stand for less than this are left out.
NO_WEIGHT = 1e-14


class Hidden(NamedTuple):
    """What sign a sample has, at one place of a test, given what is hidden.

    Attributes:
        renewed: The probability that the hidden state is drawn anew before this sample.
        weights: The law of a state that is drawn anew, a row per value.
        plus: The probability of +1, a row per value and a column per state.
    """

    renewed: float
    weights: FloatArray
    plus: FloatArray


class Breach:
    """A way in which the world is not as it was told to be."""

    def values(self, world: World, place: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Draw the values of tasks.

        Args:
            world: The world as it was told to be.
            place: For each task, which share of the tasks of the run come before it.
            rng: What to draw from.
        """
        return world.sample_values(len(place), rng)

    def tests(self, law: Law, values: FloatArray, rng: np.random.Generator) -> Draw:
        """What draws samples of tasks with these values, each piece after the one before."""
        return lambda tasks, samples: law.sample(values[tasks], samples, rng)

    def later(
        self, law: Law, values: FloatArray, samples: int, rng: np.random.Generator
    ) -> Samples:
        """Draw samples of each task, of a later day: what stayed for a while is over."""
        return self.tests(law, values, rng)(np.arange(len(values)), samples)

    def truth(self, world: World, cap: int) -> World | None:
        """The world in which policies of up to this cap earn as much, if there is one."""
        del world, cap
        return None

    def hidden(self, values: FloatArray, place: int) -> Hidden:
        """What is hidden of sample `place` of a test, counted from 0: here nothing is."""
        del place
        plus = ((1.0 + values) / 2.0)[:, np.newaxis]
        return Hidden(1.0, np.ones_like(plus), plus)


@dataclass(frozen=True, slots=True)
class Repeated(Breach):
    """Every sample is seen several times in a row.

    Example:
        >>> from dwell import Signs
        >>> draw = Repeated(2).tests(Signs(), np.zeros(1), np.random.default_rng(0))
        >>> np.hstack([draw(np.arange(1), 3), draw(np.arange(1), 3)]).tolist()
        [[1, 1, -1, -1, 1, 1]]
    """

    times: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "times", checks.count("times", self.times))

    def tests(self, law: Law, values: FloatArray, rng: np.random.Generator) -> Draw:
        """Samples, each so many times."""
        clock, held = Clock(len(values)), Held(len(values))

        def draw(tasks: IntArray, samples: int) -> Samples:
            renewed = clock.next(tasks, samples) % self.times == 0
            return held.next(tasks, renewed, lambda count: law.sample(values[tasks], count, rng))

        return draw

    def hidden(self, values: FloatArray, place: int) -> Hidden:
        """The sign itself is what stays."""
        return _signs_that_stay(values, float(place % self.times == 0))


@dataclass(frozen=True, slots=True)
class Sticky(Breach):
    """Samples are a stationary chain: with this probability one is the same as the last.

    Otherwise it is drawn anew. Each has the law that it should have, and the correlation of
    two neighbours is this number: an autoregressive process of order one, of signs.
    """

    correlation: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "correlation", checks.probability("correlation", self.correlation))

    def tests(self, law: Law, values: FloatArray, rng: np.random.Generator) -> Draw:
        """Samples that depend on the last one."""
        clock, held = Clock(len(values)), Held(len(values))

        def draw(tasks: IntArray, samples: int) -> Samples:
            first = clock.next(tasks, samples) == 0
            renewed = first | (rng.random(first.shape) >= self.correlation)
            return held.next(tasks, renewed, lambda count: law.sample(values[tasks], count, rng))

        return draw

    def hidden(self, values: FloatArray, place: int) -> Hidden:
        """The sign itself is what stays."""
        return _signs_that_stay(values, 1.0 - self.correlation if place else 1.0)


@dataclass(frozen=True, slots=True)
class Days(Breach):
    """Samples of a day share a shift of their mean, normal with this standard deviation.

    It is cut off where the mean would leave the law's range to either side: the value stays the
    mean over days.
    """

    length: int
    sd: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", checks.count("length", self.length))
        object.__setattr__(self, "sd", checks.scale("sd", self.sd))

    def tests(self, law: Law, values: FloatArray, rng: np.random.Generator) -> Draw:
        """Samples, day after day."""
        clock, held = Clock(len(values)), Held(len(values))
        room = _room(law, values)

        def draw(tasks: IntArray, samples: int) -> Samples:
            renewed = clock.next(tasks, samples) % self.length == 0
            shift = held.next(
                tasks, renewed, lambda count: self.sd * rng.standard_normal((len(tasks), count))
            )
            most = room[tasks][:, np.newaxis]
            return _each(law, values[tasks][:, np.newaxis] + np.clip(shift, -most, most), rng)

        return draw

    def hidden(self, values: FloatArray, place: int) -> Hidden:
        """The day's shift is what stays, by a Gauss rule."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(_EFFECTS)
        most = (1.0 - np.abs(values))[:, np.newaxis]
        mean = values[:, np.newaxis] + np.clip(self.sd * nodes, -most, most)
        law = np.broadcast_to(weights / weights.sum(), mean.shape)
        return Hidden(float(place % self.length == 0), law, (1.0 + mean) / 2.0)


@dataclass(frozen=True, slots=True)
class Fading(Breach):
    """What is new looks better, or stronger, than it is in the long run; that is what it is worth.

    The mean of sample i, counted from 0, is value + (scale * value + boost) / 2^(i / half_life), as
    far as the law allows.
    """

    half_life: float
    scale: float = 0.0
    boost: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "half_life", checks.scale("half_life", self.half_life))
        object.__setattr__(self, "scale", checks.moderate("scale", self.scale))
        object.__setattr__(self, "boost", checks.moderate("boost", self.boost))

    def tests(self, law: Law, values: FloatArray, rng: np.random.Generator) -> Draw:
        """Samples of something that is new at first."""
        clock = Clock(len(values))

        def draw(tasks: IntArray, samples: int) -> Samples:
            mean = self._mean(values[tasks][:, np.newaxis], clock.next(tasks, samples))
            return _each(law, np.clip(mean, *law.value_range), rng)

        return draw

    def later(
        self, law: Law, values: FloatArray, samples: int, rng: np.random.Generator
    ) -> Samples:
        """Samples of something that is no longer new."""
        return law.sample(values, samples, rng)

    def hidden(self, values: FloatArray, place: int) -> Hidden:
        """Nothing is hidden: the mean goes by the place."""
        mean = np.clip(self._mean(values[:, np.newaxis], np.array([place])), -1.0, 1.0)
        return Hidden(1.0, np.ones_like(mean), (1.0 + mean) / 2.0)

    def _mean(self, values: FloatArray, place: IntArray) -> FloatArray:
        faded: FloatArray = 0.5 ** (place / self.half_life)
        return values + (self.scale * values + self.boost) * faded


@dataclass(frozen=True, slots=True)
class Misstated(Breach):
    """The noise of normal samples is so many times what was told."""

    factor: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", checks.scale("factor", self.factor))

    def tests(self, law: Law, values: FloatArray, rng: np.random.Generator) -> Draw:
        """Samples with another noise."""
        true = self._law(law)
        return lambda tasks, samples: true.sample(values[tasks], samples, rng)

    def truth(self, world: World, cap: int) -> World:
        """The same values, the other noise."""
        del cap
        return World(world.prior, self._law(world.law))

    def _law(self, law: Law) -> Gaussian:
        if not isinstance(law, Gaussian):
            raise InvalidInput(
                f"the noise of {law} follows from the value and cannot be misstated; use Gaussian"
            )
        return Gaussian(self.factor * law.sd)


@dataclass(frozen=True, slots=True)
class Falling(Breach):
    """The pool of ideas moves: all values are shifted, from one end of a run to the other.

    The shift goes from `start` to `end` in equal steps, each for an equal share of the tasks.
    Policies that do not change earn what they earn in the mixture of all these pools.
    """

    start: float
    end: float
    steps: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", checks.moderate("start", self.start))
        object.__setattr__(self, "end", checks.moderate("end", self.end))
        object.__setattr__(self, "steps", checks.count("steps", self.steps, least=2))

    def values(self, world: World, place: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Values of the pool as it is then."""
        step = np.minimum((place * self.steps).astype(np.int64), self.steps - 1)
        drawn = world.sample_values(len(place), rng) + self._shifts[step]
        return np.clip(drawn, *world.law.value_range)

    def truth(self, world: World, cap: int) -> World:
        """All pools in one."""
        values, weights = mixture(world, cap)
        values, weights = values[weights > NO_WEIGHT], weights[weights > NO_WEIGHT]
        shifted = np.clip(values + self._shifts[:, np.newaxis], *world.law.value_range)
        shares = np.tile(weights / (self.steps * weights.sum()), self.steps)
        return World(Atoms(shifted.ravel().tolist(), shares.tolist()), world.law)

    @property
    def _shifts(self) -> FloatArray:
        return np.linspace(self.start, self.end, self.steps)


def _each(law: Law, means: FloatArray, rng: np.random.Generator) -> Samples:
    """A sample of each of these means."""
    return law.sample(means.reshape(-1), 1, rng).reshape(means.shape)


def _room(law: Law, values: FloatArray) -> FloatArray:
    """How far a mean can move from the value to either side."""
    low, high = law.value_range
    return np.maximum(0.0, np.minimum(values - low, high - values))


def _signs_that_stay(values: FloatArray, renewed: float) -> Hidden:
    plus = ((1.0 + values) / 2.0)[:, np.newaxis]
    return Hidden(renewed, np.hstack([plus, 1.0 - plus]), np.tile([1.0, 0.0], (len(values), 1)))
