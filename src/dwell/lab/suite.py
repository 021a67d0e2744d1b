"""The suite: worlds and policies on which learners are compared, small enough for exact figures.

In the first four worlds a short policy is the best. In the three with a `Beta` prior short policies
lose money, and whoever tries them pays for it; in the last of these no policy of the plain class
earns anything. `headlines` has the small effects and rare events of an online test.

Constants of learners were chosen on some worlds; the others are held out. More held-out worlds are
there to be asked for: pools with heavy tails, with few but large losers, with one idea in a hundred
that is worth anything, with a normal law below 0, and with tiny effects.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

from dwell import usual_class
from dwell.families import hoeffding
from dwell.lab.breaches import Breach, Days, Fading, Falling, Misstated, Repeated, Sticky
from dwell.lab.changing import ChangingWorld
from dwell.lab.hostile import AnyWorld, HostileWorld, oracle_roi, roi_of
from dwell.lab.run import bound_under
from dwell.laws import Gaussian, Law, Lift, Signs
from dwell.learners.learner import Learner
from dwell.learners.registry import kind_of, make
from dwell.policies import Policies
from dwell.priors import Atoms, Beta, Normal, Prior
from dwell.world import World


class Reference(NamedTuple):
    """What there is to earn on an instance, exactly.

    Attributes:
        best_roi: The ROI of the best policy of the class.
        worst_roi: The ROI of the worst.
        told_worst_roi: The ROI of the worst if the world were as learners are told.
        oracle_roi: The ROI of the best of all policies with the same largest cap; None where
            nothing earns. In a hostile world see `dwell.lab.hostile.oracle_roi`.
    """

    best_roi: float
    worst_roi: float
    told_worst_roi: float
    oracle_roi: float | None


@dataclass(frozen=True, slots=True)
class Instance:
    """A world, the policies to choose from in it, and what each test costs besides its samples.

    Attributes:
        name: The name of its pool of ideas.
        world: The world, as learners are told that it is.
        policies: The policies to choose from.
        setup_cost: What each test costs besides its samples.
        held_out: Whether no constant was chosen on this pool, but for some of Ladder's; see
            HELD_OUT.
        case: The name of the way in which the world is not as told; None where it is.
        breach: That way.
        later_day: See `HostileWorld`.
        changing: The world that changes, of which `world` is the first pool; None where it stays.
    """

    name: str
    world: World
    policies: Policies
    setup_cost: float
    held_out: bool = False
    case: str | None = None
    breach: Breach | None = None
    later_day: bool = False
    changing: ChangingWorld | None = None

    def __str__(self) -> str:
        case = "" if self.case is None else f", {self.case}"
        return f"{self.name}{case}, set-up cost {self.setup_cost:g}"

    @property
    def truth(self) -> AnyWorld:
        """The world as it is."""
        if self.changing is not None:
            return self.changing
        if self.breach is None:
            return self.world
        return HostileWorld(self.world, self.breach, self.later_day)

    @property
    def reference(self) -> Reference:
        """What there is to earn; computed once."""
        # When acceptances are verified does not change what policies earn.
        truth = replace(self, later_day=False).truth
        return _reference(self.policies, truth, self.setup_cost)

    def learner(
        self, name: str, tasks: int, *, guard: bool | None = None, drift: bool | None = None
    ) -> Learner:
        """The learner of that name for this instance, told the world's law.

        Args:
            name: Its name.
            tasks: For how many tasks, if it has to know.
            guard: Whether it verifies what it accepts, if it can; None for its own rule.
            drift: Whether it reckons with a pool that changes, if it can; None for its own rule.
        """
        law = self.world.law
        # Observations lie in [-1, 1] but for normal ones, of which a bound is made up.
        bound = bound_under(self.world, law, kind_of(name)) if isinstance(law, Gaussian) else 1.0
        return make(
            name,
            policies=self.policies,
            law=law,
            cap=max(self.policies.caps),
            tasks=tasks,
            delta=DELTA,
            setup_cost=self.setup_cost,
            bound=bound,
            guard=guard,
            **({} if drift is None else {"drift": drift}),
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
_TAILS = {0.02: 0.3, 0.05: 0.12, 0.1: 0.05, 0.2: 0.02, 0.4: 0.008, 0.8: 0.002}
_MORE_PRIORS: dict[str, Prior] = {
    "heavy-tails": Atoms(
        [*(-value for value in _TAILS), *_TAILS], [*_TAILS.values(), *_TAILS.values()]
    ),
    "big-losers": Atoms([-0.8, -0.3, 0.02, 0.08], [0.04, 0.06, 0.5, 0.4]),
    "one-in-a-hundred": Atoms([0, 0.4], [0.99, 0.01]),
    "normal-below": Normal(-0.1, 0.15),
    "tiny-effects": Normal(0, 0.03),
}
# No constant was chosen on these, but for Ladder's, which were on uniform and beta-3-7 too.
HELD_OUT = ("uniform", "beta-3-7", "headlines", *_MORE_PRIORS)
HOSTILE_WORLDS = ("mostly-null", "beta-45-55")
CASES: dict[str, Breach] = {
    "twice": Repeated(2),
    "five-times": Repeated(5),
    "ar": Sticky(0.5),
    "days": Days(16, 0.2),
    "noise-under": Misstated(sqrt(2.0)),
    "noise-over": Misstated(sqrt(0.5)),
    "fading": Fading(16.0, scale=1.0),
    "novelty": Fading(16.0, boost=0.1),
    "falling-pool": Falling(0.2, -0.2, 8),
}


def suite(*, grid: bool = False, scales: bool = False, more: bool = False) -> tuple[Instance, ...]:
    """The instances, those of one name side by side.

    Args:
        grid: Let the policies differ in the width of their band too, not only in their caps.
        scales: Let the policies be `dwell.scales` instead of the paper's.
        more: Add the held-out worlds that are there to be asked for.

    Example:
        >>> [str(instance) for instance in suite()][-2:]
        ['beta-45-55, set-up cost 20', 'headlines, set-up cost 1000']
        >>> len(suite()[0].policies), len(suite(grid=True)[0].policies)
        (9, 36)
        >>> [instance.name for instance in suite(more=True) if instance.held_out][:3]
        ['uniform', 'uniform', 'beta-3-7']
    """
    widths = None if scales else _GRID if grid else _PLAIN
    policies = _scales(_CAPS[-1], Signs()) if widths is None else _policies(_CAPS, widths)
    plain = [
        Instance(name, World(prior, Signs()), policies, setup_cost, name in HELD_OUT)
        for name, prior in (_PRIORS | _MORE_PRIORS).items()
        for setup_cost in _SETUP_COSTS
    ]
    known, asked_for = plain[: 2 * len(_PRIORS)], plain[2 * len(_PRIORS) :]
    return (*known, _headlines(widths), *(asked_for if more else ()))


def hostile_suite(
    *,
    names: Iterable[str] = HOSTILE_WORLDS,
    cases: Iterable[str] = tuple(CASES),
    later_day: bool = False,
    grid: bool = False,
    scales: bool = False,
) -> tuple[Instance, ...]:
    """Instances in which observations break the law that learners are told.

    The noise of signs follows from the value. So where it is misstated samples are normal, learners
    are told a standard deviation of 1, and a `Beta` prior gives way to a `Normal` with the same
    mean and standard deviation, for which there are quick exact figures.

    Args:
        names: Of the worlds of signs to break: one that earns and one in which most lose.
        cases: The ways in which to break each, by their names in CASES.
        later_day: See `HostileWorld`.
        grid: See `suite`.
        scales: See `suite`.

    Example:
        >>> [str(instance) for instance in hostile_suite(names=["rare-win"], cases=["twice"])]
        ['rare-win, twice, set-up cost 0', 'rare-win, twice, set-up cost 20']
    """
    named, broken = tuple(names), tuple(cases)
    return tuple(
        replace(
            instance,
            world=_with_normal_noise(instance.world)
            if isinstance(CASES[case], Misstated)
            else instance.world,
            case=case,
            breach=CASES[case],
            later_day=later_day,
        )
        for instance in suite(grid=grid, scales=scales, more=True)
        for case in broken
        if instance.name in named and isinstance(instance.world.law, Signs)
    )


def _with_normal_noise(world: World) -> World:
    prior = world.prior
    return World(Normal(*prior.moments) if isinstance(prior, Beta) else prior, Gaussian(1.0))


@lru_cache(maxsize=128)
def _reference(policies: Policies, world: AnyWorld, setup_cost: float) -> Reference:
    roi = roi_of(policies, world, setup_cost)
    told = world.stated if isinstance(world, HostileWorld) else world
    return Reference(
        best_roi=float(roi.max()),
        worst_roi=float(roi.min()),
        told_worst_roi=float(roi_of(policies, told, setup_cost).min()),
        oracle_roi=oracle_roi(world, max(policies.caps), setup_cost),
    )


def _headlines(widths: Sequence[float] | None) -> Instance:
    """Click rates of 1.2 % and lifts of a fraction of that; World cuts off rates below 0."""
    law = Lift(base_rate=0.012)
    caps = tuple(2**power for power in range(6, 13))
    # A band made for +-1 would be six times too wide.
    policies = (
        _scales(caps[-1], law, least=caps[0])
        if widths is None
        else _policies(caps, [width * law.deviation for width in widths])
    )
    world = World(Normal(-0.0003, 0.0045), law)
    return Instance("headlines", world, policies, setup_cost=1000.0, held_out=True)


def _policies(caps: Sequence[int], widths: Sequence[float]) -> Policies:
    """A policy for each cap and width, in order of their caps."""
    classes = [hoeffding(caps, c=width, tasks=10_000, delta=DELTA) for width in widths]
    return Policies(policy for same_cap in zip(*classes, strict=True) for policy in same_cap)


def _scales(cap: int, law: Law, least: int = 1) -> Policies:
    """Ladder's usual class under a law."""
    return usual_class.scales(usual_class.quarters(cap, least), sd=law.deviation)
