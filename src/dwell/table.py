"""Exact: what policies earn and cost in a known world, with no sampling.

On a lattice the law of the running sum follows by recursion from one sample to the next, up to
rounding. For normal samples its density is integrated numerically; the relative error is below
1e-6 (in tests: below 1e-9 against a grid four times as fine).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy import special

from dwell import checks
from dwell.arrays import FloatArray, IntArray
from dwell.beliefs import Belief, beliefs, mixture
from dwell.errors import InvalidInput
from dwell.families import Countable
from dwell.kernels.walk import walk_gaussian, walk_lattice
from dwell.laws import Gaussian
from dwell.outcomes import scan
from dwell.policies import AnyPolicy, Policies
from dwell.policy import Policy
from dwell.rule import Rule
from dwell.world import World


@dataclass(frozen=True, slots=True)
class Profile:
    """How long one policy runs and what it earns then; entry d - 1 is for a duration of d.

    Attributes:
        probability: That it stops after d samples.
        accepted: That it stops then and accepts.
        reward: What it earns in expectation by stopping then.
    """

    probability: FloatArray
    accepted: FloatArray
    reward: FloatArray


@dataclass(frozen=True, slots=True)
class Table:
    """Exact figures, an entry per policy.

    Attributes:
        policies: The policies.
        world: The world that they act in.
        setup_cost: What each task costs besides its samples.
        reward: Expected value of what is accepted, per task.
        cost: Expected cost per task: set-up and samples.
        accept_rate: The share of tasks that is accepted.
    """

    policies: Policies
    world: World
    setup_cost: float
    reward: FloatArray
    cost: FloatArray
    accept_rate: FloatArray

    @property
    def roi(self) -> FloatArray:
        """Reward per cost: a ratio of expectations."""
        return self.reward / self.cost

    @property
    def best(self) -> int:
        """The index of the policy with the highest ROI; the shortest of equals."""
        return int(np.argmax(self.roi))

    def profile(self, index: int) -> Profile:
        """The law of the duration of one policy, and what it earns by duration."""
        index = range(len(self.policies))[index]
        cap = self.policies.caps[index]
        group = next(g for g in _stops(self.policies, self.world) if index in g.members)
        probability, accepted, reward = group.stops[:cap].T.copy()
        probability[-1] = 1.0 - probability[:-1].sum()
        return Profile(probability, accepted, reward)


def exact(
    policies: AnyPolicy | Iterable[AnyPolicy], world: World, setup_cost: float = 0.0
) -> Table:
    """Reward, cost and ROI of policies in a known world.

    A `Rule` is run on all sequences of samples that there are, so its cap must be small.

    Args:
        policies: One policy or many.
        world: The prior of the values and the law of the observations.
        setup_cost: What each task costs besides its samples.

    Example:
        >>> from dwell import Atoms, Signs, World, hoeffding
        >>> policies = hoeffding(caps=[1, 2, 4, 8, 256], c=0.35, tasks=10_000, delta=0.05)
        >>> table = exact(policies, World(Atoms([-1, 0, 1]), Signs()))
        >>> policies.caps[table.best], table.roi.round(4).tolist()
        (4, [0.0, 0.0, 0.1026, 0.0796, 0.0117])
    """
    policies = Policies.of(policies)
    policies.require_dense()
    setup_cost = checks.not_negative("set-up cost", setup_cost)
    reward, cost, accept_rate = (np.empty(len(policies)) for _ in range(3))
    for members, caps, stops in _stops(policies, world):
        going_on = 1.0 - np.concatenate([[0.0], np.cumsum(stops[:-1, 0])])
        cost[members] = setup_cost + np.cumsum(going_on)[caps - 1]
        accept_rate[members] = np.cumsum(stops[:, 1])[caps - 1]
        reward[members] = np.cumsum(stops[:, 2])[caps - 1]
    return Table(policies, world, setup_cost, reward, cost, accept_rate)


class Best(NamedTuple):
    """The best policy of a countable family: its index, counted from 1, and its ROI."""

    k: int
    roi: float


def best_of(family: Countable, world: World, setup_cost: float = 0.0) -> Best:
    """The best policy of countably many.

    No policy earns more than all positive values together, and costs grow with k: once those
    values per cost of policy k are below the best ROI so far, no later policy can be better.

    Example:
        >>> from dwell import Atoms, Countable, Signs, World
        >>> best_of(Countable(c=0.35, tasks=10_000, delta=0.05), World(Atoms([-1, 0, 1]), Signs()))
        Best(k=2, roi=0.16666666666666666)
    """
    count = max(1, min(64, checks.LONGEST_CAP // family.step))
    while True:
        table = exact(family.first(count), world, setup_cost)
        values, weights = mixture(world, count)
        most = float(weights @ np.maximum(values, 0.0))
        undecided = 1.0 - float(table.profile(count - 1).probability[:-1].sum())
        if most / table.cost[-1] <= table.roi[table.best] or undecided < 1e-12:
            return Best(table.best + 1, float(table.roi[table.best]))
        if count >= 2**14 or not family.reaches(2 * count):
            raise InvalidInput(
                f"no policy up to k = {count} can be shown to be the best of its family; "
                f"is any value of {world.prior} worth accepting?"
            )
        count *= 2


class _Stops(NamedTuple):
    """The stops of policies that differ only in their caps, as the walks give them."""

    members: IntArray
    caps: IntArray
    stops: FloatArray


@lru_cache(maxsize=16)
def _stops(policies: Policies, world: World) -> tuple[_Stops, ...]:
    walked = [_Stops(c.members, c.caps, _walk(c.head, world)) for c in policies.chains]
    listed = [
        _Stops(np.array([index]), np.array([rule.cap]), _enumerate(rule, world))
        for index, rule in policies.rules
    ]
    return (*walked, *listed)


def _walk(policy: Policy, world: World) -> FloatArray:
    stops = np.zeros((policy.cap, 3))
    for belief in beliefs(world, policy.cap):
        if isinstance(world.law, Gaussian):
            walked = _walk_gaussian(policy, belief, world.law.sd)
        else:
            walked = walk_lattice(
                policy.lower,
                policy.upper,
                belief.intercept,
                belief.slope,
                world.law.stride,
                world.law.moves,
            )
        stops += belief.weight * walked
    return stops


def _walk_gaussian(policy: Policy, belief: Belief, noise: float, panel: float = 3.0) -> FloatArray:
    lower, upper = policy.lower, policy.upper
    looks = 1 + np.flatnonzero(np.isfinite(lower) | np.isfinite(upper))
    before = np.concatenate([[0], looks[:-1]])
    samples = looks - before
    # Given the sum so far, the next samples' sum is normal around that many times the mean value.
    scale = 1.0 + samples * belief.slope[before]
    shift = samples * belief.intercept[before]
    sd = np.sqrt(samples * noise**2 + samples**2 * belief.variance[before])
    spread = 9.0 * np.sqrt(looks * noise**2 + looks**2 * belief.variance[0])
    center = looks * belief.intercept[0]
    nodes, weights = special.roots_legendre(10)
    return walk_gaussian(
        looks,
        lower,
        upper,
        np.column_stack([scale, shift, sd]),
        np.column_stack([center - spread, center + spread]),
        np.column_stack([belief.intercept[looks], belief.slope[looks]]),
        (1.0 + nodes) / 2.0,
        weights / 2.0,
        panel,
    )


_MOST_SEQUENCES = 2**16


def _enumerate(rule: Rule, world: World) -> FloatArray:
    """The stops of a rule, by running it on every sequence of samples there is."""
    if isinstance(world.law, Gaussian) or (4 - world.law.stride) ** rule.cap > _MOST_SEQUENCES:
        raise InvalidInput(
            f"exact runs a Rule on all sequences of samples, and under {world.law} with cap "
            f"{rule.cap} there are too many; use a Policy, or simulate with sampled=True"
        )
    moves = np.array(list(product(range(4 - world.law.stride), repeat=rule.cap)))
    outcomes = scan((world.law.stride * moves - 1).astype(np.int8), rule)
    stops = np.zeros((rule.cap, 3))
    for value, weight in zip(*mixture(world, rule.cap), strict=True):
        chances = world.law.moves @ [1.0, value]
        likelihood = weight * chances[moves].prod(axis=1)
        accepted = likelihood * (outcomes.decisions[:, 0] == 1)
        for column, mass in enumerate((likelihood, accepted, accepted * value)):
            np.add.at(stops[:, column], outcomes.durations[:, 0] - 1, mass)
    return stops
