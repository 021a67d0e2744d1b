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


@dataclass(frozen=True, slots=True)
class StudentT:
    """Values with a Student-t law: like a normal one in the middle, with fat tails.

    The fewer degrees of freedom, the more of what ideas are worth comes from a few large ones
    (Azevedo, Deng, Montiel Olea, Rao, Weyl 2020, A/B Testing with Fat Tails).

    Args:
        mean: The middle of the law, and its mean.
        scale: Its scale: where a normal law has its sd.
        df: Its degrees of freedom, above 1: at 1 and below there is no mean value of ideas.

    Example:
        >>> StudentT(-1, 2, 3).moments
        (-1.0, 3.4641016151377544)
        >>> StudentT(0, 1, 1)
        Traceback (most recent call last):
        dwell.errors.InvalidInput: df of StudentT(mean, scale, df) must be above 1, got 1; ...
    """

    mean: float
    scale: float
    df: float

    def __post_init__(self) -> None:
        named = "of StudentT(mean, scale, df)"
        object.__setattr__(self, "mean", checks.moderate(f"mean {named}", self.mean))
        object.__setattr__(self, "scale", checks.scale(f"scale {named}", self.scale))
        df = checks.scale(f"df {named}", self.df)
        if not df > 1.0:
            raise InvalidInput(
                f"df {named} must be above 1, got {df:g}; with tails so fat ideas have no mean "
                "value, and no policy an ROI"
            )
        object.__setattr__(self, "df", df)

    @property
    def support(self) -> tuple[float, float]:
        """The ends of the range of values."""
        return -np.inf, np.inf

    @property
    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation; up to 2 degrees of freedom the latter is infinite."""
        deviation = sqrt(self.df / (self.df - 2.0)) if self.df > 2.0 else np.inf
        return self.mean, self.scale * deviation

    @property
    def spread(self) -> float:
        """The sd of the normal law with the same interquartile range.

        Example:
            >>> round(StudentT(0, 1, 3).spread, 4)
            1.134
        """
        ratio = self.quantile(np.array([0.75]))[0] - self.mean
        return float(ratio / special.ndtri(0.75))

    def density(self, values: FloatArray) -> FloatArray:
        """The probability density."""
        z = (values - self.mean) / self.scale
        logarithm = -0.5 * (self.df + 1.0) * np.log1p(z * z / self.df)
        logarithm -= 0.5 * np.log(self.df) + special.betaln(0.5 * self.df, 0.5)
        density: FloatArray = np.exp(logarithm) / self.scale
        return density

    def distribution(self, value: float) -> float:
        """The cumulative distribution function."""
        return float(special.stdtr(self._df, (value - self.mean) / self.scale))

    def quantile(self, levels: FloatArray) -> FloatArray:
        """Its inverse."""
        z: FloatArray = special.stdtrit(self._df, levels)
        # At the ends of the range of levels, SciPy's answer is finite or no number.
        z = np.where(levels <= 0.0, -np.inf, np.where(levels >= 1.0, np.inf, z))
        return self.mean + self.scale * z

    @property
    def _df(self) -> float:
        """Degrees of freedom that SciPy can go by; beyond, the law is normal in floating point."""
        return min(self.df, _MOST_DF)

    def __repr__(self) -> str:
        return f"StudentT({self.mean:g}, {self.scale:g}, {self.df:g})"


_MOST_DF = 1e12
Prior = Atoms | Beta | Normal | StudentT
