"""CAPE, capped policy elimination (the paper's Algorithm 1).

| paper | here |
|---|---|
| C_n | candidates |
| N_ex | exploration_cap |
| ln(4 K N_ex / delta) | logarithm |
| 2 D_K^2 ln(4 K N_ex / delta), line 3 | first_test |
| r+-_n(k), c+-_n(k) | bounds |
| k' | chosen |
"""

import warnings
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, isqrt, log

import numpy as np

from dwell import checks
from dwell.arrays import IntArray
from dwell.errors import InvalidInput, VacuousGuarantee
from dwell.estimate.bounds import Bounds
from dwell.kernels.elimination import explore_and_eliminate
from dwell.learners.bounds import Tally, chosen_by, hoeffding_bounds
from dwell.learners.design import Design
from dwell.learners.learner import Knowledge, Learner
from dwell.policies import AnyPolicy, Policies
from dwell.records import Records


@dataclass(frozen=True, slots=True)
class Guarantee:
    """Whether CAPE's elimination can begin before its exploration ends.

    Attributes:
        first_test: The first task after which a policy may be eliminated.
        exploration_cap: The last task that is explored.
        needed_cap: The exploration cap from which on `first_test` comes in time.
        needed_tasks: The number of tasks whose default exploration cap is that large.
    """

    first_test: int
    exploration_cap: int
    needed_cap: int
    needed_tasks: int

    @property
    def vacuous(self) -> bool:
        """Whether no elimination test will ever run."""
        return self.first_test > self.exploration_cap

    def __str__(self) -> str:
        if not self.vacuous:
            return (
                f"policies can be eliminated from task {self.first_test:,} of "
                f"{self.exploration_cap:,} explored ones on"
            )
        return (
            f"CAPE's guarantee is vacuous here: no policy can be eliminated before task "
            f"{self.first_test:,}, but exploration ends after {self.exploration_cap:,}; it would "
            f"need {self.needed_tasks:,} tasks (an exploration cap of {self.needed_cap:,}), or "
            f"shorter caps"
        )


@dataclass(slots=True)
class Progress(Tally):
    """Sums over the explored tasks, and which policies they have eliminated.

    Attributes:
        eliminated_at: Per policy, the task after which it was eliminated; 0 for a candidate.
    """

    eliminated_at: IntArray

    @classmethod
    def empty(cls, policies: int) -> "Progress":
        """Nothing explored yet."""
        sums, rewards = np.zeros((2, policies))
        return cls(0, 0, sums, rewards, np.zeros(policies, dtype=np.int64))


