"""Laws of observations: what one sample of a test looks like, given the value of the idea.

A law on the lattice {-1, 0, 1} moves the running sum by whole steps. It is described by `stride`
and `moves`: after d samples the sum is stride * u - d for a position u >= 0, and one sample raises
u by 0, 1 or 2 with probability c0 + c1 * value, one pair (c0, c1) per move. That these are affine
in the value is what lets a posterior mean stand in for it.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from dwell import checks
from dwell.arrays import FloatArray
from dwell.kernels.drawing import draw_signs


@dataclass(frozen=True, slots=True)
class Signs:
    """Observations +1 and -1, with the value as their mean: the paper's model."""

    @property
    def value_range(self) -> tuple[float, float]:
        """The values that an idea can have under this law."""
        return -1.0, 1.0

    @property
    def noise(self) -> float:
        """The scale of one sample's standard deviation."""
        return 1.0

    @property
    def deviation(self) -> float:
        """The standard deviation of a sample of an idea that changes nothing."""
        return 1.0

    @property
    def stride(self) -> int:
        """See the module's docstring."""
        return 2

    @property
    def moves(self) -> FloatArray:
        """See the module's docstring."""
        return np.array([[0.5, -0.5], [0.5, 0.5], [0.0, 0.0]])

    def sample(
        self, values: FloatArray, samples: int, rng: np.random.Generator
    ) -> NDArray[np.int8]:
        """Draw `samples` observations of each value, one row each."""
        plus = (1.0 + values) / 2.0
        return _three_way(plus, plus, samples, rng)

    def __repr__(self) -> str:
        return "Signs"


@dataclass(frozen=True, slots=True)
class Lift:
    """A treated user's 0/1 outcome minus an untreated one's; the value is the lift.

    Args:
        base_rate: How often the outcome is 1 without the treatment.

    Example:
        >>> Lift(0.012).value_range
        (-0.012, 0.988)
    """

    base_rate: float

    def __post_init__(self) -> None:
        checked = checks.probability("base_rate of Lift(base_rate)", self.base_rate)
        object.__setattr__(self, "base_rate", checked)

    @property
    def value_range(self) -> tuple[float, float]:
        """The values that an idea can have under this law."""
        return -self.base_rate, 1.0 - self.base_rate

    @property
    def noise(self) -> float:
        """The scale of one sample's standard deviation: its least, over all values."""
        return sqrt(self.base_rate * (1.0 - self.base_rate))

    @property
    def deviation(self) -> float:
        """The standard deviation of a sample of an idea that changes nothing."""
        return sqrt(2.0) * self.noise

    @property
    def stride(self) -> int:
        """See the module's docstring."""
        return 1

    @property
    def moves(self) -> FloatArray:
        """See the module's docstring."""
        base = self.base_rate
        minus = [base * (1.0 - base), -base]
        plus = [base * (1.0 - base), 1.0 - base]
        return np.array([minus, [1.0 - minus[0] - plus[0], -minus[1] - plus[1]], plus])

    def sample(
        self, values: FloatArray, samples: int, rng: np.random.Generator
    ) -> NDArray[np.int8]:
        """Draw `samples` observations of each value, one row each."""
        (minus, minus_slope), _, (plus, plus_slope) = self.moves
        not_minus = 1.0 - (minus + minus_slope * values)
        return _three_way(plus + plus_slope * values, not_minus, samples, rng)

    def __repr__(self) -> str:
        return f"Lift({self.base_rate:g})"


@dataclass(frozen=True, slots=True)
class Gaussian:
    """Observations with a normal law around the value.

    Args:
        sd: The standard deviation of one observation.
    """

    sd: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "sd", checks.scale("sd of Gaussian(sd)", self.sd))

    @property
    def value_range(self) -> tuple[float, float]:
        """The values that an idea can have under this law."""
        return -np.inf, np.inf

    @property
    def noise(self) -> float:
        """The scale of one sample's standard deviation."""
        return self.sd

    @property
    def deviation(self) -> float:
        """The standard deviation of a sample of an idea that changes nothing."""
        return self.sd

    def sample(self, values: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:
        """Draw `samples` observations of each value, one row each."""
        drawn = rng.standard_normal((len(values), samples))
        drawn *= self.sd
        drawn += values[:, None]
        return drawn

    def __repr__(self) -> str:
        return f"Gaussian({self.sd:g})"


Lattice = Signs | Lift
Law = Signs | Lift | Gaussian


def _three_way(
    plus: FloatArray, not_minus: FloatArray, samples: int, rng: np.random.Generator
) -> NDArray[np.int8]:
    """+1 with probability `plus`, -1 with probability 1 - `not_minus`, else 0.

    A uniform number is compared with both thresholds. Its first byte settles nearly all cases;
    where it ties with a threshold's, the rest of the number is drawn as well, so that the law is
    exact while most samples cost one byte.
    """
    shape = (len(plus), samples)
    words = rng.integers(0, 1 << 64, -(-shape[0] * shape[1] // 8), dtype=np.uint64)
    first_byte = words.view(np.uint8)[: shape[0] * shape[1]].reshape(shape)
    drawn = np.empty(shape, dtype=np.int8)
    tied = np.empty(first_byte.size, dtype=np.int64)
    tied = tied[: draw_signs(first_byte, plus, not_minus, drawn, tied)]
    task = tied // samples
    # 255 + 0.99… may round to 256, but a uniform number lies below 1.
    uniform = np.minimum(
        (first_byte.reshape(-1)[tied] + rng.random(len(tied))) / 256.0, np.nextafter(1.0, 0.0)
    )
    settled = (uniform < plus[task]).view(np.int8) - (uniform >= not_minus[task])
    drawn.reshape(-1)[tied] = settled
    return drawn
