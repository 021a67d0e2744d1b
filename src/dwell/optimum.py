"""Oracle: the most that any policy can earn per cost, for a known law of values.

If a unit of cost is worth theta, the best policy is found by backward induction. Its own ROI is
then a better theta, and so on (Dinkelbach 1967): the sequence rises, ever faster, to the best ROI
that there is.

Under `Signs` and `Gaussian` the running sum says all that the samples say about the value, so that
no policy of any kind does better than the one found here. Under `Lift` it does not. There the best
is sought among policies that go by the sum, and nothing proves that it is found: small caps are
searched from many starts, large ones by a single induction that forgets how a sum came about.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dwell import checks
from dwell.arrays import IntArray
from dwell.beliefs import beliefs, mixture
from dwell.errors import InvalidInput, NothingWorthTesting
from dwell.kernels.lattice_induction import improve_lattice, induct_lattice, means_on_lattice
from dwell.laws import Gaussian, Lattice, Lift, Signs
from dwell.normal_optimum import NormalInduction
from dwell.policy import Policy
from dwell.priors import Beta
from dwell.shown import Shown
from dwell.table import Table, exact
from dwell.world import World, checked_world

_MOST_ROUNDS = 100
_MOST_CELLS = 2**27  # of a table of means by sample and sum: a gigabyte
_MOST_IMPROVED = 2**20  # cells of value, sample and sum: beyond, improving takes seconds
_SMALL_CAP = 12
_SMALL_GAIN = 1e-9
_FEW_LOOKS = 100


@dataclass(repr=False, frozen=True, slots=True)
class Optimum(Shown):
    """The best policy there is.

    Attributes:
        policy: The policy.
        roi: Reward per cost.
        reward: Expected value of what it accepts, per task.
        cost: Expected cost per task: set-up and samples.
        accept_rate: The share of tasks that it accepts.
        cap_binds: Whether a larger cap would raise the ROI.
    """

    policy: Policy
    roi: float
    reward: float
    cost: float
    accept_rate: float
    cap_binds: bool


def oracle(
    world: World, cap: int, setup_cost: float = 0.0, *, every: int = 1, first: int = 1
) -> Optimum:
    """The policy with the highest ROI of all policies with at most this cap.

    Args:
        world: The prior of the values and the law of the observations.
        cap: The most samples that a policy may draw.
        setup_cost: What each task costs besides its samples.
        every: A policy looks after so many samples each, and at the cap.
        first: It does not look before it has drawn this many.

    Example:
        >>> from dwell import Beta, Signs
        >>> best = oracle(World(Beta(2, 3), Signs()), cap=400)
        >>> round(1 / best.roi, 6), best.cap_binds
        (49.0, False)
    """
    world, cap = checked_world(world), checks.cap("cap", cap)
    setup_cost = checks.not_negative("set-up cost", setup_cost)
    every, first = checks.count("every", every), checks.count("first", first)
    for name, samples in (("every", every), ("first", first)):
        if samples > 1 and not isinstance(world.law, Gaussian):
            raise InvalidInput(
                f"{name} must be 1 under {world.law}, got {samples}; looks are thinned out under "
                "Gaussian"
            )
    if first > cap:
        raise InvalidInput(f"first must be at most the cap, {cap}, got {first}")
    if isinstance(world.law, Gaussian):
        looks = _looks(cap, every, first)
        longer = _looks(min(cap + max(every, cap // 4), checks.LONGEST_CAP), every, first)
        return best_of_looks(world, looks, setup_cost, longer)
    search = _search(world, world.law)
    inductions = [search(cap)]
    # What shorter policies earn is a price to begin with: without one, nobody would ever stop.
    inductions += [search(2**k) for k in range(22) if 2**k < cap][::-1]
    found = _climb(inductions.pop(), 0.0, world, setup_cost)
    while inductions:
        further = _climb(inductions.pop(), max(0.0, float(found.roi[0])), world, setup_cost)
        found = max(found, further, key=lambda table: float(table.roi[0]))
    if not found.roi[0] > 0.0:
        raise _nothing(world, cap)
    longer_cap = cap + max(1, cap // 4)
    return _optimum(found, search(longer_cap) if longer_cap <= checks.LONGEST_CAP else None)


def best_of_looks(
    world: World, looks: IntArray, setup_cost: float, longer: IntArray | None = None
) -> Optimum:
    """The policy with the highest ROI of all that look after given numbers of samples.

    Args:
        world: The prior of the values, and a Gaussian law.
        looks: The numbers of samples, in order; the last is the cap.
        setup_cost: What each task costs besides its samples.
        longer: Looks that would be allowed if the cap were larger, to see whether that would pay.

    Example:
        >>> from dwell import Normal
        >>> world = World(Normal(-1, 1), Gaussian(8))
        >>> best = best_of_looks(world, np.array([1, 2, 4, 8, 16, 32, 64]), 0.0)
        >>> round(best.roi, 6), best.policy.cap
        (0.001275, 64)
    """
    law = world.law
    assert isinstance(law, Gaussian)  # other laws are looked at after every sample
    induction = NormalInduction.of(world, law, looks)
    # A single look is a policy too: what it earns is a price to begin with. A few looks are cheap
    # to climb on, and lead nearly as high as all of them.
    price = induction.one_look_roi(setup_cost)
    if not price > 0.0:
        raise _nothing(world, int(looks[-1]))
    few = looks[np.unique(np.geomspace(1, len(looks), _FEW_LOOKS).round().astype(int)) - 1]
    if 2 * len(few) < len(looks):
        fewer = NormalInduction.of(world, law, few)
        start = _climb(lambda price, _: fewer.best(price), price, world, setup_cost)
        price = max(price, float(start.roi[0]))
    found = _climb(lambda price, _: induction.best(price), price, world, setup_cost)
    if longer is None or longer[-1] <= looks[-1]:
        return _optimum(found, None)
    further = NormalInduction.of(world, law, longer)
    return _optimum(found, lambda price, _: further.best(price))


def _nothing(world: World, cap: int) -> NothingWorthTesting:
    return NothingWorthTesting(
        f"nothing is worth testing here: with values {world.prior} and a cap of {cap:,}, the "
        "best ROI is 0 or less"
    )


# Gives the best policy if a sample costs so much; told a policy, it may look closer around it.
Induction = Callable[[float, Policy | None], Policy]


def _climb(induction: Induction, price: float, world: World, setup_cost: float) -> Table:
    """Dinkelbach's iteration: the ROI of the best policy is the next price of a unit of cost."""
    policy = induction(price, None)
    best = exact(policy, world, setup_cost)
    for _ in range(_MOST_ROUNDS):
        if not best.roi[0] > 0.0:
            break
        policy = induction(float(best.roi[0]), policy)
        found = exact(policy, world, setup_cost)
        gain = found.roi[0] / best.roi[0] - 1.0
        if gain > 0.0:
            best = found
        # A gain is about the square of the one before it: after one this small rounding is left.
        if gain < _SMALL_GAIN:
            break
    return best


