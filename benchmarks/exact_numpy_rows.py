"""`exact` against a recursion over the sums in NumPy, one row of it per sample.

The rival keeps the probability of every sum that d samples can have, for all atoms at once, and
masks the sums at which the policy has stopped. That its rows are sums and its columns atoms makes
each step contiguous in memory: the fastest of the layouts tried. A second rival has our idea as
well, and keeps only the sums between the boundaries.
"""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.duel import Asked, Duel
from dwell import Atoms, Policy, Signs, Table, World, exact, hoeffding
from dwell.arrays import FloatArray
from dwell.table import _stops


def over_all_sums(policy: Policy, values: FloatArray, weights: FloatArray) -> FloatArray:
    """Reward, cost and accept rate."""
    plus, minus = (1.0 + values) / 2.0, (1.0 - values) / 2.0
    lower, upper = policy.lower, policy.upper
    mass = np.zeros((policy.cap + 1, len(values)))  # by number of plus signs
    moved = np.zeros_like(mass)
    mass[0] = 1.0
    going_on = np.ones(len(values))
    cost, accepted = np.zeros(len(values)), np.zeros(len(values))
    twice = 2 * np.arange(policy.cap + 1)
    for d in range(1, policy.cap + 1):
        cost += going_on
        row = moved[: d + 1]
        np.multiply(mass[: d + 1], minus, out=row)
        row[1:] += plus * mass[:d]
        sums = twice[: d + 1] - d
        accepts = sums >= upper[d - 1]
        accepted += row[accepts].sum(axis=0)
        row[accepts | (sums <= lower[d - 1])] = 0.0
        going_on = row.sum(axis=0)
        mass, moved = moved, mass
    return np.array([weights @ (values * accepted), weights @ cost, weights @ accepted])


def between_boundaries(policy: Policy, values: FloatArray, weights: FloatArray) -> FloatArray:
    """Reward, cost and accept rate."""
    plus, minus = (1.0 + values) / 2.0, (1.0 - values) / 2.0
    samples = np.arange(1, policy.cap + 1)
    # The fewest plus signs that accept, and the fewest that do not reject.
    accept_from = np.ceil((policy.upper + samples) / 2.0).astype(int).tolist()
    go_on_from = (np.floor((policy.lower + samples) / 2.0).astype(int) + 1).tolist()
    mass = np.ones((1, len(values)))
    fewest = 0  # plus signs, in the first row of mass
    cost, accepted = np.zeros(len(values)), np.zeros(len(values))
    for d in range(policy.cap):
        cost += mass.sum(axis=0)
        row = np.zeros((len(mass) + 1, len(values)))
        np.multiply(mass, minus, out=row[:-1])
        row[1:] += plus * mass
        high = max(0, accept_from[d] - fewest)
        low = min(max(0, go_on_from[d] - fewest), high)
        accepted += row[high:].sum(axis=0)
        mass = row[low:high]
        fewest += low
        if len(mass) == 0:
            break
    return np.array([weights @ (values * accepted), weights @ cost, weights @ accepted])


def duels() -> Iterator[Duel]:
    values = np.linspace(-1.0, 1.0, 41)
    weights = np.full(41, 1.0 / 41.0)
    world = World(Atoms(values), Signs())
    policies = hoeffding(caps=[4096], c=0.35, tasks=10_000, delta=0.05)
    policy = policies[0]
    assert isinstance(policy, Policy)

    def ours() -> Table:
        _stops.cache_clear()  # the walk is to be timed, not the memory of it
        return exact(policies, world)

    def against(
        name: str,
        rival: Callable[[Policy, FloatArray, FloatArray], FloatArray],
        asked: Asked | None = None,
    ) -> Duel:
        table = ours()
        figures = [table.reward[0], table.cost[0], table.accept_rate[0]]
        np.testing.assert_allclose(rival(policy, values, weights), figures, rtol=1e-12, atol=0)
        return Duel(
            name=name,
            ours=ours,
            rival=lambda: rival(policy, values, weights),
            work=1,
            unit="table",
            asked=asked,
        )

    yield against("exact/numpy-rows", over_all_sums, Asked(10.0))
    yield against("exact/numpy-rows/band-only", between_boundaries)
