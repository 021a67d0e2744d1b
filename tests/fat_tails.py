"""Plain twins for fat tails: integrals over the value itself, with the t density.

Panels are dense where anything changes; the code integrates over the sd of normal priors instead.
"""

from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from scipy import special, stats

from dwell import Policy, StudentT
from dwell.arrays import FloatArray

NODES, WEIGHTS = np.polynomial.legendre.leggauss(30)


def rule(edges: list[float]) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of a Gauss rule on each panel."""
    ends = np.unique(edges)
    half = np.diff(ends)[:, None] / 2
    return (ends[:-1, None] + half * (1 + NODES)).ravel(), (half * WEIGHTS).ravel()


def panels(center: float, scale: float, low: float, high: float) -> list[float]:
    """Ends of panels that grow from a place on, on both sides."""
    steps = scale * np.concatenate([np.arange(0, 4, 0.5), 2.0 ** np.arange(2, 60, 0.5)])
    ends = np.concatenate([center - steps, center + steps, [low, high]])
    return [float(end) for end in ends if low <= end <= high]


class TwoLooks(NamedTuple):
    """A policy that looks once or twice, in a world with a t prior."""

    prior: StudentT
    noise: float
    first: int
    last: int
    low: float
    high: float
    threshold: float

    @property
    def policy(self) -> Policy:
        """The policy."""
        lower, upper = np.full(self.last, -inf), np.full(self.last, inf)
        lower[self.first - 1], upper[self.first - 1] = self.low, self.high
        lower[-1] = upper[-1] = self.threshold
        return Policy(lower, upper)

    def figures(self) -> tuple[float, float, float]:
        """Accept rate, reward and cost: by value, then over all values; the far tail in full."""
        prior, noise, first, last, low, high, threshold = self
        more, sds = last - first, (noise * sqrt(first), noise * sqrt(last))
        places = [edge / first for edge in (low, high) if abs(edge) < inf] + [threshold / last]
        error = noise / sqrt(last)
        far = max(map(abs, places)) + 40 * noise / sqrt(first)
        far = max(far, abs(prior.mean)) + 1e4 * prior.scale
        edges = panels(prior.mean, prior.scale, -far, far)
        for place in places:
            edges += panels(place, error, -far, far)
        values, weights = rule(edges)
        weights = weights * prior.density(values)
        accepted = special.ndtr((first * values - high) / sds[0])
        going = 1 - accepted - special.ndtr((low - first * values) / sds[0])
        if more:
            for j, value in enumerate(values):
                start = max(low, first * value - 12 * sds[0])
                end = min(high, first * value + 12 * sds[0])
                if start < end:
                    turn = threshold - more * value
                    ends = np.arange(-8, 9) * noise * sqrt(more) + turn
                    ends = np.append(ends, np.linspace(start, end, 20))
                    sums, mass = rule([float(e) for e in np.clip(ends, start, end)])
                    mass = mass * np.exp(-0.5 * ((sums - first * value) / sds[0]) ** 2)
                    shipped = special.ndtr((sums - turn) / (noise * sqrt(more)))
                    accepted[j] += float(mass @ shipped) / (sds[0] * sqrt(2 * np.pi))
        z = (far - prior.mean) / prior.scale
        beyond = float(stats.t.sf(z, prior.df))
        above = float(stats.t.pdf(z, prior.df)) * (prior.df + z * z) / (prior.df - 1)
        return (
            float(weights @ accepted) + beyond,
            float(weights @ (accepted * values)) + prior.mean * beyond + prior.scale * above,
            first + more * float(weights @ np.maximum(going, 0)),
        )
