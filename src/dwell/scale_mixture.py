"""A Student-t law as a mixture of normal laws: one mean, many sds.

If g has the Gamma law with shape and rate df / 2, a normal law with the sd scale / sqrt(g) is a t
law. On the axis of u = ln(sqrt(g)) the weight is exp(-df / 2 (exp(2 u) - 2 u)), up to a factor, and
what a policy does changes on a scale of 1: however wide or narrow the prior, the trapezoidal rule
is right to all digits with a few nodes per unit (its error is the Fourier transform of the
integrand at 2 pi / step: Trefethen, Weideman 2014, The exponentially convergent trapezoidal rule).

Fat tails are the side of small g, where the weight of values falls as exp((df - 1) u) only. There,
at sds far above all else that matters, what a policy earns is a multiple of the sd, plus a constant
and ever smaller terms. So nodes move apart on that side, u = y - exp(y0 - y) with even steps of y,
and the farthest are made one with the same weight and the same mean of the sd.
"""

from math import atan2, exp, log, log1p, pi, sqrt
from typing import NamedTuple

import numpy as np
from scipy import special

from dwell.arrays import FloatArray
from dwell.priors import StudentT

ACCURACY = 1e-9
# Sds so many times what else matters move apart; so many times, they are made one.
_FAR, _FARTHEST = 10.0, 1e5
# Parts with less than exp(-this) of the weight of values do not count.
_NEGLIGIBLE = 45.0
# Beyond, the law is normal to all digits, ten sds from its mean as well.
_NORMAL_DF = 1e13
# No boundary that a policy ever reaches is so many times as far as the prior and the noise.
_MOST = 1e15


class Normals(NamedTuple):
    """Normal laws with one mean: their sds, in falling order of g, and their weights."""

    sds: FloatArray
    weights: FloatArray


def normals(prior: StudentT, beside: float, accuracy: float = ACCURACY) -> Normals:
    """The normal laws that a t law is a mixture of.

    Args:
        prior: The t law.
        beside: The largest of what else matters: the noise of a sample, a boundary per sample.
        accuracy: Integrals of smooth functions are about so accurate, relative to their size.

    Example:
        >>> found = normals(StudentT(0, 1, 3), beside=1.0)
        >>> len(found.sds), round(float(found.weights @ found.sds**-2), 7)
        (31, 1.0)
    """
    df = prior.df
    if df > _NORMAL_DF:
        return Normals(np.array([prior.scale]), np.ones(1))
    largest = max(prior.scale, abs(prior.mean), beside)
    largest = min(largest, _MOST * max(prior.scale, abs(prior.mean)))
    y0 = log(prior.scale) - log(_FAR * largest)
    step = _step(df, accuracy)
    high = 0.5 * log1p(2.0 * _NEGLIGIBLE / df + 2.0 * sqrt(2.0 * _NEGLIGIBLE / df))
    low = -_NEGLIGIBLE / (df - 1.0) - sqrt(2.0 * _NEGLIGIBLE / df)
    # Wright's omega gives the y of a u.
    first, last = (u + special.wrightomega(y0 - u) for u in (high, low))
    y = np.arange(first, last, -step)
    apart = np.exp(y0 - y)
    u = y - apart
    # ln of the weights, relative to that of the node in the middle.
    logs = np.log1p(apart) - 0.5 * df * (np.expm1(2.0 * u) - 2.0 * u)
    log_sds = log(prior.scale) - u
    matters = np.maximum(logs, logs - u) > -_NEGLIGIBLE
    far = log_sds > log(_FARTHEST * largest)
    near = matters & ~far
    sds, weights = np.exp(log_sds[near]), np.exp(logs[near])
    if (matters & far).any():
        weight = float(special.logsumexp(logs[matters & far]))
        mean_log = float(special.logsumexp((logs + log_sds)[matters & far])) - weight
        sds, weights = np.append(sds, exp(mean_log)), np.append(weights, exp(weight))
    return Normals(sds, weights / weights.sum())


def _step(df: float, accuracy: float) -> float:
    """The step at which the trapezoidal rule is so accurate for the weights.

    The Fourier transform of the weight at 2 pi / step is Gamma(a + i b) / Gamma(a), with a = df / 2
    and b = pi / step; Stirling's formula gives its size.
    """
    a = 0.5 * df

    def size(b: float) -> float:
        return 0.5 * (a - 0.5) * log1p((b / a) ** 2) - b * atan2(b, a)

    low, high = 0.0, 1.0
    while size(high) > log(accuracy):
        low, high = high, 2.0 * high
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if size(middle) > log(accuracy) else (low, middle)
    return pi / high
