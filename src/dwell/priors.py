"""Priors: how the values of ideas are spread (the law of mu in the paper)."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isclose, sqrt

import numpy as np
from scipy import special

from dwell import checks
from dwell.arrays import FloatArray
from dwell.errors import InvalidInput


@dataclass(frozen=True, slots=True, init=False)
class Atoms:
    """Finitely many values with given weights, equal ones by default.

    Example:
        >>> Atoms([-1, 0, 1])
        Atoms(-1, 0, 1)
        >>> Atoms([-0.05, 0.6], weights=[0.9, 0.1])
        Atoms(-0.05:0.9, 0.6:0.1)
    """

    values: tuple[float, ...]
    weights: tuple[float, ...]

    def __init__(self, values: Iterable[float], weights: Iterable[float] | None = None):
        for name, given in (("values", values), ("weights", weights)):
            if given is not None or name == "values":
                checks.kind(f"{name} of Atoms", given, Iterable, "a list of numbers")
        checked = tuple(checks.moderate("each value", value) for value in values)
        if not checked:
            raise InvalidInput("Atoms must hold at least one value, got none")
        shares = [1.0 / len(checked)] * len(checked) if weights is None else list(weights)
        shares = [checks.not_negative("each weight", share) for share in shares]
        if len(shares) != len(checked):
            raise InvalidInput(
                f"Atoms needs one weight per value, got {len(checked)} values and "
                f"{len(shares)} weights"
            )
        if not isclose(sum(shares), 1.0, abs_tol=1e-9):
            raise InvalidInput(f"weights must sum to 1, got {sum(shares):.12g}")
        object.__setattr__(self, "values", checked)
        object.__setattr__(self, "weights", tuple(share / sum(shares) for share in shares))

    def sample(self, size: int, rng: np.random.Generator) -> FloatArray:
        """Draw `size` values."""
        weights = None if len(set(self.weights)) == 1 else np.array(self.weights)
        return rng.choice(np.array(self.values), size, p=weights)

    def __repr__(self) -> str:
        if len(set(self.weights)) == 1:
            return f"Atoms({', '.join(f'{value:g}' for value in self.values)})"
        pairs = zip(self.values, self.weights, strict=True)
        return f"Atoms({', '.join(f'{value:g}:{weight:.10g}' for value, weight in pairs)})"


@dataclass(frozen=True, slots=True)
class Beta:
    """Values 2 theta - 1 in [-1, 1] with theta ~ Beta(a, b): conjugate to `Signs`.

    Example:
        >>> Beta(2, 3).moments
        (-0.2, 0.4)
    """

    a: float
    b: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", checks.scale("a of Beta(a, b)", self.a))
        object.__setattr__(self, "b", checks.scale("b of Beta(a, b)", self.b))

    @property
    def support(self) -> tuple[float, float]:
        """The ends of the range of values."""
        return -1.0, 1.0

    @property
    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation."""
        total = self.a + self.b
        spread = 2.0 * sqrt(self.a * self.b / (total + 1.0)) / total
        return (self.a - self.b) / total, spread

    def density(self, values: FloatArray) -> FloatArray:
        """The probability density."""
        theta = (1.0 + values) / 2.0
        logarithm = special.xlogy(self.a - 1.0, theta) + special.xlog1py(self.b - 1.0, -theta)
        density: FloatArray = np.exp(logarithm - special.betaln(self.a, self.b)) / 2.0
        return density

    def distribution(self, value: float) -> float:
        """The cumulative distribution function."""
        return float(special.betainc(self.a, self.b, (1.0 + value) / 2.0))

    def quantile(self, levels: FloatArray) -> FloatArray:
        """Its inverse."""
        theta: FloatArray = special.betaincinv(self.a, self.b, levels)
        return 2.0 * theta - 1.0

    def __repr__(self) -> str:
        return f"Beta({self.a:g}, {self.b:g})"


@dataclass(frozen=True, slots=True)
class Normal:
    """Values with a normal law: conjugate to `Gaussian`.

    Example:
        >>> Normal(-1, 2).moments
        (-1.0, 2.0)
    """

    mean: float
    sd: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", checks.moderate("mean of Normal(mean, sd)", self.mean))
        object.__setattr__(self, "sd", checks.scale("sd of Normal(mean, sd)", self.sd))

    @property
    def support(self) -> tuple[float, float]:
        """The ends of the range of values."""
        return -np.inf, np.inf

    @property
    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation."""
        return self.mean, self.sd

    def density(self, values: FloatArray) -> FloatArray:
        """The probability density."""
        z = (values - self.mean) / self.sd
        return np.exp(-0.5 * z * z) / (self.sd * sqrt(2.0 * np.pi))

    def distribution(self, value: float) -> float:
        """The cumulative distribution function."""
        return float(special.ndtr((value - self.mean) / self.sd))

    def quantile(self, levels: FloatArray) -> FloatArray:
        """Its inverse."""
        z: FloatArray = special.ndtri(levels)
        return self.mean + self.sd * z

    def __repr__(self) -> str:
        return f"Normal({self.mean:g}, {self.sd:g})"


Prior = Atoms | Beta | Normal
