"""Integrals over lattices of sums that a limit cuts off between two points.

The rule of equal weights integrates smooth bells on a lattice to all digits. Where a limit cuts off
what is integrated, six lattice points around the limit get other weights, so that polynomials of
degree 5 are integrated exactly from the limit on.
"""

from math import exp, pi, sqrt

import numpy as np

from dwell.arrays import FloatArray
from dwell.kernels.compile import compiled

BEFORE, AFTER = 2, 3  # lattice points below and above a limit that get other weights
AROUND = BEFORE + 1 + AFTER


def _polynomials() -> tuple[FloatArray, FloatArray]:
    """Rows of coefficients in t, a row per point -2, …, 3 of a lattice with spacing 1.

    The first are Lagrange's polynomials: a function's value at t is the sum of these times its
    values at the points. The second are weights: the integral from t on is the sum of the values at
    1, 2, 3, … and of these times the values at the points. At t = 0 they follow from the Bernoulli
    numbers, as in the rules of Euler, Maclaurin and Gregory; from there to t by integration.
    """
    points = np.arange(-BEFORE, AFTER + 1.0)
    powers = np.vander(points, increasing=True)
    lagrange = np.linalg.inv(powers).T
    bernoulli = np.array([1 / 2, 1 / 6, 0.0, -1 / 30, 0.0, 1 / 42])
    at_zero = np.linalg.solve(powers.T, bernoulli / np.arange(1.0, 7.0))
    weights = np.column_stack([at_zero, -lagrange / np.arange(1.0, 7.0)])
    return np.ascontiguousarray(lagrange), np.ascontiguousarray(weights)


_LAGRANGE, _WEIGHTS = _polynomials()


@compiled
def cut_weight(point: int, part: float) -> float:
    """The weight of a point if the integral begins at a part of the way from point 0 to point 1."""
    weight = 1.0 if point > 0 else 0.0
    if -BEFORE <= point <= AFTER:
        weight += _polynomial(_WEIGHTS[point + BEFORE], part)
    return weight


@compiled
def bell(size: int, variance: float, spacing: float) -> FloatArray:
    """The normal density at 0, 1, … lattice points from its center."""
    density = np.empty(size)
    for i in range(size):
        density[i] = exp(-0.5 * (i * spacing) ** 2 / variance) / sqrt(2.0 * pi * variance)
    return density


@compiled
def _polynomial(coefficients: FloatArray, t: float) -> float:
    """A polynomial by its coefficients, the constant first."""
    total = 0.0
    for power in range(len(coefficients) - 1, -1, -1):
        total = total * t + coefficients[power]
    return total


@compiled
def between(line: FloatArray, place: int, part: float) -> float:
    """The line between two places, by interpolation."""
    total = 0.0
    for point in range(AROUND):
        total += _polynomial(_LAGRANGE[point], part) * line[place + point - BEFORE]
    return total


@compiled
def root(line: FloatArray, other: FloatArray, share: float, place: int) -> float:
    """Where between a place and the next a line minus a share of another changes its sign."""
    coefficients = np.zeros(6)
    for point in range(AROUND):
        at = place + point - BEFORE
        coefficients += _LAGRANGE[point] * (line[at] - share * other[at])
    low, high = 0.0, 1.0
    rises = coefficients[0] <= 0.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        if (_polynomial(coefficients, middle) <= 0.0) == rises:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
