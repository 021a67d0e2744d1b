"""Empirical Bernstein bounds from sums alone: cheap to keep up, valid whenever they are looked at.

Let observations x_i have the mean m given the past, let c_i be any guess at x_i made beforehand,
and |x_i - c_i| <= scale. For every 0 < l < 1 / scale

    exp(l sum(x_i - m) - psi(l) sum(x_i - c_i)^2),  psi(l) = (-ln(1 - scale l) - scale l) / scale^2

is a supermartingale that begins at 1: e^(l y - psi(l) y^2) <= 1 + l y for y >= -scale (Fan, Grama,
Liu 2015; Howard, Ramdas, McAuliffe, Sekhon 2021, Theorem 4). By Ville's inequality the sum stays
below the line (ln(1 / a) + psi(l) squares) / l at all n at once with probability 1 - a. We draw
lines for l = 3/4, 3/8, 3/16, … of 1 / scale, line j with a = alpha / ((j + 1) (j + 2)), and take
the lowest.
"""

import numpy as np
from numpy.typing import ArrayLike

from dwell.arrays import FloatArray

_LINES = np.arange(40)
_SLOPES = 0.75 * 0.5**_LINES
_WEIGHTS = np.log((_LINES + 1.0) * (_LINES + 2.0))
_PSI = -np.log1p(-_SLOPES) - _SLOPES
_LEAST = float(np.finfo(np.float64).tiny)


def radius(count: ArrayLike, squares: ArrayLike, *, scale: ArrayLike, alpha: float) -> FloatArray:
    """How far a mean of `count` observations may lie above what they estimate, at all n at once.

    Args:
        count: How many observations; where there are none, the radius is infinite.
        squares: The sum of (x_i - c_i)^2, with c_i fixed before x_i was seen.
        scale: The most that |x_i - c_i| can be.
        alpha: The probability that it is ever exceeded; the same again for "below".

    Example:
        >>> radius(1000, 40.0, scale=1.0, alpha=0.025).round(4).tolist()
        0.0247
    """
    counts, sums, scales = (np.asarray(entry, np.float64) for entry in (count, squares, scale))
    scales = np.maximum(scales, _LEAST)
    logarithms = _WEIGHTS - np.log(alpha)
    lines = (logarithms + _PSI * (sums / scales / scales)[..., None]) / _SLOPES
    lowest: FloatArray = scales * lines.min(axis=-1)
    return np.where(counts > 0, lowest / np.maximum(counts, 1.0), np.inf)
