"""What a programme has earned, and what it would have by another rule.

Where a pool of ideas is fitted, what was shipped is worth its mean given its samples and the pool
as it is fitted now; how far that may be off follows from pools that are as plausible, and from what
tests leave open. It is compared with running every test to the cap and shipping what is ahead, on
the same traffic, by exact figures under the same pools. Elsewhere the value is the sum of unbiased
estimates, and there is nothing to compare it with.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

import numpy as np

from dwell.arrays import FloatArray
from dwell.families import fixed
from dwell.laws import Law, Signs
from dwell.learners.empirical_bayes import EmpiricalBayes
from dwell.learners.learner import Learner
from dwell.learners.pool_knowledge import PoolKnowledge
from dwell.pools.classes import Limits, fates
from dwell.pools.fitted import FittedPool
from dwell.pools.under_law import noise_under
from dwell.priors import Atoms
from dwell.service.story import Shipped, Story
from dwell.table import exact
from dwell.world import World

_SURE = 1.96  # standard errors of a 95 % interval
FEW_TESTS = 10  # fewer hardly show what ideas are worth


class Figure(NamedTuple):
    """A number with its 95 % interval."""

    estimate: float
    low: float
    high: float

    @classmethod
    def of(cls, estimate: float, error: float) -> "Figure":
        """A number and its standard error."""
        return cls(estimate, estimate - _SURE * error, estimate + _SURE * error)

    def per(self, cost: float) -> "Figure":
        """The same per something that is known."""
        return Figure(*(each / cost for each in self))


@dataclass(frozen=True, slots=True)
class Earned:
    """What was earned.

    Attributes:
        since: From when on.
        value: What is shipped is worth, all together.
        cost: What all decided tests have cost, in samples, set-up included.
        roi: The one per the other.
        reference: What running every test to the cap would have come to at the same cost.
        gain: How much more it is than that.
        over_time: When something was shipped, and the value of all so far.
        spent: When tests had finished, and the cost so far.
    """

    since: float
    value: Figure
    cost: float
    roi: Figure
    reference: Figure | None
    gain: Figure | None
    over_time: tuple[tuple[float, float], ...]
    spent: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Plausible:
    """A fitted pool, and others that are as plausible: what is asked of a learner once a round.

    Attributes:
        round: Which round of the learner it is of.
        shown: After how many tests the latest change of the pool was shown; 0 if none was.
        pool: The pool as it is now.
        ever: The pool over all the time that there were tests, which what was shipped came from.
        draws: Weights of that which are as plausible, a row each.
        reference: What running to the cap earns per cost under each of them.
        knowledge: What is known of the pool, for people.
    """

    round: int
    shown: int
    pool: FittedPool
    ever: FittedPool
    draws: FloatArray
    reference: FloatArray
    knowledge: PoolKnowledge

    @classmethod
    def of(cls, learner: EmpiricalBayes) -> "Plausible":
        """What a learner finds plausible now."""
        fit, fitted = learner.plausible_ever(), learner.fitted
        now = learner.plausible() if learner.drift else fit
        pool, ever = (replace(fitted, weights=each.weights) for each in (now, fit))
        rates = shipped_at_cap(fitted.law, fitted.values, learner.cap, fitted.factor)
        earned = np.vstack([fit.weights, fit.draws]) @ (rates * fitted.values)
        per_cost = earned / (learner.cap + learner.setup_cost)
        number, shown = learner.state.rounds[-1].number, learner.state.shown
        return cls(number, shown, pool, ever, fit.draws, per_cost, learner.pool_knowledge())


def shipped_at_cap(law: Law, values: FloatArray, cap: int, factor: float = 1.0) -> FloatArray:
    """How often ideas of each value are ahead at the cap.

    Args:
        law: The law of samples.
        values: The values.
        cap: How many samples a test has.
        factor: How many samples are worth an independent one.

    Example:
        >>> from dwell import Gaussian
        >>> shipped_at_cap(Gaussian(1.0), np.array([-0.1, 0.0, 0.1]), 100).round(3).tolist()
        [0.159, 0.5, 0.841]
    """
    if isinstance(law, Signs):
        return np.array([_signs_ahead(float(value), cap) for value in values])
    noise = noise_under(law) * sqrt(factor)
    gate = Limits(np.array([cap]), np.zeros((1, 1)), np.zeros((1, 1)))
    found: FloatArray = fates(values[None, :], np.array([noise]), gate).accept[0]
    return found


@lru_cache(maxsize=4096)
def _signs_ahead(value: float, cap: int) -> float:
    return float(exact(fixed(cap, 1), World(Atoms([value]), Signs())).accept_rate[0])


class Ledger:
    """What a programme has earned, kept so that it need not be computed twice."""

    def __init__(self) -> None:
        self.plausible: Plausible | None = None
        self._rows: dict[int, tuple[Shipped, FloatArray]] = {}
        self._last: tuple[tuple[int, int], Earned | None] | None = None

    def renew(self, learner: Learner) -> None:
        """Ask the learner what is plausible, if it has fitted its pool anew."""
        if not isinstance(learner, EmpiricalBayes):
            return
        number, shown, before = learner.state.rounds[-1].number, learner.state.shown, self.plausible
        if before is None or (before.round, before.shown) != (number, shown):
            self.plausible = Plausible.of(learner)
            if before is None or before.pool.factor != self.plausible.pool.factor:
                self._rows.clear()

    def earned(self, story: Story, setup_cost: float) -> Earned | None:
        """What was earned; None if nothing shows it."""
        number = -1 if self.plausible is None else self.plausible.round
        key = (number, story.changes)
        if self._last is None or self._last[0] != key:
            self._last = key, self._found(story, setup_cost)
        return self._last[1]

    def _found(self, story: Story, setup_cost: float) -> Earned | None:
        if not story.costs or not story.shipped:
            return None
        # What was shipped counts from its decision on, and so do all costs of decided tests.
        more, drawn_more = story.still_open
        _, tests, drawn = story.costs[-1]
        counts = [*story.costs, (story.last, tests + more, drawn + drawn_more)]
        spent = tuple((at, setup_cost * tests + drawn) for at, tests, drawn in counts)
        shipped = dict(sorted(story.shipped.items(), key=lambda pair: pair[1].at))
        if self.plausible is None:
            return _by_estimates(story.began, shipped, spent)
        return self._under_pools(self.plausible, story.began, shipped, spent)

    def _under_pools(
        self,
        plausible: Plausible,
        began: float,
        shipped: dict[int, Shipped],
        spent: tuple[tuple[float, float], ...],
    ) -> Earned:
        pool, cost = plausible.ever, spent[-1][1]
        likely = np.array([self._row(pool, n, each) for n, each in shipped.items()])
        weights = np.vstack([pool.weights, plausible.draws])
        mixed = likely @ weights.T
        means = likely @ (weights * pool.values).T / mixed
        squares = likely @ (pool.weights * pool.values**2) / mixed[:, 0]
        left_open = float((squares - means[:, 0] ** 2).sum())  # what tests do not tell
        values, reference = means.sum(axis=0), plausible.reference * cost
        gains = values - reference
        value = Figure.of(float(values[0]), sqrt(values[1:].var() + left_open))
        cumulated = np.cumsum(means[:, 0]).tolist()
        return Earned(
            began,
            value,
            cost,
            value.per(cost),
            Figure.of(float(reference[0]), float(reference[1:].std())),
            Figure.of(float(gains[0]), sqrt(gains[1:].var() + left_open)),
            tuple(zip((each.at for each in shipped.values()), cumulated, strict=True)),
            spent,
        )

    def _row(self, pool: FittedPool, number: int, shipped: Shipped) -> FloatArray:
        """What a test says of each value."""
        kept = self._rows.get(number)
        if kept is None or kept[0] != shipped:
            flat = FittedPool(pool.law, pool.values, np.ones(len(pool.values)), pool.factor, 0)
            kept = shipped, flat.given(shipped.samples, shipped.total).weights
            self._rows[number] = kept
        return kept[1]


def _by_estimates(
    began: float, shipped: dict[int, Shipped], spent: tuple[tuple[float, float], ...]
) -> Earned | None:
    """The same from estimates alone, if every test that was shipped has one."""
    found = [each.estimate for each in shipped.values() if each.estimate is not None]
    if len(found) < len(shipped) or len(found) < 2:
        return None
    value = Figure.of(sum(found), float(np.std(found, ddof=1)) * sqrt(len(found)))
    cost = spent[-1][1]
    cumulated = np.cumsum(found).tolist()
    return Earned(
        began,
        value,
        cost,
        value.per(cost),
        None,
        None,
        tuple(zip((each.at for each in shipped.values()), cumulated, strict=True)),
        spent,
    )
