"""Tests that ran to their end, decided without one sample and scored on it, each in turn."""

import numpy as np

from dwell.arrays import FloatArray, IntArray, Samples
from dwell.kernels.compile import compiled


@compiled
def without_a_sample(
    samples: Samples, starts: IntArray, z: float, shares: FloatArray, rewards: FloatArray
) -> None:
    """Accept if all samples but one are more than z standard errors above 0; score on that one.

    Args:
        samples: The tests' samples, one test after another.
        starts: Where each test begins in `samples`; one more entry marks the end of the last.
        z: How many standard errors, by the test's own samples.
        shares: Filled with the share of samples without which a test is accepted.
        rewards: Filled with the mean, over all samples, of what is accepted without each.
    """
    for test in range(len(starts) - 1):
        start, end = starts[test], starts[test + 1]
        length = end - start
        total = 0.0
        for i in range(start, end):
            total += samples[i]
        mean = total / length
        squares = 0.0
        if z > 0.0:
            for i in range(start, end):
                squares += (samples[i] - mean) ** 2
        accepted, earned = 0, 0.0
        for i in range(start, end):
            rest = total - samples[i]
            if rest > 0.0 and z > 0.0:
                spread = squares - (samples[i] - mean) ** 2 * length / (length - 1)
                variance = max(spread, 0.0) / max(length - 2, 1)
                rest -= z * np.sqrt((length - 1) * variance)
            if rest > 0.0:
                accepted += 1
                earned += samples[i]
        shares[test], rewards[test] = accepted / length, earned / length


@compiled
def without_a_period(
    sums: FloatArray,
    counts: IntArray,
    variances: FloatArray,
    starts: IntArray,
    z: float,
    shares: FloatArray,
    rewards: FloatArray,
) -> None:
    """The same for tests that are known by sums over periods only: without each period in turn.

    Args:
        sums: The sum of each period's samples, one test after another.
        counts: How many samples it has.
        variances: The variance of one of them.
        starts: Where each test's periods begin; one more entry marks the end of the last.
        z: How many standard errors.
        shares: Filled with the share of samples without whose periods a test is accepted.
        rewards: Filled with the mean, over all samples, of what is accepted without their periods.
    """
    for test in range(len(starts) - 1):
        total, spread, length = 0.0, 0.0, 0
        for i in range(starts[test], starts[test + 1]):
            total += sums[i]
            spread += counts[i] * variances[i]
            length += counts[i]
        accepted, earned = 0, 0.0
        for i in range(starts[test], starts[test + 1]):
            # Over the other periods, the variance of the sum.
            noise = max(spread - counts[i] * variances[i], 0.0)
            if total - sums[i] > z * np.sqrt(noise):
                accepted += counts[i]
                earned += sums[i]
        shares[test], rewards[test] = accepted / length, earned / length


@compiled
def without_a_pair(
    users: IntArray, ones: IntArray, z: float, shares: FloatArray, rewards: FloatArray
) -> None:
    """The same for tests that are known by counts: without a user of each arm, over all pairs.

    Args:
        users: How many users control and treatment have, a row per test.
        ones: How many of them converted.
        z: How many standard errors.
        shares: Filled with the share of pairs without which a test is accepted.
        rewards: Filled with the mean, over all pairs, of what is accepted without each.
    """
    for test in range(len(users)):
        control, treated = users[test]
        accepted, earned = 0.0, 0.0
        for one in range(2):
            for other in range(2):
                chance = (ones[test, 0] if one else control - ones[test, 0]) / control
                chance *= (ones[test, 1] if other else treated - ones[test, 1]) / treated
                low = (ones[test, 0] - one) / (control - 1)
                high = (ones[test, 1] - other) / (treated - 1)
                noise = low * (1.0 - low) / max(control - 2, 1)
                noise += high * (1.0 - high) / max(treated - 2, 1)
                if chance > 0.0 and high - low > z * np.sqrt(max(noise, 0.0)):
                    accepted += chance
                    earned += chance * (other - one)
        shares[test], rewards[test] = accepted, earned
