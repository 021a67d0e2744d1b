"""What follows from the law of observations: their noise, and what can be said of pools."""

from math import ceil, sqrt

from dwell.laws import Law, Lift, Signs
from dwell.pools.best import GridPool
from dwell.pools.normal import NormalPool
from dwell.pools.signs import SignsPool

_CONVERSIONS = 20.0  # of both arms together: their difference is about normal


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


def pool_under(law: Law, cap: int, looks: int | None, min_samples: int) -> GridPool:
    """What can be said of pools.

    Args:
        law: The law of the observations.
        cap: The most samples of a test.
        looks: A test is looked at after so many samples each, and at the cap; None for each or, if
            they are many and normal, when it pays.
        min_samples: It is not looked at before it has drawn this many.
    """
    if isinstance(law, Signs):
        return SignsPool(cap, looks or 1, min_samples)
    return NormalPool(noise_under(law), cap, looks, min_samples)
