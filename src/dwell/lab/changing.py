"""Worlds that change: pools of ideas that follow one another while a learner runs.

Samples keep their law; what ideas are worth has another law from some task on. Each pool is a
`World`, so that all that is exact of worlds is exact of each pool.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from dwell import checks
from dwell.arrays import BoolArray, FloatArray, IntArray
from dwell.beliefs import mixture
from dwell.errors import InvalidInput
from dwell.laws import Law
from dwell.policies import AnyPolicy
from dwell.priors import Atoms, Prior
from dwell.table import exact
from dwell.world import World


@dataclass(frozen=True, slots=True, repr=False, init=False)
class ChangingWorld:
    """Pools of ideas that follow one another, each for a share of a run or of every period.

    Args:
        priors: The laws of the values, in the order in which they come; one that comes back is
            named again.
        law: The law of the observations, which stays.
        changes: After which shares of the run the next pool comes: one number fewer than there are
            pools, in increasing order. Pools have equal shares by default.
        period: After how many tasks the first pool comes back; then changes are shares of a
            period. By default nothing comes back.

    Example:
        >>> from dwell import Signs
        >>> good, bad = Atoms([-0.05, 0.6], [0.9, 0.1]), Atoms([-0.3, 0.1], [0.9, 0.1])
        >>> ChangingWorld([good, bad], Signs()).pool_of(np.arange(6), tasks=6).tolist()
        [0, 0, 0, 1, 1, 1]
        >>> season = ChangingWorld([good, bad], Signs(), period=2)
        >>> season.pool_of(np.arange(6), tasks=6).tolist()
        [0, 1, 0, 1, 0, 1]
    """

    pools: tuple[World, ...]
    changes: tuple[float, ...]
    period: int | None

    def __init__(
        self,
        priors: Iterable[Prior],
        law: Law,
        changes: Iterable[float] | None = None,
        period: int | None = None,
    ):
        checks.kind(
            "priors", priors, Iterable, "a list of priors, such as [Beta(2, 3), Beta(3, 2)]"
        )
        pools = tuple(World(prior, law) for prior in priors)
        if len(pools) < 2:
            raise InvalidInput(
                f"a world that changes has two pools of ideas at least, got {len(pools)}; where "
                "nothing changes use World"
            )
        if changes is None:
            shares = [place / len(pools) for place in range(1, len(pools))]
        else:
            checks.kind("changes", changes, Iterable, "a list of shares of the run")
            shares = [checks.probability("each change", share) for share in changes]
        if len(shares) != len(pools) - 1 or any(one >= next_ for one, next_ in pairwise(shares)):
            raise InvalidInput(
                f"changes must be {len(pools) - 1} increasing numbers between 0 and 1, one between "
                f"every two of {len(pools)} pools, got {checks.shown(shares)}"
            )
        if period is not None:
            period = checks.count("period", period, least=len(pools))
        object.__setattr__(self, "pools", pools)
        object.__setattr__(self, "changes", tuple(shares))
        object.__setattr__(self, "period", period)

    @property
    def law(self) -> Law:
        """The law of the observations."""
        return self.pools[0].law

    @property
    def abrupt(self) -> bool:
        """Whether there are one or two changes: more of them are steps, or come every period."""
        return self.period is None and len(self.pools) <= 3

    @property
    def shares(self) -> FloatArray:
        """Which share of the tasks comes from each pool, in the long run."""
        return np.diff([0.0, *self.changes, 1.0])

    def pool_of(self, places: IntArray, tasks: int) -> IntArray:
        """Which pool each task is from.

        Args:
            places: How many tasks of the run come before each.
            tasks: How many tasks the run has.
        """
        length = self.period or tasks
        # Both sides are nearest to a ratio of whole numbers: equal ones are equal as floats.
        found: IntArray = np.searchsorted(self.changes, (places % length) / length, side="right")
        return found

    def tasks_of(self, tasks: int) -> IntArray:
        """How many tasks of a run come from each pool.

        Example:
            >>> from dwell import Beta, Signs
            >>> thirds = ChangingWorld([Beta(2, 3), Beta(3, 2), Beta(2, 3)], Signs())
            >>> thirds.tasks_of(100).tolist()
            [34, 33, 33]
        """
        return np.bincount(self.pool_of(np.arange(tasks), tasks), minlength=len(self.pools))

    def sample_values(self, places: IntArray, tasks: int, rng: np.random.Generator) -> FloatArray:
        """Draw the values of tasks, each from its own pool; arguments as of `pool_of`."""
        which = self.pool_of(places, tasks)
        values = np.empty(len(places))
        for pool in np.unique(which):
            here = which == pool
            values[here] = self.pools[pool].sample_values(int(here.sum()), rng)
        return values

    def mixture(self, cap: int) -> World:
        """All pools in one: there, policies of up to this cap that never change earn as much."""
        parts = [mixture(pool, cap) for pool in self.pools]
        values = np.concatenate([values for values, _ in parts])
        weights = [share * own for share, (_, own) in zip(self.shares, parts, strict=True)]
        return World(Atoms(values.tolist(), np.concatenate(weights).tolist()), self.law)

    def __repr__(self) -> str:
        priors = " then ".join(str(pool.prior) for pool in self.pools)
        again = "" if self.period is None else f", again every {self.period:,} tasks"
        return f"ChangingWorld({priors}{again}, {self.law})"


class PoolSums(NamedTuple):
    """What tasks of one pool came to in a run.

    Attributes:
        tasks: How many they were.
        reward: The total value of what was accepted.
        cost: The total cost: set-up and samples.
        accepted: How many were accepted.
        harmful: How many of these have a value below 0.
    """

    tasks: int
    reward: float
    cost: float
    accepted: int
    harmful: int


class InForce(NamedTuple):
    """What a policy that decided tasks of a pool earns there.

    Attributes:
        pool: Which pool.
        after: After how many tasks of this pool it was in force.
        roi: Its ROI there, exactly; what a learner draws besides, to verify what it accepts, is
            left out.
    """

    pool: int
    after: int
    roi: float


class Tally:
    """Notes what a run does in each pool of a world that changes, and by which policies."""

    def __init__(self, world: ChangingWorld, tasks: int, setup_cost: float):
        self._world = world
        self._tasks = tasks
        self._setup_cost = setup_cost
        self._sums = np.zeros((len(PoolSums._fields), len(world.pools)))
        self._deciders: list[tuple[int, AnyPolicy | None]] = []

    def decided_by(self, place: int, policy: AnyPolicy | None) -> None:
        """Note which policy decides tasks in a row, before the first of which come `place`.

        It is None where everything is rejected.
        """
        self._deciders.append((place, policy))

    def add(self, place: int, drawn: IntArray, values: FloatArray, accepted: BoolArray) -> None:
        """Count tasks in a row.

        Args:
            place: How many tasks of the run come before the first of them.
            drawn: How many samples each drew.
            values: What each is worth.
            accepted: Which were accepted.
        """
        pools = self._world.pool_of(np.arange(place, place + len(values)), self._tasks)
        counted = (
            np.ones(len(values)),
            values * accepted,
            drawn + self._setup_cost,
            accepted,
            accepted & (values < 0.0),
        )
        for sums, figures in zip(self._sums, counted, strict=True):
            sums += np.bincount(pools, weights=figures, minlength=len(sums))

    @property
    def in_force(self) -> tuple[InForce, ...]:
        """What policies earned that decided, in the order of the tasks, if changes are abrupt."""
        if not self._world.abrupt:
            return ()
        # Where tasks are open side by side they come back in any order.
        noted = sorted(self._deciders, key=itemgetter(0))
        deciders = noted[:1] + [each for last, each in pairwise(noted) if each[1] is not last[1]]
        ends = [place for place, _ in deciders[1:]] + [self._tasks]
        starts = np.cumsum([0, *self._world.tasks_of(self._tasks)]).tolist()
        return tuple(
            InForce(pool, max(0, place - start), self._roi_of(policy, pool))
            for pool, (start, stop) in enumerate(pairwise(starts))
            for (place, policy), end in zip(deciders, ends, strict=True)
            if place < stop and end > start
        )

    def _roi_of(self, policy: AnyPolicy | None, pool: int) -> float:
        if policy is None:
            return 0.0
        return float(exact(policy, self._world.pools[pool], self._setup_cost).roi[0])

    @property
    def by_pool(self) -> tuple[PoolSums, ...]:
        """What was counted, pool by pool."""
        return tuple(
            PoolSums(round(tasks), reward, cost, round(accepted), round(harmful))
            for tasks, reward, cost, accepted, harmful in self._sums.T.tolist()
        )
