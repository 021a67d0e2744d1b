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
from scipy import special

from dwell import checks
from dwell.arrays import FloatArray, IntArray
from dwell.beliefs import Belief, beliefs, mixture
from dwell.errors import InvalidInput, NothingWorthTesting
from dwell.kernels.lattice_induction import improve_lattice, induct_lattice, means_on_lattice
from dwell.kernels.normal_induction import induct_gaussian
from dwell.laws import Gaussian, Lattice, Lift, Signs
from dwell.policy import Policy
from dwell.priors import Beta
from dwell.table import Table, exact
from dwell.world import World

_MOST_ROUNDS = 100
_MOST_CELLS = 2**27  # of a table of means by sample and sum: a gigabyte
_MOST_IMPROVED = 2**20  # cells of value, sample and sum: beyond, improving takes seconds
_SMALL_CAP = 12
_PANEL = 3.0  # standard deviations of the next step: in tests the ROI is right to 1e-9


@dataclass(frozen=True, slots=True)
class Optimum:
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
    cap = checks.cap("cap", cap)
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
    search = _search(world, every, first)
    inductions = [search(cap)]
    # What shorter policies earn is a price to begin with: without one, nobody would ever stop.
    inductions += [search(every * 2**k) for k in range(22) if first <= every * 2**k < cap][::-1]
    found = _climb(inductions.pop(), 0.0, world, setup_cost)
    while inductions:
        further = _climb(inductions.pop(), max(0.0, float(found.roi[0])), world, setup_cost)
        found = max(found, further, key=lambda table: float(table.roi[0]))
    roi = float(found.roi[0])
    if not roi > 0.0:
        raise NothingWorthTesting(
            f"nothing is worth testing here: with values {world.prior} and a cap of {cap:,}, the "
            "best ROI is 0 or less"
        )
    [policy] = (policy for policy in found.policies if isinstance(policy, Policy))
    return Optimum(
        policy=policy,
        roi=roi,
        reward=float(found.reward[0]),
        cost=float(found.cost[0]),
        accept_rate=float(found.accept_rate[0]),
        cap_binds=_binds(search, found, cap, every),
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
        # On paper each ROI is above the one before, until it is the best: rounding ends the climb.
        if not found.roi[0] > best.roi[0] * (1.0 + 1e-15):
            break
        best = found
    return best


def _binds(search: Callable[[int], Induction], found: Table, cap: int, every: int) -> bool:
    """Whether a cap a quarter as large again would pay, at the price of the ROI that was found."""
    longer = cap + max(every, cap // 4)
    if longer > checks.LONGEST_CAP:
        return False
    roi = float(found.roi[0])
    policy = search(longer)(roi, None)
    better = exact(policy, found.world, found.setup_cost)
    return bool(better.roi[0] > roi * (1.0 + 1e-9))


def _search(world: World, every: int, first: int) -> Callable[[int], Induction]:
    """Backward induction for a world, by cap."""
    if isinstance(world.law, Gaussian):
        law = world.law
        return lambda cap: _gaussian_induction(world, law, _looks(cap, every, first))
    if isinstance(world.prior, Beta) and isinstance(world.law, Signs):
        return lambda cap: _conjugate_induction(world, Signs(), cap)
    lattice = world.law
    return lambda cap: _lattice_induction(world, lattice, cap)


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


def _gaussian_induction(world: World, law: Gaussian, looks: IntArray) -> Induction:
    cap = int(looks[-1])
    parts = list(beliefs(world, cap))
    intercept, slope, variance = (
        np.column_stack([getattr(part, name)[looks] for part in parts])
        for name in ("intercept", "slope", "variance")
    )
    evidence = np.stack([_evidence(part, law.sd**2, looks) for part in parts], axis=1)
    spread = 9.0 * np.sqrt(looks * law.sd**2 + looks**2 * max(p.variance[0] for p in parts))
    means = [part.intercept[0] for part in parts]
    spans = np.column_stack([looks * min(means) - spread, looks * max(means) + spread])
    nodes, weights = special.roots_legendre(10)

    def induct(price: float, _: Policy | None) -> Policy:
        lower, upper = np.empty(len(looks)), np.empty(len(looks))
        induct_gaussian(
            looks,
            law.sd,
            intercept,
            slope,
            variance,
            evidence,
            spans,
            price,
            (1.0 + nodes) / 2.0,
            weights / 2.0,
            _PANEL,
            lower,
            upper,
        )
        boundaries = np.full(cap, -np.inf), np.full(cap, np.inf)
        for boundary, at_looks in zip(boundaries, (lower, upper), strict=True):
            boundary[looks - 1] = at_looks
        return Policy(*boundaries)

    return induct


def _evidence(part: Belief, noise: float, looks: IntArray) -> FloatArray:
    """The logarithm of weight * Z as a parabola in the sum, a row per look."""
    log_weight = np.log(part.weight)
    mean, slope, variance = part.intercept[looks], part.slope[looks], part.variance[looks]
    if part.variance[0] == 0.0:  # a known value
        rows = (log_weight - mean**2 * looks / (2.0 * noise), mean / noise, np.zeros(len(looks)))
        return np.column_stack(rows)
    prior_mean, prior_variance = part.intercept[0], part.variance[0]
    constant = 0.5 * np.log(variance / prior_variance) - prior_mean**2 / (2.0 * prior_variance)
    rows = (
        log_weight + constant + mean**2 / (2.0 * variance),
        mean * slope / variance,
        slope**2 / (2.0 * variance),
    )
    return np.column_stack(rows)
