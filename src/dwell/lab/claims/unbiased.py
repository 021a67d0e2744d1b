"""Lemma 9: a policy's own samples do not tell without bias what it earns."""

from itertools import combinations, product

import numpy as np

from dwell.arrays import FloatArray
from dwell.chart import Chart, Line
from dwell.families import first_sample, hoeffding
from dwell.lab.claims.finding import Effort, Finding
from dwell.laws import Signs
from dwell.outcomes import scan
from dwell.policies import Policies
from dwell.priors import Atoms
from dwell.records import oversampled
from dwell.table import exact
from dwell.world import World


def check(effort: Effort) -> Finding:
    """The lemma's equations, the bias of the naive estimate, and the oversampled one's."""
    values = np.linspace(-0.95, 0.95, effort.pick(19, 39))
    most_at_once = values_served(values)
    longer = hoeffding([2, 3, 5], c=0.35, tasks=10_000, delta=0.05)
    policies = Policies([first_sample(), *longer])
    rewards = np.array([exact(policies, World(Atoms([value]), Signs())).reward for value in values])
    naive, unbiased = (estimate(policies, values) for estimate in (_naive, _oversampled))
    bias = float(np.abs(naive - rewards).max())
    rest = float(np.abs(unbiased - rewards).max())
    first = list(naive[:, 0] - rewards[:, 0])
    return Finding(
        claim="unbiased",
        place="Lemma 9",
        stated="no estimate from a policy's own samples is unbiased, unless the value is known",
        measured=(
            f"no f serves more than {most_at_once} of {len(values)} values at once; the naive "
            f"estimate is off by up to {bias:.3f}, the oversampled one by {rest:.0e}, both by "
            "enumeration of all sequences"
        ),
        holds=most_at_once == 2 and bias > 0.1 and rest < 1e-12,
        figures={
            "values": values.tolist(),
            "served_at_once": most_at_once,
            "naive_bias": (naive - rewards).tolist(),
            "largest_naive_bias": bias,
            "largest_oversampled_bias": rest,
        },
        words=(
            "Judging a shipped idea by the very data that got it shipped flatters it: every time, "
            "and most where the idea is worth nothing. Fresh samples after the decision do not."
        ),
        charts=(
            Chart(
                "By how much a policy's own samples flatter it",
                "value of the idea",
                "bias of the estimated reward",
                (
                    *(
                        Line(f"cap {cap}", values.tolist(), (naive - rewards)[:, k].tolist())
                        for k, cap in enumerate(policies.caps)
                    ),
                    Line("oversampled", values.tolist(), [rest] * len(values), dashed=True),
                ),
                log_x=False,
                log_y=False,
                caption=f"One sample is flattered by (1 - value^2) / 2: {max(first):.3f} at 0.",
            ),
        ),
    )


def values_served(values: FloatArray) -> int:
    """The most values at which one f is unbiased for (mu + mu^2) / 2.

    E[f(X)] is affine in mu and the target is a parabola: an f that is right at two values, which
    the equations of the lemma fix, is wrong at every other. (The paper says that f has to know mu;
    to be exact, it has to know that mu is one of two values.)
    """
    equations = np.column_stack([(1 + values) / 2, (1 - values) / 2])
    targets = (values + values**2) / 2
    served = 0
    for pair in combinations(range(len(values)), 2):
        f = np.linalg.solve(equations[list(pair)], targets[list(pair)])
        served = max(served, int((np.abs(equations @ f - targets) < 1e-9).sum()))
    return served


def _naive(policies: Policies, values: FloatArray) -> FloatArray:
    """E[accept * mean of the samples that led to it], per value and policy."""
    cap = policies.caps[-1]
    sequences = _sequences(cap)
    outcomes = scan(sequences, policies)
    sums = np.cumsum(sequences, axis=1, dtype=np.int64)
    rows = np.arange(len(sequences))[:, None]
    means = sums[rows, outcomes.durations - 1] / outcomes.durations
    expected: FloatArray = _likelihood(sequences, values) @ (outcomes.decisions * means)
    return expected


def _oversampled(policies: Policies, values: FloatArray) -> FloatArray:
    """E of the estimate that CAPE uses, per value and policy."""
    sequences = _sequences(2 * policies.caps[-1])
    rewards = np.asarray(oversampled(sequences, policies).rewards)
    expected: FloatArray = _likelihood(sequences, values) @ rewards
    return expected


def _sequences(length: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
    return np.array(list(product((-1, 1), repeat=length)), dtype=np.int8)


def _likelihood(
    sequences: np.ndarray[tuple[int, ...], np.dtype[np.int8]], values: FloatArray
) -> FloatArray:
    ups = (sequences == 1).sum(axis=1)
    downs = sequences.shape[1] - ups
    chance = (1 + values[:, None]) / 2
    return np.asarray(chance**ups * (1 - chance) ** downs)
