"""PLACEHOLDER for `dwell.EmpiricalBayes` on normal sums: replace `CautiousFit` in `upworthy` by it.

The law of effects is normal in units of each test's noise, with mean and spread on a grid. Every
few tests the limits are computed anew, for the mean of those laws under which the best limits for
the mean of all laws would earn least: the worse half of the posterior mass.
"""

from collections.abc import Iterator

import numpy as np
from scipy import special

from benchmarks.upworthy_stream import BATCH, Look
from dwell.arrays import FloatArray
from dwell.pools.classes import Limits, Pool
from dwell.pools.limits import best_limits

# Of tests on which these were chosen: see the README.
_LOOKS = BATCH * np.arange(1, 25)
_CAUTION = 0.5
_CLASSES = 3
_ATOMS = 61
_FIRST_SPREAD = 0.35  # of ln(noise) from test to test, until it is known
_FIRST, _GROWTH = 4, 2.0  # tests until the first fit, and from fit to fit


class CautiousFit:
    """A judge that learns: told how noisy a pair usually is, and nothing else.

    Until tests show more, effects are thought to be about as large as the standard error of the
    first look. That is too large here, as it should be: to begin with too small a guess costs more.

    Args:
        setup_cost: What each test costs besides its pairs.
        noise: The standard deviation of a pair, about.
    """

    def __init__(self, setup_cost: float, noise: float):
        self._setup_cost, self._noise = setup_cost, noise
        spread, ratio = np.meshgrid(
            np.geomspace(0.1, 5.0, 11), np.linspace(-1.5, 0.55, 12), indexing="ij"
        )
        samples = _LOOKS[0]
        # In units of the noise of a test: spread and mean of the law of its effect.
        self._spread: FloatArray = spread.ravel() / np.sqrt(samples)
        self._mean: FloatArray = (ratio * spread).ravel() / np.sqrt(samples)
        self._log_weight: FloatArray = -0.5 * np.log(spread.ravel()) ** 2 - 2.0 * ratio.ravel() ** 2
        steps = np.linspace(-1.0, 1.0, _ATOMS)
        self._atoms: FloatArray = 0.12 * np.sinh(steps * np.arcsinh(150.0)) / np.sqrt(samples)
        edges = np.concatenate([[-np.inf], (self._atoms[1:] + self._atoms[:-1]) / 2, [np.inf]])
        z = (edges - self._mean[:, None]) / self._spread[:, None]
        laws = np.diff(special.ndtr(z), axis=1)
        self._laws: FloatArray = laws / laws.sum(axis=1, keepdims=True)
        self._log_noises: list[float] = []
        self._next = _FIRST
        self._fit()

    def decide(self, looks: Iterator[Look]) -> bool:
        """Take looks until a limit is reached or there are no more; then learn from the test."""
        for place, look in enumerate(looks):
            z = look.total / (look.noise * np.sqrt(look.samples))
            lower, upper = self._limits_at(place, look)
            if z <= lower or z >= upper or place == len(_LOOKS) - 1:
                break
        self._learn(look)
        return bool(z >= upper) or (bool(z > lower) and z > 0.0)

    def _limits_at(self, place: int, look: Look) -> tuple[float, float]:
        """Between classes, by the noise of the test shrunk to that of earlier ones."""
        clicks = max(1.0, look.noise**2 * look.samples)
        error = 1.0 / (4.0 * clicks)
        at = np.log(look.noise) * self._variance + self._center * error
        at /= self._variance + error
        return (
            float(np.interp(at, self._classes, self._limits.lower[:, place])),
            float(np.interp(at, self._classes, self._limits.upper[:, place])),
        )

    def _learn(self, look: Look) -> None:
        effect = look.total / look.samples / look.noise
        variance = self._spread**2 + 1.0 / look.samples
        self._log_weight += -0.5 * (effect - self._mean) ** 2 / variance - 0.5 * np.log(variance)
        self._log_noises.append(float(np.log(look.noise)))
        if len(self._log_noises) >= self._next:
            self._next = int(_GROWTH * self._next)
            self._fit()

    def _fit(self) -> None:
        levels = (np.arange(_CLASSES) + 0.5) / _CLASSES
        if len(self._log_noises) < _FIRST:
            self._center, self._variance = float(np.log(self._noise)), _FIRST_SPREAD**2
            self._classes = self._center + _FIRST_SPREAD * special.ndtri(levels)
        else:
            self._center = float(np.mean(self._log_noises))
            self._variance = float(np.var(self._log_noises)) + 0.01
            spaced = np.quantile(self._log_noises, levels) + 1e-6 * np.arange(_CLASSES)
            self._classes = np.asarray(spaced)
        noise = np.exp(self._classes)
        posterior = special.softmax(self._log_weight)
        best = best_limits(self._pool(noise, posterior), _LOOKS, self._setup_cost)
        laws = np.repeat(self._laws[:, None, :], _CLASSES, axis=1)
        values = noise[:, None] * self._atoms
        shares = np.full(_CLASSES, 1.0 / _CLASSES)
        order = np.argsort(best.fates.roi(values, laws, shares, self._setup_cost))
        before = np.cumsum(posterior[order]) - posterior[order]
        worst = np.zeros(len(posterior))
        worst[order] = np.clip(_CAUTION - before, 0.0, posterior[order])
        cautious = self._pool(noise, worst / worst.sum())
        self._limits: Limits = best_limits(
            cautious, _LOOKS, self._setup_cost, start=best.roi
        ).limits

    def _pool(self, noise: FloatArray, posterior: FloatArray) -> Pool:
        law = posterior @ self._laws
        return Pool.of(noise[:, None] * self._atoms, law / law.sum(), noise)
