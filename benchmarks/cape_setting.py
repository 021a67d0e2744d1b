"""The setting of CAPE's benchmarks, and the constants of Algorithm 1 in it.

Testing begins after about 100,000 tasks (2 D_K^2 ln(4 K N_ex / delta)), so a run explores more.
"""

from dataclasses import dataclass
from math import ceil, log

import numpy as np

from benchmarks.work import MOSTLY_NULL, THREE_POINTS
from dwell import Atoms, Cape, Policies, Policy, World, hoeffding
from dwell.arrays import FloatArray

TASKS, EXPLORATION_CAP, DELTA = 10**6, 120_000, 0.05


@dataclass(frozen=True, slots=True)
class CapeSetting:
    """What a rival needs to know.

    Attributes:
        world: The world.
        policies: The policies, which differ only in their caps.
        upper: Their upper boundary, on sums of signs; the lower one is its mirror image.
        caps: Their caps (D_k).
        atoms: The values that ideas can have …
        weights: … and how likely each is.
        logarithm: ln(4 K N_ex / delta).
        first_test: The first task after which policies may be eliminated.
    """

    world: World
    policies: Policies
    upper: FloatArray
    caps: list[int]
    atoms: list[float]
    weights: list[float]
    logarithm: float
    first_test: int

    @classmethod
    def of(cls, world: World) -> "CapeSetting":
        """The setting in a world of atoms."""
        policies = hoeffding(caps=range(1, 51), c=0.35, tasks=10_000, delta=DELTA)
        longest = policies[-1]
        assert isinstance(longest, Policy)
        assert isinstance(world.prior, Atoms)
        logarithm = log(4.0 * len(policies) * EXPLORATION_CAP / DELTA)
        return cls(
            world,
            policies,
            np.ceil(longest.upper),
            list(policies.caps),
            list(world.prior.values),
            list(world.prior.weights),
            logarithm,
            ceil(2.0 * policies.caps[-1] ** 2 * logarithm),
        )

    def learner(self) -> Cape:
        """Our learner, before its first task."""
        return Cape(self.policies, tasks=TASKS, delta=DELTA, exploration_cap=EXPLORATION_CAP)


def three_points() -> CapeSetting:
    """All policies but two are eliminated as soon as that is allowed."""
    return CapeSetting.of(THREE_POINTS)


def mostly_null() -> CapeSetting:
    """No policy can be told from the others: 20,000 tests, each of all 50."""
    return CapeSetting.of(MOSTLY_NULL)
