"""Beliefs: what the running sum says about the value of an idea.

Given d samples with sum s, the mean of the value is affine in s when the prior is conjugate to the
law (`Beta` with `Signs`, `Normal` with `Gaussian`), and constant when the value is known. A
`StudentT` prior with `Gaussian` samples is a mixture of normal priors, and every other prior one of
known values, by Gauss quadrature. So `exact` needs to walk only under affine beliefs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log2, sqrt

import numpy as np
from scipy import linalg

from dwell.arrays import FloatArray
from dwell.errors import InvalidInput
from dwell.laws import Gaussian, Signs
from dwell.priors import Atoms, Beta, Normal, StudentT
from dwell.scale_mixture import ACCURACY, normals
from dwell.world import World


@dataclass(frozen=True, slots=True)
class Belief:
    """One part of the mixture that a prior is.

    Attributes:
        weight: Its share of the prior.
        intercept: After d = 0, …, cap samples with sum s, the mean of the value is
            intercept[d] + slope[d] * s …
        slope: … and
        variance: its variance is variance[d].
    """

    weight: float
    intercept: FloatArray
    slope: FloatArray
    variance: FloatArray


def beliefs(
    world: World, cap: int, farthest: float = 0.0, accuracy: float = ACCURACY
) -> Iterator[Belief]:
    """The prior of a world as a mixture of affine beliefs, for policies of at most this cap.

    Args:
        world: The world.
        cap: The cap.
        farthest: How far from 0 a policy has a boundary, per sample: what is decided among fat
            tails then matters.
        accuracy: How accurate the mixture is to be that stands for fat tails.
    """
    d = np.arange(cap + 1.0)
    if isinstance(world.prior, Beta) and isinstance(world.law, Signs):
        total = world.prior.a + world.prior.b + d
        # Walks on the lattice need no variance.
        yield Belief(1.0, (world.prior.a - world.prior.b) / total, 1.0 / total, np.zeros(cap + 1))
    elif isinstance(world.prior, Normal) and isinstance(world.law, Gaussian):
        yield _conjugate(1.0, world.prior.mean, world.prior.sd, world.law.sd, d)
    elif isinstance(world.prior, StudentT) and isinstance(world.law, Gaussian):
        parts = normals(world.prior, max(world.law.sd, farthest), accuracy)
        for sd, weight in zip(*parts, strict=True):
            yield _conjugate(float(weight), world.prior.mean, float(sd), world.law.sd, d)
    else:
        known, gaussian = np.zeros(cap + 1), isinstance(world.law, Gaussian)
        values, weights = mixture(world, cap)
        for value, weight in zip(values[weights > 0.0], weights[weights > 0.0], strict=True):
            # Where only some entries are read, many values need not fill the memory.
            same = np.broadcast_to(value, cap + 1) if gaussian else np.full(cap + 1, value)
            yield Belief(float(weight), same, known, known)


def _conjugate(weight: float, mean: float, sd: float, noise: float, d: FloatArray) -> Belief:
    """The belief that begins with a normal prior, after so many samples with normal noise."""
    variance = 1.0 / (1.0 / sd**2 + d / noise**2)
    return Belief(weight, variance * mean / sd**2, variance / noise**2, variance)


def mixture(world: World, cap: int) -> tuple[FloatArray, FloatArray]:
    """Values and weights that stand for the prior under policies of at most this cap.

    What a policy does is a function of the value that changes on the scale h = noise / sqrt(cap),
    and the density of the prior on the scale of its standard deviation. A Gauss rule with n nodes
    on an interval of half-width w leaves a bump of width h an error of order exp(-2 (n h / w)^2):
    n = 5 w / h takes it below the rounding of floating point.
    """
    if isinstance(world.prior, Atoms):
        return np.array(world.prior.values), np.array(world.prior.weights)
    scale = world.law.noise / sqrt(cap)
    if isinstance(world.prior, StudentT):
        if isinstance(world.law, Gaussian):
            raise InvalidInput(
                f"no finite number of values stands for {world.prior} under {world.law}; give "
                "Normal or Atoms here"
            )
        return within(world.prior, *world.limits, scale)
    mean, sd = world.prior.moments
    if isinstance(world.prior, Beta) and not world.truncated:
        return _gauss_jacobi(20 + ceil(5.0 / scale), world.prior)
    low, high = max(world.limits[0], mean - 10.0 * sd), min(world.limits[1], mean + 10.0 * sd)
    half = (high - low) / 2.0
    # A Gauss-Legendre rule is the Gauss-Jacobi rule of the uniform law.
    nodes, weights = _gauss_jacobi(20 + ceil(5.0 * half / min(scale, sd)), Beta(1.0, 1.0))
    values = low + half * (1.0 + nodes)
    weights = weights * world.prior.density(values)
    return values, weights / weights.sum()


def within(
    prior: StudentT, low: float, high: float, change: float
) -> tuple[FloatArray, FloatArray]:
    """Values and weights, which sum to 1, that stand for a t prior between two finite ends.

    Panels with a Gauss rule each are twice as long as those that are nearer to the mean: there the
    density changes on the scale of the distance from it.

    Args:
        prior: The prior.
        low: The lower end.
        high: The upper one.
        change: The scale on which what is integrated changes.
    """
    reach = max(high - prior.mean, prior.mean - low)
    count = max(0, ceil(log2(reach / prior.scale)))
    distances = prior.scale * 2.0 ** np.arange(count + 1)
    edges = np.concatenate([prior.mean - distances, [prior.mean], prior.mean + distances])
    edges = np.unique(np.clip(edges, low, high))
    values, weights = [], []
    for start, end in pairwise(edges):
        half = (end - start) / 2.0
        nodes, shares = _gauss_jacobi(20 + ceil(5.0 * half / change), Beta(1.0, 1.0))
        values.append(start + half * (1.0 + nodes))
        weights.append(half * shares * prior.density(values[-1]))
    total = np.concatenate(weights)
    return np.concatenate(values), total / total.sum()


def _gauss_jacobi(count: int, law: Beta) -> tuple[FloatArray, FloatArray]:
    """The Gauss rule of a law 2 Beta(a, b) - 1, by the eigenvalues of its Jacobi matrix.

    The coefficients are those of the Jacobi polynomials with exponents alpha = b - 1 at +1 and
    beta = a - 1 at -1 (NIST Digital Library of Mathematical Functions, section 18.9).
    """
    alpha, beta = law.b - 1.0, law.a - 1.0
    total = alpha + beta
    k = np.arange(1.0, count)
    diagonal = np.empty(count)
    diagonal[0] = (beta - alpha) / (total + 2.0)
    diagonal[1:] = (beta - alpha) * total / ((2 * k + total) * (2 * k + total + 2.0))
    # With k = 1 the general formula would divide 0 by 0 where alpha + beta = -1.
    squared = np.empty(count - 1)
    squared[0] = 4.0 * (1 + alpha) * (1 + beta) / ((2 + total) ** 2 * (3 + total))
    k = k[1:]
    squared[1:] = 4.0 * k * (k + alpha) * (k + beta) * (k + total)
    squared[1:] /= (2 * k + total) ** 2 * (2 * k + total + 1.0) * (2 * k + total - 1.0)
    nodes, vectors = linalg.eigh_tridiagonal(diagonal, np.sqrt(squared))
    return nodes, vectors[0] ** 2