class Cape(Learner):
    """Explore with twice the samples needed, eliminate what cannot be best, then run what is left.

    Args:
        policies: The policies to choose from, in order of their caps.
        tasks: How many tasks there will be (N).
        delta: The bounds hold all at once with probability at least 1 - delta.
        exploration_cap: How many tasks to explore at most (N_ex); ceil(N^(2/3)) by default.
        setup_cost: What each task costs besides its samples.
        bound: Observations lie in [-bound, bound], or are sub-Gaussian with this scale, values
            included: an observation is a value plus noise, and both vary.
        announce: Warn if the guarantee is vacuous for this many tasks.

    Example:
        >>> from dwell import Atoms, Signs, World, hoeffding, simulate
        >>> policies = hoeffding(caps=[1, 2, 3], c=0.35, tasks=10**6, delta=0.05)
        >>> learner = Cape(policies, tasks=10**6, delta=0.05)
        >>> run = simulate(learner, World(Atoms([-1, 0, 1]), Signs()), tasks=10**6, rng=0)
        >>> policies.caps[run.chosen], run.explored
        (3, 4368)
    """

    state: Progress

    def __init__(
        self,
        policies: AnyPolicy | Iterable[AnyPolicy],
        *,
        tasks: int,
        delta: float = 0.05,
        exploration_cap: int | None = None,
        setup_cost: float = 0.0,
        bound: float = 1.0,
        announce: bool = True,
    ):
        super().__init__()
        self.policies = Policies.of(policies)
        self.tasks = checks.count("tasks", tasks)
        self.delta = checks.probability("delta", delta)
        self.setup_cost = checks.not_negative("set-up cost", setup_cost)
        self.bound = checks.positive("bound", bound)
        self.exploration_cap = exploration_cap_for(self.tasks, exploration_cap)
        self.state = Progress.empty(len(self.policies))
        if announce and self.guarantee.vacuous:
            warnings.warn(str(self.guarantee), VacuousGuarantee, stacklevel=2)
        self.announce = False  # once is enough: what is restored from JSON stays silent

    @property
    def choices(self) -> Policies:
        """The policies among which it looks for the best."""
        return self.policies

    @cached_property
    def logarithm(self) -> float:
        """ln(4 K N_ex / delta)."""
        return log(4.0 * len(self.policies) * self.exploration_cap) - log(self.delta)

    @cached_property
    def guarantee(self) -> Guarantee:
        """When elimination begins, and how many tasks it would take if that is too late."""
        squared = 2.0 * self.policies.caps[-1] ** 2
        needed, before = ceil(squared), 0
        while needed != before:
            before = needed
            logarithm = log(4.0 * len(self.policies) * before) - log(self.delta)
            needed = max(1, ceil(squared * logarithm))
        first_test = ceil(squared * self.logarithm)  # line 3
        # ceil(N^(2/3)) >= needed as soon as N^2 > (needed - 1)^3.
        return Guarantee(first_test, self.exploration_cap, needed, isqrt((needed - 1) ** 3) + 1)

    @property
    def candidates(self) -> IntArray:
        """The indices of the policies that have not been eliminated (C_n)."""
        return np.flatnonzero(self.state.eliminated_at == 0)

    @property
    def exploring(self) -> bool:
        """Whether tasks are still explored (the loop of line 1, and the test of line 7)."""
        explored = self.state.explored
        return explored < self.exploration_cap and (explored == 0 or len(self.candidates) > 1)

    @property
    def chosen(self) -> int | None:
        """The policy that is run for good (k', line 8); None while exploring."""
        return None if self.exploring else chosen_by(self.bounds, self.candidates)

    @property
    def bounds(self) -> Bounds:
        """Bounds on every policy, from all tasks in which it was recorded."""
        # A policy is recorded as long as there is a candidate at least as long.
        eliminated_at = self.state.eliminated_at
        until = np.where(eliminated_at == 0, self.state.explored, eliminated_at)
        seen = np.maximum.accumulate(until[::-1])[::-1]
        return hoeffding_bounds(
            self.state,
            seen,
            np.array(self.policies.caps),
            logarithm=self.logarithm,
            bound=self.bound,
            setup_cost=self.setup_cost,
        )

    def propose(self, tasks: int) -> Design:
        """How the next tasks are to be run."""
        if (chosen := self.chosen) is not None:
            return self.for_good(chosen, tasks)
        left = self.exploration_cap - self.state.explored - self.queue.reserved
        if left <= 0:
            return self.meanwhile(chosen_by(self.bounds, self.candidates))
        return self.up_to(int(self.candidates[-1]), oversamples=True, tasks=min(tasks, left))

    def take(self, design: Design, records: Records) -> int:
        """Take in records in order, and return how many."""
        del design
        if not self.exploring:
            return len(records)
        # A design that was begun earlier may cover policies that have been eliminated since.
        records = records.of_first(int(self.candidates[-1]) + 1)
        assert records.estimates is not None  # a record of twice the cap has them
        taken = explore_and_eliminate(
            records.durations,
            records.decisions,
            records.estimates,
            self.state.explored,
            self.guarantee.first_test,
            # A single policy is left from the start: line 7 ends the exploration at once.
            1 if len(self.policies) == 1 else self.exploration_cap,
            self.state.duration_sums,
            self.state.reward_sums,
            self.state.eliminated_at,
            np.array(self.policies.caps),
            self.logarithm,
            self.bound,
            self.setup_cost,
        )
        self.state.explored += taken
        self.state.samples += int(records.drawn[:taken].sum())
        return taken

    def knowledge(self) -> Knowledge:
        """What is known so far."""
        return Knowledge(
            candidates=tuple(self.candidates.tolist()),
            eliminated_at=tuple(self.state.eliminated_at.tolist()),
            bounds=self.bounds,
            chosen=self.chosen,
            explored=self.state.explored,
            samples=self.state.samples,
            note=str(self.guarantee) if self.guarantee.vacuous else "",
        )


def exploration_cap_for(tasks: int, given: int | None = None) -> int:
    """N_ex: what was given, or ceil(N^(2/3)) in whole numbers.

    Example:
        >>> exploration_cap_for(10**6), exploration_cap_for(27)
        (10000, 9)
    """
    if given is not None:
        given = checks.count("exploration_cap", given)
        if given > tasks:
            raise InvalidInput(f"exploration_cap must be at most tasks, {tasks}, got {given}")
        return given
    return bisect_left(range(tasks + 1), tasks**2, key=lambda cap: cap**3)
