"""Exact: what policies earn and cost in a known world, with no sampling.

On a lattice the law of the running sum follows by recursion from one sample to the next, up to
rounding. For normal samples its density is integrated numerically, whatever lies between two looks:
accept rates are right to 1e-6, costs to 1e-6 of the cap and rewards to 1e-6 of the prior's sd (in
tests: all to 1e-9, against integrals over the sum at the first of two looks). Under `StudentT` they
are right to 1e-6 of themselves as well, however fat the tails (in tests of one and two looks: all
to 1e-7; of a reward, relative to the gains and losses that it is made of).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from dwell import checks, normal_walk
from dwell.arrays import FloatArray, IntArray
from dwell.beliefs import beliefs, mixture
from dwell.errors import InvalidInput
from dwell.families import Countable
from dwell.kernels.walk import walk_lattice
from dwell.laws import Gaussian
from dwell.normal_walk import reach_of, walk_normal
from dwell.outcomes import scan
from dwell.policies import AnyPolicy, Policies
from dwell.policy import Policy
from dwell.priors import StudentT
from dwell.rule import Rule
from dwell.shown import Shown
from dwell.world import World, checked_world


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


@dataclass(repr=False, frozen=True, slots=True)
class Table(Shown):
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
    def note(self) -> str | None:
        """Says so if rejecting everything, which earns 0, is as good as the best policy or better.

        Example:
            >>> from dwell import Atoms, Signs, World, fixed
            >>> exact(fixed(1), World(Atoms([-0.5, 0.5]), Signs())).note is None
            True
        """
        roi = float(self.roi[self.best])
        if roi > 0.0:
            return None
        if roi == 0.0:
            return "no policy earns anything: rejecting everything is as good as the best of them"
        return (
            "rejecting everything earns 0 and beats all these policies: the best has an ROI of "
            f"{roi:.3g}"
        )

    @property
    def best(self) -> int:
        """The index of the policy with the highest ROI; the shortest of equals."""
        return int(np.argmax(self.roi))

    def profile(self, index: int) -> Profile:
        """The law of the duration of one policy, and what it earns by duration."""
        count = len(self.policies)
        if not (isinstance(index, int | np.integer) and -count <= index < count):
            raise InvalidInput(
                f"index must be a whole number below {count}, got {checks.shown(index)}"
            )
        index = range(count)[index]
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
    policies, world = Policies.of(policies), checked_world(world)
    policies.require_dense()
    setup_cost = checks.not_negative("set-up cost", setup_cost)
    reward, cost, accept_rate = (np.empty(len(policies)) for _ in range(3))
    for members, caps, stops in _stops(policies, world):
        going_on = 1.0 - np.concatenate([[0.0], np.cumsum(stops[:-1, 0])])
        cost[members] = setup_cost + np.cumsum(going_on)[caps - 1]
        accept_rate[members] = np.cumsum(stops[:, 1])[caps - 1]
        reward[members] = np.cumsum(stops[:, 2])[caps - 1]
    return Table(policies, world, setup_cost, reward, cost, accept_rate)


def expected_seconds(policies: AnyPolicy | Iterable[AnyPolicy], world: World) -> float:
    """About how long `exact` takes under normal samples; 0 under others, where it is quick."""
    if not isinstance(world.law, Gaussian):
        return 0.0
    heads = [chain.head for chain in Policies.of(policies).chains]
    noise = world.law.sd
    return sum(
        normal_walk.expected_seconds(head, beliefs(world, head.cap, head.farthest), noise)
        for head in heads
    )


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
    checks.kind("family", family, Countable, "a Countable family")
    world = checked_world(world)
    count = max(1, min(64, checks.LONGEST_CAP // family.step))
    while True:
        table = exact(family.first(count), world, setup_cost)
        most = _most(world, count)
        undecided = 1.0 - float(table.profile(count - 1).probability[:-1].sum())
        if most / table.cost[-1] <= table.roi[table.best] or undecided < 1e-12:
            return Best(table.best + 1, float(table.roi[table.best]))
        if count >= 2**14 or not family.reaches(2 * count):
            raise InvalidInput(
                f"no policy up to k = {count} can be shown to be the best of its family; "
                f"is any value of {world.prior} worth accepting?"
            )
        count *= 2


def _most(world: World, cap: int) -> float:
    """All positive values together: what would be earned if they were known."""
    if isinstance(world.prior, StudentT) and isinstance(world.law, Gaussian):
        z = np.array(-world.prior.mean / world.prior.scale)
        above = 1.0 - world.prior.distribution(0.0)
        # The t density f has an integral of z f(z) from z on: f(z) (df + z^2) / (df - 1).
        beyond = (world.prior.df + z * z) / (world.prior.df - 1.0) * world.prior.density(0.0 * z)
        return float(world.prior.mean * above + world.prior.scale**2 * beyond)
    values, weights = mixture(world, cap)
    return float(weights @ np.maximum(values, 0.0))


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
    if isinstance(world.law, Gaussian):
        # Parts have an entry per sample each: many of them are made twice rather than kept.
        noise, farthest = world.law.sd, policy.farthest
        reach = reach_of(policy, beliefs(world, policy.cap, farthest), noise)
        for part in beliefs(world, policy.cap, farthest):
            stops += part.weight * walk_normal(policy, part, noise, reach)
        return stops
    for part in beliefs(world, policy.cap):
        stops += part.weight * walk_lattice(
            policy.lower,
            policy.upper,
            part.intercept,
            part.slope,
            world.law.stride,
            world.law.moves,
        )
    return stops


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
