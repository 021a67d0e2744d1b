"""Group-sequential tests: a few looks at the data, with an error that is spent look by look.

The critical values follow by recursive numerical integration of the law of the statistic among the
tests that go on (Armitage, McPherson, Rowe 1969), such that the error spent by each look is what a
spending function of the share of the data says (Lan, DeMets 1983). Of a two-sided test at level
alpha each side spends, by share t, with a = alpha / 2,

    O'Brien-Fleming type   2 - 2 Phi(z_{a/2} / sqrt(t))
    Pocock type            a ln(1 + (e - 1) t)
"""

from collections.abc import Callable
from math import ceil, e, inf, log, pi, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from dwell import checks
from dwell.arrays import FloatArray
from dwell.columns import numbers
from dwell.errors import InvalidInput
from dwell.policy import Policy

Spending = Literal["obrien_fleming", "pocock"]


def _obrien_fleming(side: float, share: FloatArray) -> FloatArray:
    spent: FloatArray = 2.0 * special.ndtr(special.ndtri(side / 2.0) / np.sqrt(share))
    return spent


def _pocock(side: float, share: FloatArray) -> FloatArray:
    return side * np.log1p((e - 1.0) * share)


_SPENT: dict[Spending, Callable[[float, FloatArray], FloatArray]] = {
    "obrien_fleming": _obrien_fleming,
    "pocock": _pocock,
}


def group_sequential(
    looks: int, n: int, *, sd: float, alpha: float = 0.05, spending: Spending = "obrien_fleming"
) -> Policy:
    """Look a few times; accept above the upper critical value, reject below the lower one.

    What has crossed neither at the last look is rejected.

    Args:
        looks: How many looks, equally spaced; where that is no whole number of samples, the look
            comes at the next one.
        n: How many samples to draw at most.
        sd: The standard deviation of one sample.
        alpha: The level of the test, both sides together.
        spending: The type of its spending function, "obrien_fleming" or "pocock".

    Example:
        >>> group_sequential(2, 4, sd=1)
        Policy(lower=[-inf, -4.19, -inf, 3.937], upper=[inf, 4.19, inf, 3.937])
    """
    looks, n = checks.count("looks", looks), checks.cap("n", n)
    if looks > n:
        raise InvalidInput(f"looks must be at most n, the number of samples {n}, got {looks}")
    sd = checks.positive("sd", sd)
    samples = -(-np.arange(1, looks + 1) * n // looks)
    critical = z_boundaries(samples / n, alpha=alpha, spending=spending)
    upper = np.full(n, inf)
    upper[samples - 1] = critical * sd * np.sqrt(samples)
    return Policy(np.append(-upper[:-1], upper[-1]), upper)


# What spends less than this at a look does not look: the critical value would be above 8.
_NEGLIGIBLE = 1e-16
_LEAST_ALPHA = 1e-12
# No mass worth counting lies this many standard deviations from the mean.
_FAR = 10.0


def z_boundaries(
    shares: ArrayLike, *, alpha: float = 0.05, spending: Spending = "obrien_fleming"
) -> FloatArray:
    """The critical values of |z| at each look of a two-sided group-sequential test.

    A look that may spend next to nothing has an infinite one.

    Args:
        shares: The share of all samples that each look sees: increasing, the last of them 1.
        alpha: The level of the test, both sides together.
        spending: The type of its spending function, "obrien_fleming" or "pocock".

    Example:
        >>> z_boundaries([0.2, 0.4, 0.6, 0.8, 1.0], spending="pocock").round(3).tolist()
        [2.438, 2.427, 2.41, 2.397, 2.386]
    """
    times = _checked_shares(shares)
    alpha = checks.probability("alpha", alpha)
    if alpha < _LEAST_ALPHA:
        raise InvalidInput(f"alpha must be at least {_LEAST_ALPHA:g} here, got {alpha:g}")
    if not (isinstance(spending, str) and spending in _SPENT):
        raise InvalidInput(
            f"spending must be one of {', '.join(_SPENT)}, got {checks.shown(spending)}"
        )
    # The statistic is a Brownian motion seen at these times; z is it by its standard deviation.
    steps = np.sqrt(np.diff(times, prepend=0.0))
    edges = np.empty(len(times))
    nodes, weights = special.roots_legendre(10)
    points, mass, crossed = np.zeros(1), np.ones(1), 0.0
    for look, to_spend in enumerate(_SPENT[spending](alpha / 2.0, times)):
        step = float(steps[look])
        edges[look] = _edge(points, mass, step, float(to_spend) - crossed)
        if look + 1 == len(times):
            break
        crossed += float(mass @ special.ndtr((points - edges[look]) / step))
        reach = min(edges[look], _FAR * sqrt(times[look]))
        panels = ceil(reach / min(step, steps[look + 1]))
        width = 2.0 * reach / panels
        middles = width * (np.arange(panels) + 0.5) - reach
        reached = (middles[:, None] + width / 2.0 * nodes).ravel()
        density = np.exp(-0.5 * ((reached[:, None] - points) / step) ** 2) @ mass
        mass = density * np.tile(weights, panels) * width / (2.0 * step * sqrt(2.0 * pi))
        points = reached
    return edges / np.sqrt(times)


def _edge(points: FloatArray, mass: FloatArray, step: float, to_spend: float) -> float:
    """Where the motion is next with probability `to_spend` or higher up."""
    if to_spend < _NEGLIGIBLE:
        return inf

    def excess(edge: float) -> float:
        return log(mass @ special.ndtr((points - edge) / step)) - log(to_spend)

    return float(optimize.brentq(excess, 0.0, points[-1] + _FAR * step, xtol=1e-13))


def _checked_shares(shares: ArrayLike) -> FloatArray:
    times = numbers("shares", shares)
    if times.ndim != 1 or times.size == 0:
        raise InvalidInput(f"shares must be a list of one or more, got shape {times.shape}")
    if not ((np.diff(times, prepend=0.0) > 0.0).all() and abs(times[-1] - 1.0) < 1e-9):
        raise InvalidInput(
            f"shares must increase from above 0 to 1, got {checks.shown(times.tolist())}"
        )
    return times
