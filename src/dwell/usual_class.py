"""The usual class of Ladder: one good rule of two limits at several scales."""

from collections.abc import Iterable

import numpy as np

from dwell import checks
from dwell.arrays import IntArray
from dwell.families import checked_caps, checked_min_samples, shrinking
from dwell.policies import Policies

_SHIP, _DROP = 3.0, 1.0  # limits before the first sample, in standard errors
_SCALES = 5


def scales(caps: Iterable[int], *, sd: float, step: int = 1, min_samples: int = 1) -> Policies:
    """One rule at several scales, the usual class of `Ladder` where the noise of a sample is known.

    From a quarter of the cap on, ship what is far above 0 and drop what is below: limits of 3
    standard errors above and 1 below that shrink evenly to 0 at the cap, where what is above 0 is
    accepted. Such rules earn most of what the best rule of any shape does, if the scale is right;
    and scales that are far apart are told from one another by few tasks.

    Args:
        caps: The caps D_1 <= D_2 <= … of the policies, one policy each; see `quarters`.
        sd: The standard deviation of one sample.
        step: The policies look once in so many samples, and at their cap.
        min_samples: The policies do not look before they have drawn this many.

    Example:
        >>> scales(quarters(16), sd=1)[1]
        Policy(lower=[-0.75, -0.7071, -0.433, 4.941e-324], upper=[2.25, 2.121, 1.299, 4.941e-324])
        >>> scales([8], sd=1, step=3)[0].upper.round(2).tolist()
        [inf, inf, 3.25, inf, inf, 1.84, inf, 0.0]
    """
    checked, sd = checked_caps(caps), checks.positive("sd", sd)
    step = checks.count("step", step)
    min_samples = checked_min_samples(min_samples, checked)
    return Policies(
        shrinking(cap, _looks(cap, step, min_samples), ship=_SHIP, drop=_DROP, sd=sd)
        for cap in checked
    )


def quarters(cap: int, least: int = 1) -> list[int]:
    """A cap, a quarter of it, and so on, five at most and none below `least`; in order.

    Args:
        cap: The largest.
        least: None but the largest is smaller.

    Example:
        >>> quarters(256), quarters(20_000, least=500)
        ([1, 4, 16, 64, 256], [1250, 5000, 20000])
    """
    cap, least = checks.cap("cap", cap), checks.count("least", least)
    smaller = (cap // 4**power for power in range(1, _SCALES))
    return sorted({cap, *(each for each in smaller if each >= least)})


def _looks(cap: int, step: int, min_samples: int) -> IntArray:
    """Once in `step` samples from a quarter of the cap on, and at the cap."""
    looks = np.arange(step, cap, step)
    return np.append(looks[looks >= max(min_samples, cap / 4)], cap)
