"""Dependence: what samples within a test are worth, if one resembles those before it.

A likelihood that takes samples for independent is too sure of itself if users are counted twice,
if days differ, if a sample resembles the last one. `Dependence` measures this on signs (+-1) from
all tests so far, with nothing known of their values and however they were stopped: by how much
samples agree with those before them beyond what independent ones would (`agreement`), summed over
tests, in exact standard deviations.

How large it is, w, is the sum of the correlations at lags 1, 2, …, later ones fading by lambda. It
is told by the number of times k that every sample would have to be seen to show the same:
w = sum over l < k of lambda^(l-1) (1 - l/k). Under any other dependence that fades within the echo,
k is close to the factor by which it raises the variance of a long test's mean. docs/noise.md has
the proof and what was measured.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import inf, sqrt
from typing import NamedTuple, TypeVar

import numpy as np

from dwell.arrays import FloatArray
from dwell.errors import InvalidInput
from dwell.fitting.agreement import DECAYS, Traits

SURE = 3.0  # in standard errors
LARGEST = 10.0
NEGLIGIBLE = 1.1
_HALVINGS = 30
Number = TypeVar("Number", float, FloatArray)


def effective_samples(samples: Number, factor: float) -> Number:
    """How many independent samples tell as much as this many dependent ones.

    The first counts in full. Exact for a mean if correlations fade geometrically; if samples are
    seen several times, it is how many different ones there are on average over where one starts.

    Args:
        samples: How many were drawn.
        factor: How many dependent samples are worth an independent one, in the long run.

    Example:
        >>> effective_samples(1.0, 2.0), effective_samples(9.0, 2.0)
        (1.0, 5.0)
    """
    if not factor >= 1.0:
        raise InvalidInput(
            f"the factor must be at least 1 (samples that are worth independent ones), got {factor}"
        )
    return (samples + (factor - 1.0)) / factor


class Measured(NamedTuple):
    """What is known of dependence.

    Attributes:
        factor: How many samples of a test are worth an independent one, a standard error towards 1;
            1 unless significant.
        standard_error: Of the factor; infinite if nothing is known.
        significant: Whether dependence is sure, and more than negligible.
        detectable: The least factor that would be significant by now.
    """

    factor: float
    standard_error: float
    significant: bool
    detectable: float

    @property
    def sentence(self) -> str:
        """The same for people.

        Example:
            >>> Measured(2.0, 0.1, significant=True, detectable=1.2).sentence
            'samples within a test are worth 0.5 of independent ones'
        """
        if self.significant:
            return f"samples within a test are worth {1.0 / self.factor:.2g} of independent ones"
        if self.detectable >= LARGEST:
            return "too few samples to tell whether samples within a test depend on one another"
        return (
            "no sign that samples within a test depend on one another: if they were worth "
            f"{1.0 / self.detectable:.2g} of independent ones, it would show by now"
        )


@dataclass(slots=True)
class Dependence:
    """Sums over tests, an entry per decay: all that is needed to measure dependence.

    Example:
        >>> from dwell import fixed
        >>> from dwell.fitting.agreement import PathMoments, traits
        >>> signs = np.random.default_rng(0).choice(np.array([-1, 1], dtype=np.int8), (100, 16))
        >>> found, moments = Dependence.empty(), PathMoments.of(fixed(32, 1))
        >>> found.take(traits(np.repeat(signs, 2, axis=1), [32] * 100, [32] * 100, moments))
        >>> found.measured().sentence
        'samples within a test are worth 0.47 of independent ones'

    Attributes:
        tests: How many there were.
        excess: Agreement beyond its mean.
        variance: Of the agreement.
        sensitivity: What the excess would be on average if correlations added up to 1.
        excess_squares: Squares of the tests' excess …
        products: … its products with their sensitivity …
        sensitivity_squares: … and squares of that.
    """

    tests: int
    excess: FloatArray
    variance: FloatArray
    sensitivity: FloatArray
    excess_squares: FloatArray
    products: FloatArray
    sensitivity_squares: FloatArray

    @classmethod
    def empty(cls) -> "Dependence":
        """No test yet."""
        return cls(0, *np.zeros((6, len(DECAYS))))

    def take(self, found: Traits) -> None:
        """Add tests, in order: a block gives what its tests give one by one, to the last bit."""
        self.tests += len(found)
        for name, rows in (
            ("excess", found.excess),
            ("variance", found.variance),
            ("sensitivity", found.sensitivity),
            ("excess_squares", found.excess**2),
            ("products", found.excess * found.sensitivity),
            ("sensitivity_squares", found.sensitivity**2),
        ):
            # A sum by pairs would depend on how tests are put into blocks; this one does not.
            setattr(self, name, np.cumsum(np.vstack([getattr(self, name), rows]), axis=0)[-1])

    def measured(self) -> Measured:
        """What is known by now: the largest factor that is significant for some decay."""
        found = [self._measured_by(kind) for kind in range(len(DECAYS))]
        sure = [one for one in found if one.significant]
        if sure:
            # By what is sure of it: an echo for which few tests are long enough may show anything.
            best = max(sure, key=lambda one: one.factor - one.standard_error)
        else:
            best = min(found, key=lambda one: one.standard_error)
        return best._replace(detectable=min(one.detectable for one in found))

    def _measured_by(self, kind: int) -> Measured:
        """What one decay shows."""
        decay, variance = float(DECAYS[kind]), float(self.variance[kind])
        if variance <= 0.0:
            return Measured(1.0, inf, significant=False, detectable=inf)
        excess, sensitivity = float(self.excess[kind]), float(self.sensitivity[kind])
        # Sums of products of signs have long upper tails: docs/noise.md has the third cumulant, at
        # most so many times the variance. By Cornish and Fisher it moves the quantile.
        skewness = max(4.0, 6.0 * decay / (1.0 - decay**2)) / sqrt(variance)
        sure = SURE + skewness * (SURE**2 - 1.0) / 6.0
        size, if_independent = excess / sensitivity, sqrt(variance) / sensitivity
        # Where samples do depend, tests differ by more than independent ones would.
        squares = (
            self.excess_squares[kind]
            - 2.0 * size * self.products[kind]
            + size**2 * self.sensitivity_squares[kind]
        )
        error = max(if_independent, sqrt(max(squares, 0.0)) / sensitivity)
        least, estimate, most = (
            times_seen(one, decay) for one in (size - error, size, max(size, 0.0) + error)
        )
        significant = size > sure * if_independent and least > NEGLIGIBLE
        return Measured(
            least if significant else 1.0,
            max(most - estimate, estimate - least),  # either end may be cut off
            significant,
            max(times_seen((sure + 1.0) * if_independent, decay), NEGLIGIBLE),
        )


@lru_cache(maxsize=256)  # a fit asks several times what was measured
def times_seen(size: float, decay: float) -> float:
    """How often each sample would have to be seen for fading correlations to add up to this.

    Example:
        >>> round(times_seen(0.5, 0.0), 6), round(times_seen(0.8 + 0.3 + 0.1 + 0.025, 0.5), 6)
        (2.0, 5.0)
    """
    if size <= 0.0:
        return 1.0
    all_lags, low, high = 1.0 / (1.0 - decay), 1.0, LARGEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        shown = all_lags - (1.0 - decay**middle) * all_lags * all_lags / middle
        low, high = (middle, high) if shown < size else (low, middle)
    return low
