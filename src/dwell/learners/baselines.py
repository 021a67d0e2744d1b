"""Baselines: a policy that never changes, and explore-then-commit."""

from collections.abc import Iterable
from math import log

import numpy as np

from dwell import checks
from dwell.errors import InvalidInput
from dwell.learners.bounds import Tally, hoeffding_bounds
from dwell.learners.cape import exploration_cap_for
from dwell.learners.learner import Knowledge, Plan, for_good
from dwell.learners.stored import Stored
from dwell.policies import AnyPolicy, Policies
from dwell.records import Records


class Fixed(Stored):
    """Run one policy, whatever happens.

    Args:
        policies: The policies to compare it with.
        index: Which of them to run; the last by default.
        setup_cost: What each task costs besides its samples.
    """

    SETTINGS = ("policies", "index", "setup_cost")
    STATE = ()

    def __init__(
        self,
        policies: AnyPolicy | Iterable[AnyPolicy],
        index: int = -1,
        *,
        setup_cost: float = 0.0,
    ):
        self.policies = Policies.of(policies)
        if not (isinstance(index, int) and -len(self.policies) <= index < len(self.policies)):
            raise InvalidInput(
                f"index must name one of {len(self.policies)} policies, got {index!r}"
            )
        self.index = index % len(self.policies)
        self.setup_cost = checks.not_negative("set-up cost", setup_cost)

    @property
    def choices(self) -> Policies:
        """The policies that it is compared with."""
        return self.policies

    def plan(self) -> Plan:
        """How the next tasks are to be run."""
        return for_good(self.policies, self.index)

    def learn(self, records: Records) -> int:
        """Take in records; there is nothing to learn from them."""
        return len(records)

    def knowledge(self) -> Knowledge:
        """What is known so far."""
        dropped_at = (0,) * len(self.policies)
        return Knowledge((self.index,), dropped_at, None, self.index, explored=0, samples=0)


class ExploreThenCommit(Stored):
    """Explore as CAPE does but drop nothing, then run the policy with the best estimate.

    Args:
        policies: The policies to choose from, in order of their caps.
        tasks: How many tasks there will be.
        exploration_cap: How many tasks to explore; ceil(tasks^(2/3)) by default.
        delta: The bounds hold with probability at least 1 - delta at any one moment fixed
            beforehand, such as the end of the exploration; not at all moments at once, as CAPE's.
        setup_cost: What each task costs besides its samples.
        bound: Observations lie in [-bound, bound].
    """

    SETTINGS = ("policies", "tasks", "exploration_cap", "delta", "setup_cost", "bound")
    STATE = ("tally",)

    def __init__(
        self,
        policies: AnyPolicy | Iterable[AnyPolicy],
        *,
        tasks: int,
        exploration_cap: int | None = None,
        delta: float = 0.05,
        setup_cost: float = 0.0,
        bound: float = 1.0,
    ):
        self.policies = Policies.of(policies)
        self.tasks = checks.count("tasks", tasks)
        self.exploration_cap = exploration_cap_for(self.tasks, exploration_cap)
        self.delta = checks.probability("delta", delta)
        self.setup_cost = checks.not_negative("set-up cost", setup_cost)
        self.bound = checks.positive("bound", bound)
        self.tally = Tally.empty(len(self.policies))

    @property
    def choices(self) -> Policies:
        """The policies among which it looks for the best."""
        return self.policies

    @property
    def chosen(self) -> int | None:
        """The policy that is run for good; None while exploring."""
        if self.tally.explored < self.exploration_cap:
            return None
        cost = self.setup_cost * self.tally.explored + self.tally.duration_sums
        return int(np.argmax(self.tally.reward_sums / cost))

    def plan(self) -> Plan:
        """How the next tasks are to be run."""
        if (chosen := self.chosen) is not None:
            return for_good(self.policies, chosen)
        left = self.exploration_cap - self.tally.explored
        return Plan(self.policies, accepts=True, oversamples=True, tasks=left)

    def learn(self, records: Records) -> int:
        """Take in records made under the plan, in order, and return how many were taken."""
        if self.chosen is not None:
            return len(records)
        width = len(self.policies)
        if (rewards := records.rewards) is None or records.durations.shape[1] != width:
            raise InvalidInput(
                f"explore-then-commit is exploring: each record must estimate the rewards of all "
                f"{width} policies"
            )
        taken = min(len(records), self.exploration_cap - self.tally.explored)
        # Cumulative sums add in order, so that a block gives the very sums that single tasks do.
        for sums, new in (
            (self.tally.duration_sums, records.durations[:taken]),
            (self.tally.reward_sums, rewards[:taken]),
        ):
            sums[:] = np.cumsum(np.vstack([sums, new]), axis=0)[-1]
        self.tally.explored += taken
        self.tally.samples += int(records.drawn[:taken].sum())
        return taken

    def knowledge(self) -> Knowledge:
        """What is known so far."""
        count = len(self.policies)
        chosen = self.chosen
        bounds = hoeffding_bounds(
            self.tally,
            np.full(count, self.tally.explored),
            np.array(self.policies.caps),
            logarithm=log(4.0 * count) - log(self.delta),
            bound=self.bound,
            setup_cost=self.setup_cost,
        )
        return Knowledge(
            candidates=tuple(range(count)) if chosen is None else (chosen,),
            dropped_at=(0,) * count,
            bounds=bounds,
            chosen=chosen,
            explored=self.tally.explored,
            samples=self.tally.samples,
        )
