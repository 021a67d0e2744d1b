"""Baselines: a policy that never changes, and explore-then-commit."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import log

import numpy as np

from dwell import checks
from dwell.errors import InvalidInput
from dwell.learners.bounds import Tally, hoeffding_bounds
from dwell.learners.cape import exploration_cap_for
from dwell.learners.design import Design
from dwell.learners.learner import Knowledge, Learner
from dwell.policies import AnyPolicy, Policies
from dwell.records import Records


@dataclass(slots=True)
class Nothing:
    """The state of a learner that learns nothing."""


class Fixed(Learner):
    """Run one policy, whatever happens.

    Args:
        policies: The policies to compare it with.
        index: Which of them to run; the last by default.
        setup_cost: What each task costs besides its samples.
    """

    state: Nothing

    def __init__(
        self,
        policies: AnyPolicy | Iterable[AnyPolicy],
        index: int = -1,
        *,
        setup_cost: float = 0.0,
    ):
        super().__init__()
        self.policies = Policies.of(policies)
        whole = isinstance(index, int) and not isinstance(index, bool)
        if not (whole and -len(self.policies) <= index < len(self.policies)):
            raise InvalidInput(
                f"index must name one of {len(self.policies)} policies, got {index!r}"
            )
        self.index = index % len(self.policies)
        self.setup_cost = checks.not_negative("set-up cost", setup_cost)
        self.state = Nothing()

    @property
    def choices(self) -> Policies:
        """The policies that it is compared with."""
        return self.policies

    def propose(self, tasks: int) -> Design:
        """How the next tasks are to be run."""
        return self.for_good(self.index, tasks)

    def take(self, design: Design, records: Records) -> int:
        """Take in records; there is nothing to learn from them."""
        del design
        return len(records)

    def knowledge(self) -> Knowledge:
        """What is known so far."""
        eliminated_at = (0,) * len(self.policies)
        return Knowledge((self.index,), eliminated_at, None, self.index, explored=0, samples=0)


class ExploreThenCommit(Learner):
    """Explore as CAPE does but eliminate nothing, then run the policy with the best estimate.

    Args:
        policies: The policies to choose from, in order of their caps.
        tasks: How many tasks there will be.
        exploration_cap: How many tasks to explore; ceil(tasks^(2/3)) by default.
        delta: The bounds hold with probability at least 1 - delta at any one moment fixed
            beforehand, such as the end of the exploration; not at all moments at once, as CAPE's.
        setup_cost: What each task costs besides its samples.
        bound: Observations lie in [-bound, bound].
    """

    state: Tally

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
        super().__init__()
        self.policies = Policies.of(policies)
        self.tasks = checks.count("tasks", tasks)
        self.exploration_cap = exploration_cap_for(self.tasks, exploration_cap)
        self.delta = checks.probability("delta", delta)
        self.setup_cost = checks.not_negative("set-up cost", setup_cost)
        self.bound = checks.positive("bound", bound)
        self.state = Tally.empty(len(self.policies))

    @property
    def choices(self) -> Policies:
        """The policies among which it looks for the best."""
        return self.policies

    @property
    def chosen(self) -> int | None:
        """The policy that is run for good; None while exploring."""
        return None if self.state.explored < self.exploration_cap else self._best

    @property
    def _best(self) -> int:
        """The policy with the best estimate; the longest before there are any."""
        if not self.state.explored:
            return len(self.policies) - 1
        cost = self.setup_cost * self.state.explored + self.state.duration_sums
        return int(np.argmax(self.state.reward_sums / cost))

    def propose(self, tasks: int) -> Design:
        """How the next tasks are to be run."""
        if (chosen := self.chosen) is not None:
            return self.for_good(chosen, tasks)
        left = self.exploration_cap - self.state.explored - self.queue.reserved
        if left <= 0:
            return self.meanwhile(self._best)
        return self.up_to(len(self.policies) - 1, oversamples=True, tasks=min(tasks, left))

    def take(self, design: Design, records: Records) -> int:
        """Take in records in order, and return how many."""
        del design
        if self.chosen is not None or (rewards := records.rewards) is None:
            return len(records)
        taken = min(len(records), self.exploration_cap - self.state.explored)
        # Cumulative sums add in order, so that a block gives the very sums that single tasks do.
        for sums, new in (
            (self.state.duration_sums, records.durations[:taken]),
            (self.state.reward_sums, rewards[:taken]),
        ):
            sums[:] = np.cumsum(np.vstack([sums, new]), axis=0)[-1]
        self.state.explored += taken
        self.state.samples += int(records.drawn[:taken].sum())
        return taken

    def knowledge(self) -> Knowledge:
        """What is known so far."""
        count = len(self.policies)
        chosen = self.chosen
        bounds = hoeffding_bounds(
            self.state,
            np.full(count, self.state.explored),
            np.array(self.policies.caps),
            logarithm=log(4.0 * count) - log(self.delta),
            bound=self.bound,
            setup_cost=self.setup_cost,
        )
        return Knowledge(
            candidates=tuple(range(count)) if chosen is None else (chosen,),
            eliminated_at=(0,) * count,
            bounds=bounds,
            chosen=chosen,
            explored=self.state.explored,
            samples=self.state.samples,
        )
