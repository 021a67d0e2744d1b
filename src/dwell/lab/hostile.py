"""Hostile worlds: a law that the learner was told, and how the world breaks it.

What policies earn there is exact as well. Where a breach amounts to another world it is that
world's; otherwise the law of (hidden state, running sum) is carried from one sample to the next,
up to rounding. Only the effects of days are integrated by a rule, right to 1e-4 where they seldom
reach the limits of what is possible.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray
from dwell.beliefs import mixture
from dwell.errors import InvalidInput, NothingWorthTesting
from dwell.lab.breaches import NO_WEIGHT, Breach
from dwell.lab.changing import ChangingWorld
from dwell.laws import Signs
from dwell.optimum import oracle
from dwell.policies import Policies
from dwell.policy import Policy
from dwell.table import exact
from dwell.world import World, checked_world


@dataclass(frozen=True, slots=True, repr=False)
class HostileWorld:
    """A world as it was told to be, and how it is not.

    Args:
        stated: The prior, and the law that the learner was told.
        breach: How values or samples break it.
        later_day: Whether the samples after a stop, by which a learner estimates the value, come
            from a later day: what stays for a while within a test is then over. Otherwise they
            follow on the last that the decision saw.

    Example:
        >>> from dwell import Atoms, Ladder, fixed, simulate
        >>> from dwell.lab.breaches import Repeated
        >>> world = HostileWorld(World(Atoms([-0.5, 0.5]), Signs()), Repeated(2))
        >>> simulate(Ladder(fixed(3)), world, tasks=10, rng=0).tasks
        10
    """

    stated: World
    breach: Breach
    later_day: bool = False

    def __post_init__(self) -> None:
        checked_world(self.stated)
        checks.kind("breach", self.breach, Breach, "a Breach, such as Repeated(2)")

    def __repr__(self) -> str:
        return f"{self.stated} with {self.breach}{' verified later' * self.later_day}"


AnyWorld = World | HostileWorld | ChangingWorld


def roi_of(policies: Policies, world: AnyWorld, setup_cost: float) -> FloatArray:
    """The exact ROI of each policy that never changes, in hostile and in changing worlds too.

    Example:
        >>> from dwell import Atoms, first_sample
        >>> from dwell.lab.breaches import Repeated
        >>> honest = World(Atoms([-0.5, 0.5]), Signs())
        >>> roi_of(Policies.of(first_sample()), HostileWorld(honest, Repeated(5)), 0.0).tolist()
        [0.125]
    """
    if isinstance(world, World):
        return exact(policies, world, setup_cost).roi
    if isinstance(world, ChangingWorld):
        tables = [exact(policies, pool, setup_cost) for pool in world.pools]
        reward, cost = (
            world.shares @ [getattr(table, name) for table in tables] for name in ("reward", "cost")
        )
        return np.asarray(reward / cost)
    truth = world.breach.truth(world.stated, policies.caps[-1])
    if truth is not None:
        return exact(policies, truth, setup_cost).roi
    if policies.rules:
        raise InvalidInput("exact figures in a hostile world are of policies, not of Rules")
    policies.require_dense()
    setup_cost = checks.not_negative("set-up cost", setup_cost)
    roi = np.empty(len(policies))
    for chain in policies.chains:
        stops = _stops(chain.head, world)
        going_on = 1.0 - np.concatenate([[0.0], np.cumsum(stops[:-1, 0])])
        cost = setup_cost + np.cumsum(going_on)
        roi[chain.members] = (np.cumsum(stops[:, 1]) / cost)[chain.caps - 1]
    return roi


def oracle_roi(world: AnyWorld, cap: int, setup_cost: float) -> float | None:
    """The ROI of the best of all policies with at most this cap; None if nothing earns.

    In a hostile world that equals no other it is that of the world as it was told to be: what could
    be earned if samples were what they seem. In a world that changes it is that of the best policy
    that never does; see `dwell.lab.drift_scores` for those who know when it does.

    Example:
        >>> from dwell import Atoms, Beta
        >>> from dwell.lab.breaches import Repeated
        >>> oracle_roi(HostileWorld(World(Beta(2, 3), Signs()), Repeated(2)), 400, 0.0)
        0.02040816326530...
        >>> oracle_roi(World(Atoms([-0.5]), Signs()), 400, 0.0) is None
        True
    """
    if isinstance(world, HostileWorld):
        world = world.breach.truth(world.stated, cap) or world.stated
    elif isinstance(world, ChangingWorld):
        world = world.mixture(cap)
    try:
        return oracle(world, cap, setup_cost).roi
    except NothingWorthTesting:
        return None


@lru_cache(maxsize=64)
def _stops(policy: Policy, world: HostileWorld) -> FloatArray:
    """By duration: the probability to stop then, and what is earned by accepting then."""
    if not isinstance(world.stated.law, Signs):
        raise InvalidInput(
            f"exact figures in a hostile world are of Signs, got {world.stated.law}; simulate it"
        )
    cap = policy.cap
    values, weights = mixture(world.stated, cap)
    values, weights = values[weights > NO_WEIGHT], weights[weights > NO_WEIGHT]
    lower, upper = policy.lower, policy.upper
    stops = np.zeros((cap, 2))
    # Of value, hidden state and how many samples were +1: the probability to be there.
    states = world.breach.hidden(values, 0).plus.shape[1]
    mass = np.zeros((len(values), states, cap + 1))
    mass[:, 0, 0] = weights / weights.sum()
    for place in range(cap):
        renewed, law, plus = world.breach.hidden(values, place)
        if renewed:
            anew = law[:, :, np.newaxis] * mass.sum(axis=1, keepdims=True)
            mass = renewed * anew + (1.0 - renewed) * mass
        up = mass * plus[:, :, np.newaxis]
        mass -= up
        mass[:, :, 1:] += up[:, :, :-1]
        total = 2 * np.arange(cap + 1) - (place + 1)
        accepted, rejected = total >= upper[place], total <= lower[place]
        here = mass.sum(axis=1)
        stops[place] = here[:, accepted | rejected].sum(), values @ here[:, accepted].sum(axis=1)
        mass[:, :, accepted | rejected] = 0.0
    return stops
