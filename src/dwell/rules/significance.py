"""Tests of a fixed size: draw n samples, ship what is significant and positive.

The size for a minimum detectable effect is n = ((z_a + z_b) sd / effect)^2, with z_a the critical
value of the test and z_b the normal quantile of its power (Chow, Shao, Wang, Lokhnygina 2017,
Sample Size Calculations in Clinical Research, section 3.1, one sample). Of a two-sided test it
counts the side of the effect only; the other one adds next to nothing.
"""

from math import ceil, sqrt

from scipy import special

from dwell import checks
from dwell.errors import InvalidInput
from dwell.families import fixed
from dwell.policy import Policy


def fixed_test(n: int, *, sd: float, alpha: float = 0.05, sided: int = 2) -> Policy:
    """Accept if and only if the z-statistic of n samples is significant and positive.

    Args:
        n: How many samples to draw.
        sd: The standard deviation of one sample.
        alpha: The level of the test.
        sided: 1 or 2; a two-sided test spends half of alpha on ideas that do harm.

    Example:
        >>> fixed_test(4, sd=1)
        Policy(lower=[-inf, -inf, -inf, 3.92], upper=[inf, inf, inf, 3.92])
    """
    n, sd = checks.cap("n", n), checks.positive("sd", sd)
    # A one-sided level above 1/2 would call even negative sums significant.
    return fixed(n, threshold=max(0.0, _critical(alpha, sided)) * sd * sqrt(n))


def powered_size(
    effect: float, *, sd: float, alpha: float = 0.05, power: float = 0.8, sided: int = 2
) -> int:
    """How many samples a test needs to find an effect of this size.

    Args:
        effect: The least value that is worth finding.
        sd: The standard deviation of one sample.
        alpha: The level of the test.
        power: How likely it is to find a value of just that size.
        sided: 1 or 2.

    Example:
        >>> powered_size(0.1, sd=1)
        785
    """
    effect, sd = checks.positive("effect", effect), checks.positive("sd", sd)
    power = checks.probability("power", power)
    z = _critical(alpha, sided) + float(special.ndtri(power))
    if not z > 0.0:
        raise InvalidInput(f"power must exceed alpha / sided, got {power:g} and alpha {alpha:g}")
    root = z * sd / effect
    if not root < 1e9:
        raise InvalidInput(f"effect must be large enough to find with sd {sd:g}, got {effect:g}")
    return ceil(root**2)


def powered_test(
    effect: float, *, sd: float, alpha: float = 0.05, power: float = 0.8, sided: int = 2
) -> Policy:
    """The test of a fixed size that finds an effect with the given power.

    Args:
        effect: The least value that is worth finding.
        sd: The standard deviation of one sample.
        alpha: The level of the test.
        power: How likely it is to find a value of just that size.
        sided: 1 or 2.

    Example:
        >>> powered_test(0.1, sd=1).cap
        785
    """
    n = powered_size(effect, sd=sd, alpha=alpha, power=power, sided=sided)
    if n > checks.LONGEST_CAP:
        raise InvalidInput(
            f"effect must be large enough for a test of {checks.LONGEST_CAP:,} samples to find, "
            f"got {effect:g}, which takes {n:,}"
        )
    return fixed_test(n, sd=sd, alpha=alpha, sided=sided)


def _critical(alpha: float, sided: int) -> float:
    alpha = checks.probability("alpha", alpha)
    sides = checks.real("sided", sided)
    if sides not in (1.0, 2.0):
        raise InvalidInput(f"sided must be 1 or 2, got {checks.shown(sided)}")
    return -float(special.ndtri(alpha / sides))
