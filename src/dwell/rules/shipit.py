"""The rules of shipit, for normal values and noise (Vorozhtsov, github.com/avorozhtsov/shipit).

That project asks what earns most per week on an endless stream of ideas, as we do, and gives what
its rules earn, by simulation. m_d and s_d are the posterior's mean and standard deviation after d
samples, m_0 and s_0 the prior's.
"""

from collections.abc import Callable
from math import pi, sqrt

import numpy as np
from scipy import special

from dwell import checks
from dwell.arrays import FloatArray
from dwell.errors import InvalidInput
from dwell.policy import Policy
from dwell.priors import Normal
from dwell.rules.conjugate import Conjugate


def shifted_linear(
    cap: int, *, prior: Normal, sd: float, stop: float, ship: float, ship_from: float
) -> Policy:
    """Both boundaries on the mean are linear in the standard deviation that is left.

    Drop if m_d - m_0 < stop (s_0 - s_d), else ship if m_d > ship (s_d - ship_from). Where the
    boundaries meet nothing stays undecided, and the policy has its cap. Method 52 of shipit has
    ship_from = (m_0 + stop s_0) / stop, and a `ship` close to `stop`.

    Args:
        cap: The most samples to draw.
        prior: The normal law of the values.
        sd: The standard deviation of one sample.
        stop: How fast the lower boundary rises.
        ship: How fast the upper one falls.
        ship_from: The standard deviation at which the upper one is 0.

    Example:
        >>> from dwell import Normal
        >>> shifted_linear(99, prior=Normal(-1, 1), sd=1, stop=2, ship=2, ship_from=0.5)
        Policy(lower=[0.1716, 0.5359, 1], upper=[1.828, 1.464, 1])
    """
    known = Conjugate.checked(cap, prior, sd)
    stop, ship = checks.finite("stop", stop), checks.finite("ship", ship)
    ship_from = checks.finite("ship_from", ship_from)
    lower = prior.mean + stop * (prior.sd - known.sd)
    return known.policy(lower, ship * (known.sd - ship_from))


def index_rule(
    cap: int,
    *,
    prior: Normal,
    sd: float,
    ship: float = 1.0,
    scale: float = 1.0,
    bonus: float | None = None,
) -> Policy:
    """Drop what promises less than a fresh idea, ship what is worth as much as it promises.

    The index of an idea, with t = scale s_d, is

        t phi(m_d / t) + m_d Phi(m_d / t) + bonus / t^2.

    Drop if it is at most what it was before the first sample, else ship if m_d >= ship index: its
    methods 7 and 71. Both boundaries follow by bisection.

    Args:
        cap: The most samples to draw.
        prior: The normal law of the values.
        sd: The standard deviation of one sample.
        ship: How much of its index an idea must be worth, in (0, 1].
        scale: How much of the standard deviation counts.
        bonus: What to add for what is known; below 0 it is the price of more samples. By default
            it makes the index of a fresh idea 0, as in method 71.

    Example:
        >>> from dwell import Normal
        >>> index_rule(99, prior=Normal(-1, 1), sd=1)
        Policy(lower=[0.4555, 1.115], upper=[1.544, 1.115])
    """
    known = Conjugate.checked(cap, prior, sd)
    ship, scale = checks.positive("ship", ship), checks.positive("scale", scale)
    if ship > 1.0:
        raise InvalidInput(f"ship must be at most 1, or large values are never shipped, got {ship}")
    start, width = scale * prior.sd, scale * known.sd
    fresh = start * float(_promise(np.array(prior.mean / start)))
    price = -fresh * start**2 if bonus is None else checks.finite("bonus", bonus)
    if ship == 1.0 and price >= 0.0:
        raise InvalidInput(f"bonus must be below 0 where ship is 1, or nothing ships, got {price}")
    # In units of t: _promise(z) at the lower boundary …
    worth = (fresh + price / start**2 - price / width**2) / width
    lowest = np.full(len(worth), -_FAR)
    lower = _bisected(lambda z: _promise(z) - worth, lowest, np.maximum(worth, 0.0))
    lower[worth <= 0.0] = -np.inf
    # … and z - ship _promise(z) at the upper one, which is concave and rises by 1 - ship at least.
    paid = ship * price / width**3
    slope = 1.0 - ship
    highest = np.maximum(0.0, (paid + 0.4) / slope) if slope > 0.0 else np.full(len(paid), _FAR)
    upper = _bisected(
        lambda z: slope * _promise(z) - _promise(-z) - paid, np.minimum(paid, 0.0), highest
    )
    return known.policy(lower * width, upper * width)


# Beyond so many standard deviations a normal density is 0 in floating point.
_FAR = 40.0
_HALVINGS = 64


def _promise(z: FloatArray) -> FloatArray:
    """What max(z + a standard normal, 0) is in the mean: phi(z) + z Phi(z).

    It exceeds z by as much as it is at -z.
    """
    promise: FloatArray = np.exp(-0.5 * z * z) / sqrt(2.0 * pi) + z * special.ndtr(z)
    return np.maximum(promise, 0.0)


def _bisected(
    rising: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray
) -> FloatArray:
    """Where a rising function is 0, between low and high."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        above = rising(middle) > 0.0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return low
