"""Test and roll: a test of the size that earns most, then the better arm for everybody else.

Feit, Berman (2019), Test & Roll: Profit-Maximizing A/B Tests, Marketing Science 38(6). Two arms
have means drawn from N(mu, sigma^2), here prior_mean and prior_sd, and responses with the standard
deviation s, here noise_sd. Of N customers n see each arm first, and the rest the better one:

    profit = N mu + (N - 2 n) sigma^2 / sqrt(pi (sigma^2 + s^2 / n))
    n* = sqrt(N / 4 (s / sigma)^2 + (3 / 4 (s / sigma)^2)^2) - 3 / 4 (s / sigma)^2
"""

from math import floor, nextafter, pi, sqrt

from dwell import checks
from dwell.errors import InvalidInput
from dwell.families import fixed
from dwell.policy import Policy


def rollout_size(population: int, *, prior_sd: float, noise_sd: float) -> int:
    """How many customers should see each arm in the test: n*, rounded to what earns more.

    Args:
        population: How many customers there are, N, in the test and after it.
        prior_sd: The standard deviation of an arm's mean.
        noise_sd: The standard deviation of one response.

    Example:
        >>> rollout_size(100_000, prior_sd=0.03, noise_sd=(0.68 * 0.32) ** 0.5)
        2284
    """
    population = checks.count("population", population, least=2)
    prior_sd = checks.positive("prior_sd", prior_sd)
    noise_sd = checks.positive("noise_sd", noise_sd)
    # n*, written with no difference of near numbers.
    certainty = prior_sd / noise_sd
    best = population / 3.0 / (1.0 + sqrt(1.0 + population / 2.25 * certainty * certainty))
    below = min(max(1, floor(best)), population // 2)
    return max(
        range(below, min(below + 1, population // 2) + 1),
        key=lambda n: _gain(population, n, prior_sd, noise_sd),
    )


def rollout_profit(
    population: int, n: int, *, prior_mean: float, prior_sd: float, noise_sd: float
) -> float:
    """What all customers together are expected to bring.

    Args:
        population: How many customers there are, N.
        n: How many of them see each arm in the test.
        prior_mean: The mean of an arm's mean.
        prior_sd: Its standard deviation.
        noise_sd: The standard deviation of one response.

    Example:
        >>> round(rollout_profit(
        ...     100_000, 2284, prior_mean=0.68, prior_sd=0.03, noise_sd=0.466))
        69536
    """
    population = checks.count("population", population, least=2)
    n = checks.count("n", n)
    if 2 * n > population:
        raise InvalidInput(f"n must be at most half the population of {population}, got {n}")
    prior_sd = checks.positive("prior_sd", prior_sd)
    noise_sd = checks.positive("noise_sd", noise_sd)
    mean = checks.finite("prior_mean", prior_mean)
    return population * mean + _gain(population, n, prior_sd, noise_sd)


def rollout_test(population: int, *, prior_sd: float, noise_sd: float) -> Policy:
    """The same test as a policy: an observation is the difference of a pair, one of each arm.

    The value is the difference of the arms, N(0, 2 prior_sd^2), and the standard deviation of an
    observation sqrt(2) noise_sd. The arms have the same prior, so that the one with the larger sum
    wins.

    Args:
        population: How many customers there are, N.
        prior_sd: The standard deviation of an arm's mean.
        noise_sd: The standard deviation of one response.

    Example:
        >>> rollout_test(20, prior_sd=1, noise_sd=1)
        Policy(lower=[-inf, 4.941e-324], upper=[inf, 4.941e-324])
    """
    pairs = rollout_size(population, prior_sd=prior_sd, noise_sd=noise_sd)
    return fixed(pairs, threshold=nextafter(0.0, 1.0))


def _gain(population: int, n: int, prior_sd: float, noise_sd: float) -> float:
    """What the test adds to rolling out either arm unseen."""
    doubt = noise_sd / prior_sd
    spread = prior_sd / sqrt(1.0 + doubt * doubt / n)
    return (population - 2 * n) * spread / sqrt(pi)
