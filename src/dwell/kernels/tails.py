"""Tails of the normal law that keep all their digits, however far out."""

from math import erfc, exp, inf, pi, sqrt

from dwell.kernels.compile import compiled

_FAR = -3.0
_TERMS = 60


@compiled
def promise(z: float) -> float:
    """What max(z + a standard normal, 0) is in the mean: phi(z) + z Phi(z).

    Far below 0 the two terms cancel. There Phi(-x) / phi(x) = 1 / (x + K) with the continued
    fraction K = 1 / (x + 2 / (x + 3 / (x + …))) (Laplace), and what is left is phi(x) K / (x + K).
    """
    density = exp(-0.5 * z * z) / sqrt(2.0 * pi)
    if z > _FAR:
        return density + z * 0.5 * erfc(-z / sqrt(2.0))
    fraction = -z
    for term in range(_TERMS, 1, -1):
        fraction = -z + term / fraction
    fraction = 1.0 / fraction
    return density * fraction / (fraction - z)


@compiled
def accepted_above(
    edge: float, center: float, sd: float, intercept: float, slope: float
) -> tuple[float, float]:
    """How likely a normal sum is at or above an edge, and what is earned by accepting it there.

    Args:
        edge: The edge.
        center: The mean of the sum.
        sd: Its standard deviation.
        intercept: The mean of the value given the sum t is intercept + slope * t.
        slope: See above.
    """
    if edge == inf:
        return 0.0, 0.0
    z = (center - edge) / sd
    probability = 0.5 * erfc(-z / sqrt(2.0))
    if z > 0.0:
        spread = sd * exp(-0.5 * z * z) / sqrt(2.0 * pi)
        return probability, (intercept + slope * center) * probability + slope * spread
    # The mean at the edge is 0 or near it where policies are any good: so nothing cancels.
    return probability, (intercept + slope * edge) * probability + slope * sd * promise(z)
