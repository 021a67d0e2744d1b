"""The mixture SPRT, and with it always-valid p-values.

The likelihood ratio of values spread as N(0, spread^2) against 0 is, for d samples with sum S,

    Lambda_d = sqrt(sd^2 / V) exp(spread^2 S^2 / (2 sd^2 V)),  V = sd^2 + d spread^2.

It exceeds 1 / alpha at some d with probability at most alpha if the value is 0 (Robbins 1970), so
that min over i <= d of 1 / Lambda_i is a p-value at any stopping time d (Johari, Koomen, Pekelis,
Walsh 2022, Always Valid Inference).
"""

import numpy as np

from dwell import checks
from dwell.policy import Policy


def msprt(cap: int, *, sd: float, spread: float, alpha: float = 0.05) -> Policy:
    """Stop as soon as the always-valid p-value is down to alpha; accept if the sum is positive.

    What is not significant at the cap is rejected.

    Args:
        cap: The most samples to draw.
        sd: The standard deviation of one sample.
        spread: The standard deviation of the mixture: how large values are thought to be.
        alpha: The level of the test, both sides together.

    Example:
        >>> msprt(3, sd=1, spread=1)
        Policy(lower=[-3.656, -4.612, 5.432], upper=[3.656, 4.612, 5.432])
    """
    cap, sd = checks.cap("cap", cap), checks.positive("sd", sd)
    spread, alpha = checks.positive("spread", spread), checks.probability("alpha", alpha)
    # V / sd^2, and then ln(sqrt(V / sd^2) / alpha).
    ratio = spread / sd
    growth = 1.0 + np.arange(1.0, cap + 1.0) * ratio * ratio
    logarithm = 0.5 * np.log(growth) - np.log(alpha)
    bound = sd / ratio * np.sqrt(2.0 * growth * logarithm)
    return Policy(-bound, bound)
