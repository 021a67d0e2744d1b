"""Candidates: policies to try on a history of any scale."""

from math import nextafter

import numpy as np
from numpy.typing import ArrayLike

from dwell import checks
from dwell.errors import InvalidInput
from dwell.families import banded, fixed
from dwell.policies import AnyPolicy, Policies
from dwell.rules import group_sequential

_WIDTHS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
_CAPS = 8
_LOOKS = 5


def candidates(lengths: ArrayLike, *, sd: float, min_samples: int = 1) -> Policies:
    """Bands of several widths, fixed sizes and group-sequential tests, up to the longest test.

    Caps are spaced evenly on a log scale. A test of n samples can tell what a cap below n earns.

    Args:
        lengths: How many samples each test has.
        sd: The standard deviation of one sample.
        min_samples: No policy looks before it has drawn this many.

    Example:
        >>> found = candidates([100, 400, 400], sd=0.2, min_samples=10)
        >>> len(found), found.caps[0], found.caps[-1]
        (57, 10, 399)
    """
    sd, min_samples = checks.positive("sd", sd), checks.count("min_samples", min_samples)
    longest = int(np.max(np.asarray(lengths), initial=0)) - 1
    if longest < min_samples:
        raise InvalidInput(
            f"min_samples must be below the length of the longest test, {longest + 1}, got "
            f"{min_samples}"
        )
    caps = sorted({int(cap) for cap in np.geomspace(min_samples, longest, _CAPS).round()})
    above_zero = nextafter(0.0, 1.0)
    policies: list[AnyPolicy] = [fixed(cap, above_zero) for cap in caps]
    for width in _WIDTHS:
        policies += banded(caps, z=width, sd=sd, min_samples=min_samples)
    if longest >= _LOOKS * min_samples:
        policies.append(group_sequential(_LOOKS, longest, sd=sd))
    return Policies(sorted(policies, key=lambda policy: policy.cap))