def _optimum(found: Table, longer: Induction | None) -> Optimum:
    """What was found, and whether a larger cap would pay at the price of its ROI."""
    roi = float(found.roi[0])
    binds = False
    if longer is not None:
        better = exact(longer(roi, None), found.world, found.setup_cost)
        binds = bool(better.roi[0] > roi * (1.0 + 1e-9))
    [policy] = (policy for policy in found.policies if isinstance(policy, Policy))
    return Optimum(
        policy=policy,
        roi=roi,
        reward=float(found.reward[0]),
        cost=float(found.cost[0]),
        accept_rate=float(found.accept_rate[0]),
        cap_binds=binds,
    )


def _search(world: World, law: Lattice) -> Callable[[int], Induction]:
    """Backward induction on a lattice, by cap."""
    if isinstance(world.prior, Beta) and isinstance(law, Signs):
        return lambda cap: _conjugate_induction(world, Signs(), cap)
    return lambda cap: _lattice_induction(world, law, cap)


def _looks(cap: int, every: int, first: int) -> IntArray:
    looks = np.arange(every, cap, every)
    return np.append(looks[looks >= first], cap).astype(np.int64)


def _conjugate_induction(world: World, law: Signs, cap: int) -> Induction:
    [belief] = beliefs(world, cap)
    nothing = np.empty((0, 0))

    def induct(price: float, _: Policy | None) -> Policy:
        lower, upper = np.empty(cap), np.empty(cap)
        induct_lattice(
            nothing, 0, belief.intercept, belief.slope, law.stride, law.moves, price, lower, upper
        )
        return Policy(lower, upper)

    return induct


def _lattice_induction(world: World, law: Lattice, cap: int) -> Induction:
    values, weights = mixture(world, cap)
    # Nine standard deviations beyond the farthest value: nobody gets there.
    noise = np.sqrt(cap * max(1.0 - law.moves[1] @ [1.0, value] for value in values))
    most = int(min(cap, np.ceil(cap * np.abs(values).max() + 9.0 * noise + 1.0)))
    if (cap + 1.0) * (2 * most + 1) > _MOST_CELLS:
        raise InvalidInput(
            f"the best policy for {world} can be sought up to a cap of a few thousand, got "
            f"{cap:,}; a Gaussian law with the same noise has no such limit"
        )
    means = means_on_lattice(values, weights, law.stride, law.moves, most, cap)
    empty = np.zeros(cap + 1)

    def induct(price: float, _: Policy | None) -> Policy:
        lower, upper = np.empty(cap), np.empty(cap)
        induct_lattice(means, most, empty, empty, law.stride, law.moves, price, lower, upper)
        return Policy(lower, upper)

    def settled(start: Policy, price: float) -> Policy:
        lower, upper = start.lower.copy(), start.upper.copy()
        for _ in range(_MOST_ROUNDS):
            if not improve_lattice(values, weights, law.stride, law.moves, price, lower, upper):
                break
        return Policy(lower, upper)

    def improve(price: float, before: Policy | None) -> Policy:
        # What is best given all else need not be the best of all: begin at several places, and
        # at many where that is cheap.
        starts = [before] if before else [induct(price * 4.0**k, None) for k in range(-2, 3)]
        if cap <= _SMALL_CAP:
            starts += _scattered(cap)
        found = [settled(start, price) for start in starts]
        table = exact(found, world)
        return found[int(np.argmax(table.reward - price * table.cost))]

    # Under Signs the sum says all that the samples say; under Lift it does not.
    small = len(values) * cap * (2.0 * cap + 1) <= _MOST_IMPROVED
    return improve if isinstance(law, Lift) and small else induct


def _scattered(cap: int) -> list[Policy]:
    """Policies here and there among all that differ on a lattice."""
    rng = np.random.default_rng(0)
    d = np.arange(1, cap + 1)
    bands = np.sort(rng.integers(-d - 1, d + 2, size=(64, 2, cap)), axis=1)
    return [Policy(lower, upper) for lower, upper in bands.astype(np.float64)]
