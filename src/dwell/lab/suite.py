"""The suite: worlds and policies on which learners are compared, small enough for exact figures.

In the first four worlds a short policy is the best. In the three with a `Beta` prior short policies
lose money, and whoever tries them pays for it; in the last of these no policy of the plain class
earns anything. `headlines` has the small effects and rare events of an online test.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from dwell.families import hoeffding
from dwell.laws import Lift, Signs
from dwell.learners.learner import Learner
from dwell.learners.registry import make
from dwell.policies import Policies
from dwell.priors import Atoms, Beta, Normal, Prior
from dwell.world import World


@dataclass(frozen=True, slots=True)
class Instance:
    """A world, the policies to choose from in it, and what each test costs besides its samples."""

    name: str
    world: World
    policies: Policies
    setup_cost: float

    def __str__(self) -> str:
        return f"{self.name}, set-up cost {self.setup_cost:g}"

    def learner(self, name: str, tasks: int) -> Learner:
        """The learner of that name for this instance; its observations lie in [-1, 1]."""
        return make(
            name,
            policies=self.policies,
            tasks=tasks,
            delta=DELTA,
            setup_cost=self.setup_cost,
            announce=False,  # a guarantee that is vacuous at these sizes is no news here
        )


DELTA = 0.05
_PLAIN = (0.35,)
_GRID = (0.2, 0.35, 0.5, 0.7)
_CAPS = tuple(2**power for power in range(9))
_SETUP_COSTS = (0.0, 20.0)
_PRIORS: dict[str, Prior] = {
    "three-point": Atoms([-1, 0, 1]),
    "uniform": Atoms([step / 20 for step in range(-20, 21)]),
    "mostly-null": Atoms([-0.5, -0.1, 0, 0.1, 0.5], [0.1, 0.2, 0.4, 0.2, 0.1]),
    "rare-win": Atoms([-0.05, 0.6], [0.9, 0.1]),
    "beta-8-12": Beta(8, 12),
    "beta-3-7": Beta(3, 7),
    "beta-45-55": Beta(45, 55),
}


def suite(*, grid: bool = False) -> tuple[Instance, ...]:
    """The instances, those of one name side by side.

    Args:
        grid: Let the policies differ in the width of their band too, not only in their caps.

    Example:
        >>> [str(instance) for instance in suite()][-2:]
        ['beta-45-55, set-up cost 20', 'headlines, set-up cost 1000']
        >>> len(suite()[0].policies), len(suite(grid=True)[0].policies)
        (9, 36)
    """
    widths = _GRID if grid else _PLAIN
    policies = _policies(_CAPS, widths)
    instances = [
        Instance(name, World(prior, Signs()), policies, setup_cost)
        for name, prior in _PRIORS.items()
        for setup_cost in _SETUP_COSTS
    ]
    return (*instances, _headlines(widths))


def _headlines(widths: Sequence[float]) -> Instance:
    """Click rates of 1.2 % and lifts of a fraction of that; World cuts off rates below 0."""
    law = Lift(base_rate=0.012)
    # A sample is the difference of two outcomes: a band made for +-1 would be six times too wide.
    deviation = law.noise * sqrt(2.0)
    caps = tuple(2**power for power in range(6, 13))
    policies = _policies(caps, [width * deviation for width in widths])
    return Instance("headlines", World(Normal(-0.0003, 0.0045), law), policies, setup_cost=1000.0)


def _policies(caps: Sequence[int], widths: Sequence[float]) -> Policies:
    """A policy for each cap and width, in order of their caps."""
    classes = [hoeffding(caps, c=width, tasks=10_000, delta=DELTA) for width in widths]
    return Policies(policy for same_cap in zip(*classes, strict=True) for policy in same_cap)
