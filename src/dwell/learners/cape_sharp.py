"""CAPE with sharper estimates: the paper's schedule, Ladder's evidence.

It explores the first N_ex tasks with the longest candidate and then runs one policy for good, as
CAPE does. But a task ends where that candidate stops, and a few samples after an acceptance, in
place of 2 D samples; bounds are empirical Bernstein ones, rung by rung, in place of Hoeffding's;
and policies may be dropped from the first task on. What it gains over CAPE is due to these alone;
what Ladder gains over it is due to the schedule.
"""

from collections.abc import Iterable

import numpy as np

from dwell import checks
from dwell.arrays import IntArray
from dwell.errors import InvalidInput
from dwell.learners.bounds import chosen_by
from dwell.learners.cape import exploration_cap_for
from dwell.learners.evidence import Evidence, Recorded, Rungs
from dwell.learners.learner import Knowledge, Plan, for_good
from dwell.learners.stored import Stored
from dwell.policies import AnyPolicy, Policies
from dwell.records import Records


class CapeSharp(Stored):
    """Explore with the longest candidate, drop what cannot be best, run the rest.

    Args:
        policies: The policies to choose from, in order of their caps.
        tasks: How many tasks there will be (N).
        delta: With probability at least 1 - delta no policy with the best ROI is dropped, and all
            intervals hold, at all times at once.
        exploration_cap: How many tasks to explore at most (N_ex); ceil(N^(2/3)) by default.
        setup_cost: What each task costs besides its samples.
        bound: Observations lie in [-bound, bound].

    Example:
        >>> from dwell import Atoms, Signs, World, hoeffding, simulate
        >>> policies = hoeffding(caps=[1, 4, 16, 64], c=0.35, tasks=10_000, delta=0.05)
        >>> learner = CapeSharp(policies, tasks=10**6, setup_cost=20)
        >>> run = simulate(learner, World(Atoms([-1, 0, 1]), Signs()), tasks=10**6, rng=0)
        >>> policies.caps[run.chosen], run.explored
        (4, 731)
    """

    SETTINGS = ("policies", "tasks", "delta", "exploration_cap", "setup_cost", "bound")
    STATE = ("sums", "dropped_at", "explored", "samples", "extras", "next_test")

    def __init__(
        self,
        policies: AnyPolicy | Iterable[AnyPolicy],
        *,
        tasks: int,
        delta: float = 0.05,
        exploration_cap: int | None = None,
        setup_cost: float = 0.0,
        bound: float = 1.0,
    ):
        self.policies = Policies.of(policies)
        self.tasks = checks.count("tasks", tasks)
        self.delta = checks.probability("delta", delta)
        self.exploration_cap = exploration_cap_for(self.tasks, exploration_cap)
        self.setup_cost = checks.not_negative("set-up cost", setup_cost)
        self.bound = checks.positive("bound", bound)
        self.rungs = Rungs(self.policies)
        self.sums = np.zeros((Evidence.ROWS, len(self.policies)))
        self.dropped_at = np.zeros(len(self.policies), dtype=np.int64)
        self.explored = 0
        self.samples = 0
        self.extras = 1
        self.next_test = 1

    @property
    def choices(self) -> Policies:
        """The policies among which it looks for the best."""
        return self.policies

    @property
    def evidence(self) -> Evidence:
        """What the tasks so far have taught."""
        return Evidence(self.rungs, self.sums, setup_cost=self.setup_cost, bound=self.bound)

    @property
    def candidates(self) -> IntArray:
        """The indices of the policies that have not been dropped (C_n)."""
        return np.flatnonzero(self.dropped_at == 0)

    @property
    def exploring(self) -> bool:
        """Whether tasks are still explored."""
        left = len(self.candidates)
        return self.explored < self.exploration_cap and (self.explored == 0 or left > 1)

    @property
    def chosen(self) -> int | None:
        """The policy that is run for good (k'); None while exploring, or if none may earn."""
        if self.exploring or not len(self.candidates):
            return None
        return chosen_by(self.evidence.reach(self.delta).bounds, self.candidates)

    def plan(self) -> Plan:
        """How the next tasks are to be run."""
        if not self.exploring:
            return for_good(self.policies, self.chosen)
        return Plan(
            self._recorded.policies,
            accepts=True,
            oversamples=False,
            tasks=self.next_test - self.explored,
            extras=self.extras,
        )

    @property
    def _recorded(self) -> Recorded:
        return self.rungs.recorded(np.arange(self.candidates[-1] + 1))

    def learn(self, records: Records) -> int:
        """Take in records made under the plan, in order, and return how many were taken."""
        if not self.exploring:
            return len(records)
        if records.estimates is None:
            raise InvalidInput(
                f"the plan asks for {self.extras} samples after each acceptance; the records lack "
                "estimates"
            )
        taken = min(len(records), self.next_test - self.explored)
        self.evidence.add(records.first(taken), self._recorded)
        self.explored += taken
        self.samples += int(records.drawn[:taken].sum())
        if self.explored == self.next_test:
            self._test()
        return taken

    def _test(self) -> None:
        """Drop what cannot be best, and say when to look again."""
        evidence = self.evidence
        candidates = self.dropped_at == 0
        hopeless = evidence.reach(self.delta).hopeless(candidates)
        self.dropped_at[candidates & hopeless] = self.explored
        evidence.settle()
        if len(self.candidates):
            longest = self.candidates[-1]
            self.extras = int(min(evidence.cost[longest], self.rungs.caps[longest]))
        later = self.explored + max(1, self.explored // 10)
        self.next_test = min(later, self.exploration_cap)

    def knowledge(self) -> Knowledge:
        """What is known so far."""
        evidence = self.evidence
        return Knowledge(
            candidates=tuple(self.candidates.tolist()),
            dropped_at=tuple(self.dropped_at.tolist()),
            bounds=evidence.reach(self.delta).bounds,
            chosen=self.chosen,
            explored=self.explored,
            samples=self.samples,
            roi=evidence.reward / evidence.cost,
        )
