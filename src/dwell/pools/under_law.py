"""What follows from the law of observations: their noise, and what can be said of pools."""

from collections.abc import Sequence
from math import ceil, sqrt

from dwell import checks
from dwell.columns import numbers
from dwell.errors import InvalidInput
from dwell.laws import Gaussian, Law, Lift, Signs
from dwell.pools.best import GridPool
from dwell.pools.leveled import LeveledPool
from dwell.pools.normal import NormalPool
from dwell.pools.signs import SignsPool

_CONVERSIONS = 20.0  # of both arms together: their difference is about normal
_MOST_LEVELS = 16


def noise_under(law: Law) -> float:
    """The standard deviation of a sample; of a difference of two outcomes, at the base rate.

    Example:
        >>> round(noise_under(Lift(0.012)), 3)
        0.154
    """
    return law.noise * sqrt(2.0) if isinstance(law, Lift) else law.noise


def chunk_under(law: Law) -> int:
    """How many samples have a sum that is about normal; 0 for signs, which are judged by order.

    Example:
        >>> chunk_under(Lift(0.012))
        844
    """
    if isinstance(law, Signs):
        return 0
    return ceil(_CONVERSIONS / noise_under(law) ** 2) if isinstance(law, Lift) else 1


def checked_levels(law: Law, levels: Sequence[float] | None) -> tuple[float, ...] | None:
    """Levels of noise, in increasing order; None where none are given.

    Args:
        law: The law of the observations.
        levels: The levels.

    Example:
        >>> checked_levels(Gaussian(1), [3, 1])
        (1.0, 3.0)
    """
    if levels is None:
        return None
    given = numbers("noise levels", levels)
    if given.ndim != 1 or not 2 <= len(set(given.tolist())) == len(given) <= _MOST_LEVELS:
        raise InvalidInput(
            f"noise levels must be 2 to {_MOST_LEVELS} different numbers, got "
            f"{checks.shown(levels)}; leave them out if tests do not differ in noise"
        )
    found = sorted(checks.scale("each noise level", level) for level in given.tolist())
    if law != Gaussian(1.0):
        raise InvalidInput(
            f"with noise levels samples are in units of their test's noise, so that the law is "
            f"Gaussian(1), got {law}"
        )
    return tuple(found)


def pool_under(
    law: Law,
    cap: int,
    looks: int | None,
    min_samples: int,
    levels: tuple[float, ...] | None = None,
) -> GridPool:
    """What can be said of pools.

    Args:
        law: The law of the observations.
        cap: The most samples of a test.
        looks: A test is looked at after so many samples each, and at the cap; None for each or, if
            they are many and normal, when it pays.
        min_samples: It is not looked at before it has drawn this many.
        levels: Levels of noise, if tests differ in it.
    """
    if levels is not None:
        return LeveledPool(levels, cap, looks, min_samples)
    if isinstance(law, Signs):
        return SignsPool(cap, looks or 1, min_samples)
    return NormalPool(noise_under(law), cap, looks, min_samples)
